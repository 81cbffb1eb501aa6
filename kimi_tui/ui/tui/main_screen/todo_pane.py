"""The todo list pane."""

from collections.abc import Iterator, Sequence

from rich.style import Style

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut, prefixed
from kimi_tui.ui.tui.text.wrap import wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import LineWidget
from kimi_tui.wire.display import TodoItem, TodoStatus

_SIGNS: dict[TodoStatus, str] = {"done": "✓", "in_progress": "◐", "pending": "○"}


class TodoPane(LineWidget, can_focus=True):
    """Shows the todo list; hidden while it is empty.

    Of more than `most` items, it shows those around the one in progress. A short list takes one row, unless
    it is alone in the column.
    """

    DEFAULT_CSS = """
    TodoPane { max-height: 40%; border-top: solid $line; padding: 0 1; display: none; }
    TodoPane.-filled { display: block; }
    TodoPane.-tall { max-height: 100%; }
    """
    FOCUS_ON_CLICK = False  # it has no actions
    most = 10

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.items: tuple[TodoItem, ...] = ()

    def show(self, items: Sequence[TodoItem]) -> None:
        self.items = tuple(items)
        done = sum(item.status == "done" for item in items)
        self.border_title = " " + _("todo {done}/{count}", done=done, count=len(items)) + " "
        self.set_class(bool(items), "-filled")
        self.redraw()

    def stack(self, tall: bool) -> None:
        """Use one row for each item, in a column without another pane."""
        if tall != self.has_class("-tall"):
            self.set_class(tall, "-tall")
            self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        shown = self._window()
        wide = max((cells(item.title) for item in shown), default=0) + 3
        columns = max(1, min(len(shown), 4, (width + 1) // max(12, wide + 1)))
        if columns > 1 and len(shown) <= 4 and not self.has_class("-tall"):
            return [Line(tuple(run for item in shown for run in (*_entry(item, wide, palette), ("  ", palette.base))))]
        if self.has_class("-tall"):
            out = [line for item in shown for line in _whole_entry(item, width, palette)]
        else:
            out = [Line(tuple(_entry(item, width, palette))) for item in shown]
        if left := len(self.items) - len(shown):
            out.append(Line((("  " + _("and {count} more", count=left), palette.muted),)))
        return out

    def _window(self) -> tuple[TodoItem, ...]:
        if len(self.items) <= self.most:
            return self.items
        at = next((i for i, item in enumerate(self.items) if item.status != "done"), 0)
        start = max(0, min(at - 2, len(self.items) - self.most + 1))
        return self.items[start : start + self.most - 1]


def _entry(item: TodoItem, width: int, palette: Palette) -> list[Run]:
    sign, text = _styles(item, palette)
    return [(_SIGNS[item.status] + " ", sign), (cut(item.title, max(1, width - 2)), text)]


def _whole_entry(item: TodoItem, width: int, palette: Palette) -> Iterator[Line]:
    sign, text = _styles(item, palette)
    rows = [Line(row, join=join) for row, join in wrap_text(item.title, text, max(1, width - 2))]
    yield from prefixed(rows, ((_SIGNS[item.status] + " ", sign),), (("  ", palette.base),))


def _styles(item: TodoItem, palette: Palette) -> tuple[Style, Style]:
    """The styles of the sign and of the text."""
    sign = {"done": palette.success, "in_progress": palette.accent, "pending": palette.muted}[item.status]
    return sign, palette.muted if item.status == "done" else palette.base
