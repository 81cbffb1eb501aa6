"""The chart of a flow: laid out to fit the pane, navigable by keys, following the run's current node."""

from functools import partial
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset, Region, Size
from textual.message import Message

from kimi_tui.flow.layout.geometry import LayoutDirection
from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.render.chart_style import ChartStyle
from kimi_tui.ui.tui.accessibility import display_options_of
from kimi_tui.ui.tui.flow_pane.keyboard_navigation import Way as Walk
from kimi_tui.ui.tui.flow_pane.surface_planner import ZOOMS, PlannedSurface, SurfacePlanner, Way, Zoom
from kimi_tui.ui.tui.flow_pane.surface_view import SurfaceView
from kimi_tui.ui.tui.i18n.catalog import _

_RIGHT = 3


class FlowChart(SurfaceView, can_focus=True):
    """Shows a flow with a style for each node and edge. Ids are data: they never become widget ids."""

    DEFAULT_CSS = """
    FlowChart { background: $background; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
    """
    takes_right_click: ClassVar[bool] = True
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
        Binding("d", "turn", "Direction: down or right", show=False),
        Binding("m", "map", "Map", show=False),
        Binding("home", "home", "Current node", show=False),
    ]

    class NodeOpened(Message):
        """Enter, or a click on a node."""

        def __init__(self, node_id: str) -> None:
            self.node_id = node_id
            super().__init__()

    class MenuRequested(Message):
        """A right click: open the context menu."""

    class BranchClicked(Message):
        """A click on an edge with a label, or on the label."""

        def __init__(self, node_id: str, label: str) -> None:
            self.node_id = node_id
            self.label = label
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.flow: Flow | None = None
        self.zoom: Zoom = "auto"
        self.way: Way = "auto"
        self._directions_chosen: dict[tuple[str, ...], Way] = {}
        """The chosen direction of each flow, by its node ids."""
        self._planner: SurfacePlanner | None = None
        self._shown: PlannedSurface | None = None
        self._made_in = Size()
        self._made_for: tuple[int, int, Zoom, Way] | None = None

    # Display

    def placeholder_text(self) -> str:
        return "" if self.flow is None else _("laying out {count} nodes …", count=len(self.nodes))

    @property
    def view(self) -> str:
        """The current view: full, compact or outline."""
        return self._shown.mode if self._shown is not None else ""

    @property
    def direction(self) -> LayoutDirection:
        """The current layout direction."""
        return self._shown.direction if self._shown is not None else "TB"

    def show_flow(self, flow: Flow | None, style: ChartStyle | None = None, *, current: str = "") -> None:
        """Show a chart, from its first node or the run's current one; None: no chart."""
        same = flow == self.flow
        self.flow, self.chart_style = flow, style or ChartStyle()
        self.current = current
        if flow is None:
            self._planner = self._made_for = self._shown = None
            self.set_surface(None)
            return
        self.nodes = tuple(flow.nodes)
        if not same or self._planner is None:
            self.following = True
            self.way = self._directions_chosen.get(tuple(flow.nodes), "auto")
            self._planner = SurfacePlanner(flow, ascii=self.ascii_only)
            self._made_for = self._shown = self.surface = None
        if self.selected not in flow.nodes or not same:
            self.selected = current or flow.begin_id
        self.clear_surface()
        self._lay()
        self.refresh()

    def set_style(self, style: ChartStyle, *, current: str = "") -> None:
        """Restyle the same chart; `current` is the followed node."""
        before, self.chart_style = self.chart_style, style
        moved = current != self.current
        self.current = current
        nodes, edges = style.other_nodes(before), style.other_edges(before)
        if moved:
            self.forget_map()
            if self.following or not self.has_focus:
                nodes |= {self.selected, current}
                self.selected = current or self.selected
        self.redraw(nodes, edges)
        if self.following and moved:
            self._reveal(current)

    def dim(self, dimmed: bool) -> None:
        """Dim an outdated chart."""
        if dimmed != self.dimmed:
            self.dimmed = dimmed
            self.clear_surface()
            self.refresh()

    def on_mount(self) -> None:
        options = display_options_of(self)
        self.ascii_only = self.ascii_only or (options.ascii and not options.plain)
        self.zoom = "outline" if options.plain else self.zoom
        self.app.theme_changed_signal.subscribe(self, lambda _theme: self.new_colours())

    def on_resize(self) -> None:
        self._lay()
        if self.following and self.current:
            self._reveal(self.current)

    def _lay(self) -> None:
        width = self.outer_size.width - self.gutter.width  # without the scroll bar, which may come and go
        planner = self._planner
        height = self.outer_size.height - self.gutter.height
        if (before := self._made_for) is not None and before[0] == width - 1 and self._made_in == self.app.size:
            height = before[1]  # the panes below come and go; the drawing does not follow them
        size_and_view: tuple[int, int, Zoom, Way] = (width - 1, height, self.zoom, self.way)
        if planner is None or width <= 1 or size_and_view == self._made_for:
            return
        self._made_for, self._made_in = size_and_view, self.app.size
        if planner.is_slow:
            self.run_worker(partial(self._plan_in_thread, planner, size_and_view), group="layout", exclusive=True)
        else:
            self._use_surface(planner.make(*size_and_view))

    async def _plan_in_thread(self, planner: SurfacePlanner, size_and_view: tuple[int, int, Zoom, Way]) -> None:
        made = await planner.make_in_thread(*size_and_view)
        if planner is self._planner and size_and_view == self._made_for:
            self._use_surface(made)
            self.refresh()

    def _use_surface(self, made: PlannedSurface) -> None:
        first = self._shown is None
        if made is self._shown:
            return
        self._shown = made
        self.set_surface(made.surface, with_map=made.mode != "outline")
        if self.following and self.current:
            self._reveal(self.current)
        elif first:
            self.scroll_to(self._middle, 0, animate=False, immediate=True, force=True)

    @property
    def _middle(self) -> int:
        """The column of the first node, if the chart is wider than the pane."""
        surface, flow = self.surface, self.flow
        place = surface.position_of(flow.begin_id) if surface is not None and flow is not None else None
        width = self._made_for[0] + 1 if self._made_for is not None else self.size.width  # a hidden chart has no size
        return max(0, place.x + place.width // 2 - width // 2) if place is not None else 0

    @property
    def rows_above(self) -> int:
        """A chart to the right is in the middle of the pane; one that goes down begins at the top, as text does."""
        if self.surface is None or self._made_for is None or self.direction == "TB":
            return 0
        return max(0, min((self._made_for[1] - self.surface.height) // 2, self.size.height - self.surface.height))

    # Cursor

    def _reveal(self, node_id: str) -> None:
        place = self.surface.position_of(node_id) if self.surface is not None else None
        if place is not None:
            region = Region(max(0, place.x - 2), max(0, place.y - 2), place.width + 4, place.height + 4)
            if region.bottom <= self.size.height and self.scroll_offset.y:  # the chart's beginning stays in sight
                self.scroll_to(y=0, animate=False, force=True, immediate=True)
            seen = Region(self.scroll_offset.x, self.scroll_offset.y, self.size.width, self.size.height)
            if not seen.contains_region(region):
                self.scroll_to_region(region, animate=False, force=True, immediate=True, center=True)

    def select(self, node_id: str) -> None:
        """Move the cursor to a node and scroll it into view."""
        if self.flow is not None and node_id in self.flow.nodes:
            before, self.selected = self.selected, node_id
            self.redraw({before, node_id}, set())
            self._reveal(node_id)

    def action_walk(self, way: Walk) -> None:
        if self.surface is not None:
            self.following = False
            self.select(self.surface.step(self.selected, way))

    def action_open(self) -> None:
        if self.selected:
            self.post_message(self.NodeOpened(self.selected))

    def action_zoom(self) -> None:
        """Cycle the zoom: fit, boxes, compact, outline; without the next one if it looks the same."""
        order: tuple[Zoom, ...] = ("auto", "full", "compact", "outline")
        for _more in range(2):
            before = self._shown
            self._view(zoom=order[(order.index(self.zoom) + 1) % len(order)])
            if self._shown is not before or self._is_planning:
                break

    @property
    def _is_planning(self) -> bool:
        """Whether the layout is computed in a thread."""
        return self._planner is not None and self._planner.is_slow

    def action_nearer(self, by: int) -> None:
        self.zoom_by(by)

    def zoom_by(self, by: int) -> None:
        """Zoom one step in or out from the current view."""
        now: Zoom = self._shown.mode if self._shown is not None else "full"
        self._view(zoom=ZOOMS[max(0, min(ZOOMS.index(now) + by, len(ZOOMS) - 1))])

    def action_outline(self) -> None:
        self._view(zoom="auto" if self.view == "outline" and self.zoom == "outline" else "outline")

    def action_turn(self) -> None:
        """Switch the layout direction."""
        self._view(way="TB" if self.direction == "LR" else "LR")

    def action_map(self) -> None:
        self.with_map = not self.with_map
        self.refresh()

    def _view(self, *, zoom: Zoom | None = None, way: Way | None = None) -> None:
        self.zoom, self.way = zoom or self.zoom, way or self.way
        if way is not None:
            self._directions_chosen[tuple(self.nodes)] = way
        self._lay()
        self.call_after_refresh(self._reveal, self.selected)

    def action_home(self) -> None:
        self.following = True
        self.select(self.current or self.selected)

    def on_focus(self) -> None:
        self.redraw({self.selected}, set())

    def on_blur(self) -> None:
        self.redraw({self.selected}, set())

    # The mouse

    def on_click(self, event: events.Click) -> None:
        if self.was_dragged():
            return
        meta = event.style.meta
        if isinstance(node_id := meta.get("node"), str):
            before, self.selected = self.selected, node_id
            self.redraw({before, node_id}, set())
            self.post_message(self.MenuRequested() if event.button == _RIGHT else self.NodeOpened(node_id))
        elif event.button == _RIGHT:
            self.post_message(self.MenuRequested())
        elif (cell := meta.get("map")) is not None and self.map is not None:
            x, y = self.map.to_surface(Offset(*cell))
            self.following = False
            self.scroll_to(x - self.size.width // 2, y - self.size.height // 2, animate=False, immediate=True)
        elif isinstance(index := meta.get("edge"), int) and self.flow is not None:
            edge = self.flow.edges[index]
            if edge.label:
                self.post_message(self.BranchClicked(edge.src, edge.label))
