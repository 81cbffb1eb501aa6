import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from kimi_tui import __version__
from kimi_tui.config.schema import ModelConfig, ProviderConfig
from kimi_tui.errors import UsageError
from kimi_tui.soul.commands.registry import COMMANDS, CommandInfo
from kimi_tui.wire.events import BtwBegin, BtwEnd, Notification, PlanDisplay, StatusUpdate, StepBegin, TurnBegin
from kimi_tui.wire.flow_events import FlowPaused
from kimi_tui.wire.parts import TextPart, ToolResult
from kimi_tui.wire.requests import QuestionRequest
from tests.soul.release_flow import write_skill
from tests.soul.scripted_engine import engine_on, plan, tool_call
from tests.soul.test_soul import until


def said(received):
    return "".join(message.text for message in received.of(TextPart))


async def ask(engine, received, line):
    """What a command answers."""
    received.clear()
    await engine.prompt(line)
    return said(received)


async def test_every_command_is_listed_by_help_and_no_name_is_taken_twice(tmp_path):
    names = [name for command in COMMANDS for name in (command.info.name, *command.info.aliases)]
    assert len(names) == len(set(names))
    async with engine_on(plan(tmp_path)) as (engine, received):
        text = await ask(engine, received, "/help")
        assert all(f"`/{command.info.name}`" in text for command in COMMANDS)
        assert __version__ in await ask(engine, received, "/version")
        assert await ask(engine, received, "/?") == text


async def test_help_lists_what_the_face_adds(tmp_path):
    async with engine_on(plan(tmp_path)) as (engine, received):
        engine.frontend_commands = (CommandInfo("new", "Start a new session"), CommandInfo("model", "another"))
        text = await ask(engine, received, "/help")
        assert text.count("`/new` · Start a new session") == text.count("`/model`") == 1


@pytest.mark.parametrize("line", ["/yolo", "/afk"])
async def test_where_nobody_can_be_asked_tool_calls_stay_approved(tmp_path, line):
    made = replace(plan(tmp_path, tool_call("Shell", command="touch done"), "text: ok"), interactive=False)
    async with engine_on(replace(made, auto_approve=True)) as (engine, received):
        assert "No user is present" in await ask(engine, received, line)
        await engine.prompt("go")
        assert (engine.work_dir / "done").exists()


async def test_usage_says_model_context_and_tokens_those_of_subagents_too(tmp_path):
    task = tool_call("Task", "t", description="look", subagent_name="explore", prompt="look")
    replies = (
        f"{task}\nusage: input_other=100 output=5",
        f"text: {'found ' * 60}\nusage: input_other=1000 output=50",
        "text: ok\nusage: input_other=120 output=7",
    )
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        await engine.prompt("go")
        text = await ask(engine, received, "/usage")
    assert "3 steps · 1,220 tokens in" in text
    assert "62 out" in text
    assert "127 of 100,000" in text
    assert "Context: 127" in text


async def test_status_says_what_confines_commands_before_and_after_the_first(tmp_path):
    made = plan(tmp_path, tool_call("Shell", command="ls"), "text: ok")
    async with engine_on(made) as (engine, received):
        assert "the first command tests it" in await ask(engine, received, "/status")
        await engine.prompt("go")
        text = await ask(engine, received, "/status")
    words = {
        "full": "Commands run in a full sandbox with the network",
        "files": "Commands run in a sandbox that restricts file access only",
        "none": "Commands run without a sandbox",
    }
    assert words[engine.services.sandbox.tier] in text


async def test_usage_is_told_by_model_where_several_worked_each_with_its_price(tmp_path):
    compaction = "text: NOTES\nusage: input_other=500 output=30"
    replies = [f"text: {n}\nusage: input_other={n}000000 output=0" for n in (1, 2)]
    made = plan(tmp_path, replies[0], loop={"reserved_context_size": 1000})
    dear = ModelConfig(provider="dear", model="scripted", max_context_size=10**7, input_price=5.0, output_price=9.0)
    cheap = made.config.models["s"].model_copy(
        update={"input_price": 1.0, "output_price": 2.0, "max_context_size": 10**7}
    )
    script = tmp_path / "dear.json"
    script.write_text(json.dumps([replies[1], compaction]))
    config = made.config.model_copy(
        update={
            "models": {"s": cheap, "dear": dear},
            "default_model": "s",
            "providers": made.config.providers | {"dear": ProviderConfig(type="scripted", scripts=script)},
        }
    )
    async with engine_on(replace(made, config=config)) as (engine, received):
        await engine.prompt("one")
        await engine.prompt("/model dear")
        await engine.prompt("two")
        await engine.prompt("/compact")
        assert [told.model for told in received.of(StatusUpdate) if told.token_usage] == ["s", "dear", "dear"]
        text = await ask(engine, received, "/usage")
    assert "3 steps · 3,000,500 tokens in" in text
    assert "- s · 1 step · 1,000,000 in · 0 out · about 1.0000" in text
    assert "- dear · 2 steps · 2,000,500 in · 30 out · about 10.0028" in text
    assert "about 11.0028" in text


async def test_a_command_that_only_tells_may_be_given_while_a_turn_runs_and_stands_apart(tmp_path):
    async with engine_on(plan(tmp_path, "text: word\ndelay: 1000")) as (engine, received):
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: "StepBegin" in received.names)
        await engine.prompt("/version")
        told = received.of(Notification)[0]
        assert (told.type, told.title, told.body) == ("answer", "/version", f"kimi-tui {__version__}")
        assert len(received.of(TurnBegin)) == 1
        with pytest.raises(UsageError, match="wait for the turn to end before /clear"):
            await engine.prompt("/clear")
        with pytest.raises(UsageError, match=r"unknown command /clear/version"):
            await engine.prompt("/clear/version")
        engine.cancel()
        await turn


async def test_a_command_that_a_paused_flow_keeps_out_names_the_flow(tmp_path):
    write_skill(tmp_path / "work")
    async with engine_on(plan(tmp_path, "text: wait\ndelay: 1000")) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:release"))
        await until(lambda: "StepBegin" in received.names)
        engine.cancel()
        await until(lambda: received.of(FlowPaused))
        await until(lambda: not engine.turn_lock.locked)
        for command in ("/fork", "/rewind", "/clear"):
            with pytest.raises(UsageError, match=f"a flow is paused: continue or stop it before {command}"):
                await engine.prompt(command)
        assert engine.busy_reason("/rewind") == "a flow is paused: continue or stop it before /rewind"
        engine.stop_flow()
        await run


async def test_a_title_is_at_most_200_characters_and_is_kept(tmp_path):
    async with engine_on(plan(tmp_path, "text: hi")) as (engine, received):
        await engine.prompt("hello")
        await engine.prompt("/rename " + "long " * 100)
        assert len(engine.title) == 200
        session_id = engine.session_id
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, received):
        assert engine.title.startswith("long long")
        assert "· this one" in await ask(engine, received, "/sessions")


async def test_a_folder_can_be_added_to_the_workspace_and_stays_added(tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    write = tool_call("WriteFile", "w", path=str(other / "a.txt"), content="x\n")
    async with engine_on(plan(tmp_path, write, "text: ok")) as (engine, received):
        with pytest.raises(UsageError, match="is not a folder"):
            await engine.prompt("/add-dir ../none")
        await engine.prompt("/add-dir ../other")
        assert str(other) in await ask(engine, received, "/add-dir")
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: engine.approvals.pending)
        assert engine.approvals.pending[0].action == "edit file"
        engine.cancel()
        await turn
        session_id = engine.session_id
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
        assert engine.services.workspace.additional_dirs == (other,)


async def test_no_folder_is_added_while_a_command_runs_whose_work_its_files_would_be_taken_for(tmp_path):
    """Else the settings and hooks of Git that the user has there would be undone at the end of the command."""
    other = tmp_path / "other"
    (other / ".claude").mkdir(parents=True)
    server = tool_call("Shell", "s", command="sleep 60", run_in_background=True, description="a server")
    replies = (server, "text: ok", tool_call("Shell", "t", command="true"), "text: ok")
    async with engine_on(plan(tmp_path, *replies, yolo=True)) as (engine, _):
        engine.services.sandbox.absence_accepted = True
        await engine.prompt("go")
        if engine.services.sandbox.tier == "none":
            pytest.skip("there is no sandbox here")
        with pytest.raises(UsageError, match="a command of the agent runs"):
            await engine.prompt("/add-dir ../other")
        assert engine.services.workspace.additional_dirs == ()
        await engine.services.background.aclose()
        await until(lambda: not engine.services.sandbox.busy)
        await engine.prompt("/add-dir ../other")
        await engine.prompt("go on")
    assert (other / ".claude").exists()


async def test_the_model_can_be_changed_within_the_session(tmp_path):
    made = plan(tmp_path, "text: first", "text: second")
    more = {"big": ModelConfig(provider="script", model="big", max_context_size=500_000, capabilities={"image_in"})}
    config = made.config.model_copy(update={"models": {**made.config.models, **more}, "default_model": "s"})
    made = type(made)(**{name: getattr(made, name) for name in made.__slots__} | {"config": config})
    async with engine_on(made) as (engine, received):
        await engine.prompt("one")
        assert "- s · in use" in await ask(engine, received, "/model")
        assert engine.soul.agent.toolset.get("ReadMediaFile") is None
        await engine.prompt("/model big")
        assert received.of(StatusUpdate)[-1].max_context_tokens == 500_000
        assert (engine.model_name, engine.soul.model.model) == ("big", "big")
        assert engine.soul.agent.toolset.get("ReadMediaFile") is not None
        assert (await engine.prompt("two")).message == "first"  # the script of the new model begins anew
        with pytest.raises(UsageError, match=r"no model named 'none'. Available: s, big"):
            await engine.prompt("/model none")


async def test_init_writes_agents_md_in_a_memory_of_its_own(tmp_path):
    write = tool_call("WriteFile", "w", path="AGENTS.md", content="Run `make`.\n")
    async with engine_on(plan(tmp_path, "text: hello", write, "text: written", yolo=True)) as (engine, received):
        await engine.prompt("hi")
        await engine.prompt("/init")
        assert received.of(TurnBegin)[-1].user_input == "/init"
        texts = [message.text for message in engine.context.history]
        assert texts[:2] == ["hi", "hello"]
        assert len(texts) == 3
        assert "Run `make`." in texts[2]


@pytest.mark.parametrize("name", ["outside", "work/.env"])
async def test_init_takes_no_agents_md_that_is_a_link_out_of_the_project_or_to_secrets(tmp_path, name):
    """A repository can bring it, or a command make it."""
    made = plan(tmp_path, "text: there is one already")
    (tmp_path / name).write_text("s3cret\n")
    (made.work_dir / "AGENTS.md").symlink_to(tmp_path / name)
    async with engine_on(made) as (engine, _):
        await engine.prompt("/init")
        assert not any("s3cret" in message.text for message in engine.context.history)


async def test_init_compacts_its_own_conversation_and_never_that_of_the_session(tmp_path):
    full = "usage: input_other=900 output=0"
    calls = [tool_call("Glob", f"c{n}", pattern=f"{n}*.md") for n in range(3)]
    replies = ["text: one", f"text: two\n{full}", *calls[:2], f"{calls[2]}\n{full}", "text: NOTES", "text: written"]
    made = plan(tmp_path, *replies)
    model = made.config.models["s"].model_copy(update={"max_context_size": 1000})
    made = replace(made, config=made.config.model_copy(update={"models": {"s": model}}))
    async with engine_on(made) as (engine, received):
        await engine.prompt("a")
        await engine.prompt("b")
        await engine.prompt("/init")
        assert [message.text for message in engine.context.history] == ["a", "one", "b", "two"]
        steps = [name for name in received.names if name in ("StepBegin", "CompactionBegin")]
        assert steps[2:] == ["StepBegin"] * 4 + ["CompactionBegin"]


async def test_a_note_for_the_model_that_comes_during_init_reaches_the_conversation_after_it(tmp_path):
    replies = ("delay: 0.2\ntext: written", "text: after it")
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        begun = asyncio.create_task(engine.prompt("/init"))
        await until(lambda: received.of(StepBegin))
        engine.soul.add_system_note("a command in the background ended")
        await begun
        await engine.prompt("next")
        texts = [message.text for message in engine.context.history]
        assert texts == ["a command in the background ended", "next", "after it"]


async def test_yolo_and_afk_are_switches_and_afk_gives_yolo_back_as_it_was(tmp_path):
    question = tool_call(
        "AskUserQuestion",
        "q",
        questions=[{"question": "Which?", "header": "x", "options": [{"label": "a"}, {"label": "b"}]}],
    )
    replies = (tool_call("Shell", "s", command="echo hi > out"), question, "text: fine")
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        await engine.prompt("/afk")
        assert (await engine.prompt("go")).message == "fine"
        assert (engine.work_dir / "out").exists()
        assert received.of(QuestionRequest) == []
        assert engine.session.state.approval.yolo is False
        await engine.prompt("/afk")
        assert (engine.approvals.attended, engine.approvals.yolo) == (True, False)
        await engine.prompt("/yolo")
        assert engine.session.state.approval.yolo is True


async def test_yolo_that_was_turned_off_in_away_mode_stays_off_after_it(tmp_path):
    async with engine_on(plan(tmp_path, yolo=True)) as (engine, _):
        await engine.prompt("/afk")
        await engine.prompt("/yolo")
        assert engine.session.state.approval.yolo is False
        await engine.prompt("/afk")
        assert (engine.approvals.attended, engine.approvals.yolo) == (True, False)
    async with engine_on(plan(tmp_path, yolo=True)) as (engine, _):
        for _again in range(2):
            await engine.prompt("/afk")
        assert (engine.approvals.attended, engine.approvals.yolo) == (True, True)


async def test_btw_answers_with_what_is_known_and_leaves_nothing_behind(tmp_path):
    replies = ("text: the word is plum", tool_call("Shell", "s", command="touch never"), "text: plum")
    async with engine_on(plan(tmp_path, *replies, yolo=True)) as (engine, received):
        await engine.prompt("remember the word")
        before = list(engine.context.history)
        await engine.prompt("/btw what was the word?")
        assert received.of(BtwBegin)[0].question == "what was the word?"
        assert received.of(BtwEnd)[0].response == "plum"
        assert received.of(BtwBegin)[0].id == received.of(BtwEnd)[0].id
        assert list(engine.context.history) == before
        assert not (engine.work_dir / "never").exists()
        assert engine.rewind_points()[-1].text == "remember the word"


async def test_btw_may_be_asked_while_a_tool_runs_and_fails_alone(tmp_path):
    shell = tool_call("Shell", "s", command="until [ -e go ]; do sleep 0.02; done")
    replies = (shell, "text: beside", "error: 401 no", "text: done")
    async with engine_on(plan(tmp_path, *replies, yolo=True)) as (engine, received):
        turn = asyncio.create_task(engine.prompt("wait"))
        await until(lambda: "ToolCall" in received.names)
        await engine.prompt("/btw how is it?")
        await engine.prompt("/btw and now?")
        (engine.work_dir / "go").touch()
        assert (await turn).message == "done"
    assert received.of(BtwEnd)[0].response == "beside"
    assert received.of(BtwEnd)[1].response is None
    assert received.of(BtwEnd)[1].error
    assert [message.role for message in engine.context.history] == ["user", "assistant", "tool", "assistant"]


async def test_in_plan_mode_nothing_changes_anything_until_the_plan_is_agreed_to_even_under_yolo(tmp_path):
    write = tool_call("WriteFile", "w1", path="a.txt", content="x\n")
    leave = tool_call("ExitPlanMode", "p", plan="# Write a\n\nThen be done.")
    again = tool_call("WriteFile", "w2", path="a.txt", content="x\n")
    async with engine_on(plan(tmp_path, write, leave, again, "text: done", yolo=True)) as (engine, received):
        await engine.prompt("/plan on")
        assert received.of(StatusUpdate)[-1].plan_mode is True
        turn = asyncio.create_task(engine.prompt("write a"))
        await until(lambda: engine.questions.pending)
        assert "Plan mode is on" in engine.context.history[0].text
        assert received.of(TurnBegin)[-1].user_input == "write a"
        assert not (engine.work_dir / "a.txt").exists()
        assert received.of(ToolResult)[0].return_value.is_error
        shown = received.of(PlanDisplay)[0]
        assert Path(shown.file_path).read_text() == shown.content
        request = engine.questions.pending[0]
        engine.questions.settle(request.id, {request.questions[0].question: "Yes"})
        await turn
        assert (engine.work_dir / "a.txt").exists()
        assert not engine.session.state.plan_mode
        await engine.prompt("/plan view")
        assert received.of(PlanDisplay)[-1] == shown
        await engine.prompt("/plan clear")
        with pytest.raises(UsageError, match="no plan"):
            await engine.prompt("/plan view")


async def test_plan_mode_is_kept_over_a_resume(tmp_path):
    async with engine_on(plan(tmp_path, plan_mode=True)) as (engine, _):
        await engine.prompt("/title planning")
        session_id = engine.session_id
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
        assert engine.services.plan_mode.on


async def test_the_end_of_a_background_task_is_told_to_the_person_and_to_the_model(tmp_path):
    start = tool_call("Shell", "s", command="echo from below", run_in_background=True, description="a server")
    async with engine_on(plan(tmp_path, start, "text: started", "text: I see", yolo=True)) as (engine, received):
        await engine.prompt("start it")
        await until(lambda: any(message.category == "task" for message in received.of(Notification)))
        news = next(message for message in received.of(Notification) if message.category == "task")
        assert (news.type, news.title) == ("task.done", "Background task: a server")
        assert re.fullmatch(r"done, after \d+ s", news.body)
        assert "a server" in await ask(engine, received, "/task")
        await engine.prompt("and?")
        notes = [message.text for message in engine.context.history if message.text.startswith("<notification>")]
        assert len(notes) == 1
        assert "from below" in notes[0]


async def test_what_is_only_told_is_told(tmp_path):
    async with engine_on(plan(tmp_path)) as (engine, received):
        assert "explore" in await ask(engine, received, "/agents")
        assert "No hooks" in await ask(engine, received, "/hooks")
        assert "No MCP" in await ask(engine, received, "/mcp")
        assert "`/skill:" in await ask(engine, received, "/skills")
