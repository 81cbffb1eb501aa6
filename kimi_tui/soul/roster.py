"""The subagents that are at work just now, so that a person can stop one of them alone."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AtWork:
    """One subagent with its task; `stop` interrupts it."""

    name: str
    description: str
    stop: Callable[[], None]


class Roster:
    """By agent id, in the order they were sent."""

    def __init__(self) -> None:
        self._at_work: dict[str, AtWork] = {}

    @property
    def at_work(self) -> Mapping[str, AtWork]:
        return self._at_work

    def stop(self, agent_id: str) -> bool:
        """Interrupt it, and nobody else; False where none of that id is at work."""
        one = self._at_work.get(agent_id)
        if one is None:
            return False
        one.stop()
        return True

    @contextmanager
    def listed(self, agent_id: str, one: AtWork) -> Generator[None]:
        """It is at work while this lasts."""
        self._at_work[agent_id] = one
        try:
            yield
        finally:
            del self._at_work[agent_id]
