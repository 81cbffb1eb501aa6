"""Chooses the layout of a flow that fits a width."""

from kimi_tui.flow.layout.box_sizes import whole_lines
from kimi_tui.flow.layout.free_rows import use_free_rows
from kimi_tui.flow.layout.geometry import Layout, LayoutDirection, LayoutMode
from kimi_tui.flow.layout.layout import layout_within, own_direction
from kimi_tui.flow.model.graph import Flow


def fitting_layout(
    flow: Flow, width: int, *, direction: LayoutDirection | None = None, mode: LayoutMode = "full"
) -> Layout | None:
    """The first layout that fits `width`: the chart's own direction, then top to bottom, then with compact boxes.

    With a `direction` or the mode "compact", only that is tried. Its boxes are as high as their whole text. None if no
    layout fits. Raises ChartTooLargeError.
    """
    own: LayoutDirection = direction or own_direction(flow)
    tries: list[tuple[LayoutDirection, LayoutMode]] = [(own, mode)]
    if direction is None and own == "LR":
        tries.append(("TB", mode))
    if mode == "full":
        tries.append((direction or "TB", "compact"))
    drawn = (layout_within(flow, width, direction=way, mode=one, lines=whole_lines(way)) for way, one in tries)
    return next((use_free_rows(laid, flow, None, width) for laid in drawn if laid is not None), None)
