"""The queued messages for the next step of the running turn, and for the next turns."""

from collections.abc import Sequence

from rich.style import Style

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.styled_line import Line, cells, cut
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import LineWidget

_SHOWN = 4


class QueuedList(LineWidget):
    """Lists the queued messages, one per row; hidden while there are none."""

    DEFAULT_CSS = """
    QueuedList { display: none; padding: 0 1; }
    QueuedList.-filled { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.texts: tuple[str, ...] = ()
        self.steered: tuple[str, ...] = ()
        self._can_steer = True

    def show(self, texts: Sequence[str], steered: Sequence[str] = (), *, can_steer: bool = True) -> None:
        self.texts, self.steered, self._can_steer = tuple(texts), tuple(steered), can_steer
        self.set_class(bool(texts or steered), "-filled")
        self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        out = [
            _row(_("⋯ will be sent with the next step"), text, width, palette.secondary, palette.base)
            for text in self.steered
        ]
        hidden = len(self.texts) - _SHOWN
        if hidden > 0:
            out.append(Line((("  " + _("{count} more", count=hidden), palette.muted),)))
        for text in self.texts[-_SHOWN:]:
            out.append(_row(_("⋯ queued"), text, width, palette.secondary, palette.muted))
        if self.texts:
            keys = (
                _("↑ edits the last message · Ctrl+S sends the first now")
                if self._can_steer
                else _("↑ edits the last message")
            )
            out.append(Line((("  " + keys, palette.muted),)))
        return out


def _row(state: str, text: str, width: int, sign: Style, style: Style) -> Line:
    room = max(1, width - cells(state) - 2)
    return Line(((state + "  ", sign), (cut(one_line(text), room), style)))
