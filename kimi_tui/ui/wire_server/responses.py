"""The client's answers to requests of the soul; an invalid answer counts as the safe one."""

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


def _is_for(asked: Request, answer: Answer) -> bool:
    """Whether the answer belongs to this request; an answer that names a request must name this one."""
    named = cast(dict[str, object], answer.result).get("request_id") if isinstance(answer.result, dict) else None
    return named is None or named == asked.id  # defence: answer-names-its-request


def settle(engine: Engine, tools: ClientTools, asked: Request, answer: Answer) -> None:
    match asked:
        case ApprovalRequest():
            approval = _read(_Approval, answer) if _is_for(asked, answer) else _Approval()
            if not engine.approvals.settle(asked.id, approval.response, approval.feedback, taken=approval.taken):
                engine.approvals.settle(asked.id, "reject")
        case QuestionRequest():
            answers = _read(_Answers, answer).answers if _is_for(asked, answer) else {}
            engine.questions.settle(asked.id, answers)
        case HookRequest():
            hook = _read(_Hook, answer)
            engine.hooks.settle(asked.id, hook.action, hook.reason)
        case ToolCallRequest():
            tools.settle(asked.id, answer.result, answer.error)


def _read(model: type[M], answer: Answer) -> M:
    try:
        return model.model_validate(answer.result)
    except ValidationError:
        return model()
