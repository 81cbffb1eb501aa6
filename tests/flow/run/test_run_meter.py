"""The meter of a run: what is recorded survives, and older versions still read the journal."""

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.config.budget import Budget
from kimi_tui.errors import BudgetError, BudgetReachedError
from kimi_tui.flow.run.journal import load_runs
from kimi_tui.flow.run.journal_records import NodeEntered, ReplyReceived, RunStarted, TurnFinished, load_record
from kimi_tui.flow.run.run_meter import BudgetSetup
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.spending import Prices, Spent, make_prices, raised_budget, reached, spending_text
from kimi_tui.wire.flow_events import FlowSpending
from kimi_tui.wire.parts import TokenUsage
from tests.flow.runner_harness import RunnerHarness, flow_of

LINE = flow_of("BEGIN -> A", "A -> B", "B -> END")
USAGE = TokenUsage(input_other=90, output=10, input_cache_read=5, input_cache_creation=20)


def spending_harness(tmp_path: Path, budget: Budget, *, interactive: bool = True, **setup) -> RunnerHarness:
    """A run of two nodes, whose turns use 120 tokens each."""
    made = RunnerHarness(
        LINE, path=tmp_path / "flow.jsonl", interactive=interactive, budget=BudgetSetup(budget, **setup)
    )

    def spend() -> str:
        made.runner.meter.record("m", USAGE, estimated=False)
        return "done"

    made.script.replies = [spend]
    return made


async def test_the_journal_has_the_spend_that_the_run_had(tmp_path: Path) -> None:
    made = spending_harness(tmp_path, Budget(tokens=10_000), prices=lambda _: Prices(1.0, 2.0))
    assert (await made.run()).status == "finished"
    (stored,) = load_runs(tmp_path / "flow.jsonl")
    assert (stored.spent.replies, stored.spent.tokens, stored.spent.usage) == (2, 240, USAGE + USAGE)
    assert stored.spent.cost == pytest.approx(2 * (110 * 1.0 + 5 * 1.0 + 10 * 2.0) / 1e6)
    assert stored.spent.at_most
    assert stored == made.runner.state


async def test_without_the_new_records_a_journal_is_as_before(tmp_path: Path) -> None:
    """A version that drops unknown records and fields stands at the same node of the same run."""
    made = spending_harness(tmp_path, Budget(tokens=100), interactive=False)
    await made.run()
    lines = [json.loads(line) for line in (tmp_path / "flow.jsonl").read_text("utf-8").splitlines()]
    known = [line for line in lines if line["r"] not in ("reply", "budget")]
    for line in known:
        line.pop("over_budget", None)
    (tmp_path / "older.jsonl").write_text("".join(json.dumps(line) + "\n" for line in known), "utf-8")
    (now,), (older,) = load_runs(tmp_path / "flow.jsonl"), load_runs(tmp_path / "older.jsonl")
    assert (older.node_id, older.moves, older.visits, older.status) == (now.node_id, now.moves, now.visits, "cancelled")
    assert {line["reason"] for line in known if line["r"] == "pause"} <= {"user", "cancelled"}
    assert (older.spent, older.budget) == (Spent(seconds=older.spent.seconds), Budget())


async def test_a_run_that_died_in_a_turn_keeps_its_working_time_and_its_replies(tmp_path: Path) -> None:
    start = RunStarted(run="r", name="x", source="mermaid", text="", sha256="", max_moves=9, node="A", args="")
    state = RunState.from_start(start)
    for record in (
        NodeEntered(run="r", node="A", move=1),
        ReplyReceived(run="r", node="A", usage=USAGE, turn_s=3.0),
        NodeEntered(run="r", node="A", move=1),
        ReplyReceived(run="r", node="A", usage=USAGE, turn_s=1.0),
        TurnFinished(run="r", node="A", move=1, stop="finished", duration_s=2.0, to="B"),
    ):
        state.apply(record)
    assert (state.spent.replies, state.spent.seconds) == (2, 5.0)


async def test_a_cost_cap_needs_prices_of_earlier_replies_too(tmp_path: Path) -> None:
    made = spending_harness(tmp_path, Budget(tokens=100), interactive=False)
    await made.run()
    (stored,) = load_runs(tmp_path / "flow.jsonl")
    for prices, status in ((lambda _: None, "failed"), (lambda _: Prices(1.0, 2.0), "cancelled")):
        again = RunnerHarness(LINE, resume=stored, interactive=False, budget=BudgetSetup(Budget(cost=0.0001), prices))
        outcome = await again.run()
        assert outcome.status == status
        assert isinstance(outcome.error, BudgetError) is (status == "failed")


async def test_all_waiting_requests_go_on_when_the_budget_is_raised_enough(tmp_path: Path) -> None:
    made = spending_harness(tmp_path, Budget(tokens=100))
    await made.until_paused()
    meter = made.runner.meter
    waiting = [asyncio.create_task(meter.admit("m")) for _ in range(3)]
    await asyncio.sleep(0)
    assert (meter.held, made.sent[-1]) == (
        True,
        next(one for one in reversed(made.sent) if isinstance(one, FlowSpending)),
    )
    made.runner.raise_budget(Budget(tokens=130))
    meter.record("m", USAGE, estimated=False)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not any(task.done() for task in waiting)
    made.runner.raise_budget(Budget(tokens=1000))
    await asyncio.gather(*waiting)
    assert not meter.held
    meter.end()
    with pytest.raises(BudgetReachedError):
        await meter.admit("m")


@given(
    st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9)), max_size=20),
    st.integers(1, 10**10),
)
def test_a_proposed_budget_is_never_reached_yet(usages: list[tuple[int, int, int]], cap: int) -> None:
    spent = Spent()
    for uncached, cached, output in usages:
        usage = TokenUsage(input_other=uncached, input_cache_read=cached, output=output)
        spent = spent.add("m", usage, Prices(1.0, 2.0).cost(usage))
    budget = Budget(cost=cap / 1e6, tokens=cap)
    assert spent.tokens == sum(uncached + output for uncached, _, output in usages)
    assert reached(spent, budget.changed(raised_budget(spent, budget))) is None
    assert spending_text(spent, budget)


def test_what_is_used_has_the_unit_of_its_cap() -> None:
    used = Spent(usage=TokenUsage(output=2_540), seconds=72.3)
    assert (
        spending_text(used, Budget(tokens=2_000, seconds=3_600)) == "2,540 of 2,000 tokens · 1m 12s of 1h working time"
    )
    assert spending_text(Spent(seconds=0.13), Budget(seconds=90)) == "0.1s of 1m 30s working time"


@pytest.mark.parametrize("prices", [(None, 1.0), (1.0, None), (-1.0, 1.0), (float("nan"), 1.0), (1.0, float("inf"))])
def test_prices_that_are_none_cap_nothing(prices: tuple[float | None, float | None]) -> None:
    assert make_prices(*prices) is None


@pytest.mark.parametrize("line", [
    {"r": "reply", "run": "r", "node": "A", "usage": {"output": 1}, "cost": float("nan"), "turn_s": -5},
    {"r": "budget", "run": "r", "tokens": 0, "cost": -1, "seconds": float("nan")},
])  # fmt: skip
def test_odd_figures_in_a_journal_break_nothing(line: dict[str, object]) -> None:
    state = RunState.from_start(
        RunStarted(run="r", name="x", source="mermaid", text="", sha256="", max_moves=9, node="A")
    )
    record = load_record(line)
    assert record is not None
    state.apply(record)
    assert spending_text(state.spent, state.budget) is not None
    assert isinstance(state.is_over_budget, bool)
