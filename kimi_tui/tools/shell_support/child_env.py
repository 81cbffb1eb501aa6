"""The environment of the agent's commands: that of kimi-tui, without likely secrets.

Names of secrets and values that look like a secret are removed, unless settings keep them, and every
variable whose value is one of our own keys, whatever its name. `SSH_AUTH_SOCK` and similar variables stay: they are not
secrets themselves. So do proxies with a password, without which there would be no network.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase

from kimi_tui.secret_names import is_secret_name

_SECRET_VALUES = re.compile(
    r"(?<=\w)://[^/\s:@]*:[^/\s@]+@"  # a URL with a password
    r"|(?<=\w)://[^/\s:@]{20,}@"  # a URL with a token
    r"|://hooks\.slack\.com/services/|://discord(?:app)?\.com/api/webhooks/"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|(?<![\w-])(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|glpat|xox[abprs]|npm|pypi|hf|dop_v1|AIza|whsec)[-_][\w-]{12,}"
    r"|(?<!\w)(?:github_pat_\w{20,}|AKIA[0-9A-Z]{16}|ASIA[0-9A-Z]{16}|AIza[\w-]{30,})"
    r"|(?<!\w)eyJ[\w-]{8,}\.[\w-]{8,}\."  # a JSON web token
    r"|(?i:password|passwd|pwd|secret|accountkey|sharedaccesskey)=[^;&\s]{4,}"
)
_HARMLESS_NAMES = frozenset({"PWD", "OLDPWD", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"})
ALWAYS = {"GIT_TERMINAL_PROMPT": "0", "KIMI_TUI": "1"}
_READ_BY_BASH = frozenset(
    ("BASHOPTS", "BASH_COMPAT", "CDPATH", "EXECIGNORE", "GLOBIGNORE", "GLOBSORT", "POSIXLY_CORRECT", "SHELLOPTS")
)
"""Variables by which Bash would read a command line in another way than the approval of it did."""
_SHORTEST_KEY = 8


class ChildEnv:
    """Builds the environment of commands.

    `allowed` are names (with `*`) that stay although they look secret; `secrets` returns values that are always
    removed.
    """

    def __init__(self, *, allowed: Iterable[str] = (), secrets: Callable[[], Iterable[str]] = tuple) -> None:
        self._allowed = tuple(pattern.upper() for pattern in allowed)
        self._secrets = secrets

    def build(self, environ: Mapping[str, str] | None = None) -> dict[str, str]:
        source = os.environ if environ is None else environ
        return {name: value for name, value in source.items() if self.passes(name, value)} | ALWAYS

    def passes(self, name: str, value: str) -> bool:
        if any(secret in value for secret in self._secrets() if len(secret) >= _SHORTEST_KEY):
            return False
        if name in _READ_BY_BASH:  # defence: variables-of-bash
            return False
        upper = name.upper()
        if any(fnmatchcase(upper, pattern) for pattern in self._allowed):
            return True
        if upper in _HARMLESS_NAMES:
            return True
        if _SECRET_VALUES.search(value):
            return False
        return not is_secret_name(upper)  # defence: secret-environment


DEFAULT_ENV = ChildEnv()
