"""Earlier inputs of this work dir, stored in a JSON Lines file."""

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from kimi_tui import json_text, paths
from kimi_tui.atomic_file import replace_file
from kimi_tui.file_lock import changing
from kimi_tui.regular_file import open_fd, read_end

MOST = 1000
_MAX_BYTES = 16 << 20
"""Bytes at the end of the file that are read; of a file that exceeds twice as much, only the latest inputs stay."""
_log = logging.getLogger(__name__)


def history_file(work_dir: Path) -> Path:
    return paths.home() / "history" / f"{paths.work_dir_key(work_dir)}.jsonl"


class InputHistory:
    """Moves back and forth through earlier inputs; the draft is the newest position. `images` maps the inputs' chips
    to their images. A text that was changed, or the draft, is kept while another one is shown.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self.entries: list[str] = []
        self.images: dict[str, str] = {}
        for text, images in _read(file) if file is not None else ():
            self.entries.append(text)
            self.images.update(images)
        self._at = len(self.entries)
        self._changed: dict[int, str] = {}

    @property
    def is_stored(self) -> bool:
        return self._file is not None

    def add(self, text: str, images: Mapping[str, str] | None = None) -> None:
        """Add an input; a direct repetition is not stored again."""
        text = text.strip()
        if text and (not self.entries or self.entries[-1] != text):
            self.entries.append(text)
            self._append(text, images or {})
        self._at = len(self.entries)

    def older(self, now: str) -> str | None:
        """The previous input, None at the first. `now` is what was made of the present one."""
        if self._at == 0:
            return None
        self._keep(now)
        self._at -= 1
        return self._changed.get(self._at, self.entries[self._at])

    def newer(self, now: str) -> str | None:
        """The next input, the draft after the last, None if there is nothing newer. `now` as in `older`."""
        if self._at >= len(self.entries):
            return None
        self._keep(now)
        self._at += 1
        return self._changed.get(self._at, self.entries[self._at] if self.walking else "")

    def _keep(self, now: str) -> None:
        if now.strip() and (not self.walking or now != self.entries[self._at]):
            self._changed[self._at] = now  # defence: draft-behind-an-earlier-input
        else:
            self._changed.pop(self._at, None)

    def take_left(self) -> list[str]:
        """Remove and return the changed texts and the draft, besides the one that is shown: it goes its own way."""
        left = [text for at, text in sorted(self._changed.items()) if at != self._at]
        self._changed.clear()
        return left

    @property
    def walking(self) -> bool:
        return self._at < len(self.entries)

    def search(self, query: str, limit: int = 50) -> list[str]:
        """Inputs that contain `query`, newest first, without duplicates."""
        folded = query.casefold()
        found = (entry for entry in reversed(self.entries) if folded in entry.casefold())
        return list(dict.fromkeys(found))[:limit]

    def _append(self, text: str, images: Mapping[str, str]) -> None:
        if self._file is None:
            return
        line = json.dumps({"content": text} | ({"images": dict(images)} if images else {}), ensure_ascii=True) + "\n"
        try:
            with changing(self._file):
                with os.fdopen(open_fd(self._file, os.O_RDWR | os.O_CREAT | os.O_APPEND), "r+b", buffering=0) as out:
                    size = out.seek(0, os.SEEK_END)
                    torn = size > 0 and os.pread(out.fileno(), 1, size - 1) != b"\n"
                    out.write((b"\n" if torn else b"") + line.encode())  # defence: torn-history
                if size > 2 * _MAX_BYTES:  # defence: length-of-the-history
                    replace_file(self._file, b"".join(_last_lines(self._file)))
        except OSError as error:
            _log.warning("the history cannot be saved: %s", error)


def _last_lines(file: Path) -> list[bytes]:
    """Return the lines of the latest inputs. Raises OSError."""
    content, size = read_end(file, _MAX_BYTES)
    if size > len(content):
        content = content.partition(b"\n")[2]
    return content.splitlines(keepends=True)[-MOST:]


def _read(file: Path) -> list[tuple[str, dict[str, str]]]:
    try:
        lines = _last_lines(file)
    except OSError:
        return []
    entries: list[tuple[str, dict[str, str]]] = []
    for line in lines:
        try:
            row = json_text.loads(line)
            content, images = row["content"], cast("dict[object, object]", row.get("images", {}))
            named = {str(chip): str(file) for chip, file in images.items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
        if isinstance(content, str):
            entries.append((content, named))
    return entries
