"""The list above the composer: completions, or earlier inputs."""

from collections.abc import Callable, Sequence

from rich.style import Style
from textual import events
from textual.message import Message

from kimi_tui.ui.tui.composer.completion import Completion
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut, width_of
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import LineWidget

ROWS = 8


def _nothing(_label: str) -> str:
    return ""


class CompletionMenu(LineWidget):
    """A menu of up to eight choices, one of them selected. It never has the focus: the composer moves the selection.

    `moved`: the user has moved the selection; it is not the default first row.
    """

    DEFAULT_CSS = """
    CompletionMenu { display: none; background: $panel; max-height: 9; padding: 0 1; }
    CompletionMenu.-open { display: block; }
    """

    class Chosen(Message):
        """Posted when a row is clicked."""

        def __init__(self, choice: Completion) -> None:
            self.choice = choice
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.choices: tuple[Completion, ...] = ()
        self.cursor = 0
        self.moved = False
        self._top = 0
        self.preview: Callable[[str], str] = _nothing
        """Returns a line about the choice with this label; "" for none."""

    @property
    def is_open(self) -> bool:
        return bool(self.choices)

    @property
    def selected(self) -> Completion | None:
        return self.choices[self.cursor] if self.choices else None

    def show(self, choices: Sequence[Completion]) -> None:
        """Show these choices; an empty list closes the menu."""
        if tuple(choices) == self.choices:
            return
        self.choices = tuple(choices)
        self.cursor = self._top = 0
        self.moved = False
        self.set_class(bool(choices), "-open")
        self.redraw()

    def close(self) -> None:
        self.show(())

    def move(self, by: int) -> None:
        if not self.choices:
            return
        self.cursor = (self.cursor + by) % len(self.choices)
        self.moved = True
        self._top = max(min(self._top, self.cursor), self.cursor - ROWS + 1)
        self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        shown = self.choices[self._top : self._top + ROWS]
        names = min(max((cells(choice.label) for choice in shown), default=0), max(12, width // 2))
        out: list[Line] = []
        for index, choice in enumerate(shown, self._top):
            here = index == self.cursor
            style = palette.accent + Style(bold=True) if here else palette.base
            label = cut(one_line(choice.label), names if choice.description else width - 2)
            runs: list[Run] = [("› " if here else "  ", palette.accent), (label, style)]
            if choice.description:
                room = width - names - 6
                runs.append((" " * (names - cells(label) + 2), Style()))
                runs.append((cut(one_line(choice.description), room), palette.muted))
            out.append(Line(tuple(runs)))
        below: list[Run] = [("  ", palette.base)]
        if len(self.choices) > ROWS:
            below.append((_("{at} of {count}", at=self.cursor + 1, count=len(self.choices)) + "  ", palette.muted))
        if self.selected is not None and (about := self.preview(self.selected.label)):
            below.append((cut(one_line(about), max(0, width - width_of(below))), palette.secondary))
        return [*out, Line(tuple(below))] if len(below) > 1 else out

    def on_click(self, event: events.Click) -> None:
        index = self._top + event.y - self.gutter.top
        if self._top <= index < min(len(self.choices), self._top + ROWS):
            self.post_message(self.Chosen(self.choices[index]))
