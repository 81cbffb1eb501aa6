"""A chart's errors with their source lines; above the chart, or in its place."""

from rich.style import Style

from kimi_tui.skill.skill import Problem
from kimi_tui.ui.tui.flow_pane.broken_flow import BrokenFlow
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.i18n.translate import translate_lines
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.styled_line import Line, Run, code_runs, cut
from kimi_tui.ui.tui.text.wrap import wrap_runs
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import LineWidget

_WARNINGS = 3


class DiagnosticsView(LineWidget):
    """Shows the errors; hidden without errors."""

    DEFAULT_CSS = """
    DiagnosticsView { height: auto; padding: 0 1; display: none; }
    DiagnosticsView.-filled { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.error: BrokenFlow | None = None
        self.warnings: tuple[Problem, ...] = ()

    def show(self, error: BrokenFlow | None = None, warnings: tuple[Problem, ...] = ()) -> None:
        self.error, self.warnings = error, warnings
        self.set_class(error is not None or bool(warnings), "-filled")
        self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        out: list[Line] = []
        if (error := self.error) is not None:
            out.append(Line((("✗ ", palette.error), (cut(error.place, width - 2), palette.error + Style(bold=True)))))
            out += [
                Line((("  ", palette.base), *row))
                for row, _ in wrap_runs(code_runs(translate_lines(error.cause), palette.base), max(8, width - 2))
            ]
            out += _excerpt(error, width, palette)
            for other in error.others[:_WARNINGS]:
                place = "✗ " + _("line {number}:", number=other.line) + " " if other.line is not None else "✗ "
                out += [
                    Line(row)
                    for row, _join in wrap_runs(
                        code_runs(place + translate_lines(other.text), palette.error), max(8, width)
                    )[:2]
                ]
            if (more := len(error.others) - _WARNINGS) > 0:
                out.append(Line((("✗ " + _("and {count} more", count=more), palette.error),)))
            if error.flow is not None:
                out.append(Line((("  " + _("last valid chart:"), palette.muted),)))
        for problem in self.warnings[:_WARNINGS]:
            place = "! " + _("line {number}:", number=problem.line) + " " if problem.line is not None else "! "
            rows = wrap_runs(code_runs(place + translate_lines(problem.text), palette.warning), max(8, width))
            out += [Line(row) for row, _ in rows[:2]]
        if (more := len(self.warnings) - _WARNINGS) > 0:
            out.append(Line((("! " + _("and {count} more", count=more), palette.warning),)))
        return out


def _excerpt(error: BrokenFlow, width: int, palette: Palette) -> list[Line]:
    """The faulty line with its neighbours, and a mark below the column."""
    if error.line is None or not error.source:
        return []
    source = error.source.split("\n")
    out: list[Line] = []
    for number in range(max(1, error.line - 1), min(len(source), error.line + 1) + 1):
        here = number == error.line
        text = source[number - 1].replace("\t", "    ")
        head: Run = (f"{number:>4} │ ", palette.error if here else palette.muted)
        out.append(Line((head, (cut(sanitize(text), max(1, width - 7)), palette.base if here else palette.muted))))
        if here and error.column is not None and 0 < error.column <= width - 8:
            out.append(Line((("     │ ", palette.faint), (" " * (error.column - 1) + "^", palette.error))))
    return out
