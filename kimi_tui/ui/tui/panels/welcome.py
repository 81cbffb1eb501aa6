"""What stands in the conversation before anything was said: what one can do here."""

from rich.style import Style

from kimi_tui.ui.tui.language import N_, _
from kimi_tui.ui.tui.panels.sheet import Sheet
from kimi_tui.ui.tui.text.line import Line, Run, cells
from kimi_tui.ui.tui.text.palette import Palette

_WAYS = (
    ("/", N_("commands, skills and flows")),
    ("@", N_("a file of this folder")),
    ("F3", N_("choose a flow and see its chart")),
    ("Ctrl+P", N_("every action there is")),
    ("F1", N_("the keys that act here")),
)


class Welcome(Sheet):
    """Shown until the first item comes; `note` is something one has to know before, such as that no model is set."""

    DEFAULT_CSS = "Welcome { width: 100%; height: 100%; content-align: center middle; padding: 0 2; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._note = ""

    def say(self, note: str) -> None:
        if note != self._note:
            self._note = note
            self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        rows: list[list[Run]] = [
            [("☾ ", palette.warning), ("kimi-tui", palette.accent + Style(bold=True))],
            [(_("agents that follow flows"), palette.muted)],
            [],
        ]
        keys = max(cells(key) for key, _ in _WAYS)
        ways: list[list[Run]] = [
            [(" " * (keys - cells(key)) + key, palette.base), ("  " + _(what), palette.muted)] for key, what in _WAYS
        ]
        wide = max(_width(row) for row in ways)
        rows += [[*row, (" " * (wide - _width(row)), palette.base)] for row in ways]
        if self._note:
            rows += [[], [(self._note, palette.warning)]]
        above = max(0, (self.content_size.height - len(rows)) // 2 - 1)
        out = [Line()] * above
        for row in rows:
            left = max(0, (width - _width(row)) // 2)
            out.append(Line(((" " * left, palette.base), *row)))
        return out


def _width(row: list[Run]) -> int:
    return sum(cells(text) for text, _ in row)
