"""Writes a flow or a chart as D2 text, for tests of the reader."""

from itertools import count

from kimi_tui.flow import Chart, Flow
from kimi_tui.flow.model.settings import last_of_each
from kimi_tui.flow.parsing.d2.keywords import RESERVED
from kimi_tui.flow.parsing.d2.statement import StatementScanner
from kimi_tui.flow.parsing.d2.strings import quoted_key, written_key
from kimi_tui.flow.render.source_writer import chart_of_flow, is_named_by_role

_DIRECTION = {"TB": "down", "BT": "up", "LR": "right", "RL": "left"}
_ARROWS = {"forward": "->", "none": "--", "both": "<->", "hidden": "--"}


def to_d2(source: Flow | Chart) -> str:
    """The text of a D2 chart, with every node on a line of its own before the edges."""
    chart = source if isinstance(source, Chart) else chart_of_flow(source)
    paths = {node.id: _path(node.id) for node in chart.nodes} if chart.source == "d2" else _names(chart)
    lines = [f"direction: {_DIRECTION[chart.direction]}"]
    settings: list[str] = []
    for node in chart.nodes:
        lines.append(
            f"{paths[node.id]}: " + (f"{{label: {_text(node.label)}}}" if is_named_by_role(node) else _text(node.label))
        )
        if used := last_of_each(node.settings):
            shown = "; ".join(f"{key}: {_text(one.value or '')}" for key, one in used.items())
            settings.append(f"    {_key(node.id)}: {{ {shown} }}")
    if settings:
        lines += ["vars: {", "  flow: {", *settings, "  }", "}"]
    for edge in chart.edges:
        if edge.heads != "hidden":
            label = f": {_text(edge.label)}" if edge.label else ""
            lines.append(f"{paths[edge.src]} {_ARROWS[edge.heads]} {paths[edge.dst]}{label}")
    return "\n".join(lines) + "\n"


def _names(chart: Chart) -> dict[str, str]:
    """Keys for Mermaid's ids: D2 treats names that differ only in case as one."""
    lower = {node.id.lower() for node in chart.nodes}
    unused = (f"n{number}" for number in count(1) if f"n{number}" not in lower)
    names: dict[str, str] = {}
    used: set[str] = set()
    for node in chart.nodes:
        names[node.id] = next(unused) if node.id.lower() in used else _key(node.id)
        used.add(node.id.lower())
    return names


def _path(path: str) -> str:
    return ".".join(_key(key.text) for key in StatementScanner(path).path())


def _key(name: str) -> str:
    return quoted_key(name) if name.lower() in RESERVED or name == "_" else written_key(name)


def _text(value: str) -> str:
    return quoted_key(value).replace("$", "\\$")
