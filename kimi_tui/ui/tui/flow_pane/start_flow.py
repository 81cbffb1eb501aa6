"""Before a flow starts: its chart, and an input for arguments, previewed in the chart."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.run.node_prompts import shown_flow, uses_args
from kimi_tui.ui.tui.flow_pane.chart_view import FlowChart
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.widgets.key_bar import BarKey, KeyBar
from kimi_tui.ui.tui.widgets.one_shot_screen import OneShotModal
from kimi_tui.ui.tui.widgets.text_field import TextField


class StartFlow(OneShotModal[str | None]):
    """Asks for a flow's arguments. Returns them ("" for none), or None if closed."""

    CSS = """
    StartFlow { align: center middle; }
    StartFlow > Vertical {
        width: 84; max-width: 94%; height: 90%; max-height: 44; background: $surface; padding: 0 1;
        border: round $primary; border-title-color: $primary; border-title-style: bold; border-subtitle-color: $muted;
    }
    StartFlow #about { height: auto; max-height: 4; color: $muted; margin-bottom: 1; }
    StartFlow FlowChart { height: 1fr; background: $surface; }
    StartFlow Horizontal { height: 1; margin-top: 1; background: $panel; padding: 0 1; }
    StartFlow #ask { width: auto; color: $primary; }
    StartFlow Input { border: none; height: 1; padding: 0; background: $panel; width: 1fr; }
    StartFlow KeyBar { dock: none; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
        Binding("enter", "start", "Start", show=False),
    ]

    def __init__(self, name: str, description: str, flow: Flow) -> None:
        super().__init__()
        self._flow_name, self._description, self._flow = name, description, flow
        self._takes_args = uses_args(flow)

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(sanitize(_("start flow {name}", name=self._flow_name)))
            yield Static(sanitize(one_line(self._description)), id="about", markup=False)
            yield FlowChart(id="start-chart")
            with Horizontal():
                yield Static(_("with") + " › ", id="ask", markup=False)
                empty = _("value for `…` in the chart") if self._takes_args else _("request (optional)")
                yield TextField(placeholder=empty, id="args")
            yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(FlowChart).map_covers = False
        self._show("")
        keys = (BarKey("Enter", _("start"), "start"), BarKey("Tab", _("chart or text"), "app.focus_next"))
        self.query_one(KeyBar).show((*keys, BarKey("Esc", _("close"), "leave")))
        self.query_one(Input).focus()

    def _show(self, args: str) -> None:
        self.query_one(FlowChart).show_flow(shown_flow(self._flow, args.strip() or None))

    def on_input_changed(self, event: Input.Changed) -> None:
        if self._takes_args:
            self._show(event.value)

    def on_input_submitted(self) -> None:
        self.action_start()

    def action_start(self) -> None:
        self.dismiss(self.query_one(Input).value.strip())

    def action_leave(self) -> None:
        self.dismiss(None)

    def on_flow_chart_node_opened(self, event: FlowChart.NodeOpened) -> None:
        event.stop()
