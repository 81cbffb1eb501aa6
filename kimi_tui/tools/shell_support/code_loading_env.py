"""Environment variables by which programs load code, and whether they lead to files that anyone may have written.

The user set them, but a relative entry, or one in the workspace, names files of the folder that the agent works in.
"""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

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
_BETWEEN = re.compile(r"[\s:;,='\"]+")


def loads_code_from(folders: Iterable[Path], environ: Mapping[str, str]) -> str:
    """Name a variable by which a program may load code from these folders, or from where it runs; "" without one."""
    own = tuple(folders)
    for name in sorted((_SEARCHED | _NAMED | _OPTIONS) & environ.keys()):
        value = environ[name]
        if name in _OPTIONS:
            entries = [entry for entry in _BETWEEN.split(value) if "/" in entry]
        else:
            entries = value.split(":") if name in _SEARCHED and value else [value] if value else []
        if any(not entry.startswith("/") or _is_within(entry, own) for entry in entries):
            return name
    return ""


def _is_within(entry: str, folders: tuple[Path, ...]) -> bool:
    forms = (Path(os.path.normpath(entry)), Path(os.path.realpath(entry)))
    return any(form.is_relative_to(folder) for form in forms for folder in folders)
