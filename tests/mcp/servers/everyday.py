"""A server with a tool for every kind of answer; `everyday.py http PORT` or `sse PORT` serves it by HTTP."""

import asyncio
import base64
import os
import sys
from pathlib import Path
from typing import Annotated, Literal

from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Context, Elicit, Image, ListRoots, MCPServer, Resolve, Sample
from mcp_types import (
    CallToolResult,
    CreateMessageResult,
    EmbeddedResource,
    ListRootsResult,
    ResourceLink,
    SamplingMessage,
    TextContent,
    TextResourceContents,
)
from pydantic import BaseModel

server = MCPServer("everyday", version="1")
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Point(BaseModel):
    x: int
    y: int


class Dinner(BaseModel):
    dish: Literal["soup", "cake"]
    guests: int


@server.tool()
def echo(text: str) -> str:
    """Say it again."""
    return text


@server.tool()
def picture() -> list:
    """A caption and a picture."""
    return ["a dot", Image(data=PICTURE, format="png")]


@server.tool()
def point() -> Point:
    """Structured content."""
    return Point(x=1, y=2)


@server.tool()
def resources() -> CallToolResult:
    """A link and a text."""
    text = TextResourceContents(uri="memo://one", text="remember")
    return CallToolResult(
        content=[
            ResourceLink(name="log", uri="file:///var/log/x", mime_type="text/plain"),
            EmbeddedResource(resource=text),
        ]
    )


@server.tool()
def wrong() -> CallToolResult:
    """An error of the tool's own."""
    return CallToolResult(content=[TextContent(text="no such city")], is_error=True)


@server.tool()
def large(chars: int) -> str:
    """As much text as is asked for."""
    return "x" * chars


@server.tool()
def die() -> str:
    """Go in the middle of the call."""
    sys.stderr.write("out of milk\n")
    sys.stderr.flush()
    os._exit(3)


@server.tool()
def pid() -> int:
    return os.getpid()


@server.tool()
def environment(name: str) -> str:
    return os.environ.get(name, "(not set)")


@server.tool()
async def slow(mark: str, ctx: Context) -> str:
    """Tell of progress, then wait for ever; writes `MARK.cancelled` when it is cancelled."""
    await ctx.report_progress(1, 2, "half way")
    Path(f"{mark}.begun").touch()
    try:
        await asyncio.Event().wait()
    finally:
        Path(f"{mark}.cancelled").touch()
    return "never"


@server.tool()
async def grow(ctx: Context) -> str:
    """Offer one more tool."""

    def another() -> str:
        return "I am new"

    server.add_tool(another, name="another", description="New.")
    await ctx.notify_tools_changed()
    await ctx.request_context.session.send_tool_list_changed()
    return "grown"


def which_dinner() -> Elicit[Dinner]:
    return Elicit("What shall there be?", Dinner)


def which_roots() -> ListRoots:
    return ListRoots()


@server.tool()
async def dinner(answer: Annotated[ElicitationResult[Dinner], Resolve(which_dinner)]) -> str:
    """Ask the person."""
    return f"{answer.data.dish} for {answer.data.guests}" if answer.action == "accept" else answer.action


@server.tool()
async def roots(found: Annotated[ListRootsResult, Resolve(which_roots)]) -> str:
    """The folders of the client."""
    return " ".join(str(root.uri) for root in found.roots)


def what_the_model_says() -> Sample:
    said = SamplingMessage(role="user", content=TextContent(type="text", text="Which dish?"))
    return Sample([said], max_tokens=100, system_prompt="You are a cook.")


@server.tool()
async def ask_the_model(answer: Annotated[CreateMessageResult, Resolve(what_the_model_says)]) -> str:
    """Ask the model of the client."""
    return f"{answer.model} says {answer.content.text}"


if __name__ == "__main__":
    if len(sys.argv) == 1:
        server.run("stdio")
    elif sys.argv[1] == "http":
        server.run("streamable-http", port=int(sys.argv[2]))
    else:
        server.run("sse", port=int(sys.argv[2]))
