"""The files that `@` completes: the work dir without what its ignore rules hide, read in a thread."""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock, Thread

from pathspec import GitIgnoreSpec

from kimi_tui.ui.tui.composer.fuzzy import score

MOST = 100_000
_FRESH_S = 10.0
_MOMENT_S = 0.03
_NEVER = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".mypy_cache", ".ruff_cache"})


class FileIndex:
    """Paths relative to `root`, folders with a slash at the end. Reading starts with the first search."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._paths: list[str] = []
        self._read_at = -1e9
        self._reading: Thread | None = None
        self._lock = Lock()
        self._last: tuple[str, list[str]] = ("", [])

    def search(self, query: str, limit: int) -> Sequence[str]:
        """The best matches among what has been read so far; the first time, a moment is waited for a small folder."""
        self.refresh()
        if not self._paths and self._reading is not None:
            self._reading.join(_MOMENT_S)
        with self._lock:
            paths = self._paths
            last, hits = self._last
        if last and query.startswith(last) and paths:
            paths = hits
        scored = [(value, path) for path in paths if (value := score(query, path)) is not None]
        with self._lock:
            self._last = (query, [path for _, path in scored])
        if not query:
            return [path for _, path in sorted(scored, key=lambda entry: (entry[1].count("/"), entry[1]))][:limit]
        scored.sort(key=lambda entry: (-entry[0], entry[1]))
        return [path for _, path in scored[:limit]]

    def refresh(self) -> None:
        """Read the folder again, in a thread, unless that was just done."""
        if self._reading is not None and self._reading.is_alive():
            return
        if time.monotonic() - self._read_at < _FRESH_S:
            return
        self._reading = Thread(target=self.read, name="file index", daemon=True)
        self._reading.start()

    def read(self) -> None:
        """Read the folder now."""
        paths: list[str] = []
        for path in _walk(self._root):
            paths.append(path)
            if len(paths) >= MOST:
                break
            if len(paths) % 2000 == 0:
                self._publish(list(paths))
        self._publish(paths)
        self._read_at = time.monotonic()

    def _publish(self, paths: list[str]) -> None:
        with self._lock:
            self._paths = paths
            self._last = ("", [])

    def wait(self) -> None:
        """Until what is being read has been read."""
        if self._reading is not None:
            self._reading.join()


def _walk(root: Path) -> Iterator[str]:
    """Breadth first, so that what is near comes early."""
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


def _spec(path: Path) -> GitIgnoreSpec:
    try:
        lines = path.read_text("utf-8", errors="replace").splitlines()
        return GitIgnoreSpec.from_lines(lines)
    except (OSError, ValueError):
        return GitIgnoreSpec.from_lines([])
