"""The messages that wait for the turn under way to end."""

from collections.abc import Sequence

from kimi_tui.ui.tui.headline import one_line
from kimi_tui.ui.tui.panels.sheet import Sheet
from kimi_tui.ui.tui.text.line import Line, cut
from kimi_tui.ui.tui.text.palette import Palette

_SHOWN = 4


class QueuedList(Sheet):
    """One row a message; no room while the queue is empty."""

    DEFAULT_CSS = """
    QueuedList { display: none; padding: 0 1; }
    QueuedList.-filled { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.texts: tuple[str, ...] = ()

    def show(self, texts: Sequence[str]) -> None:
        self.texts = tuple(texts)
        self.set_class(bool(texts), "-filled")
        self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        out: list[Line] = []
        hidden = len(self.texts) - _SHOWN
        if hidden > 0:
            out.append(Line(((f"  {hidden} more", palette.faint),)))
        for text in self.texts[-_SHOWN:]:
            out.append(
                Line((("⋯ queued  ", palette.secondary), (cut(one_line(text), max(1, width - 10)), palette.muted)))
            )
        if out:
            out.append(Line((("  ↑ edits the last · ctrl+s says the first now", palette.faint),)))
        return out
