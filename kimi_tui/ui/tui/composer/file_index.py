"""Index for `@` completion: the work dir without ignored files, read in a thread."""

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from heapq import nsmallest
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

from kimi_tui.regular_file import read_text
from kimi_tui.ui.tui.text.fuzzy import score_folded

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MOST = 100_000
_FRESH_S = 10.0
_MOMENT_S = 0.03
_LARGE, _PART = 5_000, 2_000
_NEVER = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".mypy_cache", ".ruff_cache"})


class FileIndex:
    """Paths relative to `root`, folders with a trailing slash. Reading starts with the first search.

    `also` returns further candidates: MCP resources, as `SERVER:URI`.
    """

    def __init__(self, root: Path, *, also: Callable[[], Sequence[str]] = tuple) -> None:
        self._root = root
        self._also = also
        self._paths: list[tuple[str, str]] = []
        self._read_at = -1e9
        self._reading: Thread | None = None
        self._lock = Lock()
        self._last: tuple[str, list[tuple[str, str]]] = ("", [])

    @property
    def is_large(self) -> bool:
        """Whether a search is so slow that the user would notice it while typing."""
        return len(self._paths) > _LARGE

    @property
    def is_reading(self) -> bool:
        return self._reading is not None and self._reading.is_alive()

    def search(self, query: str, limit: int, *, is_current: Callable[[], bool] = lambda: True) -> Sequence[str]:
        """The best matches among the paths read so far; the first search waits briefly for a small folder.

        A cancelled search ends early, with no matches.
        """
        self.refresh()
        if not self._paths and self._reading is not None:
            self._reading.join(_MOMENT_S)
        with self._lock:
            paths = source = self._paths
            last, hits = self._last
        if last and query.startswith(last) and paths:
            paths = hits
        folded, scored = query.casefold(), list[tuple[float, str, str]]()
        for begin in range(0, len(paths), _PART):
            if not is_current():
                return []
            part = paths[begin : begin + _PART]
            scored += [(-value, path, have) for path, have in part if (value := score_folded(folded, have)) is not None]
        with self._lock:
            if self._paths is source:
                self._last = (query, [(path, have) for _, path, have in scored])
        others = [(name, name.casefold()) for name in self._also()]
        if not query:
            names = [name for name, _ in others[: limit // 2]]
            found = nsmallest(limit - len(names), (path for _, path, _ in scored), key=_nearness)
            return [*found, *names]
        scored += [(-value, name, have) for name, have in others if (value := score_folded(folded, have)) is not None]
        return [path for _, path, _ in nsmallest(limit, scored)]

    def refresh(self) -> None:
        """Read the folder again in a thread, unless it was just read."""
        if self.is_reading:
            return
        if time.monotonic() - self._read_at < _FRESH_S:
            return
        self._reading = Thread(target=self.read, name="file index", daemon=True)
        self._reading.start()

    def read(self) -> None:
        """Read the folder now."""
        paths: list[tuple[str, str]] = []
        for path in _walk(self._root):
            paths.append((path, path.casefold()))
            if len(paths) >= MOST:
                break
            if len(paths) % 2000 == 0:
                self._publish(list(paths))
        self._publish(paths)
        self._read_at = time.monotonic()

    def _publish(self, paths: list[tuple[str, str]]) -> None:
        with self._lock:
            self._paths = paths
            self._last = ("", [])

    def wait(self, seconds: float | None = None) -> None:
        """Wait until reading has ended, at most the given time."""
        if self._reading is not None:
            self._reading.join(seconds)


def _nearness(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _walk(root: Path) -> Iterator[str]:
    """Walk breadth first, so that files near the root come first."""
    folders: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = [("", ())]
    while folders:
        deeper: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = []
        for folder, specs in folders:
            try:
                entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
            except OSError:
                continue
            if any(entry.name == ".gitignore" for entry in entries):
                specs = (*specs, (folder, _spec(root / folder / ".gitignore")))
            for entry in entries:
                path = folder + entry.name
                is_dir = entry.is_dir(follow_symlinks=False)
                shown = path + "/" if is_dir else path
                if entry.name in _NEVER or any(spec.match_file(shown[len(base) :]) for base, spec in specs):
                    continue
                yield shown
                if is_dir:
                    deeper.append((shown, specs))
        folders = deeper


_MOST = 1 << 20
"""Maximum size of a `.gitignore`, in bytes."""


def _spec(path: Path) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec

    kept: list[str] = []
    with suppress(OSError):
        for line in filter(_matches_soon, read_text(path, most=_MOST, errors="replace").splitlines()):
            with suppress(ValueError, re.error):
                GitIgnoreSpec.from_lines([line])
                kept.append(line)
    return GitIgnoreSpec.from_lines(kept)


def _matches_soon(line: str) -> bool:
    """Whether few ways of matching the pattern are tried. The others, which ignore nothing, could take years, in which
    nothing else in this process runs.
    """
    parts = line.strip("/ ").split("/")
    folders = parts.count("**") + (len(parts) == 1)
    within = sum(max(0, part.count("*") - 1) for part in parts if part != "**")
    return folders <= 2 and folders + 2 * within <= 4  # defence: patterns-that-match-soon
