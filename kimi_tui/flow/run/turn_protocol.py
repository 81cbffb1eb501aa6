"""What a runner needs of the world, one turn of a conversation, and what it gives back, an outcome."""

from dataclasses import dataclass
from typing import Literal, Protocol

from kimi_tui.errors import KimiTuiError
from kimi_tui.wire.flow_events import FlowStatus
from kimi_tui.wire.parts import TokenUsage, UserInput

TurnStop = Literal["finished", "rejected", "cancelled", "max_steps", "failed"]


@dataclass(frozen=True, slots=True)
class TurnResult:
    """How a turn ended: `message` is the text of the last assistant message, or the cause where it failed.

    `rejected` means: a person said no to a tool and gave no feedback. `cut`: the last message ends at the limit of
    its length.
    """

    stop: TurnStop
    message: str = ""
    steps: int = 0
    usage: TokenUsage | None = None
    cut: bool = False


class TurnTaker(Protocol):
    """Takes one turn in the session's one context.

    Raises a KimiTuiError where the turn failed. Returns `cancelled` where a person stopped this turn only;
    lets asyncio.CancelledError through where the whole run is being torn down.
    """

    async def take_turn(self, prompt: UserInput) -> TurnResult: ...


@dataclass(frozen=True, slots=True)
class FlowOutcome:
    """How a run ended. `steps` counts the turns' steps in this process; `error` is what made it fail, if one did."""

    status: FlowStatus
    moves: int
    steps: int
    reason: str | None = None
    error: KimiTuiError | None = None
