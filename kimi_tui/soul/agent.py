"""An agent: a name, a system prompt and the tools it may use."""

from dataclasses import dataclass

from kimi_tui.context.dmail import DenwaRenji
from kimi_tui.soul.tool_availability import ToolAvailability
from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.tools.task import Subagents


@dataclass(slots=True)
class Agent:
    """`system_prompt` may change between turns; `offering` fits the toolset to the model; `crew` is whom it can send.

    `model` is the configured model of its file, None the session's. With a `denwa_renji` it can send D-Mails, and sees
    its checkpoints.
    """

    name: str
    system_prompt: str
    toolset: Toolset
    offering: ToolAvailability
    crew: Subagents
    denwa_renji: DenwaRenji | None = None
    model: str | None = None
