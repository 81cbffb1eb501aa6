"""What is known of one server, for who shows it."""

from dataclasses import dataclass
from typing import Literal

from kimi_tui.mcp.remote_prompt import RemotePrompt
from kimi_tui.mcp.remote_resource import RemoteResource
from kimi_tui.mcp.remote_tool import RemoteTool

Status = Literal["pending", "connecting", "connected", "failed", "unauthorized", "untrusted", "disabled"]


@dataclass(frozen=True, slots=True)
class ServerState:
    """What there is to know of a server now. `cause` is why it does not work, `notes` what was left out of it.

    `instructions` are the server's own words, bounded.
    """

    name: str
    origin: str
    place: str
    status: Status
    cause: str = ""
    tools: tuple[RemoteTool, ...] = ()
    notes: tuple[str, ...] = ()
    instructions: str = ""
    prompts: tuple[RemotePrompt, ...] = ()
    resources: tuple[RemoteResource, ...] = ()
