"""The labour market: the subagents that an agent can start, from its file or created by the agent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kimi_tui.soul.agent import Agent
from kimi_tui.wire.codec import WireMessage

MAX_CREATED = 50
"""How many subagents an agent may create: each stays in the state of the session."""
Send = Callable[[WireMessage], None]


@dataclass(frozen=True, slots=True)
class SubagentType:
    """A subagent type; `make` creates a new instance for each task, given the receiver of its Wire messages.

    `edits_nothing`: it has no tool that edits files, so plan mode allows it; its other tools are then read-only.
    """

    description: str
    make: Callable[[Send], Agent]
    edits_nothing: bool = False


@dataclass(slots=True)
class LaborMarket:
    """The subagents that an agent can start.

    `fixed` subagents come from the agent's file and have their own market; `dynamic` ones share this one.

    It calls `on_hire` with the name and the system prompt of each new subagent.
    """

    fixed: dict[str, SubagentType] = field(default_factory=dict[str, SubagentType])
    dynamic: dict[str, SubagentType] = field(default_factory=dict[str, SubagentType])
    on_hire: Callable[[str, str], None] | None = None

    @property
    def workers(self) -> Mapping[str, SubagentType]:
        return {**self.dynamic, **self.fixed}

    def hire(self, name: str, system_prompt: str, worker: SubagentType) -> None:
        """Add a subagent. Raises ValueError, for the model, if the name is taken or there are too many."""
        if name in self.workers:
            raise ValueError(f"A subagent named {name!r} already exists. Existing: {', '.join(self.workers)}.")
        if len(self.dynamic) >= MAX_CREATED:  # defence: bound-created-subagents
            raise ValueError(f"There are {MAX_CREATED} created subagents already; send one of those.")
        self.dynamic[name] = worker
        if self.on_hire is not None:
            self.on_hire(name, system_prompt)
