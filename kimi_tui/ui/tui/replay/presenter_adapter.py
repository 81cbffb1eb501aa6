"""Shows a past state through the presenter, and restores the present."""

from kimi_tui.ui.tui.session.presenter import Presenter
from kimi_tui.ui.tui.state.deltas import Delta, Pane
from kimi_tui.ui.tui.state.ui_state import UiState

_ALL: set[Pane] = {"turn", "status", "todo", "flow", "node"}

_TURN: set[Pane] = {"turn"}
_WAITING: set[Pane] = {"approvals", "questions"}


class HistoryPresenter:
    """The presenter as time travel uses it. Pending requests are always those of the present."""

    def __init__(self, stage: Presenter) -> None:
        self._stage = stage

    def show_past(self, state: UiState, at: float) -> None:
        stage = self._stage
        stage.past, stage.moment.at = state, at
        stage.transcript_sync.start(state.conversation.items)
        stage.refresh(_ALL)

    def go_on_past(self, deltas: list[Delta], at: float) -> None:
        stage = self._stage
        stage.moment.at = at
        touched = stage.transcript_sync.apply(deltas)
        stage.refresh(touched or _TURN)

    def show_now(self) -> None:
        stage = self._stage
        stage.past = stage.moment.at = None
        stage.transcript_sync.start(stage.state.conversation.items)
        stage.refresh(_ALL | _WAITING)
