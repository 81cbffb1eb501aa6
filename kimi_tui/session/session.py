"""A session on disk: a folder of append-only journals and one small state file.

`sessions/<work dir key>/<session id>/{context.jsonl, wire.jsonl, flow.jsonl, state.json}`. A session is
locked by at most one process; the lock ends with the process.
"""

import contextlib
import json
import os
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from kimi_tui import json_text, paths
from kimi_tui.atomic_file import replace_file
from kimi_tui.errors import SessionError, SessionLockedError
from kimi_tui.file_lock import lock
from kimi_tui.i18n import tr
from kimi_tui.paths import is_folder, private_folder
from kimi_tui.regular_file import TooLargeError, open_fd, read_bytes, read_start, read_text
from kimi_tui.session.state import SessionState, keep_broken_state, read_state, write_state
from kimi_tui.timestamps import valid_timestamp

_SHORT = 64 * 1024
_PROBE_BYTES = 1 << 15  # the system prompt and a first answer; with less room, nothing of a session is kept
_SCRATCH = ("/tmp", "/var/tmp", "/dev/shm")
_FILES = ("lock", "state.json", "context.jsonl", "wire.jsonl", "flow.jsonl", "files/log.jsonl")
_ACTIVITY_MARKS = (b'"StepBegin"', b'"FlowBegin"', b'"BtwBegin"')
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def sessions_dir(work_dir: Path) -> Path:
    return paths.home() / "sessions" / paths.work_dir_key(work_dir)


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session for a list. `updated_at` is seconds since the epoch."""

    id: str
    dir: Path
    title: str
    updated_at: float
    archived: bool


class Session:
    """An open session, locked by this process.

    `notice` is set if it cannot be kept on disk, `state_notice` if its state could not be read, `lock_notice` if there
    are no locks.
    """

    def __init__(self, session_id: str, work_dir: Path, folder: Path, *, notice: str | None = None) -> None:
        self.id = session_id
        self.work_dir = work_dir
        self.dir = folder
        self.notice = notice
        self.state_notice = ""
        self.lock_notice = ""
        self.state: SessionState = read_state(folder / "state.json")
        self._lock: int | None = None

    @classmethod
    def create(cls, work_dir: Path, session_id: str | None = None) -> "Session":
        """Create a session, or open the one with that id. Raises SessionError."""
        session_id = session_id or uuid4().hex
        if not _ID.fullmatch(session_id):
            raise SessionError(
                tr("{session!r} is not a session id: use letters, digits, '.', '_' and '-' only", session=session_id)
            )
        folder = sessions_dir(work_dir) / session_id
        notice = None
        try:
            private_folder(folder)
            probe = folder / ".writable"
            with os.fdopen(open_fd(probe, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
                file.write(bytes(_PROBE_BYTES))
            if not (folder / "lock").exists():  # while the probe takes the room
                os.close(open_fd(folder / "lock", os.O_RDWR | os.O_CREAT))  # defence: lock-with-the-probe
            probe.unlink()
        except OSError as error:
            notice = f"this session is not kept: {folder}: {error.strerror or error}"
            with contextlib.suppress(OSError):
                (folder / ".writable").unlink(missing_ok=True)
            kept, folder = folder, _scratch_folder(session_id)  # defence: session-that-is-not-kept
            _copy_conversation(kept, folder)  # defence: conversation-that-is-not-kept
            # defence: place-of-what-is-not-kept
            notice += f"; its files are in {folder}, which `kimi-tui session import` reads"
        else:
            _check_files(folder)  # defence: check-session-files
        session = cls(session_id, work_dir, folder, notice=notice)
        session._take_lock()
        with contextlib.suppress(OSError):  # then the next write keeps it
            session.state_notice = keep_broken_state(folder / "state.json")  # defence: say-that-a-state-is-broken
        _remember_last(work_dir, session_id)
        return session

    @property
    def is_empty(self) -> bool:
        """Whether the session has no messages yet: slash commands that the program answers and notices do not count."""
        return not self.state.custom_title and _is_empty(self.dir)

    def name_after(self, text: str) -> None:
        """Use the first user message as the title."""
        if not self.state.title:
            self.state.title = " ".join(text.split())[:50]
            self.save_state()

    def rename(self, title: str) -> None:
        """Set the title, at most 200 characters."""
        self.state.custom_title = " ".join(title.split())[:200]
        self.save_state()

    def add_dir(self, folder: Path) -> None:
        """Keep a folder of the workspace for the next start."""
        self.state.additional_dirs = list(dict.fromkeys([*self.state.additional_dirs, str(folder)]))
        self.save_state()

    def add_subagent(self, name: str, prompt: str) -> None:
        """Keep a subagent created in the session: its name and system prompt."""
        self.state.subagents[name] = prompt
        self.save_state()

    def save_state(self) -> None:
        """Write the state; a failure is ignored, because the journals hold what matters."""
        with contextlib.suppress(OSError):
            write_state(self.dir / "state.json", self.state)

    def close(self) -> None:
        """Release the lock; an empty session is deleted."""
        if self._lock is None:
            return
        if self.is_empty:
            shutil.rmtree(self.dir, ignore_errors=True)
        os.close(self._lock)
        self._lock = None

    def _take_lock(self) -> None:
        """Lock `lock` with flock, where there are locks: the system releases it when the process ends, in any way."""
        try:
            fd = open_fd(self.dir / "lock", os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise SessionError(f"{self.dir / 'lock'}: {error.strerror}") from error
        has_locks = False
        try:
            has_locks = lock(fd)  # defence: session-lock
        except BlockingIOError:
            os.close(fd)
            owner = lock_owner(self.dir)
            raise SessionLockedError(
                tr(
                    "session {session} is open in another process (pid {pid}); close it there, or start a new session",
                    session=self.id,
                    pid=owner or "?",
                )
            ) from None
        if not has_locks:  # defence: word-of-missing-locks
            self.lock_notice = tr(
                "{folder} is on a file system without locks: do not open this session in another window",
                folder=paths.shown(self.dir),
            )
        # defence: lock-on-full-disk
        with contextlib.suppress(OSError):  # on a full disk it is not told who holds the lock
            os.ftruncate(fd, 0)
            os.pwrite(fd, str(os.getpid()).encode(), 0)
        self._lock = fd


def _is_empty(folder: Path) -> bool:
    wire = folder / "wire.jsonl"
    try:
        if wire.stat().st_size >= _SHORT:
            return False
        recorded = read_bytes(wire)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    if any(mark in recorded for mark in _ACTIVITY_MARKS) or _remembers(folder / "context.jsonl"):
        return False
    return not any(b'"TurnBegin"' in line and not _is_slash_line(line) for line in recorded.splitlines())


def _is_slash_line(line: bytes) -> bool:
    """Whether the turn that starts on this line of `wire.jsonl` is a slash command."""
    try:
        user_input = json.loads(line)["message"]["payload"]["user_input"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return isinstance(user_input, str) and user_input.lstrip().startswith("/")


def _remembers(context: Path) -> bool:
    """Whether the context file has a message for the model."""
    try:
        return b'"role":"user"' in read_bytes(context).replace(b" ", b"")
    except TooLargeError:
        return True
    except OSError:
        return False


def _copy_conversation(kept: Path, folder: Path) -> None:
    """Copy what the session that cannot be written holds already. Raises SessionError."""
    try:
        if any((kept / name).exists() for name in ("context.jsonl", "wire.jsonl")):
            _check_files(kept)
            shutil.copytree(kept, folder, ignore=shutil.ignore_patterns("lock", ".writable"), dirs_exist_ok=True)
    except (OSError, SessionError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, SessionError):
            raise
        raise SessionError(tr("the session cannot be copied: {cause}", cause=failure_cause(error))) from error


def failure_cause(error: OSError) -> str:
    """Return the cause of a failed copy of a file or folder, in one line."""
    if isinstance(error, shutil.Error):  # (source, target, cause) of each file of a folder
        (_, _, cause), *_ = error.args[0]
        return re.sub(r"^\[Errno \d+\] ", "", str(cause))
    return error.strerror or str(error)


def _scratch_folder(session_id: str) -> Path:
    """Create a temporary folder for the session. Raises SessionError."""
    import tempfile

    last_error: OSError | None = None
    for parent in (None, *_SCRATCH):  # by default `tempfile` rejects a full disk, though a folder still fits
        try:
            return Path(tempfile.mkdtemp(prefix=f"kimi-tui-unsaved-{session_id[:8]}-", dir=parent))
        except OSError as error:
            last_error = last_error or error
    assert last_error is not None
    raise SessionError(tr("cannot create a session: {cause}", cause=last_error.strerror or last_error)) from last_error


def _check_files(folder: Path) -> None:
    """Raises SessionError if something other than a file is in the place of a session's file."""
    for name in _FILES:
        try:
            os.close(open_fd(folder / name))  # defence: links-in-a-session
        except FileNotFoundError:
            continue
        except OSError as error:
            raise SessionError(f"{folder / name}: {error.strerror or error}") from error


def may_be_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def list_sessions(work_dir: Path) -> list[SessionInfo]:
    """List the sessions of a work dir, newest first; omits empty ones."""
    sessions: list[SessionInfo] = []
    root = sessions_dir(work_dir)
    if not is_folder(root):
        return []
    for folder in root.iterdir():
        wire = folder / "wire.jsonl"
        with contextlib.suppress(OSError):
            updated_at = valid_timestamp(wire.stat().st_mtime)
            state = read_state(folder / "state.json")
            if state.shown_title or not _is_empty(folder):
                sessions.append(SessionInfo(folder.name, folder, state.shown_title, updated_at, state.archived))
    return sorted(sessions, key=lambda info: info.updated_at, reverse=True)


def lock_owner(folder: Path) -> str:
    """Return the process that took the session's lock last; "" if unknown."""
    try:
        return read_start(folder / "lock", 64).decode("ascii", "replace").strip()
    except OSError:
        return ""


def work_dirs() -> list[Path]:
    """Return the existing work dirs of all sessions."""
    sessions: list[Path] = []
    for file in (paths.home() / "sessions").glob("*/last.json"):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            work_dir = Path(json_text.loads(read_text(file))["work_dir"])
            if is_folder(work_dir):
                sessions.append(work_dir)
    return sessions


def last_session_id(work_dir: Path) -> str | None:
    """Return the id of the session that was started or resumed last in this folder.

    It is recorded at the start, so that a crash does not lose it.
    """
    try:
        value = json_text.loads(read_text(sessions_dir(work_dir) / "last.json"))
    except (OSError, ValueError):
        value = None
    session_id = value.get("session_id") if isinstance(value, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if isinstance(session_id, str) and not _is_empty(sessions_dir(work_dir) / session_id):
        return session_id
    newest = list_sessions(work_dir)
    return newest[0].id if newest else None


def _remember_last(work_dir: Path, session_id: str) -> None:
    file = sessions_dir(work_dir) / "last.json"
    with contextlib.suppress(OSError):
        replace_file(file, json.dumps({"session_id": session_id, "work_dir": str(work_dir), "at": time.time()}))
