"""Which session `--session ID` means: one of this folder by its id or its beginning, else a new one of that name."""

import re
from pathlib import Path

from kimi_tui.errors import UsageError
from kimi_tui.i18n import tr
from kimi_tui.paths import shown
from kimi_tui.session.session import may_be_id, sessions_dir
from kimi_tui.session.session_index import SessionEntry, sessions_of

_MADE = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""An id that no person thought of: only such a one is known by its beginning, since `job1` is not `job10`."""
_PIECE = re.compile(r"(?=.*\d)[0-9a-f][0-9a-f-]{5,34}")
"""What looks like the beginning of such an id, and so is not the name of a new session."""


def named_session(text: str, work_dir: Path) -> tuple[str, str]:
    """The id to open, and what has to be said of it: "" where it is the session that was named.

    Raises UsageError for a beginning that several sessions have, and for a piece of an id that none here has.
    """
    if not may_be_id(text) or (sessions_dir(work_dir) / text).is_dir():  # what can be no id is told where it is opened
        return text, ""
    here = sessions_of(work_dir, archived=True)
    match _begun_so(text, here):
        case [only]:
            return only.info.id, ""
        case []:
            pass
        case several:
            lines = "".join(f"\n  {one.info.id}  {one.info.title or '(no title)'}" for one in several)
            raise UsageError(f"{text!r} is the beginning of {len(several)} sessions; give more of the id:{lines}")
    if _PIECE.fullmatch(text) and not _MADE.fullmatch(text):
        raise UsageError(f"there is no session {text!r} in {shown(work_dir)}{_elsewhere(text)}")
    return text, tr("There was no session {session}: this is a new one of that name", session=text)


def _begun_so(text: str, sessions: list[SessionEntry]) -> list[SessionEntry]:
    return [one for one in sessions if text and one.info.id.startswith(text) and _MADE.fullmatch(one.info.id)]


def _elsewhere(text: str) -> str:
    for one in _begun_so(text, sessions_of(archived=True)):
        if one.work_dir is not None:
            return f"; it is of another folder: kimi-tui --work-dir {shown(one.work_dir)} --session {text}"
    return "; kimi-tui session list shows those there are"


def short_id(session_id: str) -> str:
    """As much of an id as a list shows, and as `--session` takes."""
    return session_id[:8] if _MADE.fullmatch(session_id) else session_id
