"""An agent: a name, a system prompt and the tools it may use."""

from dataclasses import dataclass

from kimi_tui.context.dmail import DenwaRenji
from kimi_tui.soul.tool_availability import ToolAvailability
from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.tools.task import Subagents


@dataclass(slots=True)
class Agent:
    """An agent.

    `system_prompt` may change between turns. `tool_availability` selects the tools that the current model can use.
    `subagents` are those that the agent can start.

    `model` is the configured model that the agent file names, None for the session's model. An agent with a
    `denwa_renji` can send D-Mails and sees its checkpoints.
    """

    name: str
    system_prompt: str
    toolset: Toolset
    tool_availability: ToolAvailability
    subagents: Subagents
    denwa_renji: DenwaRenji | None = None
    model: str | None = None
