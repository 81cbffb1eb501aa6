"""Parses a chart in the named language."""

from kimi_tui.flow.model.graph import Chart, ChartSource
from kimi_tui.flow.parsing.mermaid.parser import read_mermaid


def read_chart(text: str, source: ChartSource) -> Chart:
    """The chart as written. Raises `FlowParseError` with line and column."""
    if source == "mermaid":
        return read_mermaid(text)
    from kimi_tui.flow.parsing.d2.parser import read_d2

    return read_d2(text)
