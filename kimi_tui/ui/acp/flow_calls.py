"""Shows a flow run to the client as tool calls: one for the run, and one for each node's turn."""

from collections.abc import Callable

from acp.helpers import start_tool_call, text_block, tool_content, update_tool_call
from acp.schema import ToolCallProgress, ToolCallStart, ToolCallStatus

from kimi_tui.flow.run.node_prompts import shown_label
from kimi_tui.flow.run.node_result import result_line
from kimi_tui.wire.codec import FlowEvent
from kimi_tui.wire.flow_events import (
    FlowBegin,
    FlowControls,
    FlowDecision,
    FlowEnd,
    FlowNodeBegin,
    FlowNodeEnd,
    FlowPaused,
    FlowResumed,
    FlowSpending,
)

_TITLE = 80
_STATUS: dict[str, ToolCallStatus] = {"finished": "completed", "stopped": "completed", "done": "completed"}


class FlowCalls:
    """Tracks one run after another; `new_id` makes the call ids."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._labels: dict[str, str] = {}
        self._branches: dict[str, list[str]] = {}
        self._run: str | None = None
        self._node: str | None = None

    @property
    def running(self) -> bool:
        return self._run is not None

    def of(self, event: FlowEvent) -> list[ToolCallStart | ToolCallProgress]:
        match event:
            case FlowBegin():
                self._labels = {node.id: shown_label(node.label, event.args) for node in event.nodes}
                self._branches = {}
                for edge in event.edges:
                    if edge.label:
                        self._branches.setdefault(edge.src, []).append(edge.label)
                self._run = self._new_id()
                resumed_note = f", from {event.resumed_at}" if event.resumed_at else ""
                return [
                    start_tool_call(self._run, f"Flow {event.name}{resumed_note}", kind="think", status="in_progress")
                ]
            case FlowNodeBegin():
                return self._begin_node(event)
            case FlowDecision():
                return self._call_update(self._node, f"{event.choice} → {self._label(event.dst)}")
            case FlowNodeEnd():
                node, self._node = self._node, None
                status = _STATUS.get(event.status, "failed")
                given = [] if event.result is None else [tool_content(text_block(result_line(event.result)))]
                return [] if node is None else [update_tool_call(node, status=status, content=given or None)]
            case FlowPaused():
                return self._call_update(self._run, f"Paused at {self._label(event.node_id)}: {self._why(event)}")
            case FlowSpending() if event.held:
                text = "Held: the budget is used up. Raise it with /flow budget CAPS, or stop it with /flow stop"
                return self._call_update(self._run, text)
            case FlowResumed() | FlowControls() | FlowSpending():
                return []
            case FlowEnd():
                run, self._run = self._run, None
                if run is None:
                    return []
                moves = f"{event.moves} move{'s' * (event.moves != 1)}"
                summary = f"{event.status} after {moves}{f': {event.reason}' if event.reason else ''}"
                content = [tool_content(text_block(summary))]
                return [update_tool_call(run, status=_STATUS.get(event.status, "failed"), content=content)]

    def _begin_node(self, event: FlowNodeBegin) -> list[ToolCallStart | ToolCallProgress]:
        title = f"{self._label(event.node_id)} (move {event.move})"
        if self._node is not None and event.attempt > 1:
            return [update_tool_call(self._node, title=f"{title}, attempt {event.attempt}")]
        self._node = self._new_id()
        return [start_tool_call(self._node, title, kind="think", status="in_progress")]

    def _why(self, event: FlowPaused) -> str:
        branches = self._branches.get(event.node_id, [])
        if event.reason != "choice" or not branches:
            return event.detail or event.reason
        return f"choose {', '.join(branches)} with /flow choose BRANCH"

    def _call_update(self, call: str | None, text: str) -> list[ToolCallStart | ToolCallProgress]:
        return [] if call is None else [update_tool_call(call, content=[tool_content(text_block(text))])]

    def _label(self, node_id: str) -> str:
        label = " ".join(self._labels.get(node_id, node_id).split())
        return label if len(label) <= _TITLE else label[: _TITLE - 1] + "…"
