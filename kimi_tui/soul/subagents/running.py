"""Running subagents, so that the user can stop one of them."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

MAX_RUNNING = 24
"""How many subagents of a session may work at a time: models decide how many calls a step has."""


@dataclass(frozen=True, slots=True)
class RunningSubagent:
    """A subagent with its task, and the call that started it; `stop` interrupts it."""

    name: str
    description: str
    tool_call_id: str
    stop: Callable[[], None]


class RunningSubagents:
    """Running subagents by agent id, in start order."""

    def __init__(self) -> None:
        self._agents: dict[str, RunningSubagent] = {}
        self._places = 0

    @property
    def agents(self) -> Mapping[str, RunningSubagent]:
        return self._agents

    def stop(self, name: str) -> bool:
        """Interrupt the subagent with that agent id or tool call id; False if it is not running."""
        for agent_id, subagent in self._agents.items():
            if name in (agent_id, subagent.tool_call_id):
                subagent.stop()
                return True
        return False

    @contextmanager
    def place(self) -> Generator[bool]:
        """Take one of MAX_RUNNING places inside the `with` block; False if there is none."""
        free = self._places < MAX_RUNNING  # defence: bound-running-subagents
        self._places += free
        try:
            yield free
        finally:
            self._places -= free

    @contextmanager
    def track(self, agent_id: str, subagent: RunningSubagent) -> Generator[None]:
        """List the subagent as running inside the `with` block."""
        self._agents[agent_id] = subagent
        try:
            yield
        finally:
            del self._agents[agent_id]
