"""Finds the files of a project that the command of an MCP server names."""

import itertools
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from kimi_tui import json_text
from kimi_tui.paths import is_file, is_folder
from kimi_tui.regular_file import read_text

_MAX_FOLDERS = 8
_MAX_PARTS = 200
_WITHIN_WORD = re.compile(r"\$\{[^}]*\}|[\s=:;,'\"&|()<>]+")
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_WITH_VALUE = re.compile(r"-[A-Za-z](?=.)")
"""A short option in one word with its value: `-mserver`, `-r./hook.js`."""
_LEFT_OUT = ("", ".py", ".js", ".cjs", ".ts")
"""How the name of a program may go on, where the command leaves that out: `node build/index`."""
_STARTS = ("__main__.py", "index.js", "index.mjs", "index.cjs", "index.ts", "package.json")
"""The files by which a folder is run: `python server`, `node .`."""


def files_named(words: Sequence[str], folder: Path, root: Path) -> Iterator[Path]:
    """The files of the project that these words name: in this folder, in one that another of the words names, as in
    `uv --directory server run main.py`, within a word, as in `sh -c "cd server && node index.js"`, as a module, as a
    folder that is run, and without the end of the name.
    """
    parts = list(itertools.islice(_parts(words), _MAX_PARTS))  # defence: bounded-words-of-servers
    named = dict.fromkeys(os.path.normpath(folder / part) for part in parts)
    run = [name for name in named if Path(name).is_relative_to(root) and is_folder(name)][:_MAX_FOLDERS]
    inside = [name for name in run if name != str(root)]
    modules = [
        f"{module.replace('.', '/')}{end}"
        for option, module in itertools.pairwise(parts)
        for end in (".py", "/__main__.py")
        if option == "-m" and _MODULE.fullmatch(module)
    ]
    for base in dict.fromkeys((str(folder), str(root), *inside)):  # defence: programs-in-named-folders
        for part in (*parts, *modules):
            for name in dict.fromkeys((part, part.lstrip("/"))):  # `${PWD}/main.py`
                path = os.path.normpath(f"{base}/{name}" if name[:1] != "/" else name)
                if name and Path(path).is_relative_to(root):
                    # defence: programs-without-an-end
                    yield from (Path(f"{path}{end}") for end in _LEFT_OUT if is_file(f"{path}{end}"))
    for base in run:
        yield from _starts(Path(base), root)  # defence: folders-that-are-run


def _parts(words: Sequence[str]) -> Iterator[str]:
    """Yield each word and what is within it, with an option apart from its value."""
    seen = set[str]()
    for word in words:
        for text in (word, *_WITHIN_WORD.split(word)):
            option = _WITH_VALUE.match(text)
            for part in (text, option[0], text[option.end() :]) if option else (text,):  # defence: value-of-the-option
                if part and part not in seen:
                    seen.add(part)
                    yield part


def _starts(folder: Path, root: Path) -> Iterator[Path]:
    yield from (folder / name for name in _STARTS if is_file(folder / name))
    with suppress(OSError, ValueError, RecursionError):
        package: object = json_text.loads(read_text(folder / "package.json"))
        main = cast(dict[str, object], package).get("main") if isinstance(package, dict) else None
        if isinstance(main, str) and main and "\0" not in main:
            path = os.path.normpath(folder / main)
            if Path(path).is_relative_to(root):
                yield from (Path(f"{path}{end}") for end in _LEFT_OUT if is_file(f"{path}{end}"))
