"""Environment variables by which programs load code, and whether they lead to files that anyone may have written.

The user set them, but a relative entry, or one in the workspace, names files of the folder that the agent works in.
"""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from kimi_tui.paths import real_path

_SEARCHED = frozenset(
    {
        *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "GCONV_PATH"),
        *("PYTHONPATH", "PERL5LIB", "PERLLIB", "RUBYLIB", "NODE_PATH"),
    }
)
"""Lists of folders between colons; an empty entry is the current folder."""
_NAMED = frozenset(
    {
        *("BASH_ENV", "RIPGREP_CONFIG_PATH", "BAT_CONFIG_PATH", "BAT_CONFIG_DIR", "PYTHONHOME", "GIT_CONFIG_GLOBAL"),
        *("GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH", "GIT_EXTERNAL_DIFF", "APT_CONFIG"),
    }
)
"""One file or folder each."""
_OPTIONS = frozenset(
    {
        *("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "PERL5OPT", "RUBYOPT"),
        *("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"),
    }
)
"""Texts with paths among other words; a name without a slash is looked for where the system has such files."""
_OF_ALL = re.compile(r"LD_|DYLD_|GCONV_PATH|BASH_ENV")
"""Beginnings of the variables that matter whatever program runs."""
_COMPILED = frozenset(
    {
        *("[", "awk", "basename", "cat", "cd", "cmp", "column", "comm", "command", "cut", "date", "df", "diff"),
        *("dirname", "du", "echo", "false", "fd", "file", "find", "free", "gawk", "git", "grep", "head", "hexdump"),
        *("hostname", "id", "jq", "kill", "ls", "mawk", "md5sum", "nl", "nproc", "od", "paste", "printf", "ps"),
        *("pwd", "readlink", "realpath", "rg", "sed", "sha1sum", "sha256sum", "sleep", "sort", "stat", "tac", "tail"),
        *("test", "timeout", "tr", "tree", "true", "type", "uname", "uniq", "uptime", "wc", "whoami", ":"),
    }
)
"""Programs in no interpreted language, and Bash's own: of the other variables, they read those of `_READ_BY`."""
_READ_BY = {
    "rg": re.compile("RIPGREP_CONFIG_PATH"),
    "git": re.compile("GIT_"),
}
_BETWEEN = re.compile(r"[\s:;,='\"]+")


def loads_code_from(folders: Iterable[Path], environ: Mapping[str, str], programs: Iterable[str]) -> str:
    """Name a variable by which one of the programs may load code from these folders, or from its work dir; "" without
    one. A program that is not known to be compiled may read any of the variables.
    """
    own, names = tuple(folders), frozenset(program.rpartition("/")[2] for program in programs)
    for name in sorted((_SEARCHED | _NAMED | _OPTIONS) & environ.keys()):
        if not any(_reads(program, name) for program in names):
            continue
        value = environ[name]
        if name in _OPTIONS:
            entries = [entry for entry in _BETWEEN.split(value) if "/" in entry]
        else:
            entries = value.split(":") if name in _SEARCHED and value else [value] if value else []
        if any(not entry.startswith("/") or _is_within(entry, own) for entry in entries):
            return name
    return ""


def _reads(program: str, variable: str) -> bool:
    if _OF_ALL.match(variable) or program not in _COMPILED:
        return True
    return program in _READ_BY and _READ_BY[program].match(variable) is not None


def _is_within(entry: str, folders: tuple[Path, ...]) -> bool:
    forms = (Path(os.path.normpath(entry)), real_path(entry))
    return any(form.is_relative_to(folder) for form in forms for folder in folders)
