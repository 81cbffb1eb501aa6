"""Several runs on one chart: two compared, or branch counts over all."""

from collections.abc import Sequence
from dataclasses import replace

from kimi_tui.flow.model.diff import NO_DIFFERENCE, FlowDifference
from kimi_tui.flow.model.graph import Flow, NodeKind
from kimi_tui.flow.render.chart_style import ChartStyle, EdgeStyle, NodeStyle, Role
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.ui.tui.i18n.catalog import _, n_

_LEVELS = "▁▂▃▄▅▆▇█"
_OFTEN, _SOME = 0.75, 0.25

Way = tuple[str, str, str | None]


def two_run_style(
    flow: Flow, first: RunView, second: RunView, difference: FlowDifference = NO_DIFFERENCE
) -> ChartStyle:
    """Style the steps of both runs, of A only (heavy, glyph A), and of B only (double, glyph B).

    If their charts differ, `flow` has the nodes of both, and nodes of one chart alone are labelled.
    """
    ends = {node.id for node in flow.nodes.values() if node.kind in (NodeKind.BEGIN, NodeKind.END)}
    nodes = {
        node_id: _node_of_two(_visits(first, node_id), _visits(second, node_id), is_end=node_id in ends)
        for node_id in flow.nodes
    }
    for whose, only in (("A", difference.only_first), ("B", difference.only_second)):
        alone = _("only in {which}", which=whose)
        nodes.update((one, replace(nodes[one], words=(alone, whose))) for one in only if one in nodes)
    ways = _taken(first), _taken(second)
    edges = tuple(
        _edge_of_two(*(taken.get((edge.src, edge.dst, edge.label), 0) for taken in ways)) for edge in flow.edges
    )
    return ChartStyle(nodes, edges)


def _node_of_two(first: int, second: int, *, is_end: bool) -> NodeStyle:
    if is_end:
        return NodeStyle(role="plain")
    if not first and not second:
        return NodeStyle(role="muted")
    words = (f"A ×{first}  B ×{second}", f"{first}:{second}")
    if first and second:
        other = first != second
        return NodeStyle("≠" if other else "=", words, role="warning" if other else "plain", sign_role="warning")
    role: Role = "accent" if first else "secondary"
    return NodeStyle("A" if first else "B", words, role=role, sign_role=role, bold=True)


def _edge_of_two(first: int, second: int) -> EdgeStyle:
    if not first and not second:
        return EdgeStyle()
    count = f"{first}:{second}"
    if first and second:
        return EdgeStyle("heavy", "plain", "plain", count if first != second else "")
    if first:
        return EdgeStyle("heavy", "accent", "accent", count, bold=True)
    return EdgeStyle("double", "secondary", "secondary", count, bold=True)


def frequency_style(flow: Flow, pictures: Sequence[RunView]) -> ChartStyle:
    """Show how many runs passed each node and edge, and how often in total: a glyph for the level, heavy lines for
    most of the runs."""
    count = max(1, len(pictures))
    nodes: dict[str, NodeStyle] = {}
    for node_id in flow.nodes:
        if flow.nodes[node_id].kind in (NodeKind.BEGIN, NodeKind.END):
            nodes[node_id] = NodeStyle(role="plain")
            continue
        visits = [_visits(picture, node_id) for picture in pictures]
        runs = sum(1 for one in visits if one)
        share = runs / count
        role: Role = "accent" if share >= _OFTEN else "plain" if share >= _SOME else "muted"
        sign = _LEVELS[min(len(_LEVELS) - 1, int(share * len(_LEVELS)))] if runs else " "
        words = (
            (_("{count} of {all} runs", count=runs, all=len(pictures)), f"{runs}/{len(pictures)}")
            if runs
            else (_("never"),)
        )
        notes = (n_("{count} visit", "{count} visits", sum(visits)), f"×{sum(visits)}") if sum(visits) > runs else ()
        nodes[node_id] = NodeStyle(sign, words, notes, role=role, sign_role=role, bold=share >= _OFTEN)
    ways = [_taken(picture) for picture in pictures]
    edges: list[EdgeStyle] = []
    for edge in flow.edges:
        gone = [taken.get((edge.src, edge.dst, edge.label), 0) for taken in ways]
        share = sum(1 for one in gone if one) / count
        if not any(gone):
            edges.append(EdgeStyle())
        elif share >= 0.5:
            edges.append(EdgeStyle("heavy", "accent", "accent", f"×{sum(gone)}"))
        else:
            edges.append(EdgeStyle("light", "plain", "plain", f"×{sum(gone)}"))
    return ChartStyle(nodes, tuple(edges))


def _visits(picture: RunView, node_id: str) -> int:
    node = picture.nodes.get(node_id)
    return node.visits if node is not None else 0


def _taken(picture: RunView) -> dict[Way, int]:
    return {(edge.src, edge.dst, edge.label): edge.taken for edge in picture.edges}
