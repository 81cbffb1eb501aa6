"""The keys that a person pressed, as those that they stand for by the configuration."""

from typing import TYPE_CHECKING

from textual import events
from textual.widgets import Input

from kimi_tui.ui.tui.keys.bindings import KEYS, Where
from kimi_tui.ui.tui.keys.hints import where_of
from kimi_tui.ui.tui.keys.keymap import is_text
from kimi_tui.ui.tui.main_screen.screen import Home

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app import KimiTui

_SIGNS = {"space": " ", "plus": "+", "minus": "-"}


async def meant(app: "KimiTui", event: events.Key) -> events.Key | None:
    """The key to go on with; None where it means nothing, or was an action that is done."""
    where = _where(app)
    if where is None:
        return event
    key = app.keymap.pressed(event.key, where)
    if key is None or key == event.key or (where in ("everywhere", "composer") and is_text(event.key)):
        return event
    if key.startswith("run:"):
        await app.run_action(next(one.action for one in KEYS if one.id == key[4:]))
        return None
    if not key:
        return None
    return events.Key(key, key if len(key) == 1 else _SIGNS.get(key))


def _where(app: "KimiTui") -> Where | None:
    """The place whose keys act; None on a screen whose keys are its own."""
    from kimi_tui.ui.tui.dialogs.approval_fullscreen import WholeRequest

    screen = app.screen
    if isinstance(screen, WholeRequest):
        return "approval"
    if not isinstance(screen, Home):
        return None
    if isinstance(screen.focused, Input):
        return "everywhere"
    return where_of(screen) if screen.furnished else "composer"
