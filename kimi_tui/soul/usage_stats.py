"""Sums the usage reported on the Wire since program start, by model."""

from collections.abc import Callable
from dataclasses import dataclass, field

from kimi_tui.flow.run.spending import Prices
from kimi_tui.wire.codec import UnknownMessage, WireFormatError, WireMessage, decode
from kimi_tui.wire.events import MCPStatus, StatusUpdate, SubagentEvent
from kimi_tui.wire.parts import TokenUsage


@dataclass(slots=True)
class ModelUsage:
    """The usage of one model."""

    steps: int = 0
    usage: TokenUsage = field(default_factory=TokenUsage)


class UsageStats:
    """A Wire listener that also counts subagents; `mcp` is the latest MCP status.

    `by_model` uses the models' names in the configuration; "" holds usage recorded without a name.
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

    def cost(self, prices: Callable[[str], Prices | None]) -> float | None:
        """Total cost in the unit of the prices; None if a model has no price."""
        costs = [cost_of(used.usage, prices(name)) for name, used in self.by_model.items()]
        known_costs = [cost for cost in costs if cost is not None]
        return sum(known_costs) if known_costs and len(known_costs) == len(costs) else None

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


def cost_of(usage: TokenUsage, prices: Prices | None) -> float | None:
    """Cost in the unit of the prices; None without prices."""
    return None if prices is None else prices.cost(usage)
