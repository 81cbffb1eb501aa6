"""Converts Wire messages to session updates: none, one or several for each."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import assert_never
from uuid import uuid4

from acp.helpers import (
    plan_entry,
    start_tool_call,
    text_block,
    update_agent_message,
    update_agent_message_text,
    update_agent_thought_text,
    update_plan,
    update_tool_call,
    update_user_message,
)
from acp.schema import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    ConfigOptionUpdate,
    CurrentModeUpdate,
    PlanEntryStatus,
    SessionInfoUpdate,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
    UsageUpdate,
    UserMessageChunk,
)

from kimi_tui.ui.acp.content import block, blocks
from kimi_tui.ui.acp.flow_calls import FlowCalls
from kimi_tui.ui.acp.tool_calls import ToolCalls
from kimi_tui.wire import events, flow_events, parts, requests
from kimi_tui.wire.codec import UnknownMessage, WireFormatError, WireMessage, decode
from kimi_tui.wire.display import DisplayBlock, TodoBlock, TodoStatus

Update = (
    UserMessageChunk
    | AgentMessageChunk
    | AgentThoughtChunk
    | ToolCallStart
    | ToolCallProgress
    | AgentPlanUpdate
    | AvailableCommandsUpdate
    | CurrentModeUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
)
_TODO: dict[TodoStatus, PlanEntryStatus] = {"pending": "pending", "in_progress": "in_progress", "done": "completed"}


class Updates:
    """A fold over the Wire of one session. With `replaying` it also sends the user's messages."""

    def __init__(self, work_dir: Path) -> None:
        self._work_dir = work_dir
        prefix, numbers = uuid4().hex[:8], itertools.count(1)
        self._new_id = lambda: f"{prefix}-{next(numbers)}"
        self._calls = ToolCalls(work_dir, self._new_id)
        self._agents: dict[str, ToolCalls] = {}
        self._flow = FlowCalls(self._new_id)
        self._compacting: str | None = None
        self.replaying = False

    def of(self, message: WireMessage) -> Sequence[Update]:
        match message:
            case parts.ToolCall():
                return self._calls.begin(message)
            case parts.ToolCallPart():
                self._calls.more(message)
                return ()
            case _:
                return [*self._calls.whole(), *self._rest(message)]

    def in_terminal(self, call_id: str, terminal: str) -> Sequence[Update]:
        calls = self._running(call_id)
        return () if calls is None else calls.in_terminal(call_id, terminal)

    def show_output(self, call_id: str, lines: Sequence[str]) -> Sequence[Update]:
        calls = self._running(call_id)
        return () if calls is None else calls.show_output(call_id, lines)

    def _running(self, call_id: str) -> ToolCalls | None:
        return next((calls for calls in (self._calls, *self._agents.values()) if calls.runs(call_id)), None)

    def approval_call(self, request: requests.ApprovalRequest) -> ToolCallUpdate:
        calls = self._agents.get(request.agent_id or "", self._calls)
        return calls.approval_call(request.tool_call_id, request.description or request.action, request.display)

    def _rest(self, message: WireMessage) -> Sequence[Update]:  # noqa: C901 - one case a kind of message
        match message:
            case events.TurnBegin() | events.SteerInput():
                return self._user_message(message.user_input)
            case parts.TextPart():
                return [update_agent_message_text(message.text)]
            case parts.ThinkPart():
                return [update_agent_thought_text(message.think)] if message.think else ()
            case parts.ImageURLPart() | parts.AudioURLPart() | parts.VideoURLPart():
                content = block(message)
                return () if content is None else [update_agent_message(content)]
            case parts.ToolResult():
                value = message.return_value
                return [*self._calls.end(message.tool_call_id, value), *_plan(value.display)]
            case events.StepInterrupted():
                return self._calls.interrupt()
            case events.StepRetry():
                retry_note = f"\n\n[{message.error_type}; the answer begins anew]\n\n"
                return [*self._calls.interrupt(), update_agent_message_text(retry_note)]
            case events.CompactionBegin():
                self._compacting = self._new_id()
                return [
                    start_tool_call(self._compacting, "Compact the conversation", kind="think", status="in_progress")
                ]
            case events.CompactionEnd():
                call_id, self._compacting = self._compacting, None
                status = "failed" if message.compacted is False else "completed"
                return [] if call_id is None else [update_tool_call(call_id, status=status)]
            case events.StatusUpdate():
                return _usage(message)
            case events.PlanDisplay():
                return [update_agent_message_text(f"\n\n{message.content}\n\n")]
            case events.Notification():
                return self._notice(message)
            case events.BtwEnd():
                return [
                    update_agent_message(text_block(f"\n\n*side question:* {message.response or message.error}\n\n"))
                ]
            case events.SubagentEvent():
                return self._subagent(message)
            case flow_events.FlowRunEvent():
                return self._flow.of(message)
            case parts.ToolCall() | parts.ToolCallPart():
                return ()
            case (
                events.TurnEnd()
                | events.StepBegin()
                | events.ApprovalResponse()
                | events.BtwBegin()
                | events.HookTriggered()
                | events.HookResolved()
                | events.MCPLoadingBegin()
                | events.MCPLoadingEnd()
                | requests.ApprovalRequest()
                | requests.ToolCallRequest()
                | requests.QuestionRequest()
                | requests.HookRequest()
            ):
                return ()
            case _:
                assert_never(message)

    def _user_message(self, user_input: parts.UserInput) -> Sequence[Update]:
        """Send a user message on replay only; a node's prompt is not a user message."""
        if not self.replaying or self._flow.running:
            return ()
        return [update_user_message(content) for content in blocks(user_input)]

    def _notice(self, message: events.Notification) -> Sequence[Update]:
        if message.severity == "error" and not self.replaying:
            return ()  # the error response of the prompt reports it
        text = ": ".join(filter(None, (message.title, message.body)))
        return [update_agent_message(text_block(f"\n\n*{text}*\n\n"))]

    def _subagent(self, message: events.SubagentEvent) -> Sequence[Update]:
        """Send the subagent's tool calls; its text arrives as the result of the parent's call."""
        try:
            inner = decode(message.event)
        except WireFormatError:
            return ()
        agent = message.agent_id or message.parent_tool_call_id
        calls = self._agents.get(agent)
        if calls is None:
            prefix = f"{message.subagent_type or 'subagent'} › "
            calls = self._agents[agent] = ToolCalls(self._work_dir, self._new_id, prefix=prefix)
        match inner:
            case parts.ToolCall():
                return [*calls.begin(inner), *calls.whole()]
            case parts.ToolResult():
                return calls.end(inner.tool_call_id, inner.return_value)
            case events.StepInterrupted() | events.StepRetry():
                return calls.interrupt()
            case events.SubagentEvent():
                return self._subagent(inner)
            case UnknownMessage() | _:
                return ()


def _plan(display: Sequence[DisplayBlock]) -> list[Update]:
    return [
        update_plan([plan_entry(item.title, status=_TODO[item.status]) for item in content.items])
        for content in display
        if isinstance(content, TodoBlock)
    ]


def _usage(status: events.StatusUpdate) -> list[Update]:
    if status.context_tokens is None or not status.max_context_tokens:
        return []
    used, size = status.context_tokens, status.max_context_tokens
    return [UsageUpdate(session_update="usage_update", used=used, size=size)]
