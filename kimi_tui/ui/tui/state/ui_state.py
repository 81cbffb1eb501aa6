"""The UI state as a fold over Wire messages; resume, replay, snapshots and the live screen share it.

No Textual here. `UiState.fold` returns the changes. Invariant: the same messages give the same state, however they are
batched.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar, assert_never

from pydantic import ConfigDict, TypeAdapter, ValidationError

from kimi_tui.formats import duration, token_count
from kimi_tui.ui.tui.i18n import labels
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.i18n.translate import translate, translate_lines
from kimi_tui.ui.tui.state.conversation import Conversation
from kimi_tui.ui.tui.state.deltas import Delta, Invalidated, Pane
from kimi_tui.ui.tui.state.flow_reducer import FlowReducer
from kimi_tui.ui.tui.state.items import (
    AssistantItem,
    ErrorItem,
    ImageChip,
    NoticeItem,
    RetryItem,
    SeparatorItem,
    SubagentItem,
    ToolItem,
    UserItem,
)
from kimi_tui.ui.tui.state.notice_reducer import NoticeReducer
from kimi_tui.ui.tui.state.tool_reducer import ToolReducer
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.render_fallback import log_fault
from kimi_tui.wire import events, flow_events, parts, requests
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.display import TodoItem

T = TypeVar("T")
_TODO = TypeAdapter(tuple[TodoItem, ...], config=ConfigDict(defer_build=True))


@dataclass(frozen=True, slots=True)
class TurnState:
    """The running turn; between turns `started` is None and `step` 0."""

    started: float | None = None
    step: int = 0
    turns: int = 0

    @property
    def running(self) -> bool:
        return self.started is not None


@dataclass(frozen=True, slots=True)
class Status:
    """The session's figures, as last reported."""

    context_usage: float = 0.0
    context_tokens: int = 0
    max_context_tokens: int = 0
    spent: parts.TokenUsage = field(default_factory=parts.TokenUsage)
    plan_mode: bool = False
    mcp: events.MCPStatus | None = None


class UiState:
    """Everything on screen that comes from the Wire. Times are on the clock of the messages.

    `asker` is the sender of prompts if it is not the user. `chats` counts the prompts that are not commands.
    """

    def __init__(self, *, asker: str = "") -> None:
        self._asker = asker
        self.conversation = Conversation()
        self.tools = ToolReducer(self.conversation)
        self.flow = FlowReducer(self.conversation)
        self._words = NoticeReducer(self.conversation)
        self.turn = TurnState()
        self.status = Status()
        self.todo: tuple[TodoItem, ...] = ()
        self.chats = 0
        self.approvals: dict[str, requests.ApprovalRequest] = {}
        self.questions: dict[str, requests.QuestionRequest] = {}
        self._step_start = 0
        self._retry: int | None = None
        self._seam: int | None = None
        self._compaction_began = 0.0, 0
        self._broken_off: int | None = None
        self._turn_starts: list[tuple[float, int]] = []

    @property
    def retrying(self) -> RetryItem | None:
        """The wait before another attempt, if there is one."""
        item = self.conversation[self._retry] if self._retry is not None else None
        return item if isinstance(item, RetryItem) else None

    def fold(self, message: WireMessage, at: float) -> list[Delta]:
        """Apply one message with time `at`; return the changes."""
        self._fold(message, at)
        return self.conversation.take_deltas()

    def fold_all(self, messages: Iterable[tuple[float, WireMessage]]) -> None:
        """Apply a recording without collecting changes."""
        for at, message in messages:
            self._fold(message, at)
            self.conversation.take_deltas()

    def settle(self, at: float) -> list[Delta]:
        """Called when nothing runs any more (the turn's task has ended, or a recording ends)."""
        self._end_turn_items(at)
        self._words.interrupt()
        if self.questions:
            self.questions.clear()
            self._invalidate("questions")
        return self.conversation.take_deltas()

    def add_notice(self, item: NoticeItem | ErrorItem, at: float) -> list[Delta]:
        """Add a notice of kimi-tui itself to the conversation."""
        self.conversation.close(at)
        self.conversation.append(item)
        return self.conversation.take_deltas()

    def _invalidate(self, part: Pane) -> None:
        self.conversation.add_delta(Invalidated(part))

    def _fold(self, message: WireMessage, at: float) -> None:
        try:
            self._fold_message(message, at)
        except Exception as error:  # noqa: BLE001 - the edge: one message that cannot be shown ends nothing
            log_fault(error)
            self.conversation.append(
                NoticeItem(_("a message could not be displayed; see the log for details"), "warning")
            )

    def _fold_message(self, message: WireMessage, at: float) -> None:  # noqa: C901 - one arm a message
        if self._retry is not None and not isinstance(message, events.StatusUpdate):
            self._end_retry()
        self._replace_separator(message)
        talk = self.conversation
        match message:
            case parts.TextPart():
                own = not self.turn.step and not self.flow.in_node  # model text comes within a step only
                talk.stream(translate_lines(message.text) if own else message.text, thinking=False, at=at)
            case parts.ThinkPart():
                talk.stream(message.think, thinking=True, at=at)
            case parts.ImageURLPart() | parts.AudioURLPart() | parts.VideoURLPart():
                talk.close(at)
                talk.append(ImageChip(labels.media_name(message), labels.media_detail(message)))
            case parts.ToolCall():
                self.tools.begin(message, at)
            case parts.ToolCallPart():
                self.tools.append_arguments(message)
            case parts.ToolResult():
                self._drop_questions(message.tool_call_id)
                self.flow.count(message, at)
                todo = self.tools.end(message, at)
                if todo is not None and todo != self.todo:
                    self.todo = todo
                    self._invalidate("todo")
            case events.TurnBegin():
                self._begin_turn(message, at)
            case events.TurnEnd():
                self._end_turn_items(at)
            case events.SteerInput():
                talk.close(at)
                talk.append(self._user_item(message.user_input, steer=True))
            case events.StepBegin():
                talk.close(at)
                self._step_start = len(talk)
                if self.turn.started is None:
                    self.turn = replace(self.turn, started=at)
                self.turn = replace(self.turn, step=message.n)
                self.flow.count(message, at)
                self._invalidate("turn")
            case events.StepInterrupted():
                self._end_turn_items(at)
                last = talk[len(talk) - 1] if len(talk) else None
                if not (isinstance(last, ToolItem | SubagentItem) and last.state == "interrupted"):  # the card says it
                    self._broken_off = talk.append(SeparatorItem("interrupted", _("interrupted")))
            case events.StepRetry():
                self._begin_retry(message, at)
            case events.CompactionBegin():
                talk.close(at)
                self._seam = talk.append(SeparatorItem("compaction", _("compacting the conversation"), running=True))
                self._compaction_began = at, self.status.context_tokens
            case events.CompactionEnd():
                if self._seam is not None:
                    unchanged = message.compacted is False  # defence: compaction-that-did-not-happen
                    text = _("conversation not compacted") if unchanged else _("conversation compacted")
                    words = text if unchanged else " · ".join((text, *self._compaction_facts(at)))
                    talk.replace(self._seam, SeparatorItem("compaction", words))
                    self._seam = None
                    self._step_start = len(talk)
            case events.StatusUpdate():
                self._update_status(message)
                self.flow.count(message, at)
            case events.ApprovalResponse():
                self.flow.count(message, at)
                if self.approvals.pop(message.request_id, None) is not None:
                    self.tools.on_approval_response(message, at)
                    self._invalidate("approvals")
            case requests.ApprovalRequest():
                self.approvals[message.id] = message
                self.flow.count(message, at)
                self.tools.on_approval_request(message, at)
                self._invalidate("approvals")
            case requests.QuestionRequest():
                self.questions[message.id] = message
                self.flow.count(message, at)
                self.tools.on_question_request(message)
                self._invalidate("questions")
            case requests.ToolCallRequest() | requests.HookRequest():
                pass
            case events.SubagentEvent():
                self.tools.on_subagent_event(message, at)
            case events.MCPLoadingBegin() | events.MCPLoadingEnd():
                self._invalidate("status")
            case events.Notification(type="rewind"):
                self._rewind(message, at)
            case events.PlanDisplay() if self.tools.name_plan(Path(message.file_path).name):
                talk.close(at)
                talk.append(AssistantItem(message.content, done=True))
            case (
                events.BtwBegin()
                | events.BtwEnd()
                | events.PlanDisplay()
                | events.HookTriggered()
                | events.HookResolved()
                | events.Notification()
            ):
                self._words.fold(message, at)
            case flow_events.FlowRunEvent():
                within = isinstance(
                    message, flow_events.FlowControls | flow_events.FlowSpending
                )  # may come in the middle of a step
                if not within:
                    talk.close(at)
                if isinstance(message, flow_events.FlowBegin):
                    self._clear_finished_todo()
                self.flow.fold(message, at)
                if not within:
                    self._step_start = len(talk)
                if isinstance(message, flow_events.FlowEnd | flow_events.FlowPaused):
                    self._end_turn()
            case _:
                assert_never(message)

    def _compaction_facts(self, at: float) -> list[str]:
        """The tokens before and after the compaction that has ended, and its time, as far as known."""
        began, before = self._compaction_began
        after = self.status.context_tokens
        facts: list[str] = []
        if after < before:
            facts.append(_("{before} → {after} tokens", before=token_count(before), after=token_count(after)))
        if at - began >= 0.1:
            facts.append(duration(at - began))
        return facts

    def _replace_separator(self, message: WireMessage) -> None:
        """Replace the separator of an interrupted step by the item that explains the interruption."""
        match message:
            case flow_events.FlowPaused() | flow_events.FlowEnd() | events.Notification(severity="error"):
                key, self._broken_off = self._broken_off, None
                if key is not None and key == len(self.conversation) - 1:
                    self.conversation.truncate(key)
            case events.TurnBegin() | events.StepBegin():
                self._broken_off = None
            case _:
                pass

    def _drop_questions(self, call_id: str) -> None:
        """Remove the questions of a call that has its answer."""
        answered = [key for key, request in self.questions.items() if request.tool_call_id == call_id]
        for key in answered:
            del self.questions[key]
        if answered:
            self._invalidate("questions")

    def _begin_turn(self, message: events.TurnBegin, at: float) -> None:
        self.conversation.close(at)
        self.turn = TurnState(at, 0, self.turn.turns + 1)
        self._step_start = len(self.conversation)
        self._turn_starts.append((at, self._step_start))
        if not self.flow.in_node:
            self._clear_finished_todo()
            item = self._user_item(message.user_input)
            self.conversation.append(item)
            self._step_start += 1
            if not item.text.startswith("/"):
                self.chats += 1
                self.flow.leave()
        self._invalidate("turn")

    def _clear_finished_todo(self) -> None:
        """Clear a finished todo list when something new starts."""
        if self.todo and all(item.status == "done" for item in self.todo):
            self.todo = ()
            self._invalidate("todo")

    def _end_turn_items(self, at: float) -> None:
        self.conversation.close(at)
        self.tools.interrupt(at)
        if self._retry is not None:
            self._end_retry()
        if self._seam is not None:
            self.conversation.replace(self._seam, SeparatorItem("compaction", _("compaction interrupted")))
            self._seam = None
        self._end_turn()

    def _end_turn(self) -> None:
        if self.turn.started is not None:
            self.turn = replace(self.turn, started=None, step=0)
            self._invalidate("turn")

    def _begin_retry(self, message: events.StepRetry, at: float) -> None:
        self.conversation.close(at)
        self.conversation.truncate(self._step_start)
        self.tools.forget(self._step_start)
        self.flow.forget(self._step_start)
        if self._seam is not None and self._seam >= self._step_start:
            self._seam = None
        if self._step_start and isinstance(self.conversation[self._step_start - 1], RetryItem):
            self.conversation.truncate(self._step_start - 1)  # the wait before this one: one line for each step
        self._retry = self.conversation.append(
            RetryItem(
                labels.retry_reason(message),
                attempt=message.next_attempt,
                max_attempts=message.max_attempts,
                until=at + message.wait_s,
            )
        )
        self._invalidate("node")
        self._step_start = len(self.conversation)

    def _rewind(self, message: events.Notification, at: float) -> None:
        """Remove the turns since a time from the conversation."""
        self.conversation.close(at)
        payload = message.payload
        since = payload.get("since")
        if payload.get("conversation") and isinstance(since, int | float):
            starts = self._turn_starts
            after = [number for number, (start, _key) in enumerate(starts) if start >= since]
            # defence: rewind-over-a-clock-jump
            first = min(after, key=lambda number: starts[number][0] - since, default=len(starts))
            key = starts[first][1] if first < len(starts) else len(self.conversation)
            self._turn_starts = starts[:first]
            self.conversation.truncate(key)
            self.tools.forget(key)
            self.flow.forget(key)
            self._retry = self._seam = None
            self._invalidate("node")
            self._restore_todo(payload.get("todo"))
        self.conversation.append(
            SeparatorItem("rewind", translate(one_line(message.title)), detail=translate_lines(message.body))
        )
        self._step_start = len(self.conversation)

    def _restore_todo(self, rows: object) -> None:
        try:
            todo = _TODO.validate_python(rows)
        except ValidationError:  # of an earlier version, without these fields
            return
        if todo != self.todo:
            self.todo = todo
            self._invalidate("todo")

    def _end_retry(self) -> None:
        key, self._retry = self._retry, None
        if key is not None and isinstance(item := self.conversation[key], RetryItem):
            self.conversation.replace(key, replace(item, until=None))
            self._invalidate("node")

    def _update_status(self, message: events.StatusUpdate) -> None:
        old = self.status
        spent = old.spent + message.token_usage if message.token_usage is not None else old.spent
        self.status = Status(
            context_usage=_value_or(message.context_usage, old.context_usage),
            context_tokens=_value_or(message.context_tokens, old.context_tokens),
            max_context_tokens=_value_or(message.max_context_tokens, old.max_context_tokens),
            spent=spent,
            plan_mode=_value_or(message.plan_mode, old.plan_mode),
            mcp=_value_or(message.mcp_status, old.mcp),
        )
        if self.status != old:
            self._invalidate("status")

    def _user_item(self, content: parts.UserInput, *, steer: bool = False) -> UserItem:
        text = parts.text_of(content)
        chips = tuple(name for name in labels.attachment_names(content) if f"[image: {name}]" not in text)
        return UserItem(text, chips, steer=steer, by=self._asker)


def _value_or(value: T | None, old: T) -> T:
    return old if value is None else value
