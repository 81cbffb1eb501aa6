"""Resolves `--session ID`: a session of this folder by id or prefix, else a new session of that name."""

import re
from pathlib import Path

from kimi_tui.errors import UsageError
from kimi_tui.i18n import tr
from kimi_tui.paths import shown
from kimi_tui.session.session import may_be_id, sessions_dir
from kimi_tui.session.session_index import SessionEntry, find_sessions

_SESSION_ID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""A generated id: only these match by prefix, since `job1` must not match `job10`."""
_ID_PREFIX = re.compile(r"(?=.*\d)[0-9a-f][0-9a-f-]{5,34}")
"""A likely prefix of a generated id, which cannot name a new session."""


def named_session(text: str, work_dir: Path) -> tuple[str, str]:
    """Return the id to open, and a note for the user: "" for an exact match.

    Raises UsageError for an invalid id, an ambiguous prefix, and a prefix without a match here.
    """
    if not may_be_id(text):
        raise UsageError(
            tr("{session!r} is not a session id: use letters, digits, '.', '_' and '-' only", session=text)
        )
    if (sessions_dir(work_dir) / text).is_dir():
        return text, ""
    entries = find_sessions(work_dir, archived=True)
    match _with_id_prefix(text, entries):
        case [only]:
            return only.info.id, ""
        case []:
            pass
        case several:
            lines = "".join(f"\n  {entry.info.id}  {entry.info.title or '(no title)'}" for entry in several)
            raise UsageError(f"{text!r} matches {len(several)} sessions; use a longer id prefix:{lines}")
    if _ID_PREFIX.fullmatch(text) and not _SESSION_ID.fullmatch(text):
        raise UsageError(f"no session {text!r} in {shown(work_dir)}{_elsewhere(text)}")
    return text, tr("No session {session} found; created a new one with this id", session=text)


def _with_id_prefix(text: str, sessions: list[SessionEntry]) -> list[SessionEntry]:
    return [
        entry for entry in sessions if text and entry.info.id.startswith(text) and _SESSION_ID.fullmatch(entry.info.id)
    ]


def _elsewhere(text: str) -> str:
    for entry in _with_id_prefix(text, find_sessions(archived=True)):
        if entry.work_dir is not None:
            return f"; it belongs to another folder: kimi-tui --work-dir {shown(entry.work_dir)} --session {text}"
    return "; list them with kimi-tui session list"


def short_id(session_id: str) -> str:
    """Return the short id that lists show and `--session` accepts."""
    return session_id[:8] if _SESSION_ID.fullmatch(session_id) else session_id
