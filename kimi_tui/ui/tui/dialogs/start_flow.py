"""Before a flow starts: its chart, and room for arguments."""

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from kimi_tui.flow.graph import Flow
from kimi_tui.ui.tui.flow.chart import FlowChart
from kimi_tui.ui.tui.headline import one_line
from kimi_tui.ui.tui.language import _
from kimi_tui.ui.tui.text.sanitize import sanitize


class StartFlow(ModalScreen[str | None]):
    """Gives back the arguments ("" for none), or None where it was left."""

    CSS = """
    StartFlow { align: center middle; background: $background 60%; }
    StartFlow > Vertical {
        width: 84; max-width: 94%; height: 90%; max-height: 44; background: $background; padding: 0 1;
        border: round $primary; border-title-color: $primary; border-title-style: bold; border-subtitle-color: $muted;
    }
    StartFlow #about { height: auto; max-height: 4; color: $muted; margin-bottom: 1; }
    StartFlow FlowChart { height: 1fr; }
    StartFlow Horizontal { height: 1; margin-top: 1; background: $panel; padding: 0 1; }
    StartFlow #ask { width: auto; color: $primary; }
    StartFlow Input { border: none; height: 1; padding: 0; background: $panel; width: 1fr; }
    """

    def __init__(self, name: str, description: str, flow: Flow) -> None:
        super().__init__()
        self._flow_name, self._description, self._flow = name, description, flow

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(sanitize(_("start flow {name}", name=self._flow_name)))
            box.border_subtitle = _("enter starts · tab chart · esc leaves")
            yield Static(sanitize(one_line(self._description)), id="about", markup=False)
            yield FlowChart(id="start-chart")
            with Horizontal():
                yield Static(_("with") + " › ", id="ask", markup=False)
                yield Input(placeholder=_("arguments, if it takes any"), id="args")

    def on_mount(self) -> None:
        self.query_one(FlowChart).show_flow(self._flow)
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())

    def on_flow_chart_node_opened(self, event: FlowChart.NodeOpened) -> None:
        event.stop()

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            self.dismiss(None)
