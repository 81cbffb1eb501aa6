"""The last line: the keys that matter where you are."""

from collections.abc import Sequence

from kimi_tui.ui.tui.panels.sheet import Sheet
from kimi_tui.ui.tui.text.line import Line, Run, cells
from kimi_tui.ui.tui.text.palette import Palette

Hint = tuple[str, str]


class Hints(Sheet):
    """Key and meaning, as many as there is room for; `note` is said in their place while it is set."""

    DEFAULT_CSS = "Hints { height: 1; dock: bottom; background: $surface; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._hints: tuple[Hint, ...] = ()
        self._note = ""

    def show(self, hints: Sequence[Hint]) -> None:
        if tuple(hints) != self._hints:
            self._hints = tuple(hints)
            self.redraw()

    def say(self, note: str) -> None:
        if note != self._note:
            self._note = note
            self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        if self._note:
            return [Line(((" ", palette.base), (self._note, palette.warning)))]
        runs: list[Run] = [(" ", palette.base)]
        used = 1
        help_size = 8
        for index, (key, meaning) in enumerate(self._hints):
            size = cells(key) + 1 + cells(meaning) + (3 if index else 0)
            last = index == len(self._hints) - 1
            if used + size > width - (0 if last else help_size + 3) and not last:
                continue
            if used + size > width:
                break
            if index:
                runs.append((" · ", palette.faint))
            runs += [(key, palette.base), (" " + meaning, palette.muted)]
            used += size
        return [Line(tuple(runs))]
