"""Decisions that a value takes (`on`), without a turn of the model."""

import pytest

from kimi_tui.flow import build_flow, read_mermaid
from kimi_tui.flow.run.journal import Journal, load_runs
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.turn_protocol import CommandEnd
from tests.flow.runner_harness import RunnerHarness

CHART = (
    "B([BEGIN]) --> size[How large is it?] --> route{How large}",
    "route -->|small| fix[Fix it.] --> E([END])",
    "route -->|large| split[Split it.] --> E",
    'route@{ on: "${size.text}" }',
)
OTHERS = ("route -->|else| ask[Ask.] --> E",)


class Run(RunnerHarness):
    def __init__(self, *lines, replies, path=None, resume=None):
        flow = build_flow(read_mermaid("\n".join(("flowchart TD", *lines))))
        super().__init__(flow, replies, path=path)
        self.runner = FlowRunner(
            flow, name="test", taker=self.script, send=self._take, interactive=False, text="x",
            journal=None if path is None else Journal(path), resume=resume, commands=self,
        )  # fmt: skip

    async def run_command(self, call):
        return CommandEnd("finished", 0, "large\n")


@pytest.mark.parametrize(
    ("value", "way"), [("small", "fix"), (" large\n", "split"), ("huge", "ask"), ("", "ask"), ("Small", "ask")]
)
async def test_a_value_takes_the_branch_of_its_name_or_else(value, way):
    run = Run(*CHART, *OTHERS, replies=(value, "done"))
    assert (await run.run()).status == "finished"
    assert run.way == ["size", "route", way]
    assert len(run.script.prompts) == 2


async def test_a_value_without_a_branch_is_a_failure():
    outcome = await Run(*CHART, replies=("huge",)).run()
    assert (outcome.status, outcome.reason) == ("failed", "route: no branch for the value `huge`")


async def test_the_output_of_a_command_takes_a_branch():
    lines = [line.replace("size.text", "size.output") for line in CHART]
    run = Run(*lines, 'size@{ run: "./size" }', replies=("done",))
    assert (await run.run()).status == "finished"
    assert run.way == ["size", "route", "split"]
    assert run.script.prompts == ["Split it."]


async def test_a_branch_chosen_in_advance_is_taken_before_the_value():
    run = Run(*CHART, replies=("small", "done"))
    run.runner.choose("large", node_id="route")
    await run.run()
    assert run.way == ["size", "route", "split"]


async def test_a_switch_is_taken_alike_after_a_restart(tmp_path):
    path = tmp_path / "flow.jsonl"
    await Run(*CHART, replies=("small", "done"), path=path).run()
    records = path.read_bytes().splitlines(keepends=True)
    for cut in range(4, len(records)):
        path.write_bytes(b"".join(records[:cut]))
        (state,) = load_runs(path)
        again = Run(*CHART, replies=("done",), path=path, resume=state)
        assert (await again.run()).status == "finished"
        assert load_runs(path)[-1].visits == {"size": 1, "route": 1, "fix": 1}, cut
        assert [(one.choice, one.by) for one in load_runs(path)[-1].decisions] == [("small", "switch")]
