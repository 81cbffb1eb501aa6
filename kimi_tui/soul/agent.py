"""An agent: a name, a system prompt and the tools it may use."""

from dataclasses import dataclass

from kimi_tui.context.dmail import DenwaRenji
from kimi_tui.tools.toolset import Toolset


@dataclass(slots=True)
class Agent:
    """`system_prompt` may change between turns. With a `denwa_renji` it can send D-Mails, and sees its checkpoints."""

    name: str
    system_prompt: str
    toolset: Toolset
    denwa_renji: DenwaRenji | None = None
