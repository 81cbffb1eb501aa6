"""Agent flows: charts read from Mermaid and D2, validated, drawn and run."""

from kimi_tui.flow.model.graph import Chart, ChartEdge, ChartNode, ChartNote, Flow, FlowEdge, FlowNode, NodeKind
from kimi_tui.flow.model.validation import build_flow
from kimi_tui.flow.parsing.mermaid.parser import read_mermaid
from kimi_tui.flow.parsing.reader import read_chart
from kimi_tui.flow.run.branch_choice import match_choice, parse_choice

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
    "read_mermaid",
]
