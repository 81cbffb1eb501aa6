"""Panes mounted after the first frame."""

from collections.abc import Callable
from dataclasses import dataclass

from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
from kimi_tui.ui.tui.dialogs.branch_choice import BranchDialog
from kimi_tui.ui.tui.dialogs.question import QuestionDialog
from kimi_tui.ui.tui.flow_pane.pane import FlowPane
from kimi_tui.ui.tui.main_screen.approvals_pane import ApprovalsPane
from kimi_tui.ui.tui.main_screen.divider import Divider
from kimi_tui.ui.tui.main_screen.find_bar import FindBar
from kimi_tui.ui.tui.main_screen.scrub_bar import ScrubBar
from kimi_tui.ui.tui.main_screen.status_line import StatusLine
from kimi_tui.ui.tui.main_screen.todo_pane import TodoPane
from kimi_tui.ui.tui.transcript.new_messages_badge import NewMessagesBadge
from kimi_tui.ui.tui.transcript.view import Transcript


@dataclass(frozen=True, slots=True)
class Panes:
    """The widgets that `MainScreen.mount_panes` mounts."""

    transcript: Transcript
    new_messages_badge: NewMessagesBadge
    find_bar: FindBar
    approval_dialog: ApprovalDialog
    question_dialog: QuestionDialog
    branch_dialog: BranchDialog
    divider: Divider
    flow_pane: FlowPane
    todo_pane: TodoPane
    approvals_pane: ApprovalsPane
    scrub_bar: ScrubBar
    status_line: StatusLine


def build_panes(*, clock: Callable[[], float], monotonic: Callable[[], float], motion: bool) -> Panes:
    """Build the panes.

    `clock` is the clock of the displayed moment, `monotonic` the monotonic clock of the dialogs' key guards.
    """
    return Panes(
        transcript=Transcript(clock=clock, motion=motion, id="transcript"),
        new_messages_badge=NewMessagesBadge(id="below"),
        find_bar=FindBar(id="finder"),
        approval_dialog=ApprovalDialog(clock=monotonic, id="approval"),
        question_dialog=QuestionDialog(clock=monotonic, id="asked-question"),
        branch_dialog=BranchDialog(clock=monotonic, id="branch"),
        divider=Divider(id="divider"),
        flow_pane=FlowPane(clock=clock, id="flow"),
        todo_pane=TodoPane(id="todo"),
        approvals_pane=ApprovalsPane(id="approvals"),
        scrub_bar=ScrubBar(id="scrub"),
        status_line=StatusLine(id="strip"),
    )
