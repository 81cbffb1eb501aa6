"""List model of stored sessions. Everything here reads and writes files: call it in a worker thread."""

import contextlib
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kimi_tui import json_text
from kimi_tui.errors import SessionError, SessionLockedError
from kimi_tui.regular_file import read_end
from kimi_tui.session.session import list_sessions, lock_owner, work_dirs
from kimi_tui.session.session_index import fork, is_open, session_lock
from kimi_tui.session.state import SessionState, read_state, write_state
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.state.items import Item
from kimi_tui.ui.tui.state.ui_state import UiState
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.wire.codec import UnknownMessage, WireFormatError, WireMessage, decode
from kimi_tui.wire.events import TurnBegin
from kimi_tui.wire.flow_events import FlowEnd, FlowNodeBegin, FlowNodeEnd, FlowPaused
from kimi_tui.wire.parts import TextPart, text_of
from kimi_tui.wire.recorder import read_recorded

_TAIL_BYTES = 1 << 19
_AROUND = 60


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """A stored session; `updated_at` in seconds since the epoch.

    `open_here`: this session is on screen; `open_elsewhere`: another process has it open.
    """

    id: str
    dir: Path
    work_dir: Path
    title: str
    updated_at: float
    archived: bool = False
    open_here: bool = False
    open_elsewhere: bool = False


class SessionList:
    """The sessions of `work_dir`, or of all folders; `open_id` is the one that this process has open."""

    def __init__(self, work_dir: Path, open_id: str = "") -> None:
        self.work_dir = work_dir
        self.open_id = open_id
        self._user_texts: dict[Path, tuple[float, list[str]]] = {}

    def rows(self, *, everywhere: bool) -> list[SessionEntry]:
        """All sessions, newest first."""
        folders = {self.work_dir: None} | dict.fromkeys(work_dirs() if everywhere else ())
        found = [
            SessionEntry(
                info.id,
                info.dir,
                folder,
                info.title,
                info.updated_at,
                info.archived,
                open_here=info.id == self.open_id,
                open_elsewhere=info.id != self.open_id and is_open(info.dir),
            )
            for folder in folders
            for info in list_sessions(folder)
        ]
        return sorted(found, key=lambda entry: entry.updated_at, reverse=True)

    def search(self, query: str, rows: Iterable[SessionEntry]) -> dict[str, str]:
        """The sessions whose messages contain the text: an excerpt around the match, by session id."""
        needle = one_line(query).casefold()
        found: dict[str, str] = {}
        for entry in rows if needle else ():
            for text in self._texts(entry):
                at = text.casefold().find(needle)
                if at >= 0:
                    start, end = max(0, at - _AROUND // 3), at + len(needle) + _AROUND
                    found[entry.id] = ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
                    break
        return found

    def preview(self, entry: SessionEntry) -> tuple[Item, ...]:
        """The last turns as the conversation shows them."""
        state = UiState()
        recording = list(_last_messages(entry.dir / "wire.jsonl"))
        begins = [index for index, (_, message) in enumerate(recording) if isinstance(message, TurnBegin)]
        state.fold_all(recording[begins[-4] if len(begins) > 4 else 0 :])
        if recording:
            state.settle(recording[-1][0])
        state.conversation.take_deltas()
        return tuple(state.conversation.items)

    def rename(self, entry: SessionEntry, title: str) -> SessionEntry:
        """Rename a session. Raises SessionError. Not for the session on screen: the engine writes its state."""
        title = one_line(title)[:200]
        with _held(entry):
            state = read_state(entry.dir / "state.json")
            state.custom_title = title or None
            _write(entry, state)
        return replace(entry, title=title or state.title)

    def archive(self, entry: SessionEntry, archived: bool) -> SessionEntry:
        """Archive a session. Raises SessionError."""
        if entry.open_here:
            raise SessionError(_("this session is open; switch to another one first"))
        with _held(entry):
            state = read_state(entry.dir / "state.json")
            state.archived = archived
            _write(entry, state)
        return replace(entry, archived=archived)

    def fork(self, entry: SessionEntry) -> SessionEntry:
        """Copy a session under a new id; the copy is independent. Raises SessionError."""
        with contextlib.nullcontext() if entry.open_here else _held(entry):
            session_id = fork(entry.dir, entry.work_dir, title=entry.title)
        folder = entry.dir.with_name(session_id)
        title = read_state(folder / "state.json").custom_title or ""
        return replace(entry, id=session_id, dir=folder, title=title, archived=False, open_here=False)

    def _texts(self, entry: SessionEntry) -> Sequence[str]:
        """The messages of the user and the agent, one line each; without the prompts of flow nodes."""
        file = entry.dir / "wire.jsonl"
        known = self._user_texts.get(file)
        if known is None or known[0] != entry.updated_at:
            texts: list[str] = []
            of_a_node = False
            for one in read_recorded(file):
                match one.message:
                    case FlowNodeBegin():
                        of_a_node = True
                    case TurnBegin() if of_a_node:
                        of_a_node = False
                    case FlowNodeEnd() | FlowPaused() | FlowEnd():
                        of_a_node = False
                    case TurnBegin(user_input=content):
                        texts.append(one_line(text_of(content)))
                    case TextPart(text=text):
                        texts.append(one_line(text))
                    case _:
                        pass
            known = self._user_texts[file] = (entry.updated_at, texts)
        return known[1]


def _last_messages(file: Path) -> Generator[tuple[float, WireMessage]]:
    """The last messages of a recording; a long recording is not read in full."""
    try:
        if file.stat().st_size <= _TAIL_BYTES:
            yield from ((one.timestamp, one.message) for one in read_recorded(file))
            return
        rows = read_end(file, _TAIL_BYTES)[0].split(b"\n")[1:]
    except OSError:
        return
    for row in rows:
        with contextlib.suppress(ValueError, KeyError, TypeError, WireFormatError):
            value = json_text.loads(row)
            message = decode(value["message"])
            if not isinstance(message, UnknownMessage):
                yield float(value["timestamp"]), message


def open_elsewhere_message(entry: SessionEntry) -> str:
    """The message for a session that is open in another process; names the process if it is known."""
    if pid := lock_owner(entry.dir):
        return _("this session is open in another window (process {pid})", pid=pid)
    return _("this session is open in another window")


@contextlib.contextmanager
def _held(entry: SessionEntry) -> Generator[None]:
    """Hold the session's lock, so that no other process writes to it."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(session_lock(entry.dir))
        except SessionLockedError:
            raise SessionLockedError(open_elsewhere_message(entry)) from None
        yield


def _write(entry: SessionEntry, state: SessionState) -> None:
    try:
        write_state(entry.dir / "state.json", state)
    except OSError as error:
        raise SessionError(f"{entry.dir}: {error.strerror or error}") from error
