"""The state of one server, for display."""

from dataclasses import dataclass
from typing import Literal

from kimi_tui.mcp.remote_prompt import RemotePrompt
from kimi_tui.mcp.remote_resource import RemoteResource
from kimi_tui.mcp.remote_tool import RemoteTool

Status = Literal["pending", "connecting", "connected", "failed", "unauthorized", "untrusted", "disabled"]


@dataclass(frozen=True, slots=True)
class ServerState:
    """The current state of a server. `cause` is the reason why it does not work, `notes` lists what was left out.

    `instructions` are the server's own text, of limited length.
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
