"""Footer of the flow pane: status, cost and clickable actions."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.style import Style
from textual import events
from textual.message import Message

from kimi_tui.flow.run.spending import NOTICE_AT
from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut, width_of
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import LineWidget

_MAX_NOTES = 5
_MIN_PLACE = 8
_MAX_WORD, _MAX_PLACE = 22, 28
_MIN_BAR, _MAX_BAR = 6, 24

Button = tuple[str, str]
"""An action and its label."""


@dataclass(frozen=True, slots=True)
class FooterFacts:
    """The content of the footer.

    `role` is accent, warning, success, error or muted. `notes` have rows of their own above the state.

    `bar` is the used share of a budget, 1 for all of it, with its text; it has a row above the state.

    `buttons` are sorted by importance: those without room are left out, because the menu has them too.
    """

    sign: str = ""
    word: UserText = ""
    role: str = "muted"
    place: UserText = ""
    figures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()
    bar: tuple[float, str] | None = None


class FlowFooter(LineWidget):
    """The pane's footer: one row, below the notes. It is repainted only when a fact has changed."""

    DEFAULT_CSS = "FlowFooter { height: auto; padding: 0 1; }"

    class Pressed(Message):
        def __init__(self, action: str) -> None:
            self.action = action
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._facts = FooterFacts()
        self._spans: list[tuple[int, int, int, str]] = []

    def show(self, facts: FooterFacts) -> None:
        if facts != self._facts:
            self._facts = facts
            self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        facts = self._facts
        self._spans = []
        notes = [Line(((cut(note, width), palette.muted),)) for note in facts.notes[:_MAX_NOTES]]
        if facts.bar is not None:
            notes.append(_bar(*facts.bar, width, palette))
        if not (facts.sign or facts.buttons):
            return notes
        return [*notes, self._row(width, palette, len(notes))]

    def _row(self, width: int, palette: Palette, row: int) -> Line:
        """The state on the left, the buttons on the right; stores the buttons' positions."""
        facts = self._facts
        named = min(cells(facts.word), _MAX_WORD) or min(cells(facts.place), _MAX_PLACE)
        head = 2 + max(named, min(cells(facts.place), 10)) if facts.sign else 0
        buttons = _fitting(facts.buttons, width - head)
        size = sum(cells(label) + 1 for _action, label in buttons)
        runs = self._state(width - size, palette) if facts.sign else []
        start = max(0, width - size + 1) if runs else 0
        runs.append((" " * max(0, start - width_of(runs)), palette.base))
        for number, (action, label) in enumerate(buttons):
            runs += [(" ", palette.base)] if number else []
            self._spans.append((row, start, start + cells(label), action))
            runs.append((label, palette.base + palette.code_bg))
            start += cells(label) + 1
        return Line(tuple(runs))

    def _state(self, width: int, palette: Palette) -> list[Run]:
        """The sign with the word or else the place, then what there is room for."""
        facts = self._facts
        inks = {
            "accent": palette.accent,
            "warning": palette.warning,
            "success": palette.success,
            "error": palette.error,
        }
        style = inks.get(facts.role, palette.muted)
        first = cut(facts.word or facts.place, max(1, width - 2))
        runs: list[Run] = [(f"{facts.sign} ", style), (first, style + Style(bold=True))]
        left = width - 2 - cells(first)
        figures = list(facts.figures)
        while figures and sum(cells(figure) + 3 for figure in figures) > left:
            figures.pop()
        left -= sum(cells(figure) + 3 for figure in figures)
        if facts.word and facts.place and left > _MIN_PLACE:
            runs += [(" ", palette.base), (cut(facts.place, left - 1), palette.base)]
        for figure in figures:
            runs += [(" · ", palette.faint), (figure, palette.muted)]
        return runs

    def on_click(self, event: events.Click) -> None:
        x, y = event.x - self.gutter.left, event.y - self.gutter.top
        for row, start, end, action in self._spans:
            if row == y and start <= x < end:
                event.stop()
                self.post_message(self.Pressed(action))
                return


def _bar(share: float, text: str, width: int, palette: Palette) -> Line:
    """The used part of a budget, as a bar with its text beside it."""
    ink = palette.error if share >= 1 else palette.warning if share >= NOTICE_AT else palette.accent
    text = cut(text, max(1, width - _MIN_BAR - 1))
    size = max(1, min(_MAX_BAR, width - cells(text) - 1))
    full = min(size, int(share * size) if share < 1 else size)
    return Line(
        (
            ("━" * full, ink),
            ("─" * (size - full), palette.faint),
            (f" {text}", ink if share >= NOTICE_AT else palette.muted),
        )
    )


def _fitting(buttons: Sequence[Button], room: int) -> list[Button]:
    """The first buttons that fit, and the last one, which opens the menu of all."""
    padded = [(action, f" {label} ") for action, label in buttons]
    first, last = padded[:-1], padded[-1:]
    while first and sum(cells(label) + 1 for _action, label in (*first, *last)) > room:
        first.pop()
    return [*first, *last]
