"""Arrow-key navigation between nodes: along an edge in that direction, else to the nearest box."""

from typing import Literal

from kimi_tui.flow.layout.geometry import Layout, PlacedNode

Way = Literal["up", "down", "left", "right"]


def neighbour(layout: Layout, node_id: str, way: Way) -> str:
    """The node on the given side of `node_id`, or itself if there is none."""
    here = layout.nodes.get(node_id)
    if here is None:
        return next(iter(layout.nodes), node_id)
    joined = {edge.dst for edge in layout.edges if edge.src == node_id}
    joined |= {edge.src for edge in layout.edges if edge.dst == node_id}
    best: tuple[float, str] | None = None
    for node in layout.nodes.values():
        if node.id == node_id:
            continue
        along, across = _distance(here, node, way)
        if along <= 0:
            continue
        cost = along + 2.0 * across + (0 if node.id in joined else 40 if way in ("up", "down") else 0)
        if best is None or cost < best[0]:
            best = (cost, node.id)
    return best[1] if best is not None else node_id


def _distance(here: PlacedNode, there: PlacedNode, way: Way) -> tuple[float, float]:
    """The distance of `there` in that direction (0 or less: not in that direction), and its sideways offset. A row
    counts as two columns."""
    dx = (there.x + there.width / 2) - (here.x + here.width / 2)
    dy = ((there.y + there.height / 2) - (here.y + here.height / 2)) * 2
    match way:
        case "up":
            return (-dy if there.y + there.height <= here.y else 0), abs(dx) / 2
        case "down":
            return (dy if there.y >= here.y + here.height else 0), abs(dx) / 2
        case "left":
            return (-dx if there.x + there.width <= here.x else 0), abs(dy)
        case "right":
            return (dx if there.x >= here.x + here.width else 0), abs(dy)
