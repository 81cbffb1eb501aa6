"""The environment of the agent's commands: ours, without likely secrets.

Names that match `SECRET_NAMES` are removed, unless settings keep them, and every variable whose value is one of our own
keys, whatever its name. `SSH_AUTH_SOCK` and similar variables stay: they are not secrets themselves.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase

SECRET_NAMES = (
    "*API_KEY*",
    "*APIKEY*",
    "*TOKEN*",
    "*SECRET*",
    "*PASSWORD*",
    "*PASSWD*",
    "*PASSPHRASE*",
    "*CREDENTIALS*",
    "*PRIVATE_KEY*",
    "*ACCESS_KEY*",
    "*_AUTH",
    "*_DSN",
    "DATABASE_URL",
)
ALWAYS = {"GIT_TERMINAL_PROMPT": "0", "KIMI_TUI": "1"}
_SHORTEST_KEY = 8


class ChildEnv:
    """`keep` are names (with `*`) that stay although they look secret; `secrets` returns values that are always
    removed.
    """

    def __init__(self, *, keep: Iterable[str] = (), secrets: Callable[[], Iterable[str]] = tuple) -> None:
        self._keep = tuple(pattern.upper() for pattern in keep)
        self._secrets = secrets

    def build(self, environ: Mapping[str, str] | None = None) -> dict[str, str]:
        source = os.environ if environ is None else environ
        return {name: value for name, value in source.items() if self.passes(name, value)} | ALWAYS

    def passes(self, name: str, value: str) -> bool:
        if any(secret in value for secret in self._secrets() if len(secret) >= _SHORTEST_KEY):
            return False
        upper = name.upper()
        if any(fnmatchcase(upper, pattern) for pattern in self._keep):
            return True
        return not any(fnmatchcase(upper, pattern) for pattern in SECRET_NAMES)  # defence: secret-environment


DEFAULT_ENV = ChildEnv()
