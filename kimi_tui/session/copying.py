"""A session's folder once more, under an id of its own."""

import shutil
from pathlib import Path
from uuid import uuid4

from kimi_tui.errors import SessionError


def copy_session(folder: Path) -> str:
    """Copy a session that nothing is written to meanwhile; returns the id of the copy. Raises SessionError."""
    session_id = uuid4().hex
    try:
        shutil.copytree(folder, folder.with_name(session_id), ignore=shutil.ignore_patterns("lock"))
    except (OSError, shutil.Error) as error:
        raise SessionError(f"{folder}: it could not be copied: {error}") from error
    return session_id
