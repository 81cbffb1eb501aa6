"""What the Wire has told of figures since this start, added up."""

from kimi_tui.wire.codec import UnknownMessage, WireFormatError, WireMessage, decode
from kimi_tui.wire.events import MCPStatus, StatusUpdate, SubagentEvent
from kimi_tui.wire.parts import TokenUsage


class Figures:
    """A listener of the Wire. `steps` and `usage` count those of subagents too; `mcp` is the last that was told."""

    def __init__(self) -> None:
        self.steps = 0
        self.usage = TokenUsage()
        self.mcp: MCPStatus | None = None

    def __call__(self, message: WireMessage) -> None:
        match message:
            case StatusUpdate():
                self._add(message)
                self.mcp = message.mcp_status or self.mcp
            case SubagentEvent(event={"type": "StatusUpdate" | "SubagentEvent"}):
                try:
                    self._within(decode(message.event))
                except WireFormatError:
                    return
            case _:
                pass

    def _within(self, message: WireMessage | UnknownMessage) -> None:
        match message:
            case StatusUpdate():
                self._add(message)
            case SubagentEvent():
                self(message)
            case _:
                pass

    def _add(self, update: StatusUpdate) -> None:
        if update.token_usage is not None:
            self.steps += 1
            self.usage = self.usage + update.token_usage
