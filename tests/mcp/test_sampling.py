"""Requests of a server to the model."""

import asyncio
from collections.abc import Sequence
from typing import Any

from mcp_types import CreateMessageRequestParams, CreateMessageResult, ErrorData, SamplingMessage, TextContent

from kimi_tui.llm.message import Message
from kimi_tui.mcp.sampling import MAX_REQUESTS, Sampling

PARAMS = CreateMessageRequestParams(
    messages=[SamplingMessage(role="user", content=TextContent(type="text", text="hi"))], max_tokens=10
)
CONTEXT: Any = None


class Model:
    """Answers once it is let; counts the requests, and those at the same time."""

    def __init__(self) -> None:
        self.asked = self.running = self.most = 0
        self.goes_on = asyncio.Event()

    async def ask(self, system_prompt: str, messages: Sequence[Message]) -> tuple[str, str]:
        self.asked += 1
        self.running += 1
        self.most = max(self.most, self.running)
        await self.goes_on.wait()
        self.running -= 1
        return "m", "hello"


async def test_a_server_asks_the_model_a_bounded_number_of_times_within_one_call() -> None:
    model, call = Model(), "one"
    model.goes_on.set()
    sampling = Sampling("s", model.ask, call_id=lambda: call)
    answers = [await sampling.answer(CONTEXT, PARAMS) for _ in range(MAX_REQUESTS + 5)]
    assert sum(isinstance(answer, CreateMessageResult) for answer in answers) == model.asked == MAX_REQUESTS
    call = "two"
    assert isinstance(await sampling.answer(CONTEXT, PARAMS), CreateMessageResult)


async def test_requests_wait_for_each_other_and_end_with_the_call() -> None:
    model, calls = Model(), ["one"]
    sampling = Sampling("s", model.ask, call_id=lambda: calls[-1] if calls else None)
    asking = [asyncio.create_task(sampling.answer(CONTEXT, PARAMS)) for _ in range(20)]
    while model.running < 4:
        await asyncio.sleep(0)
    calls.clear()
    model.goes_on.set()
    answers = await asyncio.gather(*asking)
    assert (model.asked, model.most) == (4, 4)
    assert sum(isinstance(answer, ErrorData) for answer in answers) == 16
