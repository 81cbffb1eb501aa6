"""A chart as text, without styles, for `kimi-tui flow show`."""

from kimi_tui.flow.layout.geometry import Layout
from kimi_tui.flow.render.chart_canvas import ChartCanvas
from kimi_tui.flow.render.chart_style import PLAIN_CHART, ChartStyle


def render_text(layout: Layout, *, ascii: bool = False, style: ChartStyle = PLAIN_CHART) -> str:  # noqa: A002
    """The whole layout, a line a row, without spaces at the ends of lines."""
    canvas = ChartCanvas(layout, ascii=ascii)
    rows = (canvas.row(y, style) for y in range(canvas.height))
    return "\n".join("".join(span.text for span in row).rstrip() for row in rows)
