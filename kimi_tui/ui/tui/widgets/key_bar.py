"""The last line of a screen: its keys, which are also clickable."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events

from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import LineWidget


@dataclass(frozen=True, slots=True)
class BarKey:
    """A key's display name, its description, and the screen's action ("" for none)."""

    key: str
    what: UserText
    action: str = ""


class KeyBar(LineWidget):
    """Shows as many keys as fit, always including the last; a click runs the key's action on the screen."""

    DEFAULT_CSS = "KeyBar { height: 1; dock: bottom; background: $surface; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._keys: tuple[BarKey, ...] = ()
        self._places: list[tuple[range, str]] = []

    def show(self, keys: Sequence[BarKey]) -> None:
        if tuple(keys) != self._keys:
            self._keys = tuple(keys)
            self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        self._places = []
        if not self._keys:
            return [Line()]
        *others, last = self._keys
        room = width - _size(last)
        shown: list[BarKey] = []
        for key in others:
            if _size(key) + 3 <= room:
                shown.append(key)
                room -= _size(key) + 3
        runs: list[Run] = []
        at = 0
        for index, key in enumerate((*shown, last)):
            if index:
                runs.append((" · ", palette.faint))
                at += 3
            runs += [(key.key, palette.base), (" " + key.what, palette.muted)]
            self._places.append((range(at, at + _size(key)), key.action))
            at += _size(key)
        return [Line(tuple(runs))]

    async def on_click(self, event: events.Click) -> None:
        column = event.x - self.gutter.left
        action = next((action for place, action in self._places if column in place), "")
        if action:
            event.stop()
            await self.screen.run_action(action)


def _size(key: BarKey) -> int:
    return cells(key.key) + 1 + cells(key.what)
