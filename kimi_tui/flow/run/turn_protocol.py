"""The runner's interface: one turn of a conversation as input, and the outcome of a run as output."""

from dataclasses import dataclass
from typing import Literal, Protocol

from kimi_tui.errors import KimiTuiError
from kimi_tui.wire.flow_events import FlowStatus
from kimi_tui.wire.parts import TokenUsage, UserInput

TurnStop = Literal["finished", "rejected", "cancelled", "max_steps", "failed"]


@dataclass(frozen=True, slots=True)
class TurnResult:
    """How a turn ended: `message` is the text of the last assistant message, or the cause of a failure.

    `rejected` means that the user rejected a tool call without feedback. `cut`: the last message was cut at its length
    limit.
    """

    stop: TurnStop
    message: str = ""
    steps: int = 0
    usage: TokenUsage | None = None
    cut: bool = False


class TurnTaker(Protocol):
    """Takes one turn in the session's one context.

    Raises a KimiTuiError if the turn failed. Returns `cancelled` if the user stopped this turn only; lets
    asyncio.CancelledError through if the whole run is cancelled.
    """

    async def take_turn(self, prompt: UserInput) -> TurnResult: ...


@dataclass(frozen=True, slots=True)
class FlowOutcome:
    """How a run ended. `steps` counts the turns' steps in this process; `error` is the cause of a failure, if any."""

    status: FlowStatus
    moves: int
    steps: int
    reason: str | None = None
    error: KimiTuiError | None = None

    @property
    def turn_result(self) -> TurnResult:
        """The outcome as that of one turn."""
        match self.status:
            case "finished":
                return TurnResult("finished", self.reason or "", self.steps)
            case "cancelled":
                return TurnResult("cancelled", self.reason or "", self.steps)
            case "stopped" | "failed" | "max_moves":
                return TurnResult("failed", self.reason or self.status, self.steps)
