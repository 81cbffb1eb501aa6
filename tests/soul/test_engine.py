import asyncio

import pytest

from kimi_tui.errors import ModelNotSetError, SessionLockedError, UsageError
from kimi_tui.soul.commands.registry import CommandInfo
from kimi_tui.wire.events import Notification, TurnBegin
from kimi_tui.wire.parts import TextPart, ToolResult
from tests.soul.release_flow import BROKEN, write_skill
from tests.soul.scripted_engine import engine_on, plan, tool_call


async def test_a_skill_is_sent_whole_with_the_request_after_it(tmp_path):
    write_skill(tmp_path / "work")
    async with engine_on(plan(tmp_path, "text: ok")) as (engine, received):
        await engine.prompt("/skill:release for v2")
        assert engine.context.history[0].text.startswith("---\nname: release")
        assert engine.context.history[0].text.endswith("for v2")
        assert received.of(TurnBegin)[0].user_input == "/skill:release for v2"


async def test_a_session_goes_on_with_the_prompt_and_the_history_it_had(tmp_path):
    async with engine_on(plan(tmp_path, "text: one")) as (engine, _):
        await engine.prompt("first question")
        session_id, prompt = engine.session_id, engine.context.system_prompt
        assert engine.title == "first question"
    (tmp_path / "work" / "AGENTS.md").write_text("be brief")
    async with engine_on(plan(tmp_path, "text: two", session_id=session_id)) as (engine, _):
        assert engine.context.system_prompt == prompt
        assert [message.text for message in engine.context.history] == ["first question", "one"]
        assert next(recorded.message for recorded in engine.recorded()) == TurnBegin(user_input="first question")


async def test_a_session_that_is_open_elsewhere_is_refused(tmp_path):
    made = plan(tmp_path, session_id="shared")
    async with engine_on(made):
        with pytest.raises(SessionLockedError):
            async with engine_on(made):
                pass


async def test_without_a_model_the_screen_opens_and_the_first_prompt_says_what_to_do(tmp_path):
    from kimi_tui.config.schema import Config

    made = plan(tmp_path, config=Config())
    async with engine_on(made) as (engine, received):
        with pytest.raises(ModelNotSetError, match="KIMI_API_KEY"):
            await engine.prompt("hi")
        assert "KIMI_API_KEY" in received.of(Notification)[0].body


async def test_clear_forgets_the_conversation_and_keeps_the_file(tmp_path):
    async with engine_on(plan(tmp_path, "text: one")) as (engine, _):
        await engine.prompt("hi")
        await engine.prompt("/clear")
        assert list(engine.context.history) == []
        assert (engine.session.dir / "context_1.jsonl").exists()


async def test_an_unknown_command_is_an_error_and_a_path_is_a_message(tmp_path):
    async with engine_on(plan(tmp_path, "text: a path")) as (engine, _):
        with pytest.raises(UsageError, match=r"unknown command /fly"):
            await engine.prompt("/fly me")
        assert (await engine.prompt("/usr/bin is where?")).message == "a path"


async def test_a_command_that_opens_a_screen_takes_no_arguments_and_says_so(tmp_path):
    async with engine_on(plan(tmp_path, "text: one")) as (engine, _):
        engine.frontend_commands = (CommandInfo("theme", "Choose a theme"),)
        with pytest.raises(UsageError, match=r"^/theme takes no arguments$"):
            await engine.prompt("/theme light")


async def test_of_an_unknown_command_the_nearest_is_named_even_if_it_cannot_be_run(tmp_path):
    write_skill(tmp_path / "work", text=BROKEN.replace("name: broken", "name: release"))
    async with engine_on(plan(tmp_path, "text: one")) as (engine, _):
        with pytest.raises(UsageError, match=r"unknown command /fow:release; did you mean /flow:release[?]"):
            await engine.prompt("/fow:release")
        with pytest.raises(UsageError, match=r"release cannot run: /.*/SKILL[.]md:10:9: `Green` has two"):
            await engine.prompt("/flow:release 1.2")
        assert list(engine.context.history) == []


async def test_a_skill_that_is_saved_is_a_command_at_once_and_in_the_next_turns_prompt(tmp_path):
    async with engine_on(plan(tmp_path, "text: one")) as (engine, _):
        changed = asyncio.Event()
        engine.skills.listen(lambda _: changed.set())
        write_skill(tmp_path / "work")
        await changed.wait()
        assert any(command.name == "flow:release" for command in engine.commands())
        await engine.prompt("hi")
        assert "Makes a release." in engine.soul.agent.system_prompt
        assert engine.context.system_prompt == engine.soul.agent.system_prompt


async def test_half_surrogates_of_any_face_are_replaced_before_they_go_anywhere(tmp_path):
    async with engine_on(plan(tmp_path, "text: one", "text: two")) as (engine, received):
        await engine.prompt("a\ud800b")
        await engine.prompt((TextPart(text="\ud83d\ude00"), TextPart(text="\udc00")))
        assert [message.text for message in engine.context.history] == ["a\ufffdb", "one", "😀\ufffd", "two"]
        assert received.of(TurnBegin)[0].user_input == "a\ufffdb"


async def test_half_surrogates_of_a_context_file_are_replaced_when_it_is_read(tmp_path):
    async with engine_on(plan(tmp_path, "text: one")) as (engine, _):
        await engine.prompt("marked")
        session_id, file = engine.session_id, engine.session.dir / "context.jsonl"
    file.write_text(file.read_text("utf-8").replace("marked", r"x\ud800"), "utf-8")
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
        assert engine.context.history[0].text == "x\ufffd"


WRITES = (
    tool_call("ExitPlanMode", "p", plan="1. Write."),
    tool_call("WriteFile", "w", path="a.txt", content="a"),
    "text: done",
)
HEADLESS = {"interactive": False, "auto_approve": True}


async def test_a_run_without_a_user_that_was_to_plan_writes_nothing_in_a_new_or_an_old_session(tmp_path):
    async with engine_on(plan(tmp_path, "text: done")) as (engine, _):
        await engine.prompt("hello")
        old = engine.session_id
    for session_id in (None, old):
        made = plan(tmp_path, *WRITES, plan_mode=True, plan_requested=True, session_id=session_id, **HEADLESS)
        async with engine_on(made) as (engine, received):
            await engine.prompt("go")
            assert [result.return_value.is_error for result in received.of(ToolResult)] == [True, True]
            assert engine.services.plan_mode.on
    assert not (tmp_path / "work/a.txt").exists()


@pytest.mark.parametrize("when_asked", ["refuse", "park"])
async def test_what_is_to_be_refused_without_a_user_is_refused_in_a_session_that_was_in_yolo_mode(tmp_path, when_asked):
    async with engine_on(plan(tmp_path, "text: done")) as (engine, _):
        await engine.prompt("hello")
        engine.approvals.yolo = True
        old = engine.session_id
    made = plan(tmp_path, *WRITES[1:], session_id=old, when_asked=when_asked, yolo=True, **HEADLESS)
    async with engine_on(made) as (engine, received):
        await engine.prompt("go")
        assert received.of(ToolResult)[0].return_value.is_error
    assert not (tmp_path / "work/a.txt").exists()
    async with engine_on(plan(tmp_path, *WRITES[1:], session_id=old)) as (engine, _):
        await engine.prompt("go")
    assert (tmp_path / "work/a.txt").exists()
