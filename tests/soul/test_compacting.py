from dataclasses import replace

import pytest

from kimi_tui.config.tables import ModelConfig
from kimi_tui.context.compaction import Threshold, split
from kimi_tui.llm.message import Message, user_message
from kimi_tui.soul.agent_spec import agent_file
from kimi_tui.soul.compacting import CompactionError
from kimi_tui.wire.events import Notification
from tests.soul.engines import engine_on, plan, tool_call


def small(made, size):
    """The same plan with a model of that context size."""
    model = ModelConfig(provider="script", model="scripted", max_context_size=size)
    return replace(made, config=made.config.model_copy(update={"models": {"s": model}}))


FULL = "usage: input_other=900 output=0"


async def test_a_conversation_that_grows_too_long_is_compacted_before_the_next_step(tmp_path):
    replies = ("text: one\nusage: input_other=10 output=1", f"text: two\n{FULL}", "text: NOTES", "text: three")
    async with engine_on(small(plan(tmp_path, *replies), 1000)) as (engine, heard):
        for question in ("a", "b", "c"):
            await engine.prompt(question)
        texts = [message.text for message in engine.context.history]
        assert heard.names.count("CompactionBegin") == heard.names.count("CompactionEnd") == 1
        assert "NOTES" in texts[0]
        assert texts[1:] == ["two", "c", "three"]
        session_id = engine.session_id
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
        assert [message.text for message in engine.context.history] == texts


async def test_an_empty_summary_keeps_the_conversation_and_says_so(tmp_path):
    replies = ("text: one", f"text: two\n{FULL}", "think: hm", "think: hm", "think: hm", "text: three")
    async with engine_on(small(plan(tmp_path, *replies), 1000)) as (engine, heard):
        for question in ("a", "b", "c"):
            await engine.prompt(question)
        assert [message.text for message in engine.context.history] == ["a", "one", "b", "two", "c", "three"]
        assert "is kept as it was" in heard.of(Notification)[0].title
        assert heard.names.count("CompactionBegin") == heard.names.count("CompactionEnd") == 1


async def test_ctx_overflow_reported_by_the_service_compacts_once_and_asks_again(tmp_path):
    overflow = "error: 400 maximum context length exceeded"
    replies = ("text: one", "text: two", overflow, "text: NOTES", "text: three")
    async with engine_on(plan(tmp_path, *replies)) as (engine, heard):
        for question in ("a", "b"):
            await engine.prompt(question)
        assert (await engine.prompt("c")).message == "three"
        assert heard.names.count("CompactionBegin") == 1


async def test_the_person_may_compact_with_a_focus_and_an_empty_conversation_says_so(tmp_path):
    async with engine_on(plan(tmp_path, "text: one", "text: two", "text: NOTES")) as (engine, heard):
        await engine.prompt("/compact")
        assert "nothing to compact" in heard[-2].text
        await engine.prompt("a")
        await engine.prompt("b")
        await engine.prompt("/compact the tests")
        assert "NOTES" in engine.context.history[0].text


async def test_a_compaction_by_hand_that_fails_keeps_the_conversation_and_is_an_error(tmp_path):
    async with engine_on(plan(tmp_path, "text: one", "text: two", "error: 401 the key was refused")) as (engine, heard):
        await engine.prompt("a")
        await engine.prompt("b")
        with pytest.raises(CompactionError, match="is kept as it was: the key was refused"):
            await engine.prompt("/compact")
        assert [message.text for message in engine.context.history] == ["a", "one", "b", "two"]
        assert heard.of(Notification)[-1].severity == "error"
        assert heard.names[-2:] == ["CompactionEnd", "Notification"]


async def test_a_long_session_of_tools_stays_valid_through_compactions(tmp_path):
    replies = []
    for number in range(6):
        replies.append(tool_call("Glob", f"c{number}", pattern=f"{number}*.md") + f"\n{FULL}")
        if number:
            replies.append("text: NOTES")
    replies.append("text: end")
    async with engine_on(small(plan(tmp_path, *replies), 1000)) as (engine, _):
        assert (await engine.prompt("go")).message == "end"
        open_calls = set()
        for message in engine.context.history:
            if message.role == "tool":
                open_calls.remove(message.tool_call_id)
            else:
                assert not open_calls
                open_calls = {call.id for call in message.tool_calls or ()}


def test_the_reserve_of_a_small_model_is_at_most_a_quarter():
    threshold = Threshold(0.85, 50_000)
    assert not threshold.reached(20_000, 32_000)
    assert threshold.reached(24_001, 32_000)
    assert threshold.reached(206_000, 256_000)


def test_the_last_two_messages_are_kept_with_what_belongs_to_them():
    tool = Message(role="tool", tool_call_id="x")
    history = [user_message("a"), Message(role="assistant"), tool, user_message("b"), Message(role="assistant"), tool]
    older, kept = split(history)
    assert len(older) == 3
    assert kept[0].text == "b"
    assert split(history[:1])[0] == ()


async def test_after_a_compaction_only_checkpoints_that_there_are_can_be_seen(tmp_path):
    replies = ("text: one", "text: two", "text: three", "text: NOTES", "text: four")
    made = replace(plan(tmp_path, *replies), agent_file=agent_file("okabe"))
    async with engine_on(made) as (engine, _):
        for question in ("a", "b", "c"):
            await engine.prompt(question)
        await engine.prompt("/compact")
        texts = [message.text for message in engine.context.history]
        assert "NOTES" in texts[0]
        assert texts[1:] == ["c", "three"]
        await engine.prompt("d")
        marks = [text for text in (message.text for message in engine.context.history) if "CHECKPOINT" in text]
        assert marks == [f"<system>CHECKPOINT {n}</system>" for n in range(engine.context.checkpoints)][-len(marks) :]
        assert len(marks) == 2
