"""The panes of the screen that its first frame does without."""

from collections.abc import Callable
from dataclasses import dataclass

from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
from kimi_tui.ui.tui.dialogs.branches import BranchDialog
from kimi_tui.ui.tui.dialogs.question import QuestionDialog
from kimi_tui.ui.tui.divider import Divider
from kimi_tui.ui.tui.flow.pane import FlowPane
from kimi_tui.ui.tui.panels.strip import StripLine
from kimi_tui.ui.tui.panels.todo import TodoPane
from kimi_tui.ui.tui.panels.waiting import WaitingPane
from kimi_tui.ui.tui.replay.bar import ScrubBar
from kimi_tui.ui.tui.screens.finder import Finder
from kimi_tui.ui.tui.transcript.below import NewBelow
from kimi_tui.ui.tui.transcript.view import Transcript


@dataclass(frozen=True, slots=True)
class Furniture:
    """What `Home.furnish` brings in."""

    transcript: Transcript
    below: NewBelow
    finder: Finder
    approval: ApprovalDialog
    question: QuestionDialog
    branch: BranchDialog
    divider: Divider
    flow: FlowPane
    todo: TodoPane
    waiting: WaitingPane
    scrub: ScrubBar
    strip: StripLine


def make_furniture(*, clock: Callable[[], float], steady: Callable[[], float], motion: bool) -> Furniture:
    """`clock` is the clock of what is shown, `steady` the one of the dialogs' guards."""
    return Furniture(
        transcript=Transcript(clock=clock, motion=motion, id="transcript"),
        below=NewBelow(id="below"),
        finder=Finder(id="finder"),
        approval=ApprovalDialog(clock=steady, id="approval"),
        question=QuestionDialog(clock=steady, id="asked-question"),
        branch=BranchDialog(clock=steady, id="branch"),
        divider=Divider(id="divider"),
        flow=FlowPane(clock=clock, id="flow"),
        todo=TodoPane(id="todo"),
        waiting=WaitingPane(id="waiting"),
        scrub=ScrubBar(id="scrub"),
        strip=StripLine(id="strip"),
    )
