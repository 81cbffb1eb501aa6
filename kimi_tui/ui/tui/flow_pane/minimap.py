"""Minimap of a large chart in a corner of the pane: all nodes, the current one and the visible part."""

from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset, Region, Size

from kimi_tui.flow.render.chart_style import ChartStyle, Role
from kimi_tui.ui.tui.flow_pane.chart_surface import ChartSurface
from kimi_tui.ui.tui.themes.palette import Palette

_WIDEST, _HIGHEST = 22, 11
_LEAST_PANE = Size(44, 14)
_QUARTERS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
_QUIET: dict[Role, Role] = {"muted": "faint"}
"""Nodes that no run has reached stay in the background."""
_RANK: dict[Role, int] = {"faint": 0, "muted": 1, "plain": 2, "success": 3, "accent": 4, "warning": 5, "error": 6}


@dataclass(frozen=True, slots=True)
class MiniMap:
    """A scaled-down map of a surface.

    `size` is in cells; `scale` is how many cells of the surface one cell of the map covers, across and down.
    """

    size: Size
    scale: tuple[float, float]

    @classmethod
    def fitting(cls, surface: ChartSurface, pane: Size) -> "MiniMap | None":
        """Return a map for this surface in a pane of this size; None if the pane is too small or shows the whole
        surface.
        """
        if pane.width < _LEAST_PANE.width or pane.height < _LEAST_PANE.height:
            return None
        if surface.width * surface.height < 2.5 * pane.width * pane.height:
            return None
        most = Size(min(_WIDEST, pane.width // 4), min(_HIGHEST, pane.height // 3))
        scale = max(surface.width / most.width, surface.height / most.height / 2)
        across, down = scale, scale * 2
        if surface.width / across < 6:
            across = surface.width / 6
        if surface.height / down < 3:
            down = surface.height / 3
        return cls(Size(max(1, round(surface.width / across)), max(1, round(surface.height / down))), (across, down))

    def to_surface(self, cell: Offset) -> Offset:
        """The position on the surface that corresponds to a cell of the map."""
        return Offset(int((cell.x + 0.5) * self.scale[0]), int((cell.y + 0.5) * self.scale[1]))

    def rows(
        self,
        surface: ChartSurface,
        chart_style: ChartStyle,
        nodes: tuple[str, ...],
        *,
        current: str,
        seen: Region,
        palette: Palette,
        background: Style,
        ascii: bool,  # noqa: A002
    ) -> list[list[Segment]]:
        """One list of segments per row, each as wide as the map; `seen` is the visible part of the surface."""
        width, height = self.size
        dots = [[0] * width for _ in range(height)]
        roles: list[list[Role]] = [["faint"] * width for _ in range(height)]
        across, down = self.scale
        here: tuple[int, int] | None = None
        for node_id in nodes:
            place = surface.position_of(node_id)
            if place is None:
                continue
            node_style = chart_style.node(node_id)
            role: Role = node_style.sign_role if node_style.sign_role != "plain" else node_style.role
            for dot_y in range(int(place.y / down * 2), max(int(place.bottom / down * 2), int(place.y / down * 2) + 1)):
                for dot_x in range(int(place.x / across * 2), int(place.right / across * 2) + 1):
                    x, y = min(dot_x // 2, width - 1), min(dot_y // 2, height - 1)
                    dots[y][x] |= 1 << (dot_x % 2 + 2 * (dot_y % 2))
                    if _RANK.get(role, 2) >= _RANK.get(roles[y][x], 0):
                        roles[y][x] = role
            if node_id == current:
                middle = Offset(place.x + place.width // 2, place.y + place.height // 2)
                here = min(int(middle.x / across), width - 1), min(int(middle.y / down), height - 1)
        out: list[list[Segment]] = []
        styles: dict[tuple[Role, bool], Style] = {}
        for y in range(height):
            row: list[Segment] = []
            for x in range(width):
                in_view = seen.x <= (x + 0.5) * across < seen.right and seen.y <= (y + 0.5) * down < seen.bottom
                key = roles[y][x], in_view
                if key not in styles:
                    ink = palette.of_role(_QUIET.get(roles[y][x], roles[y][x]))
                    styles[key] = background + ink + (palette.selection if in_view else palette.code_bg)
                style = styles[key]
                sign = _QUARTERS[dots[y][x]] if not ascii else ("o" if dots[y][x] else " ")
                if here == (x, y):
                    sign, style = (">" if ascii else "▶"), style + palette.accent + Style(bold=True)
                row.append(Segment(sign, style + Style(meta={"map": (x, y)})))
            out.append(row)
        return out
