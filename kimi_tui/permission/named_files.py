"""Finds the files of a project that the command of an MCP server names."""

import itertools
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from kimi_tui.paths import is_file, is_folder

_MAX_FOLDERS = 8
_WITHIN_WORD = re.compile(r"\$\{[^}]*\}|[\s=:;,'\"&|()<>]+")
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def files_named(words: Sequence[str], folder: Path, root: Path) -> Iterator[Path]:
    """The files of the project that these words name: in this folder, in one that another of the words names, as in
    `uv --directory server run main.py`, within a word, as in `sh -c "cd server && node index.js"`, and as a module.
    """
    parts = [part for word in words for part in dict.fromkeys((word, *_WITHIN_WORD.split(word))) if part]
    named = dict.fromkeys(os.path.normpath(folder / part) for part in parts)
    inside = [name for name in named if name != str(root) and Path(name).is_relative_to(root) and is_folder(name)]
    modules = [
        f"{module.replace('.', '/')}{end}"
        for option, module in itertools.pairwise(parts)
        for end in (".py", "/__main__.py")
        if option == "-m" and _MODULE.fullmatch(module)
    ]
    for base in (str(folder), str(root), *inside[:_MAX_FOLDERS]):  # defence: programs-in-named-folders
        for part in (*parts, *modules):
            for name in dict.fromkeys((part, part.lstrip("/"))):  # `${PWD}/main.py`
                path = os.path.normpath(f"{base}/{name}" if name[:1] != "/" else name)
                if name and Path(path).is_relative_to(root) and is_file(path):
                    yield Path(path)
