"""Plays a script of model replies over HTTP, as an OpenAI-compatible service: what `scripted` says, the SDK hears.

`python -m tests.llm.played SCRIPT.json` serves it on loopback until it is ended, and prints the base URL.
"""

import asyncio
import json
import sys
from pathlib import Path

from kimi_tui.llm.provider import ReplyUsage
from kimi_tui.llm.scripted import Script
from kimi_tui.wire.parts import TextPart, ThinkPart, ToolCall
from tests.llm.servers import Answer, OpenAIServer, chat_reply


def answers(path: Path) -> list[Answer]:
    return [answer_of(block) for block in Script.read(path).blocks]


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
    async with OpenAIServer() as server:
        server.add(*answers(path))
        print(server.base_url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
