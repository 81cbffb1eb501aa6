"""An agent: a name, a system prompt and the tools it may use."""

from dataclasses import dataclass

from kimi_tui.tools.toolset import Toolset


@dataclass(frozen=True, slots=True)
class Agent:
    name: str
    system_prompt: str
    toolset: Toolset
