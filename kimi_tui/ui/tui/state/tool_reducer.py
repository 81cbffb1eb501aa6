"""Reducer for tool calls and subagents, from start to result."""

from dataclasses import dataclass, field, replace

from kimi_tui.errors import KimiTuiError
from kimi_tui.ui.tui.i18n.labels import tool_label
from kimi_tui.ui.tui.state.conversation import Conversation
from kimi_tui.ui.tui.state.deltas import Delta
from kimi_tui.ui.tui.state.items import SubagentItem, SubStep, ToolItem, ToolState
from kimi_tui.ui.tui.text.call_summary import call_summary, is_complete, one_line, parse_partial_arguments
from kimi_tui.wire.codec import UnknownMessage, decode
from kimi_tui.wire.display import TodoBlock, TodoItem
from kimi_tui.wire.events import ApprovalResponse, SubagentEvent
from kimi_tui.wire.parts import ToolCall, ToolCallPart, ToolResult, ToolReturnValue, text_of
from kimi_tui.wire.requests import ApprovalRequest, QuestionRequest

SUBAGENT_TOOLS = frozenset({"Task", "Agent"})
_PLAN = "ExitPlanMode"
_NAMELESS = frozenset({"SetTodoList", _PLAN})  # the result says it, or the plan below
_STEPS_SHOWN = 4


@dataclass(slots=True)
class _Call:
    """A running call; `key` is its item's position."""

    key: int
    name: str
    pieces: list[str] = field(default_factory=list[str])
    settled: bool = False
    children: dict[str, str] = field(default_factory=dict[str, str])


class ToolReducer:
    """Keeps the items of tool calls in sync with the Wire."""

    def __init__(self, conversation: Conversation) -> None:
        self._talk = conversation
        self._calls: dict[str, _Call] = {}
        self._last: str | None = None
        self._asking: dict[str, tuple[str, str]] = {}
        self._agents: dict[str, str] = {}

    def begin(self, call: ToolCall, at: float) -> None:
        self._talk.close(at)
        arguments = call.function.arguments or ""
        name = call.function.name
        if name in SUBAGENT_TOOLS:
            item = SubagentItem(name, started=at, call_id=call.id)
        else:
            item = ToolItem(name, _headline(name, arguments), started=at, call_id=call.id)
        settled = name in _NAMELESS or is_complete(arguments)
        self._calls[call.id] = _Call(self._talk.append(item), name, [arguments], settled)
        self._last = call.id
        if isinstance(item, SubagentItem):
            self._name_subagent(self._calls[call.id])

    def append_arguments(self, part: ToolCallPart) -> None:
        call = self._calls.get(self._last or "")
        if call is None or not part.arguments_part:
            return
        call.pieces.append(part.arguments_part)
        if call.settled:
            return
        arguments = "".join(call.pieces)
        call.pieces = [arguments]
        match item := self._talk[call.key]:
            case ToolItem():
                self._talk.replace(call.key, replace(item, headline=_headline(call.name, arguments)))
                call.settled = is_complete(arguments)
            case SubagentItem():
                self._name_subagent(call)
            case _:
                pass

    def _name_subagent(self, call: _Call) -> None:
        item = self._talk[call.key]
        arguments = parse_partial_arguments("".join(call.pieces))
        if arguments and isinstance(item, SubagentItem):
            name = arguments.get("subagent_name") or arguments.get("subagent_type") or call.name
            task = one_line(str(arguments.get("description") or arguments.get("prompt") or ""))
            self._talk.replace(call.key, replace(item, name=str(name), task=task))
            call.settled = True

    def end(self, result: ToolResult, at: float) -> tuple[TodoItem, ...] | None:
        """End the call; return the todo list it set, if any."""
        value = result.return_value
        call = self._calls.pop(result.tool_call_id, None)
        if call is not None:
            duration = None
            match item := self._talk[call.key]:
                case ToolItem():
                    if item.started is not None:
                        duration = max(0.0, at - item.started)
                    todo, extras = _todo(value), value.extras or {}
                    feedback = str(extras.get("feedback") or "")
                    says_nothing = "feedback" in extras and not feedback  # the state is all there is to say
                    ended = replace(
                        item,
                        headline=_progress(todo) if todo is not None else item.headline,
                        state=_state(value),
                        duration_s=duration,
                        blocks=() if says_nothing else value.display,
                        output=text_of(value.output),
                        message="" if says_nothing else value.message,
                        feedback=feedback,
                        in_background=bool(extras.get("background")),
                    )
                    self._talk.replace(call.key, ended)
                case SubagentItem():
                    if item.started is not None:
                        duration = max(0.0, at - item.started)
                    ended = replace(
                        item, state=_state(value), duration_s=duration, result=text_of(value.output) or value.message
                    )
                    self._talk.replace(call.key, ended)
                case _:
                    pass
        return _todo(value)

    def append_output(self, call_id: str, text: str) -> list[Delta]:
        """Append output of a running tool. Output is live only and not on the Wire."""
        call = self._calls.get(call_id)
        if call is not None and isinstance(item := self._talk[call.key], ToolItem) and item.state == "running":
            self._talk.replace(call.key, replace(item, tail=text))
        return self._talk.take_deltas()

    def on_approval_request(self, request: ApprovalRequest, at: float) -> None:
        call_id = self._agents.get(request.agent_id or "", request.tool_call_id)
        self._asking[request.id] = (call_id, request.tool_call_id)
        self._ask(call_id, request.tool_call_id, request, at)

    def on_approval_response(self, response: ApprovalResponse, at: float) -> None:
        call_id, asking = self._asking.pop(response.request_id, ("", ""))
        self._ask(call_id, asking, response, at)

    def name_plan(self, file: str) -> bool:
        """Name the file of the plan on the card of the call that shows it; False if there is no such call."""
        for call in self._calls.values():
            if call.name == _PLAN and isinstance(item := self._talk[call.key], ToolItem):
                self._talk.replace(call.key, replace(item, headline=file))
                return True
        return False

    def on_question_request(self, request: QuestionRequest) -> None:
        """Mark a call as pending; the time until its answer is not its own."""
        call = self._calls.get(request.tool_call_id)
        if call is not None and isinstance(item := self._talk[call.key], ToolItem):
            self._talk.replace(call.key, replace(item, state="waiting", started=None))

    def _ask(self, call_id: str, asking: str, message: ApprovalRequest | ApprovalResponse, at: float) -> None:
        """Mark a call as pending or answered; a subagent's call also belongs to the subagent's own conversation."""
        call = self._calls.get(call_id)
        if call is None:
            return
        match item := self._talk[call.key]:
            case ToolItem():
                if isinstance(message, ApprovalRequest):
                    item = replace(item, state="waiting")
                else:
                    item = replace(item, state="rejected" if message.response == "reject" else "running", started=at)
                self._talk.replace(call.key, item)
            case SubagentItem():
                item.log.messages.append((at, message))
                asks = isinstance(message, ApprovalRequest)
                before, after = ("running", "waiting") if asks else ("waiting", "running")
                steps = _with_state(item.steps, call.children.get(asking), after, before=before)
                waits = any(one == call_id for one, _ in self._asking.values())
                self._talk.replace(call.key, replace(item, steps=steps, state="waiting" if waits else "running"))
            case _:
                pass

    def on_subagent_event(self, event: SubagentEvent, at: float) -> None:
        """Apply an event of a subagent: its tool calls are the steps on its card."""
        call = self._calls.get(event.parent_tool_call_id)
        if call is None:
            return
        item = self._talk[call.key]
        if isinstance(item, ToolItem):
            item = SubagentItem(
                event.subagent_type or item.name, item.headline, started=item.started, call_id=item.call_id
            )
        if not isinstance(item, SubagentItem):
            return
        try:
            inner = decode(event.event)
        except KimiTuiError:
            return
        if not isinstance(inner, UnknownMessage):
            item.log.messages.append((at, inner))
        if event.agent_id is not None:
            self._agents[event.agent_id] = event.parent_tool_call_id
            item = replace(item, agent_id=event.agent_id)
        match inner:
            case ToolCall():
                text = f"{tool_label(inner.function.name)}  {call_summary(inner.function.arguments or '')}".rstrip()
                call.children[inner.id] = text
                steps = (*item.steps, SubStep(text))[-_STEPS_SHOWN:]
                item = replace(item, steps=steps, step_count=item.step_count + 1)
            case ToolResult():
                text = call.children.pop(inner.tool_call_id, None)
                state = _state(inner.return_value)
                item = replace(item, steps=_with_state(item.steps, text, state))
            case SubagentEvent(agent_id=str(agent_id)):
                self._agents[agent_id] = event.parent_tool_call_id
            case _:
                pass
        self._talk.replace(call.key, item)

    def interrupt(self, at: float) -> None:
        """Mark everything that still runs as interrupted."""
        for call in self._calls.values():
            match item := self._talk[call.key]:
                case ToolItem() | SubagentItem():
                    duration = max(0.0, at - item.started) if item.started is not None else None
                    # A call that the user rejected has its result by now; a cancel rejects the pending ones.
                    self._talk.replace(call.key, replace(item, state="interrupted", duration_s=duration))
                case _:
                    pass
        self._calls.clear()
        self._last = None

    def forget(self, key: int) -> None:
        """Remove references to the items from `key` on."""
        self._calls = {call_id: call for call_id, call in self._calls.items() if call.key < key}
        self._last = None


def _headline(name: str, arguments: str) -> str:
    return "" if name in _NAMELESS else call_summary(arguments, or_any=name.startswith("mcp__"))


def _todo(value: ToolReturnValue) -> tuple[TodoItem, ...] | None:
    """The todo list set by a call."""
    if value.is_error:
        return None
    return next((block.items for block in value.display if isinstance(block, TodoBlock)), None)


def _progress(todo: tuple[TodoItem, ...]) -> str:
    done = sum(item.status == "done" for item in todo)
    now = next((f" · {item.title}" for item in todo if item.status == "in_progress"), "")
    return f"{done}/{len(todo)}{now}"


def _state(value: ToolReturnValue) -> ToolState:
    if value.extras and value.extras.get("rejected"):
        return "rejected"
    if value.extras and value.extras.get("interrupted"):
        return "interrupted"
    return "failed" if value.is_error else "ok"


def _with_state(
    steps: tuple[SubStep, ...], text: str | None, state: ToolState, *, before: ToolState = "running"
) -> tuple[SubStep, ...]:
    for index, step in enumerate(steps):
        if step.text == text and step.state == before:
            return (*steps[:index], SubStep(step.text, state), *steps[index + 1 :])
    return steps
