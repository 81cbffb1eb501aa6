"""Finds symbolic refs that lead out of Git's folder for refs. Git follows them wherever they lead: a commit, a reset or
a stash would write a file there, and the deletion of a branch would delete one.
"""

import os
import re
from collections.abc import Generator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from kimi_tui.regular_file import read_start

MAX_REFS = 50_000
"""Files of refs that are looked at in one repository."""
_MAX_TEXT = 4096
_SYMBOLIC = b"ref:"
_WHITE = b" \t\r\n"
"""The characters that Git ignores around the name of a ref."""
_WITHIN = re.compile(rb"refs(?:/(?!\.\.?(?:/|\Z))[^\x00-\x20\x7f/\\]+)+")
_AT_THE_TOP = re.compile(r"[A-Z_]+(?<!MSG)")
"""`HEAD`, `ORIG_HEAD` and the like. Those that end in `MSG` hold texts of the user."""


def misleading_refs(git_dir: Path) -> frozenset[tuple[str, bytes]]:
    """Return the names, below the Git directory, and the texts of the symbolic refs that lead to no ref; the folder of
    all refs without a text if they are too many to look at.
    """
    found: set[tuple[str, bytes]] = set()
    for number, name in enumerate(islice(_files_of_refs(git_dir), MAX_REFS + 1)):
        if number == MAX_REFS:
            return frozenset({("refs", b"")})  # defence: refs-that-are-looked-at
        with suppress(OSError):
            text = read_start(git_dir / name, _MAX_TEXT)
            if text.startswith(_SYMBOLIC) and not _leads_to_a_ref(text):
                found.add((name, text))
    return frozenset(found)


def _leads_to_a_ref(text: bytes) -> bool:
    named = text.removeprefix(_SYMBOLIC).strip(_WHITE)
    return len(text) < _MAX_TEXT and _WITHIN.fullmatch(named) is not None


def _files_of_refs(git_dir: Path) -> Generator[str]:
    for name, is_folder in _entries(str(git_dir)):
        if not is_folder and _AT_THE_TOP.fullmatch(name):
            yield name
    waiting = ["refs"]
    while waiting:
        folder = waiting.pop()
        for name, is_folder in _entries(f"{git_dir}/{folder}"):
            if is_folder:
                waiting.append(f"{folder}/{name}")
            else:
                yield f"{folder}/{name}"


def _entries(folder: str) -> Generator[tuple[str, bool]]:
    """Yield the names of the folders and files; links are looked at elsewhere."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder or entry.is_file(follow_symlinks=False):
                yield entry.name, is_folder
