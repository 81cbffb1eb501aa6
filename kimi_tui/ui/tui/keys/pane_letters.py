"""Letter keys in panes: a letter that cannot act now is refused with the reason."""

from typing import TYPE_CHECKING

from kimi_tui.ui.tui.i18n.catalog import _

if TYPE_CHECKING:
    from kimi_tui.ui.tui.main_screen.screen import MainScreen


def refusal_of(home: "MainScreen", key: str, letter: str) -> str | None:
    """Why a printable key does nothing at the current focus; None if it acts or types text."""
    if not home.in_pane:
        return None
    bound = home.active_bindings.get(key)
    if bound is not None and bound.enabled:
        return None
    if (asks := home.open_dialog_widget) is not None and key in asks.keys and asks.pointing:
        return asks.pointing
    if home.flow.has_focus_within and (why := home.flow.why_not(key)):
        return f"{letter}: {why}"
    if not home.composer.display:
        return _("{key} does nothing here", key=letter)
    return _("{key} does nothing here; {write} goes to the message", key=letter, write=home.write_key)
