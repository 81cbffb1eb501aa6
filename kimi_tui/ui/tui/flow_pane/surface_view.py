"""Shows a surface: caches drawn rows, and repaints only changed cells."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.strip import Strip

from kimi_tui.flow.render.chart_canvas import StyledSpan
from kimi_tui.flow.render.chart_style import ChartStyle
from kimi_tui.ui.tui.flow_pane.chart_surface import ChartSurface
from kimi_tui.ui.tui.flow_pane.minimap import MiniMap
from kimi_tui.ui.tui.flow_pane.pannable_view import PannableView
from kimi_tui.ui.tui.text.render_fallback import log_fault
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.styled_line import cells, cut
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import background_of, widget_palette


class SurfaceView(PannableView):
    """Shows a chart surface.

    `nodes` are those of the minimap; `selected` is the node under the cursor, `current` the run's current node.
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.surface: ChartSurface | None = None
        self.chart_style = ChartStyle()
        self.nodes: Sequence[str] = ()
        self.selected = ""
        self.current = ""
        self.dimmed = False
        self.ascii_only = False
        self.with_map = True
        self.map_covers = True
        """Whether the minimap may cover the chart; else it is shown only where its corner is free."""
        self.map: MiniMap | None = None
        self._map_rows: list[list[Segment]] | None = None
        self._has_map = False
        self.drawn_rows: dict[int, Strip] = {}
        self._inks: Palette | None = None

    def placeholder_text(self) -> str:
        """The text shown without a surface."""
        return ""

    def set_surface(self, surface: ChartSurface | None, *, with_map: bool = True) -> None:
        """Show another surface; `with_map` adds a minimap if it is useful."""
        self.surface, self._has_map = surface, with_map and surface is not None
        self.virtual_size = Size(max(surface.width, 1), surface.height) if surface is not None else Size(0, 0)
        self.clear_surface()
        self.refresh()

    def clear_surface(self) -> None:
        """Drop all cached rows."""
        self.drawn_rows.clear()
        self.map = self._map_rows = self._inks = None
        if self.surface is not None and self._has_map:
            self.map = MiniMap.fitting(self.surface, self.size)

    def forget_map(self) -> None:
        self._map_rows = None

    def redraw(self, nodes: set[str], edges: set[int]) -> None:
        """Redraw the rows of these nodes and edges, and repaint the visible ones."""
        surface = self.surface
        if surface is None or not (nodes or edges):
            return
        rows = surface.rows_covered((), edges)
        left, top = self._pad - self.scroll_offset.x, self.rows_above - self.scroll_offset.y
        dirty = [Region(0, y + top, self.size.width, 1) for y in sorted(rows)]
        for node_id in nodes:
            place = surface.position_of(node_id)
            if place is None:
                continue
            for y in range(place.y, place.bottom):
                if y not in rows:
                    dirty.append(Region(place.x + left, y + top, place.width + surface.free_cells_beside(node_id), 1))
            rows.update(range(place.y, place.bottom))
        for y in rows:
            self.drawn_rows.pop(y, None)
        if self.map is not None and nodes:
            self._map_rows = None
            dirty.append(self.map_region)
        window = Region(0, 0, *self.size)
        if seen := [region for region in (one.intersection(window) for one in dirty) if region]:
            self.refresh(*seen)

    def new_colours(self) -> None:
        self.clear_surface()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.clear_surface()

    @property
    def _pad(self) -> int:
        """Columns left of a chart that is narrower than the pane."""
        surface = self.surface
        return max(0, (self.size.width - surface.width) // 2) if surface is not None else 0

    @property
    def rows_above(self) -> int:
        """Rows above a chart that is lower than the pane."""
        return 0

    def render_line(self, y: int) -> Strip:
        try:
            return self._chart_line(y)
        except Exception as error:  # noqa: BLE001 - the edge: a row that cannot be drawn ends nothing
            log_fault(error)
            return Strip.blank(self.size.width, background_of(self))

    def _chart_line(self, y: int) -> Strip:
        width, background, surface = self.size.width, background_of(self), self.surface
        line = y + self.scroll_offset.y - self.rows_above
        if surface is None:
            return self._waiting_line(y, background)
        if not 0 <= line < surface.height:
            strip = Strip.blank(width, background)
        else:
            strip = self.drawn_rows.get(line)
            if strip is None:
                strip = self.drawn_rows[line] = Strip(
                    list(self._segments(surface.row(line, self._drawn_style), background))
                )
            left = self.scroll_offset.x
            if pad := self._pad:
                strip = Strip([Segment(" " * pad, background), *strip]).crop_extend(0, width, background)
            else:
                strip = strip.crop_extend(left, left + width, background)
        return self._with_minimap(strip, y, background)

    def _waiting_line(self, y: int, background: Style) -> Strip:
        width = self.size.width
        text = cut(self.placeholder_text(), width)
        if not text or y != self.size.height // 2:
            return Strip.blank(width, background)
        left = max(0, width - cells(text)) // 2
        return Strip([Segment(" " * left, background), Segment(text, background + self._palette.muted)]).crop_extend(
            0, width, background
        )

    @property
    def _palette(self) -> Palette:
        if self._inks is None:
            self._inks = widget_palette(self)
        return self._inks

    @property
    def _drawn_style(self) -> ChartStyle:
        """The chart's style with the cursor."""
        return replace(self.chart_style, selected=self.selected) if self.has_focus else self.chart_style

    def _segments(self, pieces: list[StyledSpan], background: Style) -> Iterator[Segment]:
        palette = self._palette
        for piece in pieces:
            if piece.node == "" and piece.edge < 0:
                yield Segment(piece.text, background)
                continue
            style = background + (palette.muted if self.dimmed else palette.of_role(piece.role))
            if piece.tinted and not self.dimmed:
                style += palette.decision_bg
            if piece.bold:
                style += Style(bold=True)
            if piece.marked:
                style += Style(underline=True)
            meta = {"node": piece.node} if piece.node else {"edge": piece.edge}
            yield Segment(sanitize(piece.text), style + Style(meta=meta))

    @property
    def map_region(self) -> Region:
        size = self.map.size if self.map is not None else Size(0, 0)
        return Region(max(0, self.size.width - size.width - 1), 0, size.width, size.height)

    def _with_minimap(self, strip: Strip, y: int, background: Style) -> Strip:
        surface, area = self.surface, self.map_region
        if self.map is None or not self.with_map or surface is None or y >= area.height:
            return strip
        if self._map_rows is None:
            self._map_rows = self.map.rows(
                surface,
                self.chart_style,
                tuple(self.nodes),
                current=self.current,
                seen=Region(self.scroll_offset.x, self.scroll_offset.y, self.size.width, self.size.height),
                palette=self._palette,
                background=background,
                ascii=self.ascii_only,
            )
            if not self.map_covers and not self._corner_is_free(surface, area):
                self._map_rows = []
        if y >= len(self._map_rows):
            return strip
        width = self.size.width
        return Strip([*strip.crop(0, area.x), *self._map_rows[y], *strip.crop(area.right, width)], width)

    def _corner_is_free(self, surface: ChartSurface, area: Region) -> bool:
        left = area.x - self._pad + self.scroll_offset.x
        for line in range(self.scroll_offset.y, min(self.scroll_offset.y + area.height, surface.height)):
            strip = Strip(Segment(piece.text) for piece in surface.row(line, self.chart_style))
            if strip.crop(max(0, left), max(0, left + area.width)).text.strip():
                return False
        return True

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        self._map_rows = None
        super().watch_scroll_x(old_value, new_value)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        self._map_rows = None
        super().watch_scroll_y(old_value, new_value)
