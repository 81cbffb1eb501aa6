"""Asking again: what is retried, how long is waited, what is told."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from kimi_tui.errors import ProviderError, ProviderStatusError
from kimi_tui.llm.error_mapping import status_error
from kimi_tui.llm.message import Message
from kimi_tui.llm.provider import SpokenPart, StreamPart, ToolSpec
from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.llm.providers.openai_chat import OpenAIChat
from kimi_tui.llm.providers.scripted import Script, ScriptedProvider
from kimi_tui.llm.reply import Reply
from kimi_tui.llm.retry import RetryPolicy, request_reply_with_retries
from kimi_tui.wire.events import StepRetry
from kimi_tui.wire.parts import TextPart
from tests.llm.servers import OpenAIServer, chat_reply, openai_server, status

__all__ = ["openai_server"]


class Watch:
    """A request with a clock that only notes the waits."""

    def __init__(self, policy: RetryPolicy | None = None) -> None:
        self.policy = policy
        self.told: list[StepRetry] = []
        self.waits: list[float] = []
        self.parts: list[SpokenPart | None] = []

    async def ask(self, provider: "ScriptedProvider | OpenAIChat | Failing") -> Reply:
        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        return await request_reply_with_retries(
            provider,
            "",
            (),
            (),
            step=4,
            on_part=self.parts.append,
            on_retry=self.tell,
            policy=self.policy,
            sleep=sleep,
        )

    def tell(self, retry: StepRetry) -> None:
        self.told.append(retry)
        self.parts.append(None)


class Failing:
    """A provider that fails with the same error each time."""

    model_name = "failing"

    def __init__(self, error: ProviderError) -> None:
        self.error = error
        self.asked = 0

    async def stream(
        self, system_prompt: str, tools: Sequence[ToolSpec], history: Sequence[Message]
    ) -> AsyncGenerator[StreamPart, None]:
        self.asked += 1
        yield TextPart(text="Hal")
        raise self.error

    def with_thinking(self, on: bool) -> "Failing":
        return self

    async def aclose(self) -> None:
        pass


def scripted(*blocks: str) -> ScriptedProvider:
    return ScriptedProvider(Script.parse("\n---\n".join(blocks)))


async def test_a_failure_that_may_pass_is_retried_and_told() -> None:
    watch = Watch()
    reply = await watch.ask(scripted("text: Hal\nerror: connection it hung up", "error: 503 down", "text: Hello"))
    assert reply.message.text == "Hello"
    assert [told.model_dump(exclude={"wait_s"}) for told in watch.told] == [
        {
            "n": 4,
            "next_attempt": 2,
            "max_attempts": 3,
            "error_type": "ProviderConnectionError",
            "status_code": None,
        },
        {"n": 4, "next_attempt": 3, "max_attempts": 3, "error_type": "ProviderStatusError", "status_code": 503},
    ]
    assert watch.parts == [TextPart(text="Hal"), None, None, TextPart(text="Hello")]
    assert [round(wait, 3) for wait in watch.waits] == [told.wait_s for told in watch.told]


async def test_waits_grow_with_jitter_up_to_the_most() -> None:
    watch = Watch(RetryPolicy(attempts=9))
    with pytest.raises(ProviderStatusError):
        await watch.ask(Failing(status_error(500, "down")))
    bases = [0.3, 0.6, 1.2, 2.4, 4.8, 5.0, 5.0, 5.0]
    assert len(watch.waits) == len(bases)
    assert all(min(base, 5.0) <= wait <= min(base + 0.5, 5.5) for base, wait in zip(bases, watch.waits, strict=True))


@pytest.mark.parametrize(("wanted", "waited"), [(0, 0), (7.5, 7.5), (60, 60), (86_400, 60)])
async def test_retry_after_is_honoured_within_bounds(wanted: float, waited: float) -> None:
    watch = Watch(RetryPolicy(attempts=2))
    with pytest.raises(ProviderStatusError):
        await watch.ask(Failing(status_error(429, "slow down", retry_after=wanted)))
    assert watch.waits == [waited]


async def test_the_last_error_is_raised_as_it_is() -> None:
    error = status_error(503, "the third time")
    failing = Failing(error)
    with pytest.raises(ProviderStatusError) as caught:
        await Watch().ask(failing)
    assert caught.value is error
    assert failing.asked == 3


@pytest.mark.parametrize(
    "line", ["401 no such key", "400 what?", "400 maximum context length is 10", "403 no", "404 gone"]
)
async def test_what_will_not_pass_is_not_retried(line: str) -> None:
    watch = Watch()
    with pytest.raises(ProviderStatusError):
        await watch.ask(scripted(f"error: {line}", "text: never"))
    assert watch.told == []


async def test_an_empty_answer_is_retried() -> None:
    watch = Watch()
    assert (await watch.ask(scripted('text: ""', "text: Hello"))).message.text == "Hello"
    assert watch.told[0].error_type == "EmptyResponseError"


async def test_a_script_that_has_run_out_is_not_retried() -> None:
    watch = Watch()
    with pytest.raises(ProviderError, match="is used up"):
        await watch.ask(scripted("error: 500 down"))
    assert len(watch.told) == 1


async def test_a_wait_can_be_cancelled() -> None:
    told = asyncio.Event()
    policy = RetryPolicy(attempts=2)
    task = asyncio.create_task(
        request_reply_with_retries(
            Failing(status_error(429, "slow down", retry_after=50)),
            "",
            (),
            (),
            step=1,
            on_part=lambda part: None,
            on_retry=lambda retry: told.set(),
            policy=policy,
        )
    )
    await told.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_real_service_is_asked_again(openai_server: OpenAIServer) -> None:
    cut = chat_reply("Hal", calls=[("c1", "Shell", {"command": "rm -r x"})])
    openai_server.add(cut.cut(4), status(429, {"error": "slow down"}, retry_after="2"), chat_reply("Hello"))
    settings = ProviderSettings("kimi", "test-model", base_url=openai_server.base_url, api_key="test-key")
    provider = OpenAIChat(settings)
    watch = Watch()
    reply = await watch.ask(provider)
    await provider.aclose()
    assert (reply.message.text, reply.message.tool_calls) == ("Hello", None)
    assert [told.error_type for told in watch.told] == ["ProviderConnectionError", "ProviderStatusError"]
    assert watch.waits[1] == 2
    assert len(openai_server.requests) == 3
