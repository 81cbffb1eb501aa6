"""The welcome text in an empty conversation: the main actions and their keys."""

from rich.style import Style
from textual import events

from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.keys.keymap import KeyMap
from kimi_tui.ui.tui.main_screen.footer import key_name
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.hints_changed import HintsChanged
from kimi_tui.ui.tui.widgets.line_widget import LineWidget

_SHORTCUTS = (
    ("/", "commands", N_("commands, skills and flows")),
    ("@", "files", N_("a file in this folder")),
    ("F3", "flow", N_("choose a flow to see its chart")),
    ("Ctrl+P", "palette", N_("all actions")),
)
"""Display name of the default key, the action's id, and description."""
_HEAD = 3
"""Rows above the keys."""


class Welcome(LineWidget):
    """The welcome text, shown until the first item arrives; a click on a row presses its key.

    `note` is an important notice, such as a failed server.
    """

    DEFAULT_CSS = "Welcome { width: 100%; height: 100%; content-align: center middle; padding: 0 2; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._note = self._action = ""
        self._first = 0
        self._user_keys: dict[str, str] = {}

    def show_note(self, note: UserText, *, action: str = "") -> None:
        """Set the note; `action` is the app action that a click on it runs."""
        if (note, action) != (self._note, self._action):
            self._note, self._action = note, action
            self.redraw()

    def use_keys(self, keymap: KeyMap) -> None:
        """Show the user's keys; an action without a key has no row."""
        changed = {action: keymap.first_key(action) for _key, action, _what in _SHORTCUTS if action in keymap.overrides}
        if changed != self._user_keys:
            self._user_keys = changed
            self.redraw()

    @property
    def _rows(self) -> list[tuple[str, str]]:
        """The key and the description of each row."""
        rows = ((self._user_keys.get(action, key), what) for key, action, what in _SHORTCUTS)
        return [(key, what) for key, what in rows if key]

    @property
    def keys(self) -> frozenset[str]:
        """The default keys of the actions that are shown; before the first layout, of those that will be."""
        height = self.content_size.height
        fits = not height or _HEAD + len(self._rows) + (2 if self._note else 0) <= height
        return frozenset(key for key, _action, _what in _SHORTCUTS) if fits else frozenset()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        rows: list[list[Run]] = [
            [("☾ ", palette.warning), ("kimi-tui", palette.accent + Style(bold=True))],
            [(_("agents that follow flows"), palette.muted)],
            [],
        ]
        keys = max(cells(key) for key, _what in self._rows)
        shortcuts: list[list[Run]] = [
            [(" " * (keys - cells(key)) + key, palette.base), ("  " + _(what), palette.muted)]
            for key, what in self._rows
        ]
        wide = max(_width(row) for row in shortcuts)
        rows += [[*row, (" " * (wide - _width(row)), palette.base)] for row in shortcuts]
        note: list[list[Run]] = [[], [(self._note, palette.warning)]] if self._note else []
        height = self.content_size.height
        is_whole = bool(self.keys)
        rows = [*(rows if is_whole else rows[:2]), *note]  # beside a menu, none of the keys instead of some
        above = max(0, (height - len(rows)) // 2 - 1)
        self._first = above + 3 if is_whole else height
        out = [Line()] * above
        for row in rows:
            left = max(0, (width - _width(row)) // 2)
            out.append(Line(((" " * left, palette.base), *row)))
        return out

    def on_resize(self, event: events.Resize) -> None:
        self.redraw()
        self.post_message(HintsChanged())

    async def on_click(self, event: events.Click) -> None:
        row = event.y - self.gutter.top - self._first
        if self._note and self._action and row == len(self._rows) + 1:
            event.stop()
            await self.app.run_action(self._action)
        if 0 <= row < len(self._rows):
            event.stop()
            key, _what = self._rows[row]
            self.app.post_message(events.Key(key_name(key), key if len(key) == 1 else None))


def _width(row: list[Run]) -> int:
    return sum(cells(text) for text, _ in row)
