"""The badge below a conversation that does not follow its end: the number of new items, and a link to them."""

from textual import events
from textual.message import Message

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.styled_line import Line, Run, width_of
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import LineWidget


class NewMessagesBadge(LineWidget):
    """Shows the number of new items; hidden while there are none. A click scrolls to the end."""

    DEFAULT_CSS = """
    NewMessagesBadge { display: none; height: 1; background: $surface; }
    NewMessagesBadge.-filled { display: block; }
    """

    class Clicked(Message):
        pass

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.unseen = 0

    def show(self, unseen: int) -> None:
        self.unseen = unseen
        self.set_class(unseen > 0, "-filled")
        self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        runs: list[Run] = [
            ("↓ ", palette.accent),
            (_("{count:,} new", count=self.unseen), palette.base),
            (" · ", palette.faint),
            ("Ctrl+End", palette.accent),
        ]
        return [Line(((" " * max(0, (width - width_of(runs)) // 2), palette.base), *runs))]

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Clicked())
