"""Nodes with commands in a run, with a scripted end of each command."""

import pytest

from kimi_tui.errors import FlowControlError
from kimi_tui.flow import build_flow, read_mermaid
from kimi_tui.flow.run.journal import Journal, load_runs
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.turn_protocol import CommandEnd, TurnResult
from kimi_tui.wire.flow_events import FlowDecision, FlowNodeEnd
from tests.flow.runner_harness import RunnerHarness, Script

BRANCHES = (
    "B([BEGIN]) --> test[Run the tests.]", "test -->|ok| E([END])", "test -->|failed| fix[Fix: ${test.output}]",
    "fix --> test", 'test@{ run: "make test" }',
)  # fmt: skip
SINGLE = ("B([BEGIN]) --> test[Run the tests.] --> E([END])", 'test@{ run: "make test" }')


class Commands:
    """Ends commands by a list; the last end is given again and again."""

    def __init__(self, *ends):
        self.ends = list(ends)
        self.calls = []

    async def run_command(self, call):
        self.calls.append(call)
        end = self.ends.pop(0) if len(self.ends) > 1 else self.ends[0]
        if isinstance(end, BaseException):
            raise end
        return end if isinstance(end, CommandEnd) else CommandEnd("finished", end, f"status {end}\n\n")


def flow_of(*lines):
    return build_flow(read_mermaid("\n".join(("flowchart TD", *lines))))


class Run(RunnerHarness):
    def __init__(self, lines, *ends, replies=("ok",), path=None, resume=None, interactive=False, args=""):
        flow = flow_of(*lines)
        super().__init__(flow, replies, path=path)
        self.commands = Commands(*ends)
        self.runner = FlowRunner(
            flow, name="test", taker=self.script, send=self._take, interactive=interactive, args=args, text="x",
            journal=None if path is None else Journal(path), resume=resume, commands=self.commands,
        )  # fmt: skip


async def test_the_exit_status_chooses_the_branch_without_a_turn_of_the_model():
    run = Run(BRANCHES, 2, 0)
    assert (await run.run()).status == "finished"
    assert run.way == ["test", "fix", "test"]
    assert [(one.choice, one.dst) for one in run.sent if isinstance(one, FlowDecision)] == [
        ("failed", "fix"), ("ok", "E"),
    ]  # fmt: skip
    assert [one.exit_status for one in run.sent if isinstance(one, FlowNodeEnd)] == [2, None, 0]
    assert run.script.prompts == ["Fix: status 2"]


async def test_a_command_without_branches_goes_on_with_status_0_and_else_fails():
    assert (await Run(SINGLE, 0).run()).status == "finished"
    outcome = await Run(SINGLE, 3).run()
    assert (outcome.status, outcome.reason) == ("failed", "test: the command ended with status 3")


async def test_a_failed_command_without_a_branch_pauses_where_a_user_is():
    run = Run(SINGLE, 3, 0, interactive=True)
    await run.until_paused()
    assert run.runner.paused is not None
    assert (run.runner.paused.reason, run.runner.paused.detail) == ("failed", "the command ended with status 3")
    run.runner.continue_run()
    await run.until_paused()
    assert (await run.outcome()).status == "finished"


async def test_without_a_user_the_error_of_a_failed_command_names_its_node():
    outcome = await Run(SINGLE, 3).run()
    assert (outcome.status, str(outcome.error)) == ("failed", "test: the command ended with status 3")


async def test_a_failed_command_is_repeated_as_often_as_its_retries_say():
    lines = (*SINGLE[:1], 'test@{ run: "make test", retries: 2 }')
    run = Run(lines, 1, 1, 0)
    assert (await run.run()).status == "finished"
    assert run.way == ["test", "test#2", "test#3"]
    assert [call.attempt for call in run.commands.calls] == [1, 2, 3]
    run = Run(lines, 1)
    assert (await run.run()).status == "failed"
    assert len(run.commands.calls) == 3


async def test_the_failed_branch_is_taken_when_the_retries_are_spent():
    run = Run((*BRANCHES[:-1], 'test@{ run: "make test", retries: 1 }'), 1, 1, 0)
    await run.run()
    assert run.way == ["test", "test#2", "fix", "test"]


@pytest.mark.parametrize("end", [CommandEnd("rejected", detail="no"), CommandEnd("cancelled")])
async def test_a_command_that_did_not_run_is_no_failure(end):
    run = Run((*BRANCHES[:-1], 'test@{ run: "make test", retries: 3 }'), end)
    outcome = await run.run()
    assert outcome.status == ("stopped" if end.stop == "rejected" else "cancelled")
    assert run.way == ["test"]


async def test_a_command_without_a_status_takes_the_failed_branch():
    run = Run(BRANCHES, CommandEnd("failed", detail="out of time"), 0)
    assert (await run.run()).status == "finished"
    assert run.way == ["test", "fix", "test"]


async def test_a_command_whose_end_is_recorded_never_runs_again(tmp_path):
    """The process dies after each record: the resumed run goes on as if nothing had happened."""
    path = tmp_path / "flow.jsonl"
    whole = Run(BRANCHES, 1, 0, path=path)
    await whole.run()
    records = path.read_bytes().splitlines(keepends=True)
    for cut in range(1, len(records)):
        path.write_bytes(b"".join(records[:cut]))
        (state,) = load_runs(path)
        ended = sum(b'"r":"turn"' in line.replace(b" ", b"") and b'"node":"test"' in line.replace(b" ", b"")
                    for line in records[:cut])  # fmt: skip
        again = Run(BRANCHES, *([1, 0][ended:] or [0]), path=path, resume=state)
        outcome = await again.run()
        assert outcome.status == "finished"
        assert len(again.commands.calls) == 2 - ended
        assert load_runs(path)[-1].visits == {"test": 2, "fix": 1}


async def test_the_values_of_a_node_survive_a_restart(tmp_path):
    path = tmp_path / "flow.jsonl"
    await Run(BRANCHES, 1, 0, path=path).run()
    lines = path.read_text().splitlines(keepends=True)[:4]
    path.write_text("".join(lines))
    (state,) = load_runs(path)
    assert state.values == {"test": {"output": "status 1"}}
    run = Run(BRANCHES, 0, path=path, resume=state)
    await run.run()
    assert run.script.prompts == ["Fix: status 1"]


async def test_only_values_that_a_variable_refers_to_are_kept(tmp_path):
    path = tmp_path / "flow.jsonl"
    await Run(SINGLE, 0, path=path).run()
    assert "values" not in path.read_text()


async def test_the_words_of_the_user_and_texts_of_nodes_reach_a_command_as_values():
    lines = ("B([BEGIN]) --> plan[Plan it.] --> tag[Tag it.] --> E([END])",
             'tag@{ run: "git tag ${ARGS} -m ${plan.text}" }')  # fmt: skip
    run = Run(lines, 0, replies=("$(id) said",), args="v1; id")
    await run.run()
    (call,) = run.commands.calls
    assert call.command.line == 'git tag "${KT_1}" -m "${KT_2}"'
    assert dict(call.command.env) == {"KT_1": "v1; id", "KT_2": "$(id) said"}
    assert call.command.shown == "git tag 'v1; id' -m '$(id) said'"


async def test_the_request_of_the_user_goes_to_the_first_turn_of_the_model():
    lines = ("B([BEGIN]) --> test[Run it.] --> say[Say it.] --> E([END])", 'test@{ run: "true" }')
    run = Run(lines, 0, args="make it so")
    await run.run()
    assert run.script.prompts == ["The request of the user:\nmake it so\n\nSay it."]


async def test_a_value_that_is_too_long_stops_the_run_before_the_command():
    lines = ("B([BEGIN]) --> plan[Plan it.] --> tag[Tag it.] --> E([END])", 'tag@{ run: "git tag ${plan.text}" }')
    run = Run(lines, 0, replies=("x" * 70_000,))
    outcome = await run.run()
    assert (outcome.status, run.commands.calls) == ("stopped", [])
    assert "longer than 64 KiB" in (outcome.reason or "")


async def test_a_branch_chosen_in_advance_is_taken_whatever_the_status_is():
    run = Run(BRANCHES, 1)
    run.runner.choose("ok", node_id="test")
    assert (await run.run()).status == "finished"
    assert [(one.choice, one.by) for one in run.sent if isinstance(one, FlowDecision)] == [("ok", "user")]


async def test_the_prompt_of_a_command_cannot_be_edited():
    run = Run(SINGLE, 0)
    with pytest.raises(FlowControlError, match="runs a command"):
        run.runner.edit_prompt("test", "rm -rf /")


async def test_without_a_runner_of_commands_none_runs():
    flow = flow_of(*SINGLE)
    outcome = await FlowRunner(flow, name="x", taker=Script(["ok"]), send=lambda _: None, interactive=False).run()
    assert (outcome.status, outcome.reason) == ("stopped", "test: commands cannot run here")


async def test_a_failed_turn_of_the_model_is_repeated_and_told_why():
    lines = ("B([BEGIN]) --> a[Work.] --> E([END])", "a@{ retries: 1 }")
    run = Run(lines, 0, replies=(TurnResult("failed", "the service is down"), "done"))
    assert (await run.run()).status == "finished"
    assert run.script.prompts == ["Work.", "Work.\n\nThis is attempt 2; the previous one failed: the service is down"]


async def test_a_decision_with_retries_takes_its_failed_branch_when_they_are_spent():
    lines = ("B([BEGIN]) --> a{Work?}", "a -->|done| E([END])", "a -->|failed| b[Look.]", "b --> E", "a@{ retries: 1 }")
    down = TurnResult("failed", "down")
    run = Run(lines, 0, replies=(down, down, "looked"))
    assert (await run.run()).status == "finished"
    assert run.way == ["a", "a#2", "b"]
    run = Run(lines[:-1], 0, replies=(down, down, "looked"))
    assert (await run.run()).status == "failed"
