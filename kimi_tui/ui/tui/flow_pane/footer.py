"""Footer of the flow pane: status, cost and clickable actions."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.style import Style
from textual import events
from textual.message import Message

from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import LineWidget

_MOST_ROWS = 6

Button = tuple[str, str]
"""An action and its label."""


@dataclass(frozen=True, slots=True)
class FooterFacts:
    """`role` is accent, warning, success, error or muted; `views` change how the chart is shown."""

    sign: str = ""
    word: UserText = ""
    role: str = "muted"
    place: UserText = ""
    figures: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()
    views: tuple[Button, ...] = ()


class FlowFooter(LineWidget):
    """A few rows, repainted when a fact has changed."""

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
        out = self._words(width, palette) if facts.word else []
        chip = palette.code_bg + palette.accent
        out += self._row(facts.buttons, width, palette, len(out), chip, between=(" ", palette.base), pad=" ")
        out += self._row(facts.views, width, palette, len(out), palette.muted, between=("  ", palette.base))
        return out

    def _words(self, width: int, palette: Palette) -> list[Line]:
        facts = self._facts
        inks = {
            "accent": palette.accent,
            "warning": palette.warning,
            "success": palette.success,
            "error": palette.error,
        }
        style = inks.get(facts.role, palette.muted)
        word = cut(facts.word, max(1, width - 2))
        runs: list[Run] = [(f"{facts.sign} ", style), (word, style + Style(bold=True))]
        lines, used = [runs], 2 + cells(word)
        if facts.place:
            place = cut(facts.place, max(0, width - used - 1))
            runs += [(" ", palette.base), (place, palette.base)]
            used += 1 + cells(place)
        for figure in facts.figures:
            if used + cells(figure) + 3 > width and len(lines) < _MOST_ROWS:
                lines.append([("  ", palette.base), (figure, palette.muted)])
                used = 2 + cells(figure)
            else:
                lines[-1] += [(" · ", palette.faint), (figure, palette.muted)]
                used += 3 + cells(figure)
        return [Line(tuple(one)) for one in lines]

    def _row(
        self,
        buttons: Sequence[Button],
        width: int,
        palette: Palette,
        above: int,
        style: Style,
        *,
        between: Run,
        pad: str = "",
    ) -> list[Line]:
        """Lay out buttons beside each other, on as many lines as needed; stores their positions."""
        lines: list[list[Run]] = []
        used = width
        gap = cells(between[0])
        for action, text in buttons:
            label = f"{pad}{cut(text, max(1, width - 2 * cells(pad)))}{pad}"
            size = cells(label)
            if used + gap + size > width:
                lines.append([])
                used = 0
            else:
                lines[-1].append(between)
                used += gap
            self._spans.append((len(lines) - 1 + above, used, used + size, action))
            key, _blank, rest = label.partition(" ") if not pad else (label, "", "")
            lines[-1].append((key, palette.base if rest else style))
            if rest:
                lines[-1].append((f" {rest}", style))
            used += size
        return [Line(tuple(one)) for one in lines]

    def on_click(self, event: events.Click) -> None:
        x, y = event.x - self.gutter.left, event.y - self.gutter.top
        for row, start, end, action in self._spans:
            if row == y and start <= x < end:
                event.stop()
                self.post_message(self.Pressed(action))
                return
