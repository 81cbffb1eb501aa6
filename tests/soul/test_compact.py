from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.config.schema import ModelConfig
from kimi_tui.context.compaction import LEAST_RESULT_TOKENS, CompactionThreshold, compacted_history, shortened, split
from kimi_tui.errors import ContextOverflowError
from kimi_tui.llm.message import Message, estimate_tokens, user_message
from kimi_tui.soul.agent_spec import agent_file
from kimi_tui.soul.compact import CompactionError
from kimi_tui.wire.events import CompactionEnd, Notification
from kimi_tui.wire.parts import ToolCall
from tests.soul.scripted_engine import engine_on, plan, tool_call


def small(made, size):
    """The same plan with a model of that context size."""
    model = ModelConfig(provider="script", model="scripted", max_context_size=size)
    return replace(made, config=made.config.model_copy(update={"models": {"s": model}}))


FULL = "usage: input_other=900 output=0"


async def test_a_conversation_that_grows_too_long_is_compacted_before_the_next_step(tmp_path):
    replies = ("text: one\nusage: input_other=10 output=1", f"text: two\n{FULL}", "text: NOTES", "text: three")
    async with engine_on(small(plan(tmp_path, *replies), 1000)) as (engine, received):
        for question in ("a", "b", "c"):
            await engine.prompt(question)
        texts = [message.text for message in engine.context.history]
        assert received.names.count("CompactionBegin") == received.names.count("CompactionEnd") == 1
        assert "NOTES" in texts[0]
        assert received.of(CompactionEnd) == [CompactionEnd()]
        assert texts[1:] == ["two", "c", "three"]
        session_id = engine.session_id
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
        assert [message.text for message in engine.context.history] == texts


async def test_an_empty_summary_keeps_the_conversation_and_says_so(tmp_path):
    replies = ("text: one", f"text: two\n{FULL}", "think: hm", "think: hm", "think: hm", "text: three")
    async with engine_on(small(plan(tmp_path, *replies), 1000)) as (engine, received):
        for question in ("a", "b", "c"):
            await engine.prompt(question)
        assert [message.text for message in engine.context.history] == ["a", "one", "b", "two", "c", "three"]
        assert "is unchanged" in received.of(Notification)[0].title
        assert received.of(CompactionEnd) == [CompactionEnd(compacted=False)]
        assert received.names.count("CompactionBegin") == received.names.count("CompactionEnd") == 1


async def test_ctx_overflow_reported_by_the_service_compacts_once_and_asks_again(tmp_path):
    overflow = "error: 400 maximum context length exceeded"
    replies = ("text: one", "text: two", overflow, "text: NOTES", "text: three")
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        for question in ("a", "b"):
            await engine.prompt(question)
        assert (await engine.prompt("c")).message == "three"
        assert received.names.count("CompactionBegin") == 1


async def test_the_person_may_compact_with_a_focus_and_an_empty_conversation_says_so(tmp_path):
    async with engine_on(plan(tmp_path, "text: one", "text: two", "text: NOTES")) as (engine, received):
        await engine.prompt("/compact")
        assert "nothing to compact" in received[-2].text
        await engine.prompt("a")
        await engine.prompt("b")
        await engine.prompt("/compact the tests")
        assert "NOTES" in engine.context.history[0].text


async def test_a_compaction_by_hand_that_fails_keeps_the_conversation_and_is_an_error(tmp_path):
    async with engine_on(plan(tmp_path, "text: one", "text: two", "error: 401 the key was refused")) as (
        engine,
        received,
    ):
        await engine.prompt("a")
        await engine.prompt("b")
        with pytest.raises(CompactionError, match="is unchanged: the key was refused"):
            await engine.prompt("/compact")
        assert [message.text for message in engine.context.history] == ["a", "one", "b", "two"]
        assert received.of(Notification)[-1].severity == "error"
        assert received.names[-2:] == ["CompactionEnd", "Notification"]


async def test_a_long_session_of_tools_stays_valid_through_compactions(tmp_path):
    replies = []
    for number in range(6):
        replies.append(f"text: {'word ' * 200}\n{tool_call('Glob', f'c{number}', pattern=f'{number}*.md')}\n{FULL}")
        if number > 1:
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
    threshold = CompactionThreshold(0.85, 50_000)
    assert not threshold.reached(20_000, 32_000)
    assert threshold.reached(24_001, 32_000)
    assert threshold.reached(206_000, 256_000)


def test_the_last_two_messages_are_kept_with_what_belongs_to_them():
    tool = Message(role="tool", tool_call_id="x")
    history = [user_message("a"), Message(role="assistant"), tool, user_message("b"), Message(role="assistant"), tool]
    older, _, kept = split(history)
    assert len(older) == 3
    assert kept[0].text == "b"
    assert split(history[:1])[0] == ()
    notes = compacted_history("NOTES", history[3:])
    assert split(notes) == ((), (), notes)


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


def result(text, call_id="c1"):
    return Message(role="tool", content=text, tool_call_id=call_id)


@given(st.lists(st.integers(0, 20_000), max_size=8), st.integers(0, 20_000))
def test_only_tool_results_are_cut_and_only_as_far_as_needed(sizes, tokens):
    messages = [user_message("u" * 4000), *(result("r" * size, str(n)) for n, size in enumerate(sizes))]
    cut = shortened(messages, tokens)
    assert cut[0] is messages[0]
    assert [one.tool_call_id for one in cut] == [one.tool_call_id for one in messages]
    total = sum(map(estimate_tokens, messages))
    if total <= tokens:
        assert cut == messages
    slack = 60 * len(messages)
    least = estimate_tokens(messages[0]) + sum(min(estimate_tokens(one), LEAST_RESULT_TOKENS) for one in messages[1:])
    assert sum(map(estimate_tokens, cut)) <= max(tokens, least) + slack
    assert all(new is old or len(new.text) < len(old.text) for new, old in zip(cut, messages, strict=True))


async def test_one_large_result_is_cut_without_asking_for_a_summary(tmp_path):
    made = small(plan(tmp_path, tool_call("ReadFile", path="big"), "text: read"), 8000)
    (made.work_dir / "big").write_text("\n".join(["0123456789" * 10] * 400))
    async with engine_on(made) as (engine, received):
        assert (await engine.prompt("read big")).message == "read"
        call, answer = engine.context.history[1:3]
        assert call.tool_calls[0].id == answer.tool_call_id
        assert "characters left out when the conversation was compacted" in answer.text
        assert estimate_tokens(answer) < 2200
        assert engine.context.history[0].text == "read big"
    assert received.names.count("CompactionBegin") == received.names.count("CompactionEnd") == 1


async def test_a_result_that_the_service_refuses_for_its_length_is_cut_and_the_turn_goes_on(tmp_path):
    replies = (tool_call("ReadFile", path="big"), "error: 400 maximum context length exceeded", "text: read")
    made = plan(tmp_path, *replies)
    (made.work_dir / "big").write_text("\n".join(["0123456789" * 10] * 400))
    async with engine_on(made) as (engine, _):
        assert (await engine.prompt("read big")).message == "read"
        assert estimate_tokens(engine.context.history[2]) < 4000


async def test_a_conversation_that_stays_too_long_is_told_with_a_way_out(tmp_path):
    overflow = "error: 400 maximum context length exceeded"
    async with engine_on(plan(tmp_path, "text: one", "text: two", overflow, "text: NOTES", overflow)) as (engine, _):
        await engine.prompt("a")
        await engine.prompt("b")
        with pytest.raises(ContextOverflowError, match=r"maximum context length exceeded .*/undo.*/model.*/clear"):
            await engine.prompt("c")


async def test_what_cannot_be_made_shorter_is_not_compacted_at_every_step(tmp_path):
    replies = ["text: one", "text: two\nusage: input_other=1800 output=0", "text: NOTES"]
    replies += [tool_call("Glob", f"c{n}", pattern=f"{n}*.md") + "\nusage: input_other=1800 output=0" for n in range(5)]
    async with engine_on(small(plan(tmp_path, *replies, "text: end"), 2000)) as (engine, received):
        for question in ("a", "b", "c"):
            ended = await engine.prompt(question)
        assert ended.message == "end"
    assert received.names.count("CompactionBegin") == 1


async def test_the_turns_own_prompt_and_what_was_steered_stay_word_for_word(tmp_path):
    long = "word " * 200
    replies = [
        "text: one",
        f"text: {long}\n{tool_call('Glob', 'c0', pattern='a*')}",
        f"text: {long}\n{tool_call('Glob', 'c1', pattern='b*')}",
        f"text: {long}\n{tool_call('Glob', 'c2', pattern='c*')}\n{FULL}",
        "text: NOTES",
        "text: end",
    ]
    async with engine_on(small(plan(tmp_path, *replies), 1000)) as (engine, received):
        await engine.prompt("a")
        engine.wire.listen(lambda message: isinstance(message, ToolCall) and engine.steer(f"and {message.id}"))
        await engine.prompt("exactly this: x == 3")
        texts = [message.text for message in engine.context.history]
        assert "NOTES" in texts[0]
        assert texts[1:4] == ["exactly this: x == 3", "and c0", "and c1"]
        assert "CompactionBegin" in received.names


async def test_compacting_twice_pays_once(tmp_path):
    async with engine_on(plan(tmp_path, "text: one", "text: two", "text: NOTES", "text: never")) as (engine, received):
        await engine.prompt("a")
        await engine.prompt("b")
        await engine.prompt("/compact")
        await engine.prompt("/compact")
        assert "NOTES" in engine.context.history[0].text
        assert "nothing to compact" in received[-2].text
    assert received.names.count("CompactionBegin") == 1


async def test_a_dmail_to_before_the_request_keeps_the_request(tmp_path):
    replies = ("text: one", tool_call("SendDMail", message="look in b", checkpoint_id=0), "text: two")
    made = replace(plan(tmp_path, *replies), agent_file=agent_file("okabe"))
    async with engine_on(made) as (engine, _):
        await engine.prompt("a")
        await engine.prompt("find it")
        texts = [message.text for message in engine.context.history if "CHECKPOINT" not in message.text]
        assert (texts[0], texts[1], texts[-1]) == ("a", "find it", "two")
        assert texts[2].endswith("look in b")
        assert [point.text for point in engine.rewind_points()][-1] == "find it"
