"""`state.json`: the small values of a session that are not a history. It is replaced whole, never edited."""

import errno
import itertools
import logging
import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kimi_tui import json_text
from kimi_tui.atomic_file import replacement
from kimi_tui.failpoints import crash_point
from kimi_tui.i18n import tr
from kimi_tui.paths import shown
from kimi_tui.regular_file import MAX_BYTES, read_text
from kimi_tui.wire.display import TodoItem

_log = logging.getLogger(__name__)
_MAX_CAUSE = 200


class ApprovalState(BaseModel):
    """Approvals for the session; `auto_approve_actions` are the keys of the scopes.

    Fields of other versions are kept.
    """

    model_config = ConfigDict(extra="allow")

    yolo: bool = False
    auto_approve_actions: list[str] = Field(default_factory=list)


class SessionState(BaseModel):
    """The state that resuming needs besides the journals. Fields of other versions are kept.

    `subagents` are those created in the session: name to system prompt.
    """

    model_config = ConfigDict(extra="allow", defer_build=True)

    version: int = 1
    approval: ApprovalState = Field(default_factory=ApprovalState)
    additional_dirs: list[str] = Field(default_factory=list)
    title: str = ""
    custom_title: str | None = None
    plan_mode: bool = False
    archived: bool = False
    todos: list[TodoItem] = Field(default_factory=list[TodoItem])
    subagents: dict[str, str] = Field(default_factory=dict[str, str])

    @property
    def shown_title(self) -> str:
        """The title that the user gave, else the first words of the session."""
        return self.custom_title or self.title


def _broken(file: Path) -> str:
    """Why the file cannot be read as a state; "" if it can, or if there is none."""
    try:
        SessionState.model_validate(json_text.loads(read_text(file)))
    except FileNotFoundError:
        return ""
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:_MAX_CAUSE]
    except OSError as error:
        return error.strerror or str(error)
    except ValueError as error:
        return str(error).partition("\n")[0][:_MAX_CAUSE]
    return ""


def read_state(file: Path) -> SessionState:
    """Read the state from a file; a missing or broken file gives an empty state, because the journals hold what
    matters.
    """
    try:
        return SessionState.model_validate(json_text.loads(read_text(file)))
    except (OSError, ValueError, ValidationError):  # defence: broken-state-is-none
        return SessionState()


def keep_broken_state(file: Path) -> str:
    """Rename a file that cannot be read as a state to `state.json.broken`; return what the user must know, "" if there
    is nothing. Raises OSError.
    """
    cause = _broken(file)
    if not cause:
        return ""
    names = (file.with_name(f"{file.name}.broken{number or ''}") for number in itertools.count())
    aside = next(name for name in names if not os.path.lexists(name))
    file.rename(aside)
    _log.warning("%s could not be read (%s); it is kept as %s", file, cause, aside.name)
    return tr(
        "{file} cannot be read ({cause}), so the session's title, to-do list, folders and approvals are lost; the file "
        "is kept as {aside}",
        file=shown(file),
        cause=cause,
        aside=aside.name,
    )


def write_state(file: Path, state: SessionState) -> None:
    """Replace the file atomically; one that is no state is kept beside it, as `state.json.broken`. Raises OSError, also
    for a state that is too long to be read again.
    """
    text = state.model_dump_json(indent=2)
    if len(text.encode()) > MAX_BYTES:  # defence: state-that-can-be-read
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(file))
    keep_broken_state(file)  # defence: keep-broken-state
    with replacement(file, text):
        crash_point("state.before_replace")
