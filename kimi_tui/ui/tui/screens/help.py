"""F1: the keys of the current pane, then the global ones."""

from itertools import zip_longest
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Size

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.keys.bindings import KEY_CONTEXTS, RULE, KeyContext, bindings_for, display_keys
from kimi_tui.ui.tui.keys.keymap import KeyMap
from kimi_tui.ui.tui.text.styled_line import Line, cells
from kimi_tui.ui.tui.text.wrap import break_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.key_bar import BarKey, KeyBar
from kimi_tui.ui.tui.widgets.line_scroll_view import LineScrollView
from kimi_tui.ui.tui.widgets.one_shot_screen import OneShotModal

_LEAST = 12
"""Minimum columns for the keys."""
_AROUND = 5
"""Rows of the card around the list: its frame, the padding, the bar and the blank row above it."""


def _rows(text: str, width: int) -> list[str]:
    return [text[start:end] for start, end, _swallowed in break_text(text, width)]


class KeyList(LineScrollView, can_focus=True):
    """The list of keys."""

    DEFAULT_CSS = "KeyList { height: auto; scrollbar-gutter: stable; background: $surface; }"

    def __init__(self, where: KeyContext, keymap: KeyMap, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._where: KeyContext = where
        self._keymap = keymap

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Measure the rows as they are drawn: beside the scroll bar."""
        return super().get_content_height(container, viewport, width - 1)

    def lines(self, width: int, palette: Palette) -> list[Line]:
        width -= 1  # a blank column before the scroll bar
        named = [(key, display_keys(self._keymap.keys_of(key))) for key in bindings_for(self._where)]
        named = [(key, name) for key, name in named if name]
        wide = min(max(cells(name) for _key, name in named), max(_LEAST, width * 9 // 20))
        rule = [Line(((row, palette.muted),)) for row in _rows(_(RULE), width)]
        out: list[Line] = [*rule, Line()]
        place = None
        for key, name in named:
            if key.context != place:
                if place is not None:
                    out.append(Line())
                place = key.context
                out.append(Line(((_(KEY_CONTEXTS[place]), palette.accent + Style(bold=True)),)))
            for left, right in zip_longest(
                _rows(name, wide), _rows(_(key.description), width - wide - 4), fillvalue=""
            ):
                pad = " " * (wide - cells(left) + 2)
                out.append(Line((("  " + left + pad, palette.base), (right, palette.muted))))
        return out


class Help(OneShotModal[None]):
    """Shows the key bindings; Esc and F1 close it."""

    CSS = """
    Help { align: center middle; }
    Help > Vertical {
        width: 88; max-width: 98%; height: auto; max-height: 90%; background: $surface; padding: 1 1 0 2;
        border: round $primary; border-title-color: $primary; border-title-style: bold;
    }
    Help KeyBar { margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,enter", "dismiss", "Close", show=False)]

    def __init__(self, where: KeyContext, keymap: KeyMap) -> None:
        super().__init__()
        self._where: KeyContext = where
        self._keymap = keymap

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = _("keys")
            yield KeyList(self._where, self._keymap, id="keys")
            yield KeyBar(id="bar")

    def on_resize(self, event: events.Resize) -> None:
        """Keep the last line of the list above the bar."""
        super().on_resize(event)
        self.query_one(KeyList).styles.max_height = max(1, event.size.height * 9 // 10 - _AROUND)

    def on_mount(self) -> None:
        self.query_one(KeyBar).show((BarKey("↑ ↓", _("scroll")), BarKey("Esc", _("close"), "dismiss")))
