"""Plays a script of model replies over HTTP, as an OpenAI-compatible service: what `scripted` says, the SDK hears.

A script of rules answers each request by the messages in it.
`python -m tests.llm.scripted_server SCRIPT` serves it on loopback until it is ended, and prints the base URL.
"""

import asyncio
import json
import sys
from pathlib import Path

from kimi_tui.llm.message import Message
from kimi_tui.llm.provider import ReplyUsage
from kimi_tui.llm.providers.scripted import Script
from kimi_tui.wire.parts import FunctionBody, TextPart, ThinkPart, ToolCall
from tests.llm.servers import Answer, OpenAIServer, SeenRequest, chat_reply


class ScriptedServer(OpenAIServer):
    """Answers every request as the script does."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.script = Script.read(path)

    def respond(self, request: SeenRequest) -> Answer:
        said = [message for message in request.json["messages"] if message["role"] != "system"]
        return answer_of(self.script.reply_to([message_of(message) for message in said]))


def message_of(said) -> Message:
    """A message as the service hears it."""
    content = said.get("content") or ""
    text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    calls = tuple(
        ToolCall(id=call["id"], function=FunctionBody(**call["function"])) for call in said.get("tool_calls") or ()
    )
    return Message(
        role=said["role"],
        content=(TextPart(text=text),) if text else (),
        tool_calls=calls or None,
        tool_call_id=said.get("tool_call_id"),
    )


def answer_of(block) -> Answer:
    text = "".join(part.text for part in block if isinstance(part, TextPart))
    thoughts = "".join(part.think for part in block if isinstance(part, ThinkPart))
    calls = [
        (part.id, part.function.name, json.loads(part.function.arguments or "{}"))
        for part in block
        if isinstance(part, ToolCall)
    ]
    usage = next((part.usage for part in block if isinstance(part, ReplyUsage)), None)
    told = {"prompt_tokens": usage.input, "completion_tokens": usage.output} if usage else None
    return chat_reply([text[at : at + 6] for at in range(0, len(text), 6)], calls=calls, think=thoughts, usage=told)


async def serve(path: Path) -> None:
    async with ScriptedServer(path) as server:
        print(server.base_url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
