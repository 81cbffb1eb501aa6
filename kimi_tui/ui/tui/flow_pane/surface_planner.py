"""Chooses boxes, compact boxes or outline, and the direction, to fit the pane."""

import asyncio
from dataclasses import dataclass
from typing import Literal

from kimi_tui.errors import ChartTooLargeError
from kimi_tui.flow.layout.box_sizes import FEW_LINES, MAX_LINES, WHOLE_LINES
from kimi_tui.flow.layout.fitting import divides_words
from kimi_tui.flow.layout.free_rows import use_free_rows
from kimi_tui.flow.layout.layout import Layout, LayoutDirection, LayoutMode, layout, own_direction
from kimi_tui.flow.model.graph import Flow
from kimi_tui.ui.tui.flow_pane.chart_surface import ChartSurface, DrawnSurface
from kimi_tui.ui.tui.flow_pane.outline_surface import OutlineSurface

Zoom = Literal["auto", "full", "compact", "outline"]
Way = Literal["auto", "TB", "LR"]

ZOOMS: tuple[Zoom, ...] = ("outline", "compact", "full")
"""From zoomed out to zoomed in."""
SLOW_PARTS = 250
"""Count of nodes and edges above which layouts are computed off the event loop."""
_NARROW = 26
_ROOMY = 46
_MANY = 24
_KEPT, _KEPT_CELLS = 16, 500_000
"""The most cached layouts, and the most cells of lines in them; the newest is kept in any case."""
_SOME_LINES = 6
"""The lines per box of a chart that fits with them, but not with whole labels."""
_FEWER_LINES = (3, 2, 1)
"""The lines per box to try before compact boxes."""
_SCROLLED, _MUCH_SCROLLED = 1.2, 1.5
_LEAST_GROWTH = 1.5
"""Boxes make a chart at least so many times as high as compact ones do."""
_ZOOMED = 100
"""From this width on, labels are not shortened, even if the chart then scrolls."""


@dataclass(frozen=True, slots=True)
class PlannedSurface:
    """A surface, and the zoom and direction chosen for it."""

    surface: ChartSurface
    mode: Literal["full", "compact", "outline"]
    direction: LayoutDirection = "TB"


class SurfacePlanner:
    """Computes the surfaces of one flow, and caches the last few layouts."""

    def __init__(self, flow: Flow, *, ascii: bool = False) -> None:  # noqa: A002
        self.flow = flow
        self._ascii = ascii
        self._layouts: dict[tuple[LayoutDirection, LayoutMode, int, int, bool], Layout] = {}
        self._last: tuple[Layout, int | None, int, PlannedSurface] | None = None

    @property
    def is_slow(self) -> bool:
        return len(self.flow.nodes) + len(self.flow.edges) > SLOW_PARTS  # defence: slow-layouts-in-a-thread

    async def make_in_thread(self, width: int, height: int, zoom: Zoom, way: Way) -> PlannedSurface:
        """Run `make` in a thread."""
        return await asyncio.to_thread(self.make, width, height, zoom, way)

    def make(self, width: int, height: int, zoom: Zoom, way: Way) -> PlannedSurface:
        """The surface for the given number of columns and rows."""
        if zoom == "outline" or (zoom == "auto" and width < _NARROW):
            return self._outline(width)
        try:
            return self._make(width, height, zoom, way)
        except ChartTooLargeError as error:
            return self._outline(width, str(error))

    def _outline(self, width: int, notice: str = "") -> PlannedSurface:
        return PlannedSurface(OutlineSurface(self.flow, width, ascii=self._ascii, notice=notice), "outline")

    def _make(self, width: int, height: int, zoom: Zoom, way: Way) -> PlannedSurface:
        lying: Layout | None = None
        if way == "LR" or (way == "auto" and own_direction(self.flow) == "LR"):
            laid = self._lay("LR", "compact" if zoom == "compact" else "full", width, height)
            if zoom == "auto" and laid.height > height and width < _ZOOMED:
                compact = self._lay("LR", "compact", width, height)
                laid = compact if compact.width <= width and compact.height <= height else laid
            if way == "LR" or (laid.width <= width and not divides_words(laid, self.flow)):
                return self._drawn(laid, width, height)
            lying = laid if laid.width <= width else None
        best: Layout | None = None
        for mode in self._modes(zoom, width, height):
            laid = self._lay("TB", mode, width, height)
            if best is None or laid.width < best.width or (width < _ZOOMED and _is_lower(laid, best, width)):
                best = laid
            if best.width <= width:
                break
        assert best is not None
        if lying is not None and (best.mode == "compact" or best.width > width):
            return self._drawn(lying, width, height)
        if best.mode == "compact" and best.width <= width and best.height > height:
            best = self._low(best, width)
        if zoom == "auto" and best.mode == "full" and best.width <= width < _ZOOMED and best.height > height:
            best = self._shorter(best, width, height)
        if zoom == "auto" and best.width > width and width < _ROOMY:
            return self._outline(width)
        return self._drawn(best, width, height)

    def _shorter(self, full: Layout, width: int, height: int) -> Layout:
        """Boxes of fewer lines instead of a chart that must be scrolled.

        Compact ones if only they fit, or if the chart is over `_MUCH_SCROLLED` panes high.
        """
        layers = len({node.y for node in full.nodes.values()})
        for lines in _FEWER_LINES:
            if full.height - layers * (FEW_LINES - lines) <= height:
                laid = self._lay_lines("TB", "full", width, lines, low=True)
                if laid.width <= width and laid.height <= height:
                    return laid
        compact = self._lay("TB", "compact", width, height)
        if compact.height > height:
            compact = self._low(compact, width)
        is_better = compact.height <= height or full.height > _MUCH_SCROLLED * height
        return compact if compact.width <= width and is_better else full

    def _low(self, compact: Layout, width: int) -> Layout:
        """The compact layout in fewer rows, if there is one."""
        low = self._lay_lines("TB", "compact", width, MAX_LINES, low=True)
        return low if low.width <= width and low.height < compact.height else compact

    def _modes(self, zoom: Zoom, width: int, height: int) -> tuple[LayoutMode, ...]:
        match zoom:
            case "full":
                return ("full",)
            case "compact":
                return ("compact",)
            case _:
                many = len(self.flow.nodes) > _MANY
                if many and self._lay("TB", "compact", width, height).height * _LEAST_GROWTH > height:
                    return ("compact",)
                return ("full", "compact")

    def _lay(self, direction: LayoutDirection, mode: LayoutMode, width: int, height: int) -> Layout:
        """The layout with whole labels if the chart then fits or is zoomed, else with shorter boxes.

        One that does not fit in height has no borders around BEGIN and END, and boxes as wide as the pane.
        """
        if direction == "LR" and mode == "full":
            whole = self._lay_lines(direction, mode, width, WHOLE_LINES)
            if width >= _ZOOMED or whole.height <= height:
                return whole
        laid = self._lay_lines(direction, mode, width, MAX_LINES)
        if mode == "compact" or (laid.width <= width and laid.height <= height):
            return laid
        if direction == "TB":
            low = self._lay_lines(direction, mode, width, MAX_LINES, low=True)
            if low.height < laid.height and low.width <= max(width, laid.width):
                laid = low
        if width >= _ZOOMED or (laid.width <= width and laid.height <= height):
            return laid
        short = self._lay_lines(direction, mode, width, FEW_LINES, low=direction == "TB")
        if short.width <= width and short.height <= height:
            longer = self._lay_lines(direction, mode, width, _SOME_LINES, low=direction == "TB")
            if longer.width <= width and longer.height <= height:
                return longer
        return short

    def _lay_lines(
        self, direction: LayoutDirection, mode: LayoutMode, width: int, lines: int, *, low: bool = False
    ) -> Layout:
        key = (direction, mode, width, lines, low)
        if key not in self._layouts:
            self._layouts[key] = layout(self.flow, direction=direction, width=width, mode=mode, lines=lines, low=low)
            cells = sum(laid.line_cells for laid in self._layouts.values())
            while len(self._layouts) > 1 and (len(self._layouts) > _KEPT or cells > _KEPT_CELLS):
                cells -= self._layouts.pop(next(iter(self._layouts))).line_cells  # defence: bound-layouts
        return self._layouts[key]

    def _drawn(self, laid: Layout, width: int, height: int) -> PlannedSurface:
        """The surface of a layout; boxes whose text is cut use the free rows, or at zoom as many as they need. A chart
        that is scrolled anyway may become somewhat higher for whole labels.
        """
        scrolled = max(_MUCH_SCROLLED * height, _SCROLLED * laid.height)
        rows = None if width >= _ZOOMED else height if laid.height <= height else int(scrolled)
        if self._last is None or self._last[0] is not laid or self._last[1:3] != (rows, width):
            whole = use_free_rows(laid, self.flow, rows, width)
            surface = DrawnSurface(whole, ascii=self._ascii)
            self._last = (laid, rows, width, PlannedSurface(surface, laid.mode, laid.direction))
        return self._last[3]


def _is_lower(laid: Layout, best: Layout, width: int) -> bool:
    """Whether a layout is much lower than one that is too wide too, and hardly wider."""
    return best.width > width and laid.width <= best.width * 1.1 and laid.height <= best.height * 0.75
