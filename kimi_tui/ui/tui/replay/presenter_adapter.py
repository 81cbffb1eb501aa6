"""Puts a past state on the stage, and takes it away again."""

from kimi_tui.ui.tui.session.presenter import Stage
from kimi_tui.ui.tui.state.deltas import Delta, Part
from kimi_tui.ui.tui.state.ui_state import UiState

_ALL: set[Part] = {"turn", "status", "todo", "flow", "node"}

_TURN: set[Part] = {"turn"}
_WAITING: set[Part] = {"approvals", "questions"}


class PastScene:
    """The stage as a time machine sees it. What waits for the person is always that of now."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def show_past(self, state: UiState, at: float) -> None:
        stage = self._stage
        stage.past, stage.moment.at = state, at
        stage.feed.start(state.conversation.items)
        stage.refresh(_ALL)

    def go_on_past(self, deltas: list[Delta], at: float) -> None:
        stage = self._stage
        stage.moment.at = at
        touched = stage.feed.apply(deltas)
        stage.refresh(touched or _TURN)

    def show_now(self) -> None:
        stage = self._stage
        stage.past = stage.moment.at = None
        stage.feed.start(stage.state.conversation.items)
        stage.refresh(_ALL | _WAITING)
