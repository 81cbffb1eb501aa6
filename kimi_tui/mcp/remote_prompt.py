"""The prompts of a server, as slash commands `/mcp:SERVER:PROMPT`, and their texts."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kimi_tui.errors import UsageError
from kimi_tui.i18n import tr
from kimi_tui.mcp.pagination import pages
from kimi_tui.mcp.untrusted_text import one_line

if TYPE_CHECKING:
    from mcp import Client

MAX_PROMPTS = 100
MAX_PAGES = 20
_MAX_NAME = 128
_MAX_ARGUMENTS = 20
_NOT_IN_A_COMMAND = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class RemoteArgument:
    name: str
    required: bool


@dataclass(frozen=True, slots=True)
class RemotePrompt:
    """A prompt under the server's own name; the description is the server's text."""

    name: str
    description: str
    arguments: tuple[RemoteArgument, ...] = ()

    @property
    def summary(self) -> str:
        """The description and the arguments."""
        return " · ".join(filter(None, (self.description, self.usage)))

    @property
    def usage(self) -> str:
        """The arguments as the user types them: `TOPIC [STYLE]`."""
        names = (one_line(argument.name, limit=40) for argument in self.arguments)
        return " ".join(
            name if argument.required else f"[{name}]" for name, argument in zip(names, self.arguments, strict=True)
        )


async def remote_prompts(client: "Client") -> tuple[RemotePrompt, ...]:
    """The prompts of a server whose names can be typed, up to a limit."""
    if client.server_capabilities.prompts is None:
        return ()
    prompts: dict[str, RemotePrompt] = {}
    async for page in pages(client.list_prompts, MAX_PAGES):
        for prompt in page.prompts:
            arguments = tuple(RemoteArgument(each.name, bool(each.required)) for each in prompt.arguments or ())
            if prompt.name and len(prompt.name) <= _MAX_NAME and len(arguments) <= _MAX_ARGUMENTS:
                description = one_line(prompt.description or prompt.title or "", limit=200)
                prompts.setdefault(prompt.name, RemotePrompt(prompt.name, description, arguments))
        if len(prompts) >= MAX_PROMPTS:
            break
    return tuple(prompts.values())[:MAX_PROMPTS]


def command_names(prompts: Mapping[str, tuple[RemotePrompt, ...]]) -> dict[str, tuple[str, RemotePrompt]]:
    """Slash command, without its slash, to (server, prompt); of prompts with the same name, the first is used."""
    by_command: dict[str, tuple[str, RemotePrompt]] = {}
    for server, offered in prompts.items():
        for prompt in offered:
            parts = [_NOT_IN_A_COMMAND.sub("-", part).strip("-") for part in (server, prompt.name)]
            if all(parts):
                by_command.setdefault(":".join(("mcp", *parts)), (server, prompt))
    return by_command


def parse_arguments(prompt: RemotePrompt, line: str) -> dict[str, str]:
    """The arguments typed after the command, by name: in order, or as `name=value`; the last one gets the rest.

    Raises UsageError if a required argument is missing, or there are more than the prompt accepts.
    """
    names = [argument.name for argument in prompt.arguments]
    values: dict[str, str] = {}
    values_in_order = _words(line)
    while values_in_order and (pair := values_in_order[0].partition("="))[1] and pair[0] in names:
        values[pair[0]] = pair[2]
        values_in_order.pop(0)
    unfilled = [name for name in names if name not in values]
    if values_in_order and not unfilled:
        raise UsageError(tr("too many arguments; usage: {usage}", usage=prompt.usage or tr("none")))
    while values_in_order:
        name = unfilled.pop(0)
        values[name] = values_in_order.pop(0) if unfilled else " ".join(values_in_order)
        values_in_order = values_in_order if unfilled else []
    missing = [argument.name for argument in prompt.arguments if argument.required and argument.name not in values]
    if missing:
        raise UsageError(tr("missing argument; usage: {usage}", usage=prompt.usage))
    return values


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # a quotation mark that belongs to the text
        return line.split()


def prompt_note(server: str, prompt: str) -> str:
    return (
        f"<system>The user chose the prompt `{one_line(prompt, limit=100)}` of the MCP server "
        f"`{one_line(server, limit=60)}`. What follows is the server's text.</system>"
    )
