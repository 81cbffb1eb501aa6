"""The chart of a flow, drawn in cells: scrolls, follows the current node, and repaints only rows that changed."""

from collections.abc import Iterable
from typing import ClassVar, Literal

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from kimi_tui.flow.draw import Drawing, NodeLook, Run, draw
from kimi_tui.flow.graph import Flow
from kimi_tui.flow.layout import Layout, LayoutMode, layout
from kimi_tui.flow.picture import FlowPicture
from kimi_tui.ui.tui.flow.looks import edge_places, flow_of, looks_of, node_style, sign_style
from kimi_tui.ui.tui.flow.walk import Way, step
from kimi_tui.ui.tui.panels.sheet import ground_of, palette_of
from kimi_tui.ui.tui.text.palette import Palette
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.wire.flow_events import FlowBegin

Zoom = Literal["auto", "full", "compact"]
_ZOOMS: tuple[Zoom, ...] = ("auto", "full", "compact")


class FlowChart(ScrollView, can_focus=True):
    """Shows a flow and, where there is one, the picture of its run. Ids are data: they never become widget ids."""

    DEFAULT_CSS = """
    FlowChart { background: $background; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "walk('up')", "Node above", show=False),
        Binding("down", "walk('down')", "Node below", show=False),
        Binding("left", "walk('left')", "Node to the left", show=False),
        Binding("right", "walk('right')", "Node to the right", show=False),
        Binding("enter", "open", "Open the node", show=False),
        Binding("z", "zoom", "Zoom", show=False),
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

    def __init__(self, *, id: str | None = None, ascii_only: bool = False) -> None:  # noqa: A002
        super().__init__(id=id)
        self.flow: Flow | None = None
        self.picture: FlowPicture | None = None
        self.asking = False
        self.zoom: Zoom = "auto"
        self.selected = ""
        self.following = True
        self._ascii = ascii_only
        self._places: tuple[int, ...] = ()
        self._layout: Layout | None = None
        self._drawing: Drawing | None = None
        self._strips: list[Strip] = []
        self._looks: dict[str, NodeLook] = {}
        self._laid_width = -1
        self._was_at = ""

    # What is shown

    def show_run(self, begin: FlowBegin, picture: FlowPicture) -> None:
        """The chart of a run, and its picture, which changes in place: `update_run` after each change."""
        self.picture = picture
        self._show(flow_of(begin))
        assert self.flow is not None
        self._places = edge_places(self.flow, begin)
        self.selected = picture.node_id
        self._redraw()

    def show_flow(self, flow: Flow) -> None:
        """A chart without a run."""
        self.picture = None
        self.selected = flow.begin_id
        self._show(flow)

    def _show(self, flow: Flow) -> None:
        self.flow = flow
        self.following = True
        self._layout = None
        self._lay()

    def update_run(self, *, asking: bool = False) -> None:
        """The picture has changed."""
        picture = self.picture
        if picture is None:
            return
        self.asking = asking
        moved = picture.node_id != self._was_at
        self._was_at = picture.node_id
        if moved and not self.has_focus:
            self.selected = picture.node_id
        self._redraw()
        if self.following and moved:
            self._reveal(picture.node_id)

    def on_resize(self) -> None:
        if self.size.width != self._laid_width:
            self._lay()
        if self.following and self.picture is not None:
            self._reveal(self.picture.node_id)

    def _lay(self) -> None:
        width = self.size.width
        if self.flow is None or width <= 0:
            return
        self._laid_width = width
        mode: LayoutMode = "compact" if self.zoom == "compact" else "full"
        laid = layout(self.flow, direction="TB", width=width, mode=mode)
        if self.zoom == "auto" and laid.width > width:
            compact = layout(self.flow, direction="TB", width=width, mode="compact")
            if compact.width < laid.width:
                laid = compact
        self._layout = laid
        self.virtual_size = Size(max(laid.width, 1), laid.height)
        self._redraw()

    # How it is drawn

    def _redraw(self) -> None:
        laid = self._layout
        if laid is None:
            return
        asking = self.picture.node_id if self.picture is not None and self.asking else None
        self._looks = looks_of(self.picture, asking) if self.picture is not None else {}
        taken = [self._places[index] for index in self.picture.taken_edges] if self.picture is not None else []
        self._drawing = draw(
            laid, ascii=self._ascii, states=self._looks if self.picture is not None else None, taken=taken
        )
        before = self._strips
        palette = palette_of(self)
        self._strips = [self._strip(row, palette, frozenset(taken)) for row in self._drawing.rows]
        if len(before) != len(self._strips):
            self.refresh()
            return
        for y, (old, new) in enumerate(zip(before, self._strips, strict=True)):
            if old != new:
                self.refresh(Region(0, y - self.scroll_offset.y, self.size.width, 1))

    def _strip(self, row: Iterable[Run], palette: Palette, taken: frozenset[int]) -> Strip:
        ground = ground_of(self)
        segments: list[Segment] = []
        for run in row:
            style = ground + self._style(run, palette, taken)
            segments.append(Segment(sanitize(run.text), style))
        return Strip(segments)

    def _style(self, run: Run, palette: Palette, taken: frozenset[int]) -> Style:
        owner = run.owner
        if owner is None:
            return Style()
        picture = self.picture
        if owner.part == "node":
            state = picture.state_of(owner.node) if picture is not None else "done"
            current = picture is not None and picture.node_id == owner.node and picture.status is None
            if run.glyph:
                style = palette.warning if run.text == "?" else sign_style(state, palette)
            else:
                selected = self.has_focus and owner.node == self.selected
                style = node_style(state, palette, current=current, selected=selected)
            return style + Style(meta={"node": owner.node})
        edge = self._layout.edges[owner.edge] if self._layout is not None else None
        if owner.edge in taken:
            style = palette.accent
        elif picture is None:
            style = palette.muted
        else:
            style = palette.faint if owner.part == "edge" else palette.muted
        if owner.part == "label" and edge is not None and picture is not None:
            last = picture.last_decision
            by_person = any(
                done.by == "user" and done.node_id == edge.src and done.choice == edge.label
                for done in picture.decisions
            )
            if last is not None and (last.node_id, last.choice) == (edge.src, edge.label):
                style = style + Style(bold=True)
            if by_person:
                style = style + Style(underline=True)
            if picture.chosen.get(edge.src) == edge.label:
                style = palette.warning + Style(underline=True)
        return style + Style(meta={"edge": owner.edge})

    @property
    def _pad(self) -> int:
        """Columns left of a chart that is narrower than the pane."""
        return max(0, (self.size.width - (self._layout.width if self._layout else 0)) // 2)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        ground = ground_of(self)
        line = y + self.scroll_offset.y
        if line >= len(self._strips):
            return Strip.blank(width, ground)
        pad = self._pad
        strip = self._strips[line]
        if pad:
            strip = Strip([Segment(" " * pad, ground), *strip])
            return strip.crop_extend(0, width, ground)
        left = self.scroll_offset.x
        return strip.crop_extend(left, left + width, ground)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_mounted:
            self._strips = []
            self._redraw()

    # Where one is

    def _reveal(self, node_id: str) -> None:
        node = self._layout.nodes.get(node_id) if self._layout is not None else None
        if node is None:
            return
        region = Region(node.x, max(0, node.y - 2), node.width, node.height + 4)
        self.scroll_to_region(region, animate=False, force=True, immediate=True)

    def select(self, node_id: str) -> None:
        """Put the cursor on a node and bring it into view."""
        if self._layout is not None and node_id in self._layout.nodes:
            self.selected = node_id
            self._redraw()
            self._reveal(node_id)

    def action_walk(self, way: Way) -> None:
        if self._layout is not None:
            self.following = False
            self.select(step(self._layout, self.selected, way))

    def action_open(self) -> None:
        if self.selected:
            self.post_message(self.NodeOpened(self.selected))

    def action_zoom(self) -> None:
        self.zoom = _ZOOMS[(_ZOOMS.index(self.zoom) + 1) % len(_ZOOMS)]
        self._strips = []
        self._lay()
        self.select(self.selected)

    def action_home(self) -> None:
        self.following = True
        if self.picture is not None:
            self.select(self.picture.node_id)

    def on_focus(self) -> None:
        self._redraw()

    def on_blur(self) -> None:
        self._redraw()

    def on_mouse_scroll_down(self) -> None:
        self.following = False

    def on_mouse_scroll_up(self) -> None:
        self.following = False

    def on_click(self, event: events.Click) -> None:
        meta = event.style.meta
        if isinstance(node_id := meta.get("node"), str):
            self.selected = node_id
            self._redraw()
            self.post_message(self.NodeOpened(node_id))
        elif isinstance(index := meta.get("edge"), int) and self._layout is not None:
            edge = self._layout.edges[index]
            if edge.label:
                self.post_message(self.BranchClicked(edge.src, edge.label))
