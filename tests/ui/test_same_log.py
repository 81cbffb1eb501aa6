"""Every face tells the same story: the same task leaves the same wire.jsonl, but for times and ids."""

import io
import json

import pytest
from textual import events

from kimi_tui.soul.assemble import build_engine
from kimi_tui.soul.commands.registry import takes_effect_at_once
from kimi_tui.ui.print.runner import Output, answer_lines
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.wire.events import TurnBegin
from tests.soul.release_flow import CHOICES, FLOW
from tests.soul.scripted_engine import plan, tool_call
from tests.soul.test_soul import until
from tests.ui.acp.acp_client import begun, editor_on
from tests.ui.test_same_run import received
from tests.ui.tui.test_screen import ready
from tests.ui.wire_server.served_engine import served

REPORT = "text: " + "All of it was looked at and is fine. " * 8
REPLIES = (
    "think: hm\ntext: I look.\n" + tool_call("WriteFile", "a", path="a.txt", content="one\n") + "\nusage: output=5",
    tool_call("SetTodoList", "b", todos=[{"title": "one"}]) + "\n" + tool_call("Glob", "c", pattern="*"),
    tool_call("Task", "d", description="look", subagent_name="explore", prompt="look around"),
    REPORT,
    "text: half\nerror: 503 busy",
    "text: Done.",
    *CHOICES,
)
PROMPTS = ("do it", "/flow:release soon", "/clear")
_OWN = frozenset({"run_id", "agent_id", "created_at", "duration_s", "wait_s"})


async def by_print(made):
    lines = b"".join(json.dumps({"role": "user", "content": prompt}).encode() + b"\n" for prompt in PROMPTS)
    engine = await build_engine(made)
    try:
        assert await answer_lines(engine, io.BytesIO(lines), Output(json=True), at_once=takes_effect_at_once) == 0
    finally:
        await engine.aclose()
    return engine.session.dir


async def by_wire(made):
    async with served(made) as (client, engine):
        await client.initialize(capabilities={"supports_flow": True, "supports_question": True})
        for prompt in PROMPTS:
            assert await client.call("prompt", user_input=prompt) == {"status": "finished"}
        return engine.session.dir


async def by_acp(made):
    async with editor_on(made) as (editor, program):
        session = await begun(editor, made)
        for prompt in PROMPTS:
            assert (await editor.say(session, prompt)).stop_reason == "end_turn"
        return program.made[0].session.dir


async def by_screen(made):
    async def make():
        return await build_engine(made)

    app = KimiTui(make, frame=0.0, motion=False)
    async with app.run_test(size=(140, 42)) as pilot:
        await ready(pilot)
        engine = app.engine
        for prompt in PROMPTS:
            begun = received(engine, TurnBegin)
            app.main_screen.composer.prompt.post_message(events.Paste(prompt))
            await pilot.pause()
            await pilot.press("enter")
            await begun.wait()
            await until(lambda: not engine.busy)
            await pilot.pause()
        await engine.aclose()
    return engine.session.dir


def told(folder, made):
    """The messages of a log, without what is each run's own."""

    def shared(value):
        match value:
            case {"id": _, "severity": _}:
                return shared({key: field for key, field in value.items() if key != "id"})
            case dict():
                return {key: shared(field) for key, field in value.items() if key not in _OWN}
            case list():
                return [shared(field) for field in value]
            case _:
                return value

    text = (folder / "wire.jsonl").read_text().replace(str(made.work_dir), "WORK")
    first, *rows = [json.loads(line) for line in text.splitlines()]
    assert first == {"type": "metadata", "protocol_version": "1.10"}
    return [shared(row["message"]) for row in rows]


@pytest.mark.usefixtures("capsys")
async def test_the_same_task_leaves_the_same_log_whichever_face_it_is_given_to(tmp_path):
    logs = {}
    for number, face in enumerate((by_print, by_wire, by_acp, by_screen)):
        root = tmp_path / str(number)  # as long as the others: the length counts as tokens
        skill = root / "work" / ".kimi-tui" / "skills" / "release"
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(FLOW)
        made = plan(root, *REPLIES, yolo=True)
        logs[face] = told(await face(made), made)
    kinds = {message["type"] for message in logs[by_print]}
    assert kinds >= {"SubagentEvent", "StepRetry", "FlowDecision", "ToolResult", "StatusUpdate", "TurnEnd"}
    assert logs[by_wire] == logs[by_print]
    assert logs[by_acp] == logs[by_print]
    assert logs[by_screen] == logs[by_print]
