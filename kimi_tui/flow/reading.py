"""Reads a chart whose language is known by name."""

from kimi_tui.flow.d2 import read_d2
from kimi_tui.flow.graph import Chart, ChartSource
from kimi_tui.flow.mermaid import read_mermaid


def read_chart(text: str, source: ChartSource) -> Chart:
    """The chart as written; raises `FlowParseError` with line and column."""
    return read_d2(text) if source == "d2" else read_mermaid(text)
