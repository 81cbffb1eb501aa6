"""Writes a flow or a chart as Mermaid or D2 text, in one canonical form.

Invariant: parsed again, the text is the same flow. Ids stay the same if the language can write them; others get a plain
name.
"""

import re
from collections.abc import Iterator

from kimi_tui.flow.model.graph import Chart, ChartEdge, ChartNode, Direction, Flow, Heads, NodeKind
from kimi_tui.flow.model.settings import WrittenSetting, last_of_each
from kimi_tui.flow.parsing.d2.keywords import RESERVED
from kimi_tui.flow.parsing.d2.statement import StatementScanner
from kimi_tui.flow.parsing.d2.strings import quoted_key, written_key
from kimi_tui.flow.parsing.mermaid.label_text import escaped
from kimi_tui.flow.parsing.mermaid.lexemes import CLOSED_WORDS, SHAPES
from kimi_tui.flow.render.settings_text import d2_settings, mermaid_settings

_MERMAID_DIRECTION: dict[Direction, str] = {"TB": "TD", "BT": "BT", "LR": "LR", "RL": "RL"}
_D2_DIRECTION: dict[Direction, str] = {"TB": "down", "BT": "up", "LR": "right", "RL": "left"}
_MERMAID_ARROWS: dict[Heads, str] = {"forward": "-->", "none": "---", "both": "<-->", "hidden": "~~~"}
_D2_ARROWS: dict[Heads, str] = {"forward": "->", "none": "--", "both": "<->", "hidden": "--"}
_BRACKETS = {
    **{shape: (opener, closer) for opener, closings in SHAPES.items() for closer, shape in closings},
    "rect": ("[", "]"),
    "oval": ("([", "])"),
}
_PLAIN_ID = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def to_mermaid(source: Flow | Chart) -> str:
    """The text of a Mermaid flowchart, with every node on a line of its own before the edges."""
    chart = source if isinstance(source, Chart) else _as_chart(source)
    ids = _names(chart) if chart.source == "d2" else {node.id: node.id for node in chart.nodes}
    lines = [f"flowchart {_MERMAID_DIRECTION[chart.direction]}"]
    for node in chart.nodes:
        opener, closer = _BRACKETS.get(node.shape, ("[", "]"))
        label = node.id.upper() if _role_by_id(node) else node.label
        lines.append(f'    {ids[node.id]}{opener}"{escaped(label)}"{closer}')
        if settings := _settings_of(node):
            lines.append(f"    {ids[node.id]}{mermaid_settings(settings)}")
    for edge in chart.edges:
        label = f'|"{escaped(edge.label)}"|' if edge.label else ""
        lines.append(f"    {ids[edge.src]} {_MERMAID_ARROWS[edge.heads]}{label} {ids[edge.dst]}")
    return "\n".join(lines) + "\n"


def to_d2(source: Flow | Chart) -> str:
    """The text of a D2 chart, with every node on a line of its own before the edges."""
    chart = source if isinstance(source, Chart) else _as_chart(source)
    paths = {node.id: _d2_path(node.id) for node in chart.nodes} if chart.source == "d2" else _d2_names(chart)
    lines = [f"direction: {_D2_DIRECTION[chart.direction]}"]
    for node in chart.nodes:
        label = quoted_key(node.label).replace("$", "\\$")
        lines.append(f"{paths[node.id]}: " + (f"{{label: {label}}}" if _role_by_id(node) else label))
    if settings := [(_d2_key(node.id), of_node) for node in chart.nodes if (of_node := _settings_of(node))]:
        lines += d2_settings(settings)
    for edge in chart.edges:
        if edge.heads != "hidden":
            label = f": {quoted_key(edge.label)}".replace("$", "\\$") if edge.label else ""
            lines.append(f"{paths[edge.src]} {_D2_ARROWS[edge.heads]} {paths[edge.dst]}{label}")
    return "\n".join(lines) + "\n"


def _as_chart(flow: Flow) -> Chart:
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


def _role_by_id(node: ChartNode) -> bool:
    return node.labelled_inside and node.id.casefold() in ("begin", "end")


def _names(chart: Chart) -> dict[str, str]:
    """Ids that are valid in Mermaid: a D2 path that is not a plain word gets a new one."""
    used = {node.id for node in chart.nodes}
    unused = _fresh_names(used)
    return {
        node.id: node.id if _PLAIN_ID.fullmatch(node.id) and node.id not in CLOSED_WORDS else next(unused)
        for node in chart.nodes
    }


def _d2_names(chart: Chart) -> dict[str, str]:
    """Keys for Mermaid's ids: D2 treats names that differ only in case as one."""
    names: dict[str, str] = {}
    taken = {node.id.lower() for node in chart.nodes}
    unused = _fresh_names(taken)
    used: set[str] = set()
    for node in chart.nodes:
        lower = node.id.lower()
        names[node.id] = next(unused) if lower in used else _d2_key(node.id)
        used.add(lower)
    return names


def _fresh_names(used: set[str]) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        if f"n{number}" not in used:
            yield f"n{number}"


def _d2_path(path: str) -> str:
    return ".".join(_d2_key(key.text) for key in StatementScanner(path).path())


def _d2_key(name: str) -> str:
    return quoted_key(name) if name.lower() in RESERVED or name == "_" else written_key(name)
