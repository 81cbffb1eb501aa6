"""Agent flows: charts read from Mermaid and D2, validated, drawn and run."""

from kimi_tui.flow.choice import match_choice, parse_choice
from kimi_tui.flow.d2 import read_d2
from kimi_tui.flow.graph import Chart, ChartEdge, ChartNode, ChartNote, Flow, FlowEdge, FlowNode, NodeKind
from kimi_tui.flow.lint import build_flow
from kimi_tui.flow.mermaid import read_mermaid
from kimi_tui.flow.reading import read_chart
from kimi_tui.flow.render import to_d2, to_mermaid

__all__ = [
    "Chart",
    "ChartEdge",
    "ChartNode",
    "ChartNote",
    "Flow",
    "FlowEdge",
    "FlowNode",
    "NodeKind",
    "build_flow",
    "match_choice",
    "parse_choice",
    "read_chart",
    "read_d2",
    "read_mermaid",
    "to_d2",
    "to_mermaid",
]
