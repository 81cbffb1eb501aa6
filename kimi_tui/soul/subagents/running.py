"""Running subagents, so that the user can stop one of them."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass


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
    def track(self, agent_id: str, subagent: RunningSubagent) -> Generator[None]:
        """List the subagent as running inside the `with` block."""
        self._agents[agent_id] = subagent
        try:
            yield
        finally:
            del self._agents[agent_id]
