"""The chart of a flow on screen: scrolls, follows a node, and repaints only the cells that look different."""

from collections.abc import Iterator
from typing import ClassVar, cast

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.strip import Strip

from kimi_tui.flow.graph import Flow
from kimi_tui.ui.tui.flow.faces import Faces, ink
from kimi_tui.ui.tui.flow.minimap import MiniMap
from kimi_tui.ui.tui.flow.panned import Panned
from kimi_tui.ui.tui.flow.plane import Piece, Plane
from kimi_tui.ui.tui.flow.planning import ZOOMS, Planner, Shown, Way, Zoom
from kimi_tui.ui.tui.flow.walk import Way as Walk
from kimi_tui.ui.tui.language import _
from kimi_tui.ui.tui.manners import Manners
from kimi_tui.ui.tui.panels.sheet import ground_of, palette_of
from kimi_tui.ui.tui.text.line import cells, cut
from kimi_tui.ui.tui.text.palette import Palette
from kimi_tui.ui.tui.text.sanitize import sanitize


class FlowChart(Panned, can_focus=True):
    """Shows a flow with a face for each node and edge. Ids are data: they never become widget ids."""

    DEFAULT_CSS = """
    FlowChart {
        background: $background; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1;
        scrollbar-background: $background; scrollbar-background-hover: $background;
        scrollbar-background-active: $background; scrollbar-color: $foreground 15%;
        scrollbar-color-hover: $foreground 30%; scrollbar-color-active: $primary;
        scrollbar-corner-color: $background;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "walk('up')", "Node above", show=False),
        Binding("down", "walk('down')", "Node below", show=False),
        Binding("left", "walk('left')", "Node to the left", show=False),
        Binding("right", "walk('right')", "Node to the right", show=False),
        Binding("shift+up", "pan(0, -3)", "Pan", show=False),
        Binding("shift+down", "pan(0, 3)", "Pan", show=False),
        Binding("shift+left", "pan(-8, 0)", "Pan", show=False),
        Binding("shift+right", "pan(8, 0)", "Pan", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("enter", "open", "Open the node", show=False),
        Binding("z", "zoom", "Zoom", show=False),
        Binding("plus,equals_sign", "nearer(1)", "Nearer", show=False),
        Binding("minus", "nearer(-1)", "Farther", show=False),
        Binding("o", "outline", "Outline", show=False),
        Binding("d", "turn", "Downwards or to the right", show=False),
        Binding("m", "map", "Map", show=False),
        Binding("full_stop,home", "home", "Current node", show=False),
    ]

    class NodeOpened(Message):
        """Enter, or a click on a node."""

        def __init__(self, node_id: str) -> None:
            self.node_id = node_id
            super().__init__()

    class BranchClicked(Message):
        """A click on an edge with a label, or on the label."""

        def __init__(self, node_id: str, label: str) -> None:
            self.node_id = node_id
            self.label = label
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.flow: Flow | None = None
        self.faces = Faces()
        self.zoom: Zoom = "auto"
        self.way: Way = "auto"
        self.selected = ""
        self.current = ""
        self.dimmed = False
        self.ascii_only = False
        self._with_map = True
        self._planner: Planner | None = None
        self._shown: Shown | None = None
        self._made_for: tuple[int, Zoom, Way] | None = None
        self._strips: dict[int, Strip] = {}
        self._map: MiniMap | None = None
        self._map_rows: list[list[Segment]] | None = None
        self._inks: Palette | None = None

    # What is shown

    @property
    def plane(self) -> Plane | None:
        return self._shown.plane if self._shown is not None else None

    @property
    def view(self) -> str:
        """What is shown, in a word: full, compact or outline."""
        return self._shown.mode if self._shown is not None else ""

    def show_flow(self, flow: Flow | None, faces: Faces | None = None, *, current: str = "") -> None:
        """Show a chart, from its first node or the one it is at; None: no chart at all."""
        same = flow == self.flow
        self.flow, self.faces = flow, faces or Faces()
        self.current = current
        if flow is None:
            self._planner = self._made_for = self._shown = None
            self._forget()
            self.refresh()
            return
        if not same or self._planner is None:
            self.following = True
            self._planner = Planner(flow, ascii=self.ascii_only)
            self._made_for = self._shown = None
        if self.selected not in flow.nodes or not same:
            self.selected = current or flow.begin_id
        self._forget()
        self._lay()
        self.refresh()

    def put(self, faces: Faces, *, current: str = "") -> None:
        """Other faces for the same chart; `current` is the node that is followed."""
        before, self.faces = self.faces, faces
        moved = current != self.current
        self.current = current
        nodes, edges = faces.other_nodes(before), faces.other_edges(before)
        if moved:
            self._map_rows = None
            if self.following or not self.has_focus:
                nodes |= {self.selected, current}
                self.selected = current or self.selected
        self._redraw(nodes, edges)
        if self.following and moved:
            self._reveal(current)

    def dim(self, dimmed: bool) -> None:
        """Show the chart as one that no longer counts."""
        if dimmed != self.dimmed:
            self.dimmed = dimmed
            self._forget()
            self.refresh()

    def on_mount(self) -> None:
        manners = getattr(cast(object, self.app), "manners", None)
        if isinstance(manners, Manners):
            self.ascii_only = self.ascii_only or (manners.ascii and not manners.plain)
            self.zoom = "outline" if manners.plain else self.zoom
        self.app.theme_changed_signal.subscribe(self, lambda _theme: self._new_colours())

    def _new_colours(self) -> None:
        self._forget()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._forget()

    def on_resize(self) -> None:
        self._lay()
        if self.following and self.current:
            self._reveal(self.current)

    def _lay(self) -> None:
        width = self.outer_size.width - self.gutter.width  # its scroll bar may come and go
        planner = self._planner
        wanted: tuple[int, Zoom, Way] = (width - 1, self.zoom, self.way)
        if planner is None or width <= 1 or wanted == self._made_for:
            return
        self._made_for = wanted
        if planner.is_slow:
            self.run_worker(self._lay_aside(planner, wanted), group="layout", exclusive=True)
        else:
            self._take(planner.make(*wanted))

    async def _lay_aside(self, planner: Planner, wanted: tuple[int, Zoom, Way]) -> None:
        made = await planner.make_aside(*wanted)
        if planner is self._planner and wanted == self._made_for:
            self._take(made)
            self.refresh()

    def _take(self, made: Shown) -> None:
        first = self._shown is None
        self._shown = made
        self._forget()
        self.virtual_size = Size(max(made.plane.width, 1), made.plane.height)
        self.refresh()
        if self.following and self.current:
            self._reveal(self.current)
        elif first:
            self.scroll_to(self._middle, 0, animate=False, immediate=True, force=True)
        if made.mode != "outline":
            self._map = MiniMap.fitting(made.plane, self.size)

    @property
    def _middle(self) -> int:
        """How far to the right the first node is, where the chart is wider than the pane."""
        plane, flow = self.plane, self.flow
        place = plane.place_of(flow.begin_id) if plane is not None and flow is not None else None
        return max(0, place.x + place.width // 2 - self.size.width // 2) if place is not None else 0

    # How it is painted

    def _forget(self) -> None:
        self._strips.clear()
        self._map = self._map_rows = self._inks = None
        if self._shown is not None and self._shown.mode != "outline":
            self._map = MiniMap.fitting(self._shown.plane, self.size)

    def _redraw(self, nodes: set[str], edges: set[int]) -> None:
        """Draw anew what belongs to these, and repaint what of it is in view."""
        plane = self.plane
        if plane is None or not (nodes or edges):
            return
        rows = plane.rows_of((), edges)
        left, top = self._pad - self.scroll_offset.x, -self.scroll_offset.y
        dirty = [Region(0, y + top, self.size.width, 1) for y in sorted(rows)]
        for node_id in nodes:
            place = plane.place_of(node_id)
            if place is None:
                continue
            for y in range(place.y, place.bottom):
                if y not in rows:
                    dirty.append(Region(place.x + left, y + top, place.width, 1))
            rows.update(range(place.y, place.bottom))
        for y in rows:
            self._strips.pop(y, None)
        if self._map is not None and nodes:
            self._map_rows = None
            dirty.append(self._map_region)
        window = Region(0, 0, *self.size)
        if seen := [region for region in (one.intersection(window) for one in dirty) if region]:
            self.refresh(*seen)

    @property
    def _pad(self) -> int:
        """Columns left of a chart that is narrower than the pane."""
        plane = self.plane
        return max(0, (self.size.width - plane.width) // 2) if plane is not None else 0

    def render_line(self, y: int) -> Strip:
        width, ground, plane = self.size.width, ground_of(self), self.plane
        line = y + self.scroll_offset.y
        if plane is None:
            return self._waiting_line(y, ground)
        if line >= plane.height:
            strip = Strip.blank(width, ground)
        else:
            strip = self._strips.get(line)
            if strip is None:
                strip = self._strips[line] = Strip(list(self._segments(plane.row(line, self.faces), ground)))
            left = self.scroll_offset.x
            if pad := self._pad:
                strip = Strip([Segment(" " * pad, ground), *strip]).crop_extend(0, width, ground)
            else:
                strip = strip.crop_extend(left, left + width, ground)
        return self._with_minimap(strip, y, ground)

    def _waiting_line(self, y: int, ground: Style) -> Strip:
        width = self.size.width
        if self.flow is None or y != self.size.height // 2:
            return Strip.blank(width, ground)
        text = cut(_("laying out {count} nodes …", count=len(self.flow.nodes)), width)
        left = max(0, width - cells(text)) // 2
        return Strip([Segment(" " * left, ground), Segment(text, ground + self._palette.muted)]).crop_extend(
            0, width, ground
        )

    @property
    def _palette(self) -> Palette:
        if self._inks is None:
            self._inks = palette_of(self)
        return self._inks

    def _segments(self, pieces: list[Piece], ground: Style) -> Iterator[Segment]:
        palette = self._palette
        for piece in pieces:
            if piece.node == "" and piece.edge < 0:
                yield Segment(piece.text, ground)
                continue
            style = ground + (palette.faint if self.dimmed else ink(piece.role, palette))
            if piece.bold:
                style += Style(bold=True)
            if piece.marked:
                style += Style(underline=True)
            if piece.body and piece.node == self.selected and self.has_focus:
                style += Style(reverse=True)
            meta = {"node": piece.node} if piece.node else {"edge": piece.edge}
            yield Segment(sanitize(piece.text), style + Style(meta=meta))

    @property
    def _map_region(self) -> Region:
        size = self._map.size if self._map is not None else Size(0, 0)
        return Region(max(0, self.size.width - size.width - 1), 0, size.width, size.height)

    def _with_minimap(self, strip: Strip, y: int, ground: Style) -> Strip:
        plane, area = self.plane, self._map_region
        if self._map is None or not self._with_map or plane is None or y >= area.height or self.flow is None:
            return strip
        if self._map_rows is None:
            self._map_rows = self._map.rows(
                plane,
                self.faces,
                tuple(self.flow.nodes),
                current=self.current,
                seen=Region(self.scroll_offset.x, self.scroll_offset.y, self.size.width, self.size.height),
                palette=self._palette,
                ground=ground,
                ascii=self.ascii_only,
            )
        if y >= len(self._map_rows):
            return strip
        width = self.size.width
        return Strip([*strip.crop(0, area.x), *self._map_rows[y], *strip.crop(area.right, width)], width)

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        self._map_rows = None
        super().watch_scroll_x(old_value, new_value)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        self._map_rows = None
        super().watch_scroll_y(old_value, new_value)

    # Where one is

    def _reveal(self, node_id: str) -> None:
        place = self.plane.place_of(node_id) if self.plane is not None else None
        if place is not None:
            region = Region(place.x - 2, max(0, place.y - 2), place.width + 4, place.height + 4)
            seen = Region(self.scroll_offset.x, self.scroll_offset.y, self.size.width, self.size.height)
            if not seen.contains_region(region):
                self.scroll_to_region(region, animate=False, force=True, immediate=True, center=True)

    def select(self, node_id: str) -> None:
        """Put the cursor on a node and bring it into view."""
        if self.flow is not None and node_id in self.flow.nodes:
            before, self.selected = self.selected, node_id
            self._redraw({before, node_id}, set())
            self._reveal(node_id)

    def action_walk(self, way: Walk) -> None:
        if self.plane is not None:
            self.following = False
            self.select(self.plane.step(self.selected, way))

    def action_open(self) -> None:
        if self.selected:
            self.post_message(self.NodeOpened(self.selected))

    def action_zoom(self) -> None:
        """Through all there is: as it fits, boxes, compact, outline."""
        order: tuple[Zoom, ...] = ("auto", "full", "compact", "outline")
        self._view(zoom=order[(order.index(self.zoom) + 1) % len(order)])

    def action_nearer(self, by: int) -> None:
        self.nearer(by)

    def nearer(self, by: int) -> None:
        """One step nearer or farther than what is shown."""
        now: Zoom = self._shown.mode if self._shown is not None else "full"
        self._view(zoom=ZOOMS[max(0, min(ZOOMS.index(now) + by, len(ZOOMS) - 1))])

    def action_outline(self) -> None:
        self._view(zoom="auto" if self.view == "outline" and self.zoom == "outline" else "outline")

    def action_turn(self) -> None:
        """The other direction than the one that is shown."""
        now = self._shown.direction if self._shown is not None else "TB"
        self._view(way="TB" if now == "LR" else "LR")

    def action_map(self) -> None:
        self._with_map = not self._with_map
        self.refresh()

    def _view(self, *, zoom: Zoom | None = None, way: Way | None = None) -> None:
        self.zoom, self.way = zoom or self.zoom, way or self.way
        self._lay()
        self.call_after_refresh(self._reveal, self.selected)

    def action_home(self) -> None:
        self.following = True
        self.select(self.current or self.selected)

    def on_focus(self) -> None:
        self._redraw({self.selected}, set())

    def on_blur(self) -> None:
        self._redraw({self.selected}, set())

    # The mouse

    def on_click(self, event: events.Click) -> None:
        if self.was_dragged():
            return
        meta = event.style.meta
        if isinstance(node_id := meta.get("node"), str):
            before, self.selected = self.selected, node_id
            self._redraw({before, node_id}, set())
            self.post_message(self.NodeOpened(node_id))
        elif (cell := meta.get("map")) is not None and self._map is not None:
            x, y = self._map.place_of(Offset(*cell))
            self.following = False
            self.scroll_to(x - self.size.width // 2, y - self.size.height // 2, animate=False, immediate=True)
        elif isinstance(index := meta.get("edge"), int) and self.flow is not None:
            edge = self.flow.edges[index]
            if edge.label:
                self.post_message(self.BranchClicked(edge.src, edge.label))
