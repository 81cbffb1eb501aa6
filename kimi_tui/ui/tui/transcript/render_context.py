"""Render context and shared drawing helpers for items."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.style import Style

from kimi_tui.formats import duration
from kimi_tui.ui.tui.state.items import ToolState
from kimi_tui.ui.tui.text.styled_line import SPINNER_FRAMES, Line, Run, cells, cut, width_of
from kimi_tui.ui.tui.themes.palette import Palette


@dataclass(frozen=True, slots=True)
class RenderContext:
    """The palette, whether the item is expanded, the view's clock (seconds) and the spinner's frame.

    `thoughts`: reasoning is shown while it streams. `counts` false: nothing is shown that changes only with time.
    `charts`: the charts of a text are drawn.
    """

    palette: Palette
    is_open: bool = False
    now: float = 0.0
    frame: int = 0
    thoughts: bool = True
    counts: bool = True
    charts: bool = True


def click_style(action: str) -> Style:
    """Return a style that makes text a click target."""
    return Style(meta={"act": action})


def state_glyph(state: ToolState, context: RenderContext) -> Run:
    """Return the glyph of a state; its shape carries the meaning of its colour."""
    palette = context.palette
    match state:
        case "ok":
            return "✓", palette.success
        case "failed":
            return "✗", palette.error
        case "rejected":
            return "⊘", palette.warning
        case "interrupted":
            return "■", palette.warning
        case "waiting":
            return "?", palette.warning
        case "running":
            return spinner(context), palette.accent


def spinner(context: RenderContext) -> str:
    return SPINNER_FRAMES[context.frame % len(SPINNER_FRAMES)]


def fold_sign(context: RenderContext) -> str:
    return "▾" if context.is_open else "▸"


def elapsed(started: float | None, context: RenderContext) -> str:
    """Return the time since `started` in whole seconds, so that it changes once a second; "" in the first second."""
    if started is None or not context.counts or context.now - started < 1:
        return ""
    whole = int(context.now - started)
    return f"{whole}s" if whole < 60 else duration(whole)


def justify(left: list[Run], right: list[Run], width: int, context: RenderContext) -> Line:
    """Return one line with `right` at its right edge; the left part is truncated if needed."""
    room = max(0, width - width_of(right) - 1)
    kept: list[Run] = []
    for text, style in left:
        if room <= 0:
            break
        shown = cut(text, room)
        kept.append((shown, style))
        room -= cells(shown)
        if shown != text:
            break
    gap = width - width_of(kept) - width_of(right)
    return Line((*kept, (" " * max(1, gap), context.palette.base), *right) if right else tuple(kept))


def heading_rule(left: list[Run], width: int, context: RenderContext, *, dash: str = "─") -> Line:
    """Return a heading with a rule to the right of it."""
    rest = width - width_of(left) - 1
    rule: tuple[Run, ...] = ((" " + dash * rest, context.palette.faint),) if rest > 2 else ()
    return Line((*left, *rule))


def indented(lines: Iterator[Line] | list[Line], context: RenderContext, bar: str = "  ") -> Iterator[Line]:
    """Return the lines after a bar or an indent."""
    for line in lines:
        head: Run = (bar, context.palette.faint)
        end = line.fill_to + cells(bar) if line.fill_to is not None else None
        yield Line((head, *line.runs), skip=len(bar) + line.skip, join=line.join, fill=line.fill, fill_to=end)
