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
    below: NewMessagesBadge
    finder: FindBar
    approval: ApprovalDialog
    question: QuestionDialog
    branch: BranchDialog
    divider: Divider
    flow: FlowPane
    todo: TodoPane
    waiting: ApprovalsPane
    scrub: ScrubBar
    strip: StatusLine


def build_panes(*, clock: Callable[[], float], steady: Callable[[], float], motion: bool) -> Panes:
    """`clock` is the clock of the displayed moment, `steady` the monotonic clock of the dialogs' key guards."""
    return Panes(
        transcript=Transcript(clock=clock, motion=motion, id="transcript"),
        below=NewMessagesBadge(id="below"),
        finder=FindBar(id="finder"),
        approval=ApprovalDialog(clock=steady, id="approval"),
        question=QuestionDialog(clock=steady, id="asked-question"),
        branch=BranchDialog(clock=steady, id="branch"),
        divider=Divider(id="divider"),
        flow=FlowPane(clock=clock, id="flow"),
        todo=TodoPane(id="todo"),
        waiting=ApprovalsPane(id="waiting"),
        scrub=ScrubBar(id="scrub"),
        strip=StatusLine(id="strip"),
    )
