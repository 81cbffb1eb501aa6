"""A metered provider: each attempt passes the meter, and each reply is recorded, complete or not."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import pytest

from kimi_tui.errors import EmptyResponseError, ProviderConnectionError
from kimi_tui.llm.message import user_message
from kimi_tui.llm.metering import MeteredProvider, current_meter, metered
from kimi_tui.llm.provider import ReplyUsage, StreamPart
from kimi_tui.llm.reply import request_reply
from kimi_tui.llm.retry import RetryPolicy, request_reply_with_retries
from kimi_tui.wire.parts import TextPart, TokenUsage

SOME = TokenUsage(input_other=10, output=5)
HISTORY = [user_message("x" * 400)]


class Played:
    """Streams these parts; an exception is raised, and "hang" waits for ever."""

    model_name = "m"

    def __init__(self, *streams: Sequence[StreamPart | BaseException | str]) -> None:
        self._streams = list(streams)
        self.started = asyncio.Event()

    async def stream(self, *_request: object) -> AsyncGenerator[StreamPart, None]:
        self.started.set()
        for part in self._streams.pop(0):
            if isinstance(part, BaseException):
                raise part
            if isinstance(part, str):
                await asyncio.Event().wait()
            else:
                yield part

    def with_thinking(self, on: bool) -> "Played":
        return self

    async def aclose(self) -> None: ...


class Noted:
    def __init__(self) -> None:
        self.admitted = 0
        self.recorded: list[tuple[str, TokenUsage, bool]] = []

    async def admit(self, model: str) -> None:
        self.admitted += 1

    def record(self, model: str, usage: TokenUsage, *, estimated: bool) -> None:
        self.recorded.append((model, usage, estimated))


async def asked(played: Played, noted: Noted) -> None:
    await request_reply(MeteredProvider(played, "s", noted), "", (), HISTORY, on_part=lambda _: None)


async def test_a_complete_reply_counts_as_the_service_reported_it() -> None:
    noted = Noted()
    await asked(Played([TextPart(text="hi"), ReplyUsage(SOME)]), noted)
    assert (noted.admitted, noted.recorded) == (1, [("s", SOME, False)])


async def test_an_unreported_or_unbelievable_usage_is_estimated() -> None:
    for parts in ([TextPart(text="y" * 40)], [TextPart(text="y" * 40), ReplyUsage(TokenUsage(output=-1))]):
        noted = Noted()
        await asked(Played(parts), noted)
        ((_, usage, estimated),) = noted.recorded
        assert (usage.output, estimated) == (10, True)
        assert usage.input_other >= 100


async def test_an_empty_reply_counts() -> None:
    noted = Noted()
    with pytest.raises(EmptyResponseError):
        await asked(Played([ReplyUsage(SOME)]), noted)
    assert noted.recorded == [("s", SOME, False)]


async def test_each_attempt_counts_by_itself() -> None:
    noted, gone = Noted(), ProviderConnectionError("gone")
    played = Played([gone], [TextPart(text="half"), ReplyUsage(SOME), gone], [TextPart(text="all"), ReplyUsage(SOME)])
    await request_reply_with_retries(
        MeteredProvider(played, "s", noted), "", (), HISTORY, step=1, on_part=lambda _: None,
        on_retry=lambda _: None, policy=RetryPolicy(3, 0, 0, 0),
    )  # fmt: skip
    assert noted.admitted == 3
    assert noted.recorded == [("s", SOME, False)] * 2


async def test_what_came_after_the_last_report_of_a_cancelled_reply_is_estimated() -> None:
    noted, played = Noted(), Played([ReplyUsage(SOME), TextPart(text="y" * 40), "hang"])
    task = asyncio.create_task(asked(played, noted))
    await played.started.wait()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert noted.recorded == [("s", SOME + TokenUsage(output=10), True)]


async def test_a_request_that_is_cancelled_before_its_reply_counts_its_input() -> None:
    noted, played = Noted(), Played(["hang"])
    task = asyncio.create_task(asked(played, noted))
    await played.started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    ((_, usage, estimated),) = noted.recorded
    assert (usage.output, estimated) == (0, True)
    assert usage.input_other >= 100


async def test_a_reader_that_stops_early_leaves_a_record() -> None:
    noted = Noted()
    provider = MeteredProvider(Played([TextPart(text="y" * 8), TextPart(text="more")]), "s", noted)
    async with aclosing(provider.stream("", (), HISTORY)) as parts:
        async for _ in parts:
            break
    assert [(usage.output, estimated) for _, usage, estimated in noted.recorded] == [(2, True)]


async def test_without_a_meter_the_provider_is_as_it_is() -> None:
    played = Played()
    assert metered(played, "s") is played
    token = current_meter.set(Noted())
    assert isinstance(metered(played, "s"), MeteredProvider)
    current_meter.reset(token)
