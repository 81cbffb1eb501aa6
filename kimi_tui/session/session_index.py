"""Sessions other than the open one: find, search, rename, archive, copy."""

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from uuid import uuid4

from kimi_tui import json_text, paths
from kimi_tui.errors import SessionError, SessionLockedError
from kimi_tui.file_lock import is_locked, lock
from kimi_tui.i18n import tr
from kimi_tui.regular_file import open_fd, open_regular, read_text
from kimi_tui.session.atomic_folder import atomic_folder
from kimi_tui.session.session import SessionInfo, failure_cause, list_sessions, sessions_dir
from kimi_tui.session.state import ApprovalState, SessionState, read_state, write_state
from kimi_tui.timestamps import valid_timestamp

TITLE_CHARS = 200
_MAX_PROMPT_BYTES = 64 << 20
_MARK = re.compile(rb'"message":\s?\{"type":\s?"(TurnBegin|Flow\w+)"')
_NOT_COPIED = re.compile(r"lock|tasks|context_\d+\.jsonl|\.new.*|.*\.new")


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """A session and its work dir; None if that is unknown."""

    info: SessionInfo
    work_dir: Path | None


def find_sessions(work_dir: Path | None = None, *, archived: bool = False) -> list[SessionEntry]:
    """List the sessions of one work dir, or of all, newest first."""
    if work_dir is not None:
        entries = [SessionEntry(info, work_dir) for info in list_sessions(work_dir)]
    else:
        entries = [
            SessionEntry(info, where)
            for root in _roots()
            for where in (_work_dir_of(root),)
            for info in _infos(root, where)
        ]
    listed = [entry for entry in entries if archived or not entry.info.archived]
    return sorted(listed, key=lambda entry: entry.info.updated_at, reverse=True)


def find_session(text: str, work_dir: Path) -> SessionEntry:
    """Find the session with that id or id prefix: of this work dir, else of any. Raises SessionError."""
    for candidates in (find_sessions(work_dir, archived=True), find_sessions(archived=True)):
        exact = [entry for entry in candidates if entry.info.id == text]
        begin = exact or [entry for entry in candidates if text and entry.info.id.startswith(text)]
        if len(begin) == 1:
            return begin[0]
        if begin:
            raise SessionError(
                tr("{text!r} matches {count} sessions; use a longer id prefix", text=text, count=len(begin))
            )
    raise SessionError(tr("no session {text!r}; list all with: kimi-tui session list --all", text=text))


def matches_query(entry: SessionEntry, query: str) -> bool:
    """Whether each of the words is in the session's title or in the user's messages."""
    missing = {term.casefold() for term in query.split()}
    for text in (entry.info.title, *user_texts(entry.info.dir / "wire.jsonl")):
        folded = text.casefold()
        missing = {term for term in missing if term not in folded}
        if not missing:
            return True
    return not missing


def user_texts(wire: Path) -> Iterator[str]:
    """Return the text of each prompt as the user typed it; omits the prompts of flow nodes."""
    try:
        file = open_regular(wire)
    except OSError:
        return
    of_a_node = False
    with file:
        while line := file.readline(_MAX_PROMPT_BYTES):
            mark = _MARK.search(line[:200])
            if mark is None:
                continue
            was_node_turn, of_a_node = of_a_node, mark[1] == b"FlowNodeBegin"
            if was_node_turn or mark[1] != b"TurnBegin":
                continue
            with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
                prompt = json_text.loads(line)["message"]["payload"]["user_input"]
                yield prompt if isinstance(prompt, str) else " ".join(str(part.get("text", "")) for part in prompt)


def rename(entry: SessionEntry, title: str) -> str:
    """Rename the session; returns the title it has now. Raises SessionError."""
    title = " ".join(title.split())[:TITLE_CHARS]
    if not title:
        raise SessionError(tr("the title must not be empty"))
    _change(entry, lambda state: setattr(state, "custom_title", title))
    return title


def archive(entry: SessionEntry, *, archived: bool = True) -> None:
    """Archive the session: lists omit it, its files stay. Raises SessionError."""
    _change(entry, lambda state: setattr(state, "archived", archived))


def fork(source: Path, work_dir: Path, *, title: str) -> str:
    """Copy the session, without its approvals, as an independent one; returns the copy's id. Raises SessionError."""
    session_id = uuid4().hex
    target = sessions_dir(work_dir) / session_id
    try:
        with atomic_folder(target) as unfinished:
            _copy(source, unfinished)
            state = read_state(unfinished / "state.json")
            state.custom_title = f"Fork: {title or 'no title'}"[:TITLE_CHARS]
            state.archived = False
            state.approval = ApprovalState()  # defence: approvals-of-one-session
            write_state(unfinished / "state.json", state)
    except OSError as error:
        raise SessionError(tr("the session cannot be copied: {cause}", cause=failure_cause(error))) from error
    return session_id


def _copy(source: Path, target: Path) -> None:
    """Copy the journals; hard-link the stored file contents, which are never written to again."""
    for entry in source.iterdir():
        if _NOT_COPIED.fullmatch(entry.name) or entry.is_symlink():
            continue
        if entry.is_file():
            shutil.copy2(entry, target / entry.name)
            if entry.name == "flow.jsonl":
                _forget_answers(target / entry.name)
        elif entry.is_dir():
            shutil.copytree(entry, target / entry.name, symlinks=True, copy_function=_copied)


def _forget_answers(runs: Path) -> None:
    """Delete the user's answers to calls that runs are parked with: they are for the session that was copied."""
    with open_regular(runs) as file:
        kept = [line for line in file if not _is_answer(line)]
    runs.write_bytes(b"".join(kept))  # defence: answers-of-one-session


def _is_answer(line: bytes) -> bool:
    try:
        record: object = json_text.loads(line)
    except ValueError:
        return False
    return isinstance(record, dict) and cast("dict[str, object]", record).get("r") == "answer"


def _copied(source: str, target: str) -> str:
    if Path(source).parent.name == "blobs":
        with contextlib.suppress(OSError):
            os.link(source, target)
            return target
    return shutil.copy2(source, target)


def _change(entry: SessionEntry, change: Callable[[SessionState], None]) -> None:
    folder = entry.info.dir
    with session_lock(folder):
        state = read_state(folder / "state.json")
        change(state)
        try:
            write_state(folder / "state.json", state)
        except OSError as error:
            raise SessionError(f"{folder}: {error.strerror or error}") from error


@contextmanager
def session_lock(folder: Path) -> Generator[None]:
    """Hold the session's lock inside the `with` block. Raises SessionError, SessionLockedError if another has it."""
    try:
        descriptor = open_fd(folder / "lock", os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise SessionError(f"{folder / 'lock'}: {error.strerror or error}") from error
    try:
        lock(descriptor)  # defence: lock-of-a-closed-session
    except BlockingIOError:
        os.close(descriptor)
        raise SessionLockedError(
            tr("session {session} is open in another process; use that one, or close it first", session=folder.name)
        ) from None
    try:
        yield
    finally:
        os.close(descriptor)


def is_open(folder: Path) -> bool:
    """Whether a running process holds the session's lock."""
    return is_locked(folder / "lock")


def _roots() -> list[Path]:
    root = paths.home() / "sessions"
    return [folder for folder in root.iterdir() if folder.is_dir()] if root.is_dir() else []


def _work_dir_of(root: Path) -> Path | None:
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return Path(json_text.loads(read_text(root / "last.json"))["work_dir"])
    return None


def _infos(root: Path, work_dir: Path | None) -> list[SessionInfo]:
    """Like `list_sessions`, for a folder whose work dir may be unknown."""
    if work_dir is not None and sessions_dir(work_dir) == root:
        return list_sessions(work_dir)
    infos: list[SessionInfo] = []
    for folder in root.iterdir():
        with contextlib.suppress(OSError):
            status = (folder / "wire.jsonl").stat()
            if status.st_size:
                state = read_state(folder / "state.json")
                title = state.shown_title
                modified_at = valid_timestamp(status.st_mtime)
                infos.append(SessionInfo(folder.name, folder, title, modified_at, state.archived))
    return infos
