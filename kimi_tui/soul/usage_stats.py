"""What the Wire has told of figures since this start, added up, by model."""

from collections.abc import Callable
from dataclasses import dataclass, field

from kimi_tui.wire.codec import UnknownMessage, WireFormatError, WireMessage, decode
from kimi_tui.wire.events import MCPStatus, StatusUpdate, SubagentEvent
from kimi_tui.wire.parts import TokenUsage

Prices = tuple[float | None, float | None]
"""Of a million tokens in and out; None where none is configured."""


@dataclass(slots=True)
class ModelUsage:
    """What one model did."""

    steps: int = 0
    usage: TokenUsage = field(default_factory=TokenUsage)


class UsageStats:
    """A listener of the Wire, subagents included; `mcp` is the last that was told.

    `by_model` is by the models' names in the configuration; "" is for what was recorded without one.
    """

    def __init__(self) -> None:
        self.by_model: dict[str, ModelUsage] = {}
        self.mcp: MCPStatus | None = None

    @property
    def steps(self) -> int:
        return sum(used.steps for used in self.by_model.values())

    @property
    def usage(self) -> TokenUsage:
        return sum((used.usage for used in self.by_model.values()), TokenUsage())

    def cost(self, prices: Callable[[str], Prices]) -> float | None:
        """In the unit of the prices; None where one of the models has none."""
        costs = [cost_of(used.usage, prices(name)) for name, used in self.by_model.items()]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if known and len(known) == len(costs) else None

    def __call__(self, message: WireMessage | UnknownMessage) -> None:
        match message:
            case StatusUpdate():
                self._add(message)
                self.mcp = message.mcp_status or self.mcp
            case SubagentEvent(event={"type": "StatusUpdate" | "SubagentEvent"}):
                try:
                    self(decode(message.event))
                except WireFormatError:
                    return
            case _:
                pass

    def _add(self, update: StatusUpdate) -> None:
        if update.token_usage is not None:
            used = self.by_model.setdefault(update.model or "", ModelUsage())
            used.steps += 1
            used.usage = used.usage + update.token_usage


def cost_of(usage: TokenUsage, prices: Prices) -> float | None:
    """In the unit of the prices."""
    of_input, of_output = prices
    if of_input is None or of_output is None:
        return None
    return (usage.input * of_input + usage.output * of_output) / 1e6
