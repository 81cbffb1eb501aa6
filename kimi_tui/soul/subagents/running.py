"""The subagents that are at work just now, so that a person can stop one of them alone."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunningSubagent:
    """One subagent with its task, and the call that sent it; `stop` interrupts it."""

    name: str
    description: str
    tool_call_id: str
    stop: Callable[[], None]


class RunningSubagents:
    """By agent id, in the order they were sent."""

    def __init__(self) -> None:
        self._at_work: dict[str, RunningSubagent] = {}

    @property
    def track(self) -> Mapping[str, RunningSubagent]:
        return self._at_work

    def stop(self, name: str) -> bool:
        """Interrupt the one of that id, or that this call sent, and nobody else; False where none is at work."""
        for agent_id, one in self._at_work.items():
            if name in (agent_id, one.tool_call_id):
                one.stop()
                return True
        return False

    @contextmanager
    def listed(self, agent_id: str, one: RunningSubagent) -> Generator[None]:
        """It is at work while this lasts."""
        self._at_work[agent_id] = one
        try:
            yield
        finally:
            del self._at_work[agent_id]
