"""Shows a past state through the presenter, and restores the present."""

from kimi_tui.ui.tui.session.presenter import Presenter
from kimi_tui.ui.tui.state.deltas import Delta, Pane
from kimi_tui.ui.tui.state.ui_state import UiState

_ALL: set[Pane] = {"turn", "status", "todo", "flow", "node"}

_TURN: set[Pane] = {"turn"}
_WAITING: set[Pane] = {"approvals", "questions"}


class HistoryPresenter:
    """The presenter as time travel uses it. Pending requests are always those of the present."""

    def __init__(self, presenter: Presenter) -> None:
        self._presenter = presenter

    def load_all(self) -> None:
        self._presenter.load_all()

    def show_past(self, state: UiState, at: float) -> None:
        presenter = self._presenter
        presenter.past, presenter.view_clock.timestamp = state, at
        presenter.transcript_sync.start(state.conversation.items)
        presenter.refresh(_ALL)

    def advance_past(self, deltas: list[Delta], at: float) -> None:
        presenter = self._presenter
        presenter.view_clock.timestamp = at
        touched = presenter.transcript_sync.apply(deltas)
        presenter.refresh(touched or _TURN)

    def show_now(self) -> None:
        presenter = self._presenter
        presenter.past = presenter.view_clock.timestamp = None
        presenter.transcript_sync.start(presenter.state.conversation.items)
        presenter.refresh(_ALL | _WAITING)
