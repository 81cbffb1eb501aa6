"""The offline demo on a whole engine: whatever a user does meanwhile, its script says what is the case."""

import asyncio
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from kimi_tui import paths
from kimi_tui.config.schema import Config, ModelConfig, ProviderConfig
from kimi_tui.llm.providers.scripted import Script
from kimi_tui.permission.settings import PermissionSettings
from kimi_tui.skill.skill import Scope, Skill, read_skill
from kimi_tui.soul.assemble import EngineConfig
from kimi_tui.soul.engine import Engine
from kimi_tui.wire.display import TodoBlock
from kimi_tui.wire.flow_events import FlowDecision, FlowNodeBegin, FlowPaused
from kimi_tui.wire.parts import TextPart, ToolResult
from tests.soul.scripted_engine import ReceivedMessages, engine_on
from tests.soul.test_soul import until

FLOW = "demo-fix-until-green"
DEMO = paths.bundled("skills") / FLOW
STRAIGHT = ["REPRODUCE", "FIX", "GREEN", "FIX", "GREEN", "MEASURE", "SUMMARY"]
WHOLE = "if merged and slot.start <= merged[-1].end:\n            merged[-1] = Slot(merged[-1].start, max("

# What is said of a run, and what the newest run before it must have printed.
CLAIMS = {
    r"All five tests pass|<choice>yes|all five tests pass": r"\nOK\b",
    r"One of the five tests (still )?fails|Four tests pass|One test is left|one of the five tests": r"failures=1\)",
    r"Two of the five tests|Three tests pass|two of the five tests failed|two different reasons": r"failures=2\)",
}


@pytest.fixture
def skill() -> Skill:
    return read_skill(DEMO / "SKILL.md", Scope.BUNDLED)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return shutil.copytree(DEMO / "assets" / "project", tmp_path / "project")


def demo(project: Path, *, script: Path | None = None, ask: bool = True) -> EngineConfig:
    provider = ProviderConfig(
        type="scripted", scripts=script or DEMO / "assets" / "script.txt", api_key=SecretStr("sk-hidden")
    )
    config = Config(
        models={"s": ModelConfig(provider="script", model="scripted", max_context_size=100_000)},
        providers={"script": provider},
    )
    return EngineConfig(
        work_dir=project.resolve(), config=config, yolo=not ask, demo=True, featured_flow=FLOW,
        permissions=PermissionSettings(trusted=True),
    )  # fmt: skip


def history(engine: Engine) -> list[str]:
    """Every message as a line: `assistant: ...`, `tool: ...`, `user: ...`."""
    return [f"{message.role}: {message.text}" for message in engine.context.history]


def said(engine: Engine) -> str:
    return "\n".join(line for line in history(engine) if line.startswith("assistant: "))


def edits(engine: Engine) -> int:
    return sum(line.startswith("tool: <system>Edited `busy.py`") for line in history(engine))


def claims_hold(engine: Engine) -> None:
    """Nothing is said of the tests that the newest run did not print, and no file is changed after it unsaid."""
    last = ""
    for line in history(engine):
        if re.search(r"^Ran \d+ tests? in", line, re.MULTILINE):
            last = line
        if line.startswith("assistant: "):
            for claim, printed in CLAIMS.items():
                assert not re.search(claim, line) or re.search(printed, last), line


class Person:
    """Answers approvals as told, and then with yes."""

    def __init__(self, engine: Engine, *answers: tuple[str, str | None]) -> None:
        self.engine, self.answers = engine, list(answers)

    async def __call__(self) -> None:
        while True:
            for request in self.engine.approvals.pending:
                response, feedback = self.answers.pop(0) if self.answers else ("approve", None)
                self.engine.approvals.settle(request.id, response, feedback)  # pyright: ignore[reportArgumentType]
            await asyncio.sleep(0.005)


async def run_to_end(engine: Engine, received: ReceivedMessages, *answers: tuple[str, str | None]) -> None:
    """The flow, gone on with wherever it pauses."""
    person = asyncio.create_task(Person(engine, *answers)())
    run = asyncio.create_task(engine.prompt(f"/flow:{FLOW}"))
    try:
        await going_on(engine, received, run)
    finally:
        person.cancel()


async def going_on(engine: Engine, received: ReceivedMessages, run: asyncio.Task, *, seen: int = 0) -> None:
    while not run.done():
        if len(received.of(FlowPaused)) > seen:
            seen += 1
            await engine.prompt("/flow continue")
        await asyncio.sleep(0)
    assert (await run).stop == "finished"


def way(received: ReceivedMessages) -> list[str]:
    return [event.node_id for event in received.of(FlowNodeBegin)]


def choices(received: ReceivedMessages) -> list[str]:
    return [event.choice for event in received.of(FlowDecision)]


async def test_the_straight_way_ends_green_after_two_edits(project: Path) -> None:
    async with engine_on(demo(project, ask=False)) as (engine, received):
        await run_to_end(engine, received)
        assert way(received) == STRAIGHT
        assert choices(received) == ["no", "yes"]
        assert edits(engine) == 2
        claims_hold(engine)
        assert "both are fixed" in history(engine)[-1]
        assert "two different reasons" in said(engine)
        lists = [block.items for result in received.of(ToolResult) for block in result.return_value.display
                 if isinstance(block, TodoBlock)]  # fmt: skip
        assert len(lists) >= 4
        assert {todo.status for todo in lists[-1]} == {"done"}
        assert all([todo.status for todo in todos].count("in_progress") <= 1 for todos in lists)
        calls = [call.id for message in engine.context.history for call in message.tool_calls or ()]
        assert len(set(calls)) == len(calls)
    assert WHOLE in (project / "busy.py").read_text("utf-8")


async def test_a_first_test_run_that_is_rejected_with_feedback_is_not_claimed(project: Path) -> None:
    async with engine_on(demo(project)) as (engine, received):
        await run_to_end(engine, received, ("reject", "no tests yet, please"))
        assert way(received) == STRAIGHT
        first = history(engine)[: next(at for at, line in enumerate(history(engine)) if "user: Fix one" in line)]
        assert "what fails I have not seen" in "\n".join(first)
        assert "From reading alone" in "\n".join(first)
        assert "two different reasons" not in said(engine)
        assert edits(engine) == 2
        claims_hold(engine)


async def test_a_first_edit_that_is_rejected_pauses_the_flow_and_is_made_when_it_goes_on(project: Path) -> None:
    async with engine_on(demo(project)) as (engine, received):
        await run_to_end(engine, received, ("approve", None), ("reject", None))
        assert [event.reason for event in received.of(FlowPaused)] == ["rejected"]
        assert way(received) == ["REPRODUCE", "FIX", "FIX", "GREEN", "FIX", "GREEN", "MEASURE", "SUMMARY"]
        assert edits(engine) == 2
        claims_hold(engine)
    assert WHOLE in (project / "busy.py").read_text("utf-8")


async def test_an_edit_that_is_rejected_with_feedback_is_not_claimed(project: Path) -> None:
    async with engine_on(demo(project)) as (engine, received):
        await run_to_end(engine, received, ("approve", None), ("reject", "let me think"))
        assert "the edit was not made" in said(engine)
        assert choices(received) == ["no", "no", "yes"]
        assert edits(engine) == 2
        claims_hold(engine)


async def test_a_test_run_that_is_rejected_after_an_edit_is_made_up_for_at_the_decision(project: Path) -> None:
    async with engine_on(demo(project)) as (engine, received):
        await run_to_end(engine, received, *[("approve", None)] * 2, ("reject", "later"), ("reject", "later still"))
        assert "the tests were not run after it" in said(engine)
        assert "what I do not know is not green" in said(engine)
        assert choices(received) == ["no", "yes"]
        claims_hold(engine)


async def test_tests_that_are_always_rejected_are_never_called_green(project: Path) -> None:
    async with engine_on(demo(project)) as (engine, received):
        no = [("reject", "no")]
        await_end = asyncio.create_task(
            run_to_end(engine, received, *no, ("approve", None), *no * 2, ("approve", None), *no * 60)
        )
        await until(lambda: len(choices(received)) >= 4)
        await engine.prompt("/flow choose yes at GREEN")
        await await_end
        assert set(choices(received)[:4]) == {"no"}
        assert "I do not call it done" in history(engine)[-1]
        assert edits(engine) == 2
        claims_hold(engine)


@pytest.mark.parametrize("at", ["REPRODUCE", "FIX", "GREEN", "SUMMARY"])
async def test_esc_in_the_middle_of_a_node_and_a_message_while_it_is_paused(
    project: Path, at: str, tmp_path: Path
) -> None:
    slow = tmp_path / "slow.txt"
    slow.write_text(
        (DEMO / "assets" / "script.txt").read_text("utf-8").replace("\nusage:", "\ndelay: 0.02\nusage:"), "utf-8"
    )
    async with engine_on(demo(project, ask=False, script=slow)) as (engine, received):
        run = asyncio.create_task(engine.prompt(f"/flow:{FLOW}"))
        await until(lambda: at in way(received) and received.names[-1] not in ("FlowNodeBegin", "TurnBegin"))
        engine.cancel()
        await until(lambda: received.of(FlowPaused))
        answer = await engine.prompt("What is all this?")
        assert "the model is a script" in answer.message
        assert f"/flow:{FLOW}" in answer.message
        await engine.prompt("/flow continue")
        await going_on(engine, received, run, seen=1)
        assert way(received)[-1] == "SUMMARY"
        assert edits(engine) == 2
        claims_hold(engine)
    assert WHOLE in (project / "busy.py").read_text("utf-8")


async def test_a_second_run_in_the_session_finds_nothing_to_do_and_says_so(project: Path) -> None:
    async with engine_on(demo(project, ask=False)) as (engine, received):
        await run_to_end(engine, received)
        begin = len(history(engine))
        await run_to_end(engine, received)
        assert way(received) == [*STRAIGHT, "REPRODUCE", "FIX", "GREEN", "MEASURE", "SUMMARY"]
        again = "\n".join(history(engine)[begin:])
        assert "nothing to reproduce" in again
        assert "nothing to edit" in again
        assert "In this run I changed nothing" in history(engine)[-1]
        assert edits(engine) == 2
        claims_hold(engine)
        shutil.copy(DEMO / "assets" / "project" / "busy.py", project)
        await run_to_end(engine, received)
        assert way(received)[-7:] == STRAIGHT
        assert edits(engine) == 4
        claims_hold(engine)


@pytest.mark.parametrize(
    ("broken", "text"),
    [
        (lambda text: text.replace("slot.start < merged", "slot.start <= merged"), "A meeting inside a longer"),
        (lambda text: text.replace("].start, slot.end)", "].start, max(merged[-1].end, slot.end))"), "that only touch"),
    ],
)
async def test_a_project_with_one_of_the_mistakes_is_told_as_such(
    project: Path, broken: Callable[[str], str], text: str
) -> None:
    file = project / "busy.py"
    file.write_text(broken(file.read_text("utf-8")), "utf-8")
    async with engine_on(demo(project, ask=False)) as (engine, received):
        await run_to_end(engine, received)
        assert way(received) == ["REPRODUCE", "FIX", "GREEN", "MEASURE", "SUMMARY"]
        assert edits(engine) == 1
        assert "a mistake, and it is fixed" in history(engine)[-1]
        assert text in history(engine)[-1]
        claims_hold(engine)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("test_busy.py", "import nothing_of_that_name\n", "did not run to an end that I know"),
        ("busy.py", "", "did not run to an end that I know"),
        ("busy.py", "BROKEN OTHERWISE", "I have nothing to edit"),
    ],
)
async def test_what_the_script_cannot_mend_it_leaves_to_the_person(
    project: Path, name: str, text: str, words: str
) -> None:
    file = project / name
    source = file.read_text("utf-8")
    whole = source.replace("slot.start < merged", "slot.start <= merged").replace(
        "].start, slot.end)", "].start, slot.start)"
    )
    file.write_text(whole if text == "BROKEN OTHERWISE" else text, "utf-8")
    async with engine_on(demo(project, ask=False)) as (engine, received):
        run = asyncio.create_task(engine.prompt(f"/flow:{FLOW}"))
        await until(lambda: received.of(FlowPaused))
        assert received.of(FlowPaused)[0].reason == "choice"
        await engine.prompt("/flow choose yes")
        assert (await run).stop == "finished"
        assert words in said(engine)
        assert "done" not in history(engine)[-1] or "not call it done" in history(engine)[-1]
        claims_hold(engine)


async def test_another_flow_is_told_politely_that_the_script_cannot_choose(project: Path) -> None:
    async with engine_on(demo(project, ask=False)) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:fix-until-green"))
        await until(lambda: received.of(FlowPaused))
        assert received.of(FlowPaused)[0].reason == "choice"
        await engine.prompt("/flow stop")
        await run
        assert "the model is a script" in history(engine)[1]
        assert "I know only the steps of the demo's flow" in said(engine)


async def test_the_demo_lists_its_flow_first(project: Path) -> None:
    async with engine_on(demo(project)) as (engine, _):
        assert engine.skills.flows()[0].name == FLOW
        flows = [command.name for command in engine.commands() if command.name.startswith("flow:")]
        assert flows[0] == f"flow:{FLOW}"
        assert flows.count(f"flow:{FLOW}") == 1


def test_every_test_run_and_edit_of_the_script_can_happen(project: Path) -> None:
    source = (project / "busy.py").read_text("utf-8")
    script = Script.read(DEMO / "assets" / "script.txt")
    assert len(script.conditions) == len(script.blocks)
    assert all(not isinstance(part, TextPart) or part.text.strip() for block in script.blocks for part in block)
    assert re.search(r"slot\.start < merged", source)
    assert len(re.findall(r"\]\.start, slot\.end\)$", source, re.MULTILINE)) == 1


def test_two_tests_fail_at_first_and_for_two_reasons(project: Path) -> None:
    def failures() -> list[str]:
        done = subprocess.run(["python3", "-m", "unittest"], cwd=project, capture_output=True, text=True)
        return [line for line in done.stderr.splitlines() if line.startswith("FAIL:")]

    assert len(failures()) == 2
    file = project / "busy.py"
    file.write_text(file.read_text("utf-8").replace("slot.start < merged", "slot.start <= merged"), "utf-8")
    assert len(failures()) == 1


def test_the_demo_keeps_out_of_the_lists(skill: Skill) -> None:
    assert skill.hidden
    assert skill.problems == ()
