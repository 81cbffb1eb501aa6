"""What the flow pane says below its chart: where the run is, what it has cost, and the branches that can be taken."""

from dataclasses import dataclass

from rich.style import Style
from textual import events
from textual.message import Message

from kimi_tui.ui.tui.panels.sheet import Sheet
from kimi_tui.ui.tui.text.line import Line, Run, cells, cut, width_of
from kimi_tui.ui.tui.text.palette import Palette

_MOST_ROWS = 3


@dataclass(frozen=True, slots=True)
class FootFacts:
    """`role` is accent, warning, success, error or muted; `buttons` are (action, text)."""

    sign: str = ""
    word: str = ""
    role: str = "muted"
    place: str = ""
    figures: tuple[str, ...] = ()
    buttons: tuple[tuple[str, str], ...] = ()


class FlowFoot(Sheet):
    """Two rows, repainted when a fact has changed."""

    DEFAULT_CSS = "FlowFoot { height: auto; padding: 0 1; }"

    class Pressed(Message):
        def __init__(self, action: str) -> None:
            self.action = action
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._facts = FootFacts()
        self._spans: list[tuple[int, int, int, str]] = []

    def show(self, facts: FootFacts) -> None:
        if facts != self._facts:
            self._facts = facts
            self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        facts = self._facts
        self._spans = []
        if not facts.word:
            return []
        inks = {
            "accent": palette.accent,
            "warning": palette.warning,
            "success": palette.success,
            "error": palette.error,
        }
        style = inks.get(facts.role, palette.muted)
        runs: list[Run] = [(f"{facts.sign} ", style), (facts.word, style + Style(bold=True))]
        if facts.place:
            runs += [(" ", palette.base), (facts.place, palette.base)]
        lines = [runs]
        for figure in facts.figures:
            if width_of(lines[-1]) + cells(figure) + 3 > width and len(lines) < _MOST_ROWS:
                lines.append([("  ", palette.base), (figure, palette.muted)])
            else:
                lines[-1] += [(" · ", palette.faint), (figure, palette.muted)]
        out = [Line(tuple(one)) for one in lines]
        if facts.buttons:
            out += self._button_lines(width, palette, len(out))
        return out

    def _button_lines(self, width: int, palette: Palette, above: int) -> list[Line]:
        lines: list[Line] = []
        runs: list[Run] = []
        used = 0
        for action, text in self._facts.buttons:
            label = f" {cut(text, width - 4)} "
            size = cells(label)
            if used and used + size + 1 > width:
                lines.append(Line(tuple(runs)))
                runs, used = [], 0
            if used:
                runs.append((" ", palette.base))
                used += 1
            self._spans.append((len(lines) + above, used, used + size, action))
            runs.append((label, palette.code_bg + palette.accent))
            used += size
        lines.append(Line(tuple(runs)))
        return lines

    def on_click(self, event: events.Click) -> None:
        x, y = event.x - self.gutter.left, event.y - self.gutter.top
        for row, start, end, action in self._spans:
            if row == y and start <= x < end:
                event.stop()
                self.post_message(self.Pressed(action))
                return
