"""Going back in time is folding less: a state from a checkpoint is the state that folding all of it gives."""

from typing import Any

import pytest

from kimi_tui.ui.tui.main_screen.timeline import LONGEST_WAIT_S, Timeline
from kimi_tui.ui.tui.replay import state_history
from kimi_tui.ui.tui.replay.state_history import StateHistory, copied
from kimi_tui.ui.tui.state.ui_state import UiState
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import StatusUpdate
from kimi_tui.wire.parts import TextPart
from tests.ui.tui import wire_scenarios
from tests.ui.tui.flow_pane import flow_scenarios

SCENES: dict[str, list[WireMessage]] = {
    "tools": [*wire_scenarios.tool_running(), *wire_scenarios.error()],
    "flow": wire_scenarios.flow_done(),
    "asks": wire_scenarios.flow_asks(),
    "nested": flow_scenarios.nested(),
    "retry": flow_scenarios.retrying(),
    "chinese": wire_scenarios.chinese(),
}


def facts(state: UiState) -> tuple[Any, ...]:
    return (
        state.conversation.items, state.flow.run, state.flow.turn_keys, state.todo, state.turn,
        state.status, state.approvals, state.questions, state.retrying,
    )  # fmt: skip


def folded(messages: list[wire_scenarios.Timed]) -> UiState:
    state = UiState()
    state.fold_all(messages)
    return state


@pytest.mark.parametrize("scene", SCENES)
def test_each_moment_is_what_folding_up_to_it_gives(scene: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_history, "EVERY", 5)
    messages = wire_scenarios.timed(SCENES[scene], 1_000.0)
    past = StateHistory(messages)
    numbers = [*range(len(messages) + 1), *range(len(messages), -1, -1), len(messages) // 2]
    for number in numbers:
        assert facts(past.state_at(number)) == facts(folded(messages[:number]))


@pytest.mark.parametrize("scene", SCENES)
def test_folding_a_copy_on_changes_nothing_of_the_state_it_was_made_of(scene: str) -> None:
    messages = wire_scenarios.timed(SCENES[scene], 1_000.0)
    half = len(messages) // 2
    state = folded(messages[:half])
    before = facts(copied(state))
    other = copied(state)
    other.fold_all(messages[half:])
    assert facts(state) == before
    assert facts(other) == facts(folded(messages))


def test_a_long_wait_is_cut_short_on_the_bar_but_places_and_numbers_agree() -> None:
    messages = wire_scenarios.timed(wire_scenarios.flow_done(), 1_000.0)
    messages[5:] = [(at + 3_600, message) for at, message in messages[5:]]
    timeline = Timeline(messages)
    assert timeline.length < LONGEST_WAIT_S + 0.7 * len(messages)
    for number in range(len(messages) + 1):
        assert timeline.number_at(timeline.place_of(number)) == number or number == 0


def test_stops_pass_over_what_nobody_sees_and_marks_name_nodes_and_choices() -> None:
    messages = wire_scenarios.timed(wire_scenarios.flow_done(), 1_000.0)
    timeline = Timeline(messages)
    assert all(not isinstance(messages[stop - 1][1], StatusUpdate) for stop in timeline.stops if stop)
    words = [mark.words for mark in timeline.marks]
    assert "move 1: Look at the failing test" in words
    assert "Green? chose yes" in words
    assert (words[-1], timeline.marks[-1].kind) == ("the flow finished", "finished")
    first = timeline.marks[0].number
    assert timeline.next_mark(first, 1) == timeline.marks[1].number
    assert timeline.next_mark(first, -1) == 0
    assert timeline.next_stop(len(messages), 1) == len(messages)


def test_going_far_back_in_a_long_session_folds_no_more_than_the_way_from_a_checkpoint() -> None:
    messages = wire_scenarios.timed([TextPart(text="x")] * 5_000, 0.0)
    past = StateHistory(messages)
    past.state_at(5_000)
    seen: list[int] = []
    fold_all = UiState.fold_all

    class Counting(UiState):
        pass

    def counting(self: UiState, part: list[wire_scenarios.Timed]) -> None:
        seen.append(len(part))
        fold_all(self, part)

    state = past.state_at(2_000)
    state.__class__ = Counting
    Counting.fold_all = counting  # type: ignore[method-assign, assignment]
    assert len(past.checkpoints) == 5_000 // state_history.EVERY
    assert facts(past.state_at(2_001)) == facts(folded(messages[:2_001]))
