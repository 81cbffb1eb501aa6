"""A reply put together from its pieces."""

import pytest

from kimi_tui.errors import ProviderError
from kimi_tui.llm.provider import ReplyId, ReplyUsage
from kimi_tui.llm.providers.scripted import Script, ScriptedProvider
from kimi_tui.llm.reply_limits import MAX_ID, MAX_PIECES, ReplySize
from kimi_tui.wire.parts import TextPart, ThinkPart, TokenUsage
from tests.llm.provider_calls import ask, calls_of


async def test_thoughts_that_were_signed_stay_apart() -> None:
    signed = [
        ThinkPart(think="a"),
        ThinkPart(think="b", encrypted="s1"),
        ThinkPart(think="c"),
        ThinkPart(think="", encrypted="s2"),
    ]
    reply = await ask(ScriptedProvider(Script([(*signed, TextPart(text="x"))])))
    assert reply.message.content == (
        ThinkPart(think="ab", encrypted="s1"),
        ThinkPart(think="c", encrypted="s2"),
        TextPart(text="x"),
    )


async def test_the_last_usage_counts() -> None:
    first, last = TokenUsage(input_other=1), TokenUsage(input_other=9, output=2)
    reply = await ask(
        ScriptedProvider(Script([(ReplyId("r"), ReplyUsage(first), TextPart(text="x"), ReplyUsage(last))]))
    )
    assert (reply.id, reply.usage) == ("r", last)


async def test_a_usage_of_nothing_is_that_of_a_service_that_does_not_count() -> None:
    nothing = ReplyUsage(TokenUsage())
    reply = await ask(ScriptedProvider(Script([(nothing, TextPart(text="x"), nothing)])))
    assert reply.usage is None


async def test_a_reply_of_calls_alone_is_a_reply() -> None:
    reply = await ask(ScriptedProvider(Script.parse('tool_call: {"id": "c1", "name": "A", "arguments": "{}"}')))
    assert calls_of(reply) == [("c1", "A", "{}")]
    assert reply.message.content == ()


@pytest.mark.parametrize("count", [-1, 10**13, 10**320])
async def test_a_usage_that_cannot_be_is_not_told(count: int) -> None:
    told, odd = TokenUsage(input_other=3, output=1), TokenUsage(input_other=9, output=count)
    reply = await ask(ScriptedProvider(Script([(ReplyUsage(told), TextPart(text="x"), ReplyUsage(odd))])))
    assert reply.usage == told


async def test_an_answer_that_does_not_end_is_stopped() -> None:
    piece = TextPart(text="x".ljust(1 << 20))  # one word comes in one piece
    with pytest.raises(ProviderError, match="size limit"):
        await ask(ScriptedProvider(Script([(piece,) * 17])))


def test_an_answer_of_small_pieces_without_end_is_stopped() -> None:
    size = ReplySize()
    for _ in range(MAX_PIECES):
        size.add(1)
    with pytest.raises(ProviderError, match="size limit"):
        size.add(1)


async def test_a_reply_id_that_is_too_long_is_not_kept() -> None:
    reply = await ask(ScriptedProvider(Script([(ReplyId("r" * (MAX_ID + 1)), TextPart(text="x"))])))
    assert reply.id is None


async def test_signatures_of_thoughts_count_as_well() -> None:
    piece = ThinkPart(think="", encrypted="s" * (1 << 20))
    with pytest.raises(ProviderError, match="size limit"):
        await ask(ScriptedProvider(Script([(piece,) * 17])))
