"""Typed results of nodes (`out`): the type's model, the values, and a run that asks for them."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from kimi_tui.flow import build_flow, read_mermaid
from kimi_tui.flow.model.command_template import CommandTemplateError, read_command
from kimi_tui.flow.model.result_type import read_result_type
from kimi_tui.flow.run.journal import Journal, load_runs
from kimi_tui.flow.run.node_result import ResultRule, recorded, result_line, result_values
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.turn_protocol import CommandEnd, TurnResult
from kimi_tui.wire.flow_events import FlowDecision, FlowNodeEnd
from tests.flow.model.test_command_template import GROUPS, LINES, NASTY, run_in_bash
from tests.flow.runner_harness import RunnerHarness

RULE = ResultRule(
    read_result_type("severity: low | mid | high, files: [text], score?: number, sure: bool, json: int, copy?: [a | b]")
)
GIVEN = {"severity": "high", "files": ["a.py", "b c"], "sure": True, "json": 3}


def test_a_result_of_the_type_is_read_and_each_field_has_a_value():
    assert RULE.read(GIVEN) == GIVEN
    assert result_values(RULE, RULE.read({**GIVEN, "score": "0.5", "copy": ["a"]})) == {
        "severity": "high", "files": '["a.py", "b c"]', "score": "0.5", "sure": "true", "json": "3", "copy": '["a"]',
    }  # fmt: skip
    assert result_values(RULE, RULE.read(GIVEN))["score"] == ""
    assert result_line(GIVEN) == 'severity: high · files: ["a.py", "b c"] · sure: true · json: 3'


@pytest.mark.parametrize(
    "change",
    [{"severity": "huge"}, {"files": "a.py"}, {"files": [1]}, {"sure": "perhaps"}, {"json": 1.5}, {"more": 1},
     {"score": float("nan")}, {"copy": ["c"]}, {"field_0": "low"}],
)  # fmt: skip
def test_a_result_of_another_type_is_refused(change):
    with pytest.raises(ValidationError):
        RULE.read({**GIVEN, **change})


@pytest.mark.parametrize("missing", ["severity", "files", "sure", "json"])
def test_a_result_without_a_required_field_is_refused(missing):
    with pytest.raises(ValidationError, match=missing):
        RULE.read({name: value for name, value in GIVEN.items() if name != missing})


def test_the_choice_of_a_decision_is_a_required_field_with_the_labels():
    rule = ResultRule(read_result_type("why: text"), ("yes", "not yet"))
    assert rule.read({"why": "x", "choice": "not yet"})["choice"] == "not yet"
    for wrong in ({"why": "x"}, {"why": "x", "choice": "no"}):
        with pytest.raises(ValidationError):
            rule.read(wrong)


NAMES = st.from_regex(r"[a-z][A-Za-z0-9_]{0,6}", fullmatch=True) | st.sampled_from(
    ["model_config", "json", "copy", "schema", "dict", "validate", "model_fields", "self", "class", "model_x"]
)
TYPES = st.sampled_from(["text", "int", "number", "bool", "a | b", "[text]", "[x | y z]", "[number]"])


@settings(derandomize=True, max_examples=60, deadline=None)
@given(fields=st.dictionaries(NAMES, st.tuples(st.booleans(), TYPES), min_size=1, max_size=5), decides=st.booleans())
def test_the_example_of_any_type_is_a_result_of_it(fields, decides):
    text = ", ".join(f"{name}{'?' if optional else ''}: {kind}" for name, (optional, kind) in fields.items())
    try:
        rule = ResultRule(read_result_type(text), ("one", "two") if decides else ())
    except ValueError:  # a reserved name
        return
    example = rule.example()
    assert rule.read(json.loads(json.dumps(example))) == example


def test_a_very_long_result_is_recorded_short():
    short = recorded({"a": "x" * 20_000, "b": ["y" * 900] * 100, "c": 1})
    assert len(json.dumps(short)) < 16_000
    assert short["c"] == 1
    assert recorded(GIVEN) == GIVEN


CHART = (
    "B([BEGIN]) --> find[Find it.] --> judge{Is ${find.file} bad?}",
    "judge -->|yes| fix[Fix ${find.file}: ${judge.why}] --> E([END])",
    "judge -->|no| E",
    'find@{ out: "file: text, count: int" }',
    'judge@{ out: "why: text" }',
)
FOUND = TurnResult("finished", "Found.", 1, result={"file": "a.py", "count": 2})
BAD = TurnResult("finished", "<choice>no</choice>", 1, result={"why": "It is wrong.", "choice": "yes"})


class Run(RunnerHarness):
    def __init__(self, *replies, lines=CHART, path=None, resume=None, interactive=False, **fields):
        flow = build_flow(read_mermaid("\n".join(("flowchart TD", *lines))))
        super().__init__(flow, replies, path=path)
        self.commands = []
        self.runner = FlowRunner(
            flow, name="test", taker=self.script, send=self._take, interactive=interactive, text="x",
            journal=None if path is None else Journal(path), resume=resume, commands=self, **fields,
        )  # fmt: skip

    async def run_command(self, call):
        self.commands.append((call.command.line, dict(call.command.env)))
        return CommandEnd("finished", 0, "")


async def test_the_fields_of_a_result_are_in_later_prompts_and_its_choice_takes_the_branch(tmp_path):
    run = Run(FOUND, BAD, "Fixed.", path=tmp_path / "flow.jsonl")
    assert (await run.run()).status == "finished"
    assert run.way == ["find", "judge", "fix"]
    first, second, third = run.script.prompts
    assert "calling the tool SubmitResult" in first
    assert second.startswith("Is a.py bad?")
    assert "<choice>" not in second
    assert "- yes\n- no" in second
    assert third == "Fix a.py: It is wrong."
    assert [rules.result.choices if rules.result else None for rules in run.script.rules] == [(), ("yes", "no"), None]
    assert [one.result for one in run.sent if isinstance(one, FlowNodeEnd)] == [FOUND.result, BAD.result, None]
    state = run.journalled()
    assert state.results == {"find": FOUND.result, "judge": BAD.result}
    assert state.values == {"find": {"file": "a.py"}, "judge": {"why": "It is wrong."}}


async def test_a_run_cut_off_after_a_result_goes_on_with_its_fields(tmp_path):
    path = tmp_path / "flow.jsonl"
    cut_off = Run(FOUND, asyncio.CancelledError(), path=path)
    with pytest.raises(asyncio.CancelledError):
        await cut_off.run()
    run = Run(BAD, "Fixed.", path=path, resume=load_runs(path)[-1])
    assert (await run.run()).status == "finished"
    assert run.script.prompts[0].startswith("Is a.py bad?")


async def test_a_turn_without_the_result_is_asked_again_twice_and_then_fails(tmp_path):
    run = Run("I did it.", path=tmp_path / "flow.jsonl")
    outcome = await run.run()
    assert (outcome.status, outcome.reason) == ("failed", "find: no result in 3 replies")
    assert run.way == ["find", "find#2", "find#3"]
    assert "You ended without calling SubmitResult" in run.script.prompts[1]
    assert run.journalled().visits == {"find": 1}


async def test_a_result_after_a_reminder_counts():
    run = Run("I did it.", "Really.", FOUND, BAD, "Fixed.")
    assert (await run.run()).status == "finished"
    assert run.way == ["find", "find#2", "find#3", "judge", "fix"]


async def test_retries_repeat_a_node_without_a_result_each_time_with_two_more_replies():
    lines = (*CHART, "find@{ retries: 1 }")
    run = Run(*["no"] * 5, FOUND, BAD, "ok", lines=lines)
    assert (await run.run()).status == "finished"
    assert run.way[:6] == ["find", "find#2", "find#3", "find#4", "find#5", "find#6"]
    assert "This is attempt 4; the previous one failed: no result in 3 replies" in run.script.prompts[3]


async def test_a_decision_without_a_result_takes_the_branch_failed():
    lines = tuple(line.replace("|no|", "|failed|") for line in CHART)
    run = Run(FOUND, "<choice>yes</choice>", lines=lines)
    assert (await run.run()).status == "finished"
    assert run.way == ["find", "judge", "judge#2", "judge#3"]
    assert [one.choice for one in run.sent if isinstance(one, FlowDecision)] == ["failed"]


async def test_the_choice_in_the_text_is_not_read():
    run = Run(FOUND, "<choice>yes</choice>", "x", BAD, "ok")
    assert (await run.run()).status == "finished"
    assert run.way == ["find", "judge", "judge#2", "judge#3", "fix"]


async def test_a_branch_chosen_in_advance_is_not_asked_for():
    run = Run(FOUND, TurnResult("finished", "x", 1, result={"why": "w"}))
    run.runner.choose("no", node_id="judge")
    assert (await run.run()).status == "finished"
    assert run.script.rules[1].result.choices == ()
    assert [(one.choice, one.by) for one in run.sent if isinstance(one, FlowDecision)] == [("no", "user")]


async def test_fields_take_branches_and_reach_commands_as_data():
    lines = (
        "B([BEGIN]) --> find[Find it.] --> route{Count}", "route -->|2| do[Do it.] --> E([END])", "route -->|else| E",
        'find@{ out: "file: text, count: int" }', 'route@{ on: "${find.count}" }',
        'do@{ run: "git add ${find.file}" }',
    )  # fmt: skip
    run = Run(TurnResult("finished", "x", 1, result={"file": "$(id)", "count": 2}), lines=lines)
    assert (await run.run()).status == "finished"
    assert run.commands == [('git add "${KT_1}"', {"KT_1": "$(id)"})]


async def test_a_user_who_continues_a_failed_node_gives_it_three_replies_again():
    run = Run("no", "no", "no", "no", "no", FOUND, BAD, "ok", interactive=True)
    await run.until_paused()
    assert run.runner.paused.reason == "failed"
    run.runner.continue_run()
    await run.until_paused()
    assert (await run.outcome()).status == "finished"
    assert [name.partition("#")[0] for name in run.way] == [*["find"] * 6, "judge", "fix"]


async def test_few_allowed_replies_without_a_choice_do_not_count_for_results():
    run = Run("no", "no", FOUND, BAD, "ok", max_choice_retries=0)
    assert (await run.run()).status == "finished"


FIELDS = ResultRule(read_result_type("name: text, names?: [text]"))


@settings(derandomize=True, max_examples=150, deadline=None)
@given(
    command=st.tuples(GROUPS, LINES).map(lambda made: made[0].format(made[1], made[1])),
    name=NASTY,
    names=st.lists(NASTY, max_size=3),
)
def test_no_field_of_a_result_becomes_code(tmp_path_factory, command, name, names):
    values = result_values(FIELDS, FIELDS.read(json.loads(json.dumps({"name": name, "names": names}))))
    assert values["name"] == name
    try:
        template = read_command(command.replace("a.text", "a.name").replace("a.status", "a.names"))
        made = template.bind(lambda variable: values[variable.field])
    except CommandTemplateError:
        return
    folder = tmp_path_factory.mktemp("box")
    assert not template.slots or set(made.env.values()) <= set(values.values())
    run_in_bash(made.line, folder, made.env)
    run_in_bash(made.shown, folder, {})
    assert not (folder / "BAD").exists()
