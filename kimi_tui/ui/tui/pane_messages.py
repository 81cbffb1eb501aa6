"""What the app does with the messages of its panes and dialogs: answers, branches, flow runs, time travel, copying."""

from typing import TYPE_CHECKING

from kimi_tui.ui.tui.engine_protocol import Engine, LiveEngine
from kimi_tui.ui.tui.i18n.catalog import _, n_
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.navigation.subagent_screens import SubagentScreens
from kimi_tui.ui.tui.session.session_controller import SessionController
from kimi_tui.ui.tui.terminal.app_base import TerminalApp

if TYPE_CHECKING:
    from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
    from kimi_tui.ui.tui.dialogs.branch_choice import BranchDialog
    from kimi_tui.ui.tui.dialogs.question import QuestionDialog
    from kimi_tui.ui.tui.flow_pane.chart_view import FlowChart
    from kimi_tui.ui.tui.flow_pane.flow_list import FlowList
    from kimi_tui.ui.tui.flow_pane.pane import FlowPane
    from kimi_tui.ui.tui.main_screen.approvals_pane import ApprovalsPane
    from kimi_tui.ui.tui.main_screen.scrub_bar import ScrubBar
    from kimi_tui.ui.tui.replay.time_travel import TimeTravel
    from kimi_tui.ui.tui.session.flow_controller import FlowController
    from kimi_tui.ui.tui.session.presenter import Presenter
    from kimi_tui.ui.tui.transcript.view import Transcript


class PaneMessages(TerminalApp):
    """Passes the messages of the panes to the engine and to the controllers. The app creates those."""

    main_screen: MainScreen
    session_controller: SessionController
    subagent_screens: SubagentScreens
    presenter: "Presenter"
    time_travel: "TimeTravel"
    flow_controller: "FlowController"

    @property
    def engine(self) -> Engine | None:
        return self.session_controller.engine

    @property
    def live_engine(self) -> LiveEngine | None:
        """The engine, or None if it is a recording."""
        return self.session_controller.live_engine

    @property
    def on_main_screen(self) -> bool:
        """Whether no other screen covers the main screen."""
        return isinstance(self.screen, MainScreen)

    def on_approval_dialog_answered(self, event: "ApprovalDialog.Answered") -> None:
        if self.engine is not None:
            self.engine.approvals.settle(
                event.request_id, event.response, event.feedback, edited=event.edited, taken=event.taken
            )

    def on_approvals_pane_opened(self, event: "ApprovalsPane.Opened") -> None:
        self.presenter.show_approvals(event.request_id)

    def on_branch_dialog_chosen(self, event: "BranchDialog.Chosen") -> None:
        self.flow_controller.take_branch(event.node_id, event.label)

    def on_question_dialog_answered(self, event: "QuestionDialog.Answered") -> None:
        if self.engine is not None:
            self.engine.questions.settle(event.request_id, event.answers)
        self.presenter.question_answered(event.request_id)

    def on_flow_list_chosen(self, event: "FlowList.Chosen") -> None:
        self.flow_controller.start(event.flow_name)

    def on_flow_pane_control_requested(self, event: "FlowPane.ControlRequested") -> None:
        self.flow_controller.steer(event.action, event.node_id)

    def on_flow_chart_branch_clicked(self, event: "FlowChart.BranchClicked") -> None:
        self.flow_controller.take_branch(event.node_id, event.label)

    def on_flow_chart_node_opened(self, event: "FlowChart.NodeOpened") -> None:
        self.flow_controller.open(event.node_id)

    def on_flow_pane_requested(self, event: "FlowPane.Requested") -> None:
        match event.what:
            case "export":
                self.flow_controller.export()
            case "runs":
                self.flow_controller.runs(event.flow_name)
            case "start":
                self.flow_controller.start(event.flow_name)
            case "live":
                self.time_travel.leave()
            case "time":
                self.action_time()
            case "resume":
                self.flow_controller.offer_resume()
            case "menu":
                self.flow_controller.menu(event.flow_name)
            case "whole":
                self.main_screen.flow_pane.focus_inside()
                self.main_screen.action_zoom()

    def action_time(self) -> None:
        """Show the session's past states with the scrub bar."""
        if self.on_main_screen and not self.time_travel.open():
            self.show_toast(_("no messages yet"))

    def on_scrub_bar_moved(self, event: "ScrubBar.Moved") -> None:
        if event.number is not None:
            self.time_travel.go_to(event.number)
        elif self.time_travel.is_recording:
            self.action_leave()
        else:
            self.time_travel.leave()
            self.main_screen.focus_work()

    def on_scrub_bar_played(self, event: "ScrubBar.Played") -> None:
        self.time_travel.play(event.speed)

    def on_transcript_item_clicked(self, event: "Transcript.ItemClicked") -> None:
        action, _, target = event.action.partition(":")
        if action == "agent":
            self.subagent_screens.open(event.item_id)
        elif action == "node" and self.presenter.shown_state.flow.run is not None:
            if (
                self.main_screen.in_pane
                or self.main_screen.layout_size != "wide"
                or self.main_screen.zoomed is not None
            ):
                self.main_screen.go_to("flow")
            self.main_screen.flow_pane.chart.select(target)

    def on_transcript_copied(self, event: "Transcript.Copied") -> None:
        self.copy(event.text)

    def copy(self, text: str) -> None:
        """Copy the text, and report how much was copied and by which method."""
        from kimi_tui.ui.tui.terminal import clipboard

        self.copy_to_clipboard(text)
        lines = text.count("\n") + 1
        amount = n_("{count} line copied", "{count} lines copied", lines)
        self.show_toast(_("{much} (via {way})", much=amount, way=clipboard.copy_method()))

    def action_leave(self) -> None:
        self.exit(0)
