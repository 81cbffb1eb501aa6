"""A flow is walked without a model."""

import pytest

from kimi_tui.errors import FlowError
from kimi_tui.flow import build_flow, read_mermaid
from kimi_tui.flow.model.graph import FlowNode
from kimi_tui.flow.run.dry_run import ChoiceScript, dry_run
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.flow_events import FlowDecision, FlowNodeEnd
from kimi_tui.wire.parts import UserInput
from tests.flow.runner_harness import LOOP, flow_of

FLOW = flow_of(*LOOP)


async def test_each_choice_is_asked_for_and_told_as_the_person_s() -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []
    sent: list[WireMessage] = []

    def choose(node: FlowNode, branches: tuple[str, ...]) -> str:
        asked.append((node.id, branches))
        return "no" if len(asked) == 1 else "yes"

    outcome = await dry_run(FLOW, choose, send=sent.append)
    assert (outcome.status, outcome.moves) == ("finished", 4)
    assert asked == [("D", ("yes", "no"))] * 2
    assert [(m.choice, m.by) for m in sent if isinstance(m, FlowDecision)] == [("no", "user"), ("yes", "user")]


async def test_the_prompts_are_those_that_a_model_would_get() -> None:
    prompts: list[UserInput] = []
    await dry_run(FLOW, lambda _node, _branches: "yes", on_prompt=lambda _node, prompt: prompts.append(prompt))
    assert prompts[0] == "Do A"
    assert "- yes\n- no" in str(prompts[1])


async def test_a_script_names_choices_in_their_order_with_or_without_the_node() -> None:
    script = ChoiceScript("# once round\nno\n\nD: yes\n", FLOW)
    outcome = await dry_run(FLOW, script)
    assert (outcome.status, outcome.moves, script.left) == ("finished", 4, [])


async def test_a_script_that_is_too_short_stops_the_walk_and_one_too_long_shows() -> None:
    short = await dry_run(FLOW, ChoiceScript("no", FLOW))
    assert (short.status, short.reason) == ("stopped", "no choice is left")
    long = ChoiceScript("yes\nno", FLOW)
    await dry_run(FLOW, long)
    assert [choice.line for choice in long.left] == [2]


@pytest.mark.parametrize(("text", "why"), [("maybe", "no branch 'maybe'; it has: yes, no"), ("E: yes", "no branch")])
async def test_a_choice_that_is_not_there_fails_the_walk(text: str, why: str) -> None:
    outcome = await dry_run(FLOW, ChoiceScript(text, FLOW))
    assert outcome.status == "failed"
    assert why in str(outcome.reason)


async def test_a_choice_for_another_node_fails_the_walk_with_its_line() -> None:
    flow = flow_of("BEGIN -> D", "D -> E: yes", "D -> END: no", "E -> END: yes", "E -> D: no")
    outcome = await dry_run(flow, ChoiceScript("# x\nE: yes", flow))
    assert outcome.status == "failed"
    assert isinstance(outcome.error, FlowError)
    assert "line 2: this choice is for E, but the flow is at D" in str(outcome.reason)


async def test_a_walk_without_an_end_stops_at_its_moves() -> None:
    outcome = await dry_run(FLOW, lambda _node, _branches: "no", max_moves=7)
    assert (outcome.status, outcome.moves) == ("max_moves", 7)


async def test_a_dry_run_chooses_the_branch_of_a_command_and_runs_nothing(tmp_path):
    text = (
        f"flowchart TD\nB([BEGIN]) --> t[Test] -->|ok| E([END])\nt -->|failed| f[Fix] --> t\n"
        f't@{{ run: "touch {tmp_path}/ran" }}'
    )
    flow = build_flow(read_mermaid(text))
    prompts = []
    outcome = await dry_run(
        flow, ChoiceScript("failed\nt: ok", flow), on_prompt=lambda node, prompt: prompts.append((node.id, prompt))
    )
    assert outcome.status == "finished"
    assert [node for node, _ in prompts] == ["t", "f", "t"]
    assert prompts[0][1] == f"$ touch {tmp_path}/ran"
    assert not (tmp_path / "ran").exists()


async def test_a_dry_run_chooses_at_decisions_of_the_user_and_of_values():
    text = (
        "flowchart TD\nB([BEGIN]) --> a{Good?} -->|yes| c{How large?} -->|small| E([END])\nc -->|else| a\n"
        'a -->|no| E\na@{ ask: human }\nc@{ on: "${ARGS}" }'
    )
    flow = build_flow(read_mermaid(text))
    told = []
    outcome = await dry_run(flow, ChoiceScript("yes\nc: else\nyes\nsmall", flow), send=told.append)
    assert outcome.status == "finished"
    assert [one.choice for one in told if isinstance(one, FlowDecision)] == ["yes", "else", "yes", "small"]
    outcome = await dry_run(flow, ChoiceScript("yes", flow))
    assert (outcome.status, outcome.reason) == ("stopped", "no choice is left")
    outcome = await dry_run(flow, ChoiceScript("maybe", flow))
    assert outcome.status == "stopped"
    assert "no branch 'maybe'" in (outcome.reason or "")


RESULTS = build_flow(
    read_mermaid(
        "flowchart TD\nB([BEGIN]) --> find[Find it.] --> judge{Bad: ${find.file}?}\njudge -->|yes| E([END])\n"
        'judge -->|no| find\nfind@{ out: "file: text, kind: a | b" }\njudge@{ out: "why: text" }'
    )
)


async def test_a_script_gives_typed_results_and_examples_where_it_has_none():
    sent: list[WireMessage] = []
    script = ChoiceScript(
        'find: {"file": "x.py", "kind": "b"}\n{"why": "w", "choice": "no"}\njudge: {"why": "v"}\nyes', RESULTS
    )
    prompts: list[str] = []
    outcome = await dry_run(
        RESULTS, script, send=sent.append, results=script.result, on_prompt=lambda _, text: prompts.append(str(text))
    )
    assert (outcome.status, script.left) == ("finished", [])
    ends = [message.result for message in sent if isinstance(message, FlowNodeEnd)]
    assert ends == [
        {"file": "x.py", "kind": "b"}, {"why": "w", "choice": "no"}, {"file": "", "kind": "a"}, {"why": "v"},
    ]  # fmt: skip
    assert prompts[1].startswith("Bad: x.py?")
    assert [message.choice for message in sent if isinstance(message, FlowDecision)] == ["no", "yes"]


@pytest.mark.parametrize("line", ['find: {"file": 1}', '{"file": "x", "kind": "c"}', "{no"])
async def test_a_scripted_result_of_another_type_fails_the_walk_with_its_line(line):
    script = ChoiceScript(f"# x\n{line}", RESULTS)
    outcome = await dry_run(RESULTS, script, results=script.result)
    assert outcome.status == "failed"
    assert "line 2: the result for find" in str(outcome.reason)
