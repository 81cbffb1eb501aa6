"""The tools of a server: up to a limit, each with a schema that models accept."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kimi_tui.i18n import tr
from kimi_tui.mcp.pagination import pages
from kimi_tui.mcp.schema_normalizer import plain_schema
from kimi_tui.mcp.untrusted_text import clean, one_line
from kimi_tui.wire.parts import JsonObject

if TYPE_CHECKING:
    from mcp import Client

MAX_TOOLS = 200
MAX_PAGES = 50
MAX_NAME = 128
MAX_DESCRIPTION = 4_000
MAX_NOTES = 50


@dataclass(frozen=True, slots=True)
class RemoteTool:
    """A tool under the server's own name. Its description and annotations are the server's claims."""

    name: str
    description: str
    parameters: JsonObject


async def remote_tools(
    client: "Client", allowed: tuple[str, ...] | None
) -> tuple[tuple[RemoteTool, ...], tuple[str, ...]]:
    """The allowed tools of a server, and notes on omitted or changed ones."""
    by_name: dict[str, RemoteTool] = {}
    notes: list[str] = []
    seen_names: set[str] = set()
    async for page in pages(client.list_tools, MAX_PAGES if client.server_capabilities.tools is not None else 0):
        for tool in page.tools:
            tool_label = one_line(tool.name, limit=60)
            if tool.name in seen_names:
                notes.append(tr("{tool}: listed twice; the first one is used", tool=tool_label))
            elif not tool.name or len(tool.name) > MAX_NAME or not tool.name.isprintable():
                notes.append(tr("{tool}: ignored; its name is not valid for a tool", tool=tool_label))
            elif tool.execution is not None and tool.execution.task_support == "required":
                notes.append(tr("{tool}: ignored; it only runs as a task, which is not supported", tool=tool_label))
            elif allowed is None or tool.name in allowed:
                parameters, is_complete = plain_schema(tool.input_schema)
                if not is_complete:
                    notes.append(tr("{tool}: its parameters are too large to send to the model", tool=tool_label))
                description = clean(tool.description or tool.title or "", limit=MAX_DESCRIPTION)
                by_name[tool.name] = RemoteTool(tool.name, description, parameters)
            seen_names.add(tool.name)
        if len(seen_names) >= MAX_TOOLS:
            break
    tools = tuple(by_name.values())
    if len(tools) > MAX_TOOLS:
        notes.append(tr("only the first {count} of its tools are used", count=MAX_TOOLS))
    missing = [name for name in allowed or () if name not in seen_names]
    notes.extend(f"{one_line(name, limit=60)}: allowed, but it has no such tool" for name in missing)
    return tools[:MAX_TOOLS], tuple(notes[:MAX_NOTES])
