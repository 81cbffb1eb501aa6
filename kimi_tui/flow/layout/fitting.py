"""Chooses the layout of a flow that fits a width."""

from kimi_tui.flow.layout.box_sizes import divides_word, whole_lines
from kimi_tui.flow.layout.free_rows import use_free_rows
from kimi_tui.flow.layout.geometry import Layout, LayoutDirection, LayoutMode
from kimi_tui.flow.layout.layout import layout_within, own_direction
from kimi_tui.flow.model.graph import Flow


def fitting_layout(
    flow: Flow, width: int, *, direction: LayoutDirection | None = None, mode: LayoutMode = "full"
) -> Layout | None:
    """The first layout that fits `width`: the chart's own direction, then top to bottom, then with compact boxes.

    From left to right only with whole words, unless the boxes from top to bottom do not fit. With a `direction` or the
    mode "compact", only that is tried. Its boxes are as high as their whole text. None if no layout fits. Raises
    ChartTooLargeError.
    """
    own: LayoutDirection = direction or own_direction(flow)
    tries: list[tuple[LayoutDirection, LayoutMode]] = [(own, mode)]
    if direction is None and own == "LR":
        tries.append(("TB", mode))
    if mode == "full":
        tries.append((direction or "TB", "compact"))
    fitting: Layout | None = None
    for way, one in tries:
        if fitting is not None and one != mode:
            break
        laid = layout_within(flow, width, direction=way, mode=one, lines=whole_lines(way))
        fitting = laid or fitting
        if laid is not None and (way == "TB" or not divides_words(laid, flow)):
            break
    return None if fitting is None else use_free_rows(fitting, flow, None, width)


def divides_words(laid: Layout, flow: Flow) -> bool:
    """Whether a box of a layout divides a word of its text."""
    return any(divides_word(flow.nodes[node.id], node.lines) for node in laid.nodes.values())
