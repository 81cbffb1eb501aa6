"""Shell lines of the user: a turn of one call on the Wire, one message in the context, and no model."""

import asyncio

import pytest

from kimi_tui.errors import UsageError
from kimi_tui.wire.events import TurnBegin, TurnEnd
from kimi_tui.wire.parts import ToolCall, ToolResult
from tests.soul.scripted_engine import engine_on, plan


async def test_a_shell_line_runs_in_the_work_dir_and_the_context_has_what_it_printed(tmp_path):
    async with engine_on(plan(tmp_path)) as (engine, received):
        await engine.run_shell_line("pwd; echo said; exit 3")
        assert [type(message) for message in received if isinstance(message, TurnBegin | ToolCall | TurnEnd)] == [
            TurnBegin,
            ToolCall,
            TurnEnd,
        ]
        (result,) = received.of(ToolResult)
        assert result.return_value.is_error
        text = engine.context.history[-1].text
        assert f"{tmp_path / 'work'}\nsaid\n" in text
        assert "exit code: 3" in text


async def test_the_next_message_brings_the_shell_line_to_the_model(tmp_path):
    async with engine_on(plan(tmp_path, "text: I see it.")) as (engine, _):
        await engine.run_shell_line("echo first")
        await engine.prompt("what does that mean?")
        said = [message.text for message in engine.context.history if message.role == "user"]
        assert next(index for index, text in enumerate(said) if "echo first" in text) < next(
            index for index, text in enumerate(said) if "what does that mean" in text
        )


async def test_an_interrupted_shell_line_ends_at_once_and_keeps_what_was_printed(tmp_path):
    async with engine_on(plan(tmp_path)) as (engine, received):
        printed = asyncio.Event()
        engine.progress.listen(lambda messages: printed.set())
        running = asyncio.create_task(engine.run_shell_line("echo begun; sleep 60"))
        await printed.wait()
        assert engine.busy
        engine.cancel()
        await running
        (result,) = received.of(ToolResult)
        assert result.return_value.output == "begun\n"
        assert "interrupted" in engine.context.history[-1].text
        assert not engine.busy


async def test_a_shell_line_waits_for_its_turn(tmp_path):
    async with engine_on(plan(tmp_path)) as (engine, _):
        running = asyncio.create_task(engine.run_shell_line("sleep 60"))
        await asyncio.sleep(0)
        with pytest.raises(UsageError):
            await engine.run_shell_line("true")
        engine.cancel()
        await running
