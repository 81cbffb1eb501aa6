"""The answers of a dialog as rows: key, label, and the selection."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.style import Style
from textual import events
from textual.message import Message

from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.keys.bindings import DISPLAY_NAMES
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, code_runs, width_of
from kimi_tui.ui.tui.text.wrap import wrap_runs, wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import LineWidget


@dataclass(frozen=True, slots=True)
class Option:
    """An answer. A disabled one is shown with its reason and cannot be chosen."""

    id: str
    key: str
    label: UserText
    detail: UserText = ""
    """Text between two backticks is shown as code."""
    disabled: bool = False


class OptionList(LineWidget):
    """Options chosen by the dialog's keys, or by a click."""

    class Clicked(Message):
        def __init__(self, option_id: str) -> None:
            self.option_id = option_id
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.options: tuple[Option, ...] = ()
        self.cursor: int | None = None
        self._rows: list[int] = []
        self._dimmed = False

    @property
    def selected(self) -> Option | None:
        return self.options[self.cursor] if self.cursor is not None else None

    @property
    def row_of_cursor(self) -> int | None:
        """The row of the option under the cursor, if there is one."""
        return self._rows.index(self.cursor) if self.cursor is not None and self.cursor in self._rows else None

    def in_view(self, option_id: str) -> bool:
        """Whether a row of this option is visible."""
        seen, top = self.screen.find_widget(self).visible_region, self.content_region.y
        rows = (row for row, index in enumerate(self._rows) if self.options[index].id == option_id)
        return any(seen.y <= top + row < seen.bottom for row in rows)  # defence: answer-on-screen

    def show(self, options: Sequence[Option], *, keep_cursor: bool = False) -> None:
        if tuple(options) == self.options and keep_cursor:
            return
        self.options = tuple(options)
        if not keep_cursor:
            self.cursor = None
        self.redraw()

    def dim(self, dimmed: bool) -> None:
        """Dim the keys while they have no effect."""
        if dimmed != self._dimmed:
            self._dimmed = dimmed
            self.redraw()

    def move(self, by: int) -> None:
        count = len(self.options)
        if count:
            self.cursor = (self.cursor + by) % count if self.cursor is not None else (0 if by > 0 else count - 1)
            self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        out: list[Line] = []
        self._rows = []
        names = [DISPLAY_NAMES.get(option.key, option.key) for option in self.options]
        keys = max(map(cells, names), default=0)
        for index, option in enumerate(self.options):
            here = index == self.cursor
            bold = Style(bold=True) if here else Style()
            dead = option.disabled or self._dimmed
            key = palette.muted if dead else palette.accent + Style(bold=True)
            words = palette.muted if option.disabled else palette.base + bold
            head: list[Run] = [("› " if here else "  ", palette.accent), (names[index].ljust(keys) + "  ", key)]
            indent = 4 + keys
            runs = wrap_text(option.label, words, max(8, width - indent))
            # With more of them it is not clear which are the text's own: a name keeps its backticks.
            own = option.detail.count("`") == 2
            code = code_runs(option.detail, palette.muted, palette.base) if own else [(option.detail, palette.muted)]
            detail = wrap_runs(code, max(8, width - indent)) if option.detail else []
            if option.detail and len(runs) == 1 and cells(option.label) + 2 + width_of(code) <= width - indent:
                runs = [((*runs[0][0], ("  ", palette.base), *code), None)]
                detail = []
            for number, (row, _) in enumerate([*runs, *detail]):
                before = head if number == 0 else [(" " * indent, palette.base)]
                out.append(Line((*before, *row)))
                self._rows.append(index)
        return out

    def on_click(self, event: events.Click) -> None:
        row = event.y - self.gutter.top
        if 0 <= row < len(self._rows):
            event.stop()
            self.post_message(self.Clicked(self.options[self._rows[row]].id))
