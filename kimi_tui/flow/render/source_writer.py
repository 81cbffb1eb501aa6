"""Writes a flow or a chart as Mermaid text, in one canonical form.

Invariant: parsed again, the text is the same flow. Ids that Mermaid cannot write get a plain name.
"""

import re
from collections.abc import Iterator

from kimi_tui.flow.model.graph import Chart, ChartEdge, ChartNode, Direction, Flow, Heads, NodeKind
from kimi_tui.flow.model.settings import WrittenSetting, last_of_each
from kimi_tui.flow.parsing.mermaid.label_text import escaped
from kimi_tui.flow.parsing.mermaid.lexemes import CLOSED_WORDS, SHAPES
from kimi_tui.flow.render.settings_text import mermaid_settings

_MERMAID_DIRECTION: dict[Direction, str] = {"TB": "TD", "BT": "BT", "LR": "LR", "RL": "RL"}
_MERMAID_ARROWS: dict[Heads, str] = {"forward": "-->", "none": "---", "both": "<-->", "hidden": "~~~"}
_BRACKETS = {
    **{shape: (opener, closer) for opener, closings in SHAPES.items() for closer, shape in closings},
    "rect": ("[", "]"),
    "oval": ("([", "])"),
}
_PLAIN_ID = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def to_mermaid(source: Flow | Chart) -> str:
    """The text of a Mermaid flowchart, with every node on a line of its own before the edges."""
    chart = source if isinstance(source, Chart) else chart_of_flow(source)
    ids = _names(chart) if chart.source == "d2" else {node.id: node.id for node in chart.nodes}
    lines = [f"flowchart {_MERMAID_DIRECTION[chart.direction]}"]
    for node in chart.nodes:
        opener, closer = _BRACKETS.get(node.shape, ("[", "]"))
        label = node.id.upper() if is_named_by_role(node) else node.label
        lines.append(f'    {ids[node.id]}{opener}"{escaped(label)}"{closer}')
        if settings := _settings_of(node):
            lines.append(f"    {ids[node.id]}{mermaid_settings(settings)}")
    for edge in chart.edges:
        label = f'|"{escaped(edge.label)}"|' if edge.label else ""
        lines.append(f"    {ids[edge.src]} {_MERMAID_ARROWS[edge.heads]}{label} {ids[edge.dst]}")
    return "\n".join(lines) + "\n"


def chart_of_flow(flow: Flow) -> Chart:
    """Return the chart that a flow can be written as."""
    shapes = {NodeKind.BEGIN: "stadium", NodeKind.END: "stadium", NodeKind.DECISION: "diamond", NodeKind.TASK: "rect"}
    nodes = tuple(
        ChartNode(
            node.id,
            node.title,
            shape=shapes[node.kind],
            labelled_inside=node.kind in (NodeKind.BEGIN, NodeKind.END) and node.title.strip().casefold() != node.kind,
            settings=tuple(WrittenSetting(key, value, 1, 1) for key, value in node.settings.written.items()),
        )
        for node in flow.nodes.values()
    )
    edges = tuple(ChartEdge(edge.src, edge.dst, edge.label) for edge in flow.edges)
    return Chart("d2" if flow.source == "d2" else "mermaid", nodes, edges, flow.direction)


def _settings_of(node: ChartNode) -> dict[str, str]:
    return {key: setting.value or "" for key, setting in last_of_each(node.settings).items()}


def is_named_by_role(node: ChartNode) -> bool:
    """Whether the id alone makes the node BEGIN or END, so that its label is free text."""
    return node.labelled_inside and node.id.casefold() in ("begin", "end")


def _names(chart: Chart) -> dict[str, str]:
    """Ids that are valid in Mermaid: a D2 path that is not a plain word gets a new one."""
    used = {node.id for node in chart.nodes}
    unused = _fresh_names(used)
    return {
        node.id: node.id if _PLAIN_ID.fullmatch(node.id) and node.id not in CLOSED_WORDS else next(unused)
        for node in chart.nodes
    }


def _fresh_names(used: set[str]) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        if f"n{number}" not in used:
            yield f"n{number}"
