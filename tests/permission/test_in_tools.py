"""Rules where they act: in the tools, before yolo and earlier answers, and told to the user and the model."""

import asyncio
from pathlib import Path

import pytest

from kimi_tui.interaction.approvals import Approvals, Source, asking_for
from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.tools.core.permission_subject import parse_subject
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.tools.glob import Glob
from kimi_tui.tools.grep import Grep
from kimi_tui.tools.read_file import ReadFile
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.think import Think
from kimi_tui.tools.write_file import WriteFile
from kimi_tui.wire.display import BriefBlock, ShellBlock
from kimi_tui.wire.requests import ApprovalRequest
from tests.tools.harness import ToolHarness


@pytest.fixture
def harness(tmp_path: Path) -> ToolHarness:
    (tmp_path / "work").mkdir()
    return ToolHarness(tmp_path / "work", answer="reject")


def rules(harness: ToolHarness, *texts: str, accept_edits: bool = False) -> None:
    parsed = [parse_rule(text.split(" ", 1)[1], Effect(text.split(" ", 1)[0]), "c.yaml") for text in texts]
    harness.approvals.policy = Policy(parsed, accept_edits=accept_edits)


def shell(harness: ToolHarness) -> Shell:
    return Shell(harness.workspace, harness.approvals, ToolProgress())


def reason(request: ApprovalRequest) -> str:
    return " ".join(block.text for block in request.display if isinstance(block, BriefBlock))


async def test_what_is_allowed_runs_unasked_and_the_rest_asks(harness: ToolHarness) -> None:
    rules(harness, "allow Shell(echo *)")
    assert (await harness.use(shell(harness), command="echo a && echo b")).output == "a\nb\n"
    assert (await harness.use(shell(harness), command="echo a && touch b")).is_error
    assert len(harness.asked) == 1
    assert not (harness.dir / "b").exists()


async def test_what_is_denied_is_told_to_the_model_and_the_turn_goes_on(harness: ToolHarness) -> None:
    rules(harness, "deny Shell(touch *)", "allow Shell")
    harness.approvals.yolo = True
    value = await harness.use(shell(harness), command="echo a; touch b")
    assert value.message == "This is not allowed: the rule `deny: Shell(touch *)` of c.yaml."
    assert value.extras is None
    assert (harness.asked, (harness.dir / "b").exists()) == ([], False)


async def test_a_rule_that_asks_does_so_under_yolo_and_after_a_yes_for_the_session(harness: ToolHarness) -> None:
    harness.answer = "approve_for_session"
    await harness.use(shell(harness), command="touch a")
    rules(harness, "ask Shell(touch *)")
    harness.approvals.yolo = True
    await harness.use(shell(harness), command="touch b")
    assert [request.scope is None for request in harness.asked] == [False, True]
    assert reason(harness.asked[1]) == "Needs approval: the rule `ask: Shell(touch *)` of c.yaml"


async def test_what_is_protected_asks_whatever_is_allowed(harness: ToolHarness) -> None:
    rules(harness, "allow Shell", "allow Edit", "allow Read", accept_edits=True)
    write = WriteFile(harness.workspace, harness.approvals)
    await harness.use(write, path=".kimi-tui", content="x")
    await harness.use(write, path="a.env", content="x")
    await harness.use(shell(harness), command="cat a.env")
    (harness.dir / "b.env").write_text("x")
    await harness.use(ReadFile(harness.workspace, harness.approvals), path="b.env")
    assert len(harness.asked) == 4
    assert "protected" in reason(harness.asked[0])
    assert "secrets" in reason(harness.asked[1])
    assert "a.env" in reason(harness.asked[2])


async def test_accepted_edits_stay_inside_the_work_dir(harness: ToolHarness, tmp_path: Path) -> None:
    rules(harness, accept_edits=True)
    write = WriteFile(harness.workspace, harness.approvals)
    assert not (await harness.use(write, path="a", content="x")).is_error
    (harness.dir / "link").symlink_to(tmp_path)
    assert (await harness.use(write, path=str(harness.dir / "link/b"), content="x")).is_error
    assert reason(harness.asked[0]) == "Needs approval: the file is outside of the work dir"


async def test_files_are_judged_by_where_they_lead(harness: ToolHarness) -> None:
    rules(harness, "deny Edit(kept/**)", "allow Edit")
    (harness.dir / "kept").mkdir()
    (harness.dir / "open").symlink_to("kept")
    write = WriteFile(harness.workspace, harness.approvals)
    for path in ("kept/a", "open/a", "x/../open/a", "kept/../kept/a"):
        assert "not allowed" in (await harness.use(write, path=path, content="x")).message
    assert not (await harness.use(write, path="free", content="x")).is_error


async def test_what_may_not_be_read_is_not_found_either(harness: ToolHarness) -> None:
    (harness.dir / "kept").mkdir()
    (harness.dir / "kept/a.txt").write_text("needle")
    (harness.dir / "b.txt").write_text("needle")
    rules(harness, "deny Read(kept/**)")
    assert (
        "not allowed" in (await harness.use(ReadFile(harness.workspace, harness.approvals), path="kept/a.txt")).message
    )
    grep, glob = Grep(harness.workspace, harness.approvals), Glob(harness.workspace, harness.approvals)
    assert (await harness.use(grep, pattern="needle")).output == "b.txt\n"
    assert "rule" in (await harness.use(grep, pattern="needle", path="kept/a.txt")).message
    assert (await harness.use(glob, pattern="*/*.txt")).output == ""
    assert harness.asked == []


async def test_a_tool_that_never_asks_can_be_denied_and_asked_for(harness: ToolHarness) -> None:
    toolset = Toolset([Think()], approvals=harness.approvals)
    call = harness.call_of("Think", {"thought": "x"})
    assert not (await toolset.handle(call)).return_value.is_error
    for text, asked in (("deny Think", 0), ("ask Thi*", 1)):
        rules(harness, text)
        toolset.begin_step()
        assert (await toolset.handle(call)).return_value.is_error
        assert len(harness.asked) == asked


@pytest.mark.parametrize(
    "rule", ["Think(*plan*)", "Think(thought=the*)", "Think(the secret plan)", "Think('the secret plan')"]
)
async def test_a_rule_with_a_pattern_is_about_the_arguments_of_any_tool(harness: ToolHarness, rule: str) -> None:
    toolset = Toolset([Think()], approvals=harness.approvals)
    denied, other = (harness.call_of("Think", {"thought": thought}) for thought in ("the secret plan", "a walk"))
    rules(harness, f"deny {rule}")
    assert "not allowed" in (await toolset.handle(denied)).return_value.message
    assert not (await toolset.handle(other)).return_value.is_error
    for text in ('{"thought": "the secret plan"}', "the secret plan"):
        if "=" not in rule or text.startswith("{"):
            checked = harness.approvals.policy.decide("Think", parse_subject("Think", text, harness.workspace))
            assert checked.effect is Effect.DENY, "what the command line says of it holds"


async def test_a_question_about_a_tool_that_never_asks_shows_its_arguments(harness: ToolHarness) -> None:
    toolset = Toolset([Think()], approvals=harness.approvals)
    rules(harness, "ask Think")
    await toolset.handle(harness.call_of("Think", {"thought": "what it is about"}))
    assert harness.asked[0].display[0] == ShellBlock(language="json", command='{\n  "thought": "what it is about"\n}')


async def test_with_nobody_there_what_a_rule_asks_for_is_refused(harness: ToolHarness) -> None:
    harness.approvals = Approvals(harness.wire, yolo=True, attended=False)
    rules(harness, "ask Shell(touch *)")
    assert "the user is away" in (await harness.use(shell(harness), command="touch a")).message
    assert not (await harness.use(shell(harness), command="echo a")).is_error


async def test_a_subagents_request_says_who_asks_and_others_do_not(harness: ToolHarness) -> None:
    async def work(source: Source | None, command: str) -> None:
        asking_for.set(source)
        await harness.use(shell(harness), command=command)

    source = Source("agent-1", "coder", "look around")
    async with asyncio.TaskGroup() as group:
        group.create_task(work(source, "touch a"))
        group.create_task(work(None, "touch b"))
    by_command = {request.description: request for request in harness.asked}
    asked = by_command["Run command `touch a`"]
    assert (asked.agent_id, asked.subagent_type, asked.source_kind) == ("agent-1", "coder", "foreground_turn")
    assert by_command["Run command `touch b`"].agent_id is None
