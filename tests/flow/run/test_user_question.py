"""Decisions that the user takes (`ask: human`): with a user, without one, and with a time limit."""

import asyncio

import pytest

from kimi_tui.errors import FlowControlError
from kimi_tui.flow import build_flow, read_mermaid
from kimi_tui.flow.run.journal import Journal, load_runs
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.user_question import MAX_SHOWN, seconds_left
from kimi_tui.wire.flow_events import FlowDecision, FlowPaused
from tests.flow.runner_harness import RunnerHarness

CHART = (
    "B([BEGIN]) --> draft[Draft it.] --> ship{Ship ${ARGS}?}",
    "ship -->|yes| send[Send it.]",
    "ship -->|no| draft",
    "send --> E([END])",
)
GATE = "ship@{ ask: human }"


class Answers(list):
    def record_answer(self, question, choice, *, by_default):
        self.append((question, choice, by_default))


class Run(RunnerHarness):
    def __init__(
        self, gate=GATE, path=None, resume=None, interactive=True, clock=None, reply="ok", label="Ship ${ARGS}?"
    ):
        chart = "\n".join(("flowchart TD", *CHART, gate)).replace("Ship ${ARGS}?", label)
        flow = build_flow(read_mermaid(chart))
        super().__init__(flow, (reply,), path=path)
        self.answers = Answers()
        fields = {} if clock is None else {"wall_clock": clock}
        self.runner = FlowRunner(
            flow, name="test", taker=self.script, send=self._take, interactive=interactive, args="v1", text="x",
            journal=None if path is None else Journal(path), resume=resume, answers=self.answers, **fields,
        )  # fmt: skip


async def test_the_user_takes_the_branch_without_a_turn_of_the_model():
    run = Run()
    await run.until_paused()
    paused = run.runner.paused
    assert paused is not None
    assert (run.runner.node_id, paused.reason, run.script.prompts[1:]) == ("ship", "choice", [])
    run.runner.choose("no")
    await run.until_paused()
    run.runner.choose("yes")
    await run.until_paused()
    assert (await run.outcome()).status == "finished"
    assert run.way == ["draft", "ship", "draft", "ship", "send"]
    assert [(one.choice, one.by) for one in run.sent if isinstance(one, FlowDecision)] == [
        ("no", "user"), ("yes", "user"),
    ]  # fmt: skip
    assert run.answers == [("Ship v1?", "no", False), ("Ship v1?", "yes", False)]


@pytest.mark.parametrize(
    ("label", "reply", "question"),
    [
        ("Ship ${draft.text}?", "the draft of ${ARGS}", "Ship the draft of ${ARGS}?"),
        ("Ship ${ARGS}?", "ok", "Ship v1?"),
        ("Ship it?", "ok", None),
        ("${draft.text}", "x" * (MAX_SHOWN + 1), "x" * (MAX_SHOWN - 1) + "…"),
    ],
    ids=["a value", "the args", "no variable", "a long value"],
)
async def test_a_question_is_shown_with_the_values_of_its_variables(label, reply, question):
    run = Run(reply=reply, label=label)
    await run.until_paused()
    assert [one.question for one in run.sent if isinstance(one, FlowPaused)] == [question]


def test_a_clock_that_was_set_back_makes_no_wait_longer_than_its_timeout():
    run = Run("ship@{ ask: human, timeout: 1h, default: yes }")
    state, node = run.runner._state, run.runner._flow.nodes["ship"]
    state.entered_at = 1_000_000.0
    assert [seconds_left(run.runner._flow, state, node, at) for at in (0.0, 1_000_000.0, 1_000_001.0)] == [
        3600.0, 3600.0, 3599.0,
    ]  # fmt: skip


async def test_going_on_without_a_choice_is_refused():
    run = Run()
    await run.until_paused()
    with pytest.raises(FlowControlError, match="waits for your choice"):
        run.runner.continue_run()
    run.runner.stop()
    assert (await run.outcome()).status == "stopped"


async def test_a_branch_chosen_in_advance_is_taken_without_a_pause():
    run = Run(interactive=False)
    run.runner.choose("yes", node_id="ship")
    assert (await run.run()).status == "finished"
    assert run.answers == [("Ship v1?", "yes", False)]


async def test_without_a_user_the_run_waits_and_can_be_resumed_with_a_choice(tmp_path):
    path = tmp_path / "flow.jsonl"
    outcome = await Run(path=path, interactive=False).run()
    assert outcome.status == "cancelled"
    assert outcome.question is not None
    assert (outcome.question.node_id, outcome.question.question) == ("ship", "Ship v1?")
    assert outcome.question.choices == ("yes", "no")
    (state,) = load_runs(path)
    assert (state.open, state.node_id, state.entered) == (True, "ship", True)
    again = Run(path=path, interactive=False, resume=state)
    assert (await again.run()).question == outcome.question
    (state,) = load_runs(path)
    last = Run(path=path, interactive=False, resume=state)
    last.runner.choose("yes", node_id="ship")
    assert (await last.run()).status == "finished"
    assert (last.way, last.script.prompts) == (["send"], ["Send it."])


async def test_a_run_cut_off_after_any_record_asks_once_more_and_no_more(tmp_path):
    path = tmp_path / "flow.jsonl"
    whole = Run(path=path)
    await whole.until_paused()
    whole.runner.choose("yes")
    await whole.until_paused()
    await whole.outcome()
    records = path.read_bytes().splitlines(keepends=True)
    for cut in range(1, len(records)):
        path.write_bytes(b"".join(records[:cut]))
        (state,) = load_runs(path)
        chosen = any(b'"r":"choice"' in line.replace(b" ", b"") for line in records[:cut])
        again = Run(path=path, resume=state)
        await again.until_paused()
        assert (again.runner.paused is not None) == (not chosen), cut
        if not chosen:
            again.runner.choose("yes")
            await again.until_paused()
        assert (await again.outcome()).status == "finished"


async def test_the_default_is_taken_at_the_deadline():
    run = Run("ship@{ ask: human, timeout: 10ms, default: yes }")
    async with asyncio.timeout(20):
        assert (await run.run()).status == "finished"
    assert run.answers == [("Ship v1?", "yes", True)]
    (decision,) = [one for one in run.sent if isinstance(one, FlowDecision)]
    assert (decision.by, decision.by_default) == ("model", True)


async def test_a_deadline_that_passes_while_the_machine_is_suspended_is_taken_soon_after(monkeypatch):
    monkeypatch.setattr("kimi_tui.flow.run.runner.LONGEST_WAIT", 0.01)
    now = 1_000_000.0
    run = Run("ship@{ ask: human, timeout: 1h, default: yes }", clock=lambda: now)
    await run.until_paused()
    run.runner.state.entered_at = now
    assert run.runner.paused is not None
    now += 3601  # the machine slept; no timer has moved
    async with asyncio.timeout(20):
        assert (await run.outcome()).status == "finished"
    assert run.answers == [("Ship v1?", "yes", True)]


async def test_a_pause_before_a_question_has_no_deadline():
    run = Run("ship@{ ask: human, timeout: 10ms, default: yes }")
    run.runner.toggle_breakpoint("ship")
    await run.until_paused()
    await asyncio.sleep(0.05)
    assert [one.reason for one in run.sent if isinstance(one, FlowPaused)] == ["breakpoint"]
    run.runner.continue_run()
    assert (await run.outcome()).status == "finished"
    assert run.answers == [("Ship v1?", "yes", True)]


async def test_a_default_may_be_the_value_of_a_variable():
    run = Run('ship@{ ask: human, timeout: 10ms, default: "${draft.text}" }', reply="Yes.")
    async with asyncio.timeout(20):
        assert (await run.run()).status == "finished"
    assert run.answers == [("Ship v1?", "yes", True)]


async def test_a_default_that_names_no_branch_keeps_waiting(tmp_path):
    path = tmp_path / "flow.jsonl"
    gate = 'ship@{ ask: human, timeout: 1ms, default: "${draft.text}" }'
    assert (await Run(gate, path=path, interactive=False, reply="perhaps").run()).question is not None
    (state,) = load_runs(path)
    late = Run(gate, path=path, interactive=False, resume=state, clock=lambda: state.entered_at + 10)
    assert (await late.run()).question is not None


async def test_a_deadline_that_passed_while_the_program_was_down_is_taken_on_resume(tmp_path):
    path = tmp_path / "flow.jsonl"
    gate = "ship@{ ask: human, timeout: 1h, default: yes }"
    assert (await Run(gate, path=path, interactive=False).run()).question is not None
    (state,) = load_runs(path)
    early = Run(gate, path=path, interactive=False, resume=state, clock=lambda: state.entered_at + 3599)
    assert (await early.run()).question is not None
    (state,) = load_runs(path)
    late = Run(gate, path=path, interactive=False, resume=state, clock=lambda: state.entered_at + 3601)
    assert (await late.run()).status == "finished"
    assert load_runs(path)[-1].decisions[-1].by == "default"


async def test_a_time_limit_without_a_default_keeps_waiting(tmp_path):
    path = tmp_path / "flow.jsonl"
    for gate in ("ship@{ ask: human, timeout: 1ms }", "ship@{ ask: human, timeout: 1ms, default: park }"):
        assert (await Run(gate, path=path, interactive=False).run()).question is not None
