"""Rules where they act: in the tools, before yolo and earlier answers, and told to the user and the model."""

import asyncio
from pathlib import Path

import pytest

from kimi_tui.interaction.approvals import Approvals, Source, asking_for
from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.tools.glob import Glob
from kimi_tui.tools.grep import Grep
from kimi_tui.tools.read_file import ReadFile
from kimi_tui.tools.shell import Shell
from kimi_tui.tools.think import Think
from kimi_tui.tools.write_file import WriteFile
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.requests import ApprovalRequest
from tests.tools.kit import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "work").mkdir()
    return Desk(tmp_path / "work", answer="reject")


def rules(desk: Desk, *texts: str, accept_edits: bool = False) -> None:
    parsed = [parse_rule(text.split(" ", 1)[1], Effect(text.split(" ", 1)[0]), "c.yaml") for text in texts]
    desk.approvals.policy = Policy(parsed, accept_edits=accept_edits)


def shell(desk: Desk) -> Shell:
    return Shell(desk.workspace, desk.approvals, ToolProgress())


def reason(request: ApprovalRequest) -> str:
    return " ".join(block.text for block in request.display if isinstance(block, BriefBlock))


async def test_what_is_allowed_runs_unasked_and_the_rest_asks(desk: Desk) -> None:
    rules(desk, "allow Shell(echo *)")
    assert (await desk.use(shell(desk), command="echo a && echo b")).output == "a\nb\n"
    assert (await desk.use(shell(desk), command="echo a && touch b")).is_error
    assert len(desk.asked) == 1
    assert not (desk.dir / "b").exists()


async def test_what_is_denied_is_told_to_the_model_and_the_turn_goes_on(desk: Desk) -> None:
    rules(desk, "deny Shell(touch *)", "allow Shell")
    desk.approvals.yolo = True
    value = await desk.use(shell(desk), command="echo a; touch b")
    assert value.message == "This is not allowed: the rule `deny: Shell(touch *)` of c.yaml."
    assert value.extras is None
    assert (desk.asked, (desk.dir / "b").exists()) == ([], False)


async def test_a_rule_that_asks_does_so_under_yolo_and_after_a_yes_for_the_session(desk: Desk) -> None:
    desk.answer = "approve_for_session"
    await desk.use(shell(desk), command="touch a")
    rules(desk, "ask Shell(touch *)")
    desk.approvals.yolo = True
    await desk.use(shell(desk), command="touch b")
    assert [request.scope is None for request in desk.asked] == [False, True]
    assert reason(desk.asked[1]) == "Asked because: the rule `ask: Shell(touch *)` of c.yaml"


async def test_what_is_protected_asks_whatever_is_allowed(desk: Desk) -> None:
    rules(desk, "allow Shell", "allow Edit", "allow Read", accept_edits=True)
    write = WriteFile(desk.workspace, desk.approvals)
    await desk.use(write, path=".kimi-tui", content="x")
    await desk.use(write, path="a.env", content="x")
    await desk.use(shell(desk), command="cat a.env")
    (desk.dir / "b.env").write_text("x")
    await desk.use(ReadFile(desk.workspace, desk.approvals), path="b.env")
    assert len(desk.asked) == 4
    assert "protected" in reason(desk.asked[0])
    assert "secrets" in reason(desk.asked[1])
    assert "a.env" in reason(desk.asked[2])


async def test_accepted_edits_stay_inside_the_work_dir(desk: Desk, tmp_path: Path) -> None:
    rules(desk, accept_edits=True)
    write = WriteFile(desk.workspace, desk.approvals)
    assert not (await desk.use(write, path="a", content="x")).is_error
    (desk.dir / "link").symlink_to(tmp_path)
    assert (await desk.use(write, path=str(desk.dir / "link/b"), content="x")).is_error
    assert reason(desk.asked[0]) == "Asked because: the file is outside of the work dir"


async def test_files_are_judged_by_where_they_lead(desk: Desk) -> None:
    rules(desk, "deny Edit(kept/**)", "allow Edit")
    (desk.dir / "kept").mkdir()
    (desk.dir / "open").symlink_to("kept")
    write = WriteFile(desk.workspace, desk.approvals)
    for path in ("kept/a", "open/a", "x/../open/a", "kept/../kept/a"):
        assert "not allowed" in (await desk.use(write, path=path, content="x")).message
    assert not (await desk.use(write, path="free", content="x")).is_error


async def test_what_may_not_be_read_is_not_found_either(desk: Desk) -> None:
    (desk.dir / "kept").mkdir()
    (desk.dir / "kept/a.txt").write_text("needle")
    (desk.dir / "b.txt").write_text("needle")
    rules(desk, "deny Read(kept/**)")
    assert "not allowed" in (await desk.use(ReadFile(desk.workspace, desk.approvals), path="kept/a.txt")).message
    grep, glob = Grep(desk.workspace, desk.approvals), Glob(desk.workspace, desk.approvals)
    assert (await desk.use(grep, pattern="needle")).output == "b.txt\n"
    assert "rule" in (await desk.use(grep, pattern="needle", path="kept/a.txt")).message
    assert (await desk.use(glob, pattern="*/*.txt")).output == ""
    assert desk.asked == []


async def test_a_tool_that_never_asks_can_be_denied_and_asked_for(desk: Desk) -> None:
    toolset = Toolset([Think()], approvals=desk.approvals)
    call = desk.call_of("Think", {"thought": "x"})
    assert not (await toolset.handle(call)).return_value.is_error
    for text, asked in (("deny Think", 0), ("ask Thi*", 1)):
        rules(desk, text)
        toolset.begin_step()
        assert (await toolset.handle(call)).return_value.is_error
        assert len(desk.asked) == asked


async def test_with_nobody_there_what_a_rule_asks_for_is_refused(desk: Desk) -> None:
    desk.approvals = Approvals(desk.wire, yolo=True, attended=False)
    rules(desk, "ask Shell(touch *)")
    assert "nobody is there" in (await desk.use(shell(desk), command="touch a")).message
    assert not (await desk.use(shell(desk), command="echo a")).is_error


async def test_a_subagents_request_says_who_asks_and_others_do_not(desk: Desk) -> None:
    async def work(source: Source | None, command: str) -> None:
        asking_for.set(source)
        await desk.use(shell(desk), command=command)

    source = Source("agent-1", "coder", "look around")
    async with asyncio.TaskGroup() as group:
        group.create_task(work(source, "touch a"))
        group.create_task(work(None, "touch b"))
    by_command = {request.description: request for request in desk.asked}
    asked = by_command["Run command `touch a`"]
    assert (asked.agent_id, asked.subagent_type, asked.source_kind) == ("agent-1", "coder", "foreground_turn")
    assert by_command["Run command `touch b`"].agent_id is None
