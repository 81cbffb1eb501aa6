"""Random flows, random replies and random orders: what holds of every run."""

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.errors import FlowControlError, ProviderTimeoutError
from kimi_tui.flow.model.graph import Flow, FlowEdge, FlowNode, NodeKind
from kimi_tui.flow.run.journal import Journal, load_runs
from kimi_tui.flow.run.journal_records import Record, RunEnded
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.run_view import fold_run_views
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.flow_events import (
    FlowBegin,
    FlowDecision,
    FlowEnd,
    FlowNodeBegin,
    FlowNodeEnd,
    FlowPaused,
    FlowResumed,
)
from tests.flow.runner_harness import Reply, RunnerHarness


def random_flow(dice: Random) -> Flow:
    """Up to six nodes with up to three ways out each; dead ends, loops and ways back to BEGIN among them."""
    ids = ["BEGIN", *"ABCDEF"[: dice.randint(1, 6)], "END"]
    outgoing: dict[str, tuple[FlowEdge, ...]] = {"END": (), "BEGIN": (FlowEdge("BEGIN", dice.choice(ids[1:])),)}
    for node_id in ids[1:-1]:
        ways = dice.choices((0, 1, 2, 3), (1, 8, 8, 4))[0]
        labels = [None] if ways == 1 else ["yes", "no", "Maybe (later)"]
        outgoing[node_id] = tuple(FlowEdge(node_id, dice.choice(ids), labels[way]) for way in range(ways))
    kinds = {"BEGIN": NodeKind.BEGIN, "END": NodeKind.END}
    nodes = {
        node_id: FlowNode(
            node_id, node_id, kinds.get(node_id, NodeKind.DECISION if len(outgoing[node_id]) > 1 else NodeKind.TASK)
        )
        for node_id in ids
    }
    return Flow(nodes, outgoing, "BEGIN", "END")


def random_reply(dice: Random, act: Callable[[], None]) -> Reply:
    replies: list[Reply] = [
        *["<choice>yes</choice>"] * 6, *["<choice>no</choice>"] * 4, "<choice>maybe later</choice>", "hm", "hm",
        TurnResult("rejected"), TurnResult("cancelled", steps=2), TurnResult("max_steps"), ProviderTimeoutError("late"),
    ]  # fmt: skip

    def reply() -> Reply:
        if dice.random() < 0.3:
            act()
        return dice.choice(replies)

    return reply


def random_order(dice: Random, runner: FlowRunner) -> None:
    """Ask the runner for something; that it is refused is fine."""
    node_id = dice.choice([None, *runner.flow.nodes])
    known = node_id or runner.node_id
    orders: list[Callable[[], object]] = [
        runner.continue_run, runner.continue_run, runner.continue_run, runner.pause, runner.step, runner.skip,
        lambda: runner.toggle_breakpoint(known),
        lambda: runner.choose(dice.choice(["yes", "NO", "nonsense"]), node_id=node_id),
        lambda: runner.choose(None, node_id=node_id),
        lambda: runner.run_again(node_id),
        lambda: runner.jump(known),
        lambda: runner.edit_prompt(known, dice.choice(["x", None])),
        lambda: runner.ask_at_decisions(dice.choice(["never", "always", frozenset({known})])),
    ]  # fmt: skip
    if dice.random() < 0.1:
        orders = [runner.stop]
    with contextlib.suppress(FlowControlError):
        dice.choice(orders)()


async def play(dice: Random, flow: Flow, path: Path, *, resume: RunState | None = None) -> RunnerHarness:
    """One run to its end, or to a cancel after many pauses."""
    harness = RunnerHarness(flow, path=path, interactive=dice.random() < 0.8, max_moves=20, resume=resume)
    harness.script.replies = [random_reply(dice, lambda: random_order(dice, harness.runner))]
    for _ in range(60):
        await harness.until_paused()
        if harness.runner.paused is None:
            break
        random_order(dice, harness.runner)
        random_order(dice, harness.runner)
    await harness.cancel()
    return harness


class Killed(BaseException):
    """Stands for a kill -9: nothing is written or told after it."""


class DyingJournal(Journal):
    """A journal whose process dies with its n-th record, before that is told."""

    def __init__(self, path: Path, records: int) -> None:
        super().__init__(path)
        self.left = records
        self.ended = False

    def append(self, record: Record) -> None:
        if self.left > 0:
            super().append(record)
            self.left -= 1
            if self.left == 0:
                self.ended = isinstance(record, RunEnded)
                raise Killed


async def play_until_killed(dice: Random, flow: Flow, path: Path, resume: RunState | None) -> RunnerHarness:
    """As `play`, with a kill somewhere, or not."""
    journal = DyingJournal(path, dice.randint(1, 25))
    harness = RunnerHarness(
        flow, path=path, max_moves=20, resume=resume, journal=journal, is_alive=lambda: journal.left > 0
    )

    def act() -> None:
        if journal.left:
            random_order(dice, harness.runner)

    harness.script.replies = [random_reply(dice, act)]
    with contextlib.suppress(Killed):
        for _ in range(30):
            await harness.until_paused()
            if harness.runner.paused is None or not journal.left:
                break
            random_order(dice, harness.runner)
        await harness.cancel()
    journal.close()
    return harness


def check_order(messages: list[WireMessage], before: RunState | None) -> None:
    """The messages of one process come in an order that makes sense."""
    assert isinstance(messages[0], FlowBegin)
    assert isinstance(messages[-1], FlowEnd)
    moves = 0 if before is None else before.moves
    goes_on = before is not None and before.entered and before.stop in (None, "finished")
    open_node = (before.node_id, before.moves) if before is not None and goes_on else None
    paused = False
    for message in messages[1:-1]:
        match message:
            case FlowNodeBegin():
                assert not paused
                assert open_node in (None, (message.node_id, message.move))
                assert message.move in (moves, moves + 1)
                assert message.attempt == 1 or message.move == moves
                moves = message.move
                open_node = (message.node_id, message.move)
            case FlowNodeEnd():
                assert open_node == (message.node_id, message.move)
                open_node = None
            case FlowDecision():
                assert not paused
            case FlowPaused():
                assert not paused
                paused = True
            case FlowResumed():
                assert paused
                paused = False
            case FlowBegin() | FlowEnd():
                raise AssertionError("a run begins and ends once")
            case _:
                pass
    assert open_node is None
    assert messages[-1].moves == moves


@settings(max_examples=80, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
async def test_every_run_keeps_its_promises(seed: int) -> None:
    dice = Random(seed)
    flow = random_flow(dice)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flow.jsonl"
        stages: list[RunnerHarness] = []
        for _ in range(3):
            last = stages[-1].runner.state if stages else None
            if last is not None and not last.can_resume:
                break
            stages.append(await play(dice, flow, path, resume=last))
            state = stages[-1].runner.state
            check_order(stages[-1].sent, last)
            assert stages[-1].journalled() == state
            assert state.moves <= 20
            assert sum(state.visits.values()) == state.moves
            assert all(decision.choice for decision in state.decisions)
            (picture,) = fold_run_views((0.0, message) for harness in stages for message in harness.sent)
            assert (picture.moves, picture.status) == (state.moves, state.status)
            assert {node.id: node.visits for node in picture.nodes.values() if node.visits} == state.visits
            assert [(d.node_id, d.choice, d.dst, d.by, d.move) for d in picture.decisions] == [
                (d.node_id, d.choice, d.dst, d.by, d.move) for d in state.decisions
            ]
            assert picture.breakpoints == state.breakpoints
            assert picture.chosen == state.chosen
            assert {n.id: n.steps for n in picture.nodes.values() if n.steps} == {
                node_id: spent.steps for node_id, spent in state.node_usage.items() if spent.steps
            }
            if state.status == "finished":
                assert picture.node_id == state.node_id == "END"


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
async def test_a_run_that_is_killed_again_and_again_loses_nothing(seed: int) -> None:
    dice = Random(seed)
    flow = random_flow(dice)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flow.jsonl"
        stages: list[RunnerHarness] = []
        last: RunState | None = None
        for _ in range(5):
            if last is not None and not last.can_resume:
                break
            stages.append(await play_until_killed(dice, flow, path, last))
            (last,) = load_runs(path)
        if last is not None and last.can_resume:
            stages.append(await play(dice, flow, path, resume=last))
            (last,) = load_runs(path)
        assert last is not None
        assert sum(last.visits.values()) == last.moves
        pictures = fold_run_views((0.0, message) for harness in stages for message in harness.sent)
        if last.status == "finished" and not any(
            message for message in stages[-1].sent if isinstance(message, FlowEnd)
        ):
            return  # killed after the very last record: there is no resume that could tell the rest
        (picture,) = pictures
        assert {node.id: node.visits for node in picture.nodes.values() if node.visits} == last.visits
        assert [(d.node_id, d.choice, d.by, d.move) for d in picture.decisions] == [
            (d.node_id, d.choice, d.by, d.move) for d in last.decisions
        ]
        if any(isinstance(harness.journal, DyingJournal) and harness.journal.ended for harness in stages):
            return  # what was spent on a node that the end cut off is told with the end only
        assert {n.id: n.steps for n in picture.nodes.values() if n.steps} == {
            node_id: spent.steps for node_id, spent in last.node_usage.items() if spent.steps
        }
