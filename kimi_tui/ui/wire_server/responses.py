"""Parses the client's answers to requests of the soul; an invalid answer becomes the safe one."""

from typing import Literal, TypeVar, cast

from pydantic import BaseModel, Field, ValidationError

from kimi_tui.soul.engine import Engine
from kimi_tui.ui.wire_server.client_tools import ClientTools
from kimi_tui.ui.wire_server.rpc import Answer
from kimi_tui.wire.codec import Request
from kimi_tui.wire.events import ApprovalAnswer
from kimi_tui.wire.requests import ApprovalRequest, HookRequest, QuestionRequest, ToolCallRequest


class _Approval(BaseModel):
    response: ApprovalAnswer = "reject"
    feedback: str | None = None
    taken: tuple[int, ...] | None = None


class _Answers(BaseModel):
    answers: dict[str, str] = Field(default_factory=dict[str, str])


class _Hook(BaseModel):
    action: Literal["allow", "block"] = "allow"
    reason: str = ""


M = TypeVar("M", bound=BaseModel)


def _is_for(request: Request, answer: Answer) -> bool:
    """Whether the answer belongs to this request; an answer that names a request must name this one."""
    key = "tool_call_id" if isinstance(request, ToolCallRequest) else "request_id"
    answered_id = cast(dict[str, object], answer.result).get(key) if isinstance(answer.result, dict) else None
    return answered_id is None or answered_id == request.id  # defence: answer-names-its-request


def settle(engine: Engine, tools: ClientTools, request: Request, answer: Answer) -> None:
    match request:
        case ApprovalRequest():
            approval = _read(_Approval, answer) if _is_for(request, answer) else _Approval()
            if not engine.approvals.settle(request.id, approval.response, approval.feedback, taken=approval.taken):
                engine.approvals.settle(request.id, "reject")
        case QuestionRequest():
            answers = _read(_Answers, answer).answers if _is_for(request, answer) else {}
            engine.questions.settle(request.id, answers)
        case HookRequest():
            hook = _hook(request, answer)
            engine.hooks.settle(request.id, hook.action, hook.reason)
        case ToolCallRequest():
            error = answer.error if _is_for(request, answer) else "its answer is for another call"
            tools.settle(request.id, answer.result, error)


def _hook(request: Request, answer: Answer) -> _Hook:
    """Parse a hook's answer: an error means that the hook failed, which allows; other invalid answers block."""
    if not _is_for(request, answer):
        return _Hook(action="block", reason="The answer is for another request.")
    if answer.error is not None:
        return _Hook()
    try:
        return _Hook.model_validate(answer.result)
    except ValidationError:  # defence: answer-of-a-hook-is-one
        return _Hook(action="block", reason="The answer is neither allow nor block.")


def _read(model: type[M], answer: Answer) -> M:
    try:
        return model.model_validate(answer.result)
    except ValidationError:
        return model()
