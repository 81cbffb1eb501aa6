"""The draft of a session, stored beside the history of its work dir so that a crash or a quit does not lose it.

Two windows in the same folder have separate drafts. The next new session takes over an orphaned draft. Until a screen
has a session, its draft has a file of its own, `KEY.start-RANDOM.draft`, which a locked file beside it marks as in use.
"""

import contextlib
import fcntl
import json
import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from kimi_tui import json_text, paths
from kimi_tui.atomic_file import replace_file
from kimi_tui.file_lock import is_locked
from kimi_tui.paths import private_folder
from kimi_tui.regular_file import open_fd, read_text

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Draft:
    """The text, the pastes and image copies behind its chips, and undelivered messages (`waiting`)."""

    text: str = ""
    pastes: Mapping[int, str] = field(default_factory=dict[int, str])
    images: Mapping[str, str] = field(default_factory=dict[str, str])
    waiting: Sequence[str] = ()


def draft_file(work_dir: Path, session_id: str) -> Path:
    return paths.home() / "history" / f"{paths.work_dir_key(work_dir)}.{session_id}.draft"


def start_draft_file(work_dir: Path) -> Path:
    """A new file for the draft of a screen that has no session yet."""
    return draft_file(work_dir, f"start-{os.urandom(6).hex()}")


def orphaned_drafts(work_dir: Path) -> list[Path]:
    """Return the drafts that no window uses, newest first."""
    from kimi_tui.session.session import sessions_dir
    from kimi_tui.session.session_index import is_open

    key = paths.work_dir_key(work_dir)
    found: list[tuple[float, Path]] = []
    for file in (paths.home() / "history").glob(f"{key}*.draft"):
        session_id = file.name.removeprefix(key).removesuffix(".draft").removeprefix(".")
        if (session_id and is_open(sessions_dir(work_dir) / session_id)) or is_locked(_lock_path(file)):
            continue
        with contextlib.suppress(OSError):
            found.append((file.stat().st_mtime, file))
    return [file for _time, file in sorted(found, reverse=True)]


def _lock_path(draft: Path) -> Path:
    return draft.with_suffix(".lock")


class DraftStore:
    """One draft in a file with mode 0600; no file while the draft is empty.

    Writes are atomic: the file never contains a partial draft. `left` returns orphaned drafts; a store without a draft
    takes over the first of them. `locks`: while this store has a draft, no other store takes it over.
    """

    def __init__(self, file: Path | None, left: Callable[[], Iterable[Path]] = tuple, *, locks: bool = False) -> None:
        self.file, self._left, self._locks = file, left, locks
        self._kept = ""
        self._lock: int | None = None

    def load(self, *, moved_from: "DraftStore | None" = None) -> Draft:
        """The stored draft; an empty one if there is none or it cannot be read.

        The draft of `moved_from` is not an orphaned one.
        """
        if self.file is None:
            return Draft()
        self._take_over(self.file, moved_from.file if moved_from is not None else None)
        try:
            self._kept = read_text(self.file)  # defence: regular-draft
            row = json_text.loads(self._kept)
            text, pastes, images, waiting = row["text"], row["pastes"], row.get("images", {}), row.get("waiting", [])
            if isinstance(text, str) and isinstance(waiting, list):
                return Draft(
                    text,
                    {int(number): str(paste) for number, paste in pastes.items()},
                    {str(chip): str(file) for chip, file in images.items()},
                    tuple(map(str, cast("list[object]", waiting))),
                )
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            _log.warning("the draft cannot be read: %s", error)
        return Draft()

    def _take_over(self, own: Path, moving: Path | None) -> None:
        """Take over a draft by renaming its file, so that only one of two competing windows gets it."""
        for file in () if own.exists() else self._left():
            if file == moving:
                continue
            with contextlib.suppress(OSError):
                file.replace(own)
                _lock_path(file).unlink(missing_ok=True)
                return

    def save(self, draft: Draft) -> str:
        """Replace the stored draft; return why it is not stored, else ""."""
        if self.file is None:
            return ""
        fields = {"text": draft.text, "pastes": draft.pastes}
        more = {name: value for name, value in (("images", draft.images), ("waiting", draft.waiting)) if value}
        row = json.dumps(fields | more) if draft.text.strip() or draft.waiting else ""
        if row == self._kept:
            return ""
        try:
            if row:
                private_folder(self.file.parent)
                self._take_lock(self.file)  # defence: lock-of-a-start-draft
                replace_file(self.file, row)
            else:
                self.file.unlink(missing_ok=True)
                self._release_lock(self.file)
            self._kept = row
        except OSError as error:
            _log.warning("the draft cannot be saved: %s", error)
            return (error.strerror or str(error)) if row else ""
        return ""

    def _take_lock(self, file: Path) -> None:
        if self._locks and self._lock is None:
            with contextlib.suppress(OSError):  # without locks the draft is still saved
                self._lock = open_fd(_lock_path(file), os.O_RDWR | os.O_CREAT)
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def close(self) -> None:
        """Let others take over the draft."""
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    def _release_lock(self, file: Path) -> None:
        if self._lock is not None:
            _lock_path(file).unlink(missing_ok=True)
            self.close()
