"""The labour market: the subagents that an agent can send, those of its file and those it made itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kimi_tui.soul.agent import Agent
from kimi_tui.wire.codec import WireMessage

Send = Callable[[WireMessage], None]


@dataclass(frozen=True, slots=True)
class SubagentType:
    """A subagent that can be sent; `make` makes it anew for each task, given what takes its Wire messages.

    `only_looks`: it has no tool that edits files, so it may be sent in plan mode, where its other tools only read.
    """

    description: str
    make: Callable[[Send], Agent]
    only_looks: bool = False


@dataclass(slots=True)
class LaborMarket:
    """`fixed` come from the agent's file and have a market of their own; `dynamic` ones share this one.

    `on_hire` is told the name and the system prompt of each that is made.
    """

    fixed: dict[str, SubagentType] = field(default_factory=dict[str, SubagentType])
    dynamic: dict[str, SubagentType] = field(default_factory=dict[str, SubagentType])
    on_hire: Callable[[str, str], None] | None = None

    @property
    def workers(self) -> Mapping[str, SubagentType]:
        return {**self.dynamic, **self.fixed}

    def hire(self, name: str, system_prompt: str, worker: SubagentType) -> None:
        """Raises ValueError where the name is taken; the message is for the model."""
        if name in self.workers:
            raise ValueError(f"There is a subagent {name!r} already. There are: {', '.join(self.workers)}.")
        self.dynamic[name] = worker
        if self.on_hire is not None:
            self.on_hire(name, system_prompt)
