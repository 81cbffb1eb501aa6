"""Side questions: answered with the full conversation, beside the running turn, and not added to it."""

import asyncio
from collections.abc import Callable, Sequence
from uuid import uuid4

from kimi_tui.errors import KimiTuiError
from kimi_tui.llm.message import Message, user_message
from kimi_tui.llm.provider import Provider
from kimi_tui.llm.retry import request_reply_with_retries
from kimi_tui.soul.agent import Agent
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import BtwBegin, BtwEnd
from kimi_tui.wire.parts import TextPart

MAX_REPLIES = 2
_NOTE = (
    "<system>This is a side question. Answer it from what you know already, briefly and without calling a tool; your "
    "work continues afterwards as if it had not been asked.</system>"
)
_REFUSED = "<system>ERROR: No tool runs in a side question. Answer in words.</system>"


class SideQuestions:
    """The side questions of a session."""

    def __init__(self, send: Callable[[WireMessage], None]) -> None:
        self._send = send
        self._running: set[asyncio.Task[str]] = set()

    async def ask(self, question: str, agent: Agent, provider: Provider, history: Sequence[Message]) -> str:
        """Ask and return the answer, which also goes to the Wire. A failure goes to the Wire only; the answer is then
        empty.
        """
        aside_id = uuid4().hex
        self._send(BtwBegin(id=aside_id, question=question))
        task = asyncio.create_task(_answer(question, agent, provider, whole(history)))
        self._running.add(task)
        try:
            response = await task
        except asyncio.CancelledError:
            self._send(BtwEnd(id=aside_id, error="interrupted"))
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                task.cancel()
                raise
            return ""
        except KimiTuiError as error:
            self._send(BtwEnd(id=aside_id, error=str(error)))
            return ""
        finally:
            self._running.discard(task)
        self._send(BtwEnd(id=aside_id, response=response))
        return response

    def cancel(self) -> None:
        for task in self._running:
            task.cancel()


async def _answer(question: str, agent: Agent, provider: Provider, history: list[Message]) -> str:
    request = [*history, user_message((TextPart(text=_NOTE), TextPart(text=question)))]
    text = ""
    for _ in range(MAX_REPLIES):
        reply = await request_reply_with_retries(
            provider,
            agent.system_prompt,
            agent.toolset.specs,
            request,
            step=1,
            on_part=lambda _: None,
            on_retry=lambda _: None,
        )
        text = reply.message.text.strip() or text
        if not reply.message.tool_calls:
            break
        refusals = [
            Message(role="tool", content=(TextPart(text=_REFUSED),), tool_call_id=call.id)
            for call in reply.message.tool_calls
        ]
        request = [*request, reply.message, *refusals]
    return text or "The model had no answer without its tools."


def whole(history: Sequence[Message]) -> list[Message]:
    """Return the history without the tool calls that are still running."""
    asking = next((index for index in reversed(range(len(history))) if history[index].role != "tool"), 0)
    if history and len(history[asking].tool_calls or ()) > len(history) - asking - 1:
        return list(history[:asking])
    return list(history)
