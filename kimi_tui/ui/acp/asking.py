"""What the person is asked through the client: approvals, and questions in the same form."""

import asyncio
import logging

from acp.helpers import text_block, tool_content
from acp.interfaces import Client
from acp.schema import AllowedOutcome, PermissionOption, ToolCallUpdate

from kimi_tui.soul.engine import Engine
from kimi_tui.ui.acp.updates import Updates
from kimi_tui.wire.events import ApprovalAnswer
from kimi_tui.wire.requests import ApprovalRequest, Question, QuestionRequest

_log = logging.getLogger(__name__)
_NO_ANSWER = "no answer"


class Asking:
    """Each request waits in a task of its own, until the client answers or somebody else did."""

    def __init__(self, engine: Engine, client: Client, updates: Updates) -> None:
        self._engine = engine
        self._client = client
        self._updates = updates
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def begin(self, request: ApprovalRequest | QuestionRequest) -> None:
        match request:
            case ApprovalRequest():
                asking = self._approve(request)
            case QuestionRequest():
                asking = self._answer(request)
        self._tasks[request.id] = asyncio.create_task(asking, name=f"ask {request.id}")

    def settled(self, request_id: str) -> None:
        """There is nothing to answer any more."""
        if (task := self._tasks.pop(request_id, None)) is not None:
            task.cancel()

    async def aclose(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _approve(self, request: ApprovalRequest) -> None:
        options = [PermissionOption(option_id="approve", name="Allow once", kind="allow_once")]
        if request.scope is not None:
            name = f"Allow in this session: {request.scope}"
            options.append(PermissionOption(option_id="approve_for_session", name=name, kind="allow_always"))
        options.append(PermissionOption(option_id="reject", name="Reject", kind="reject_once"))
        said = await self._ask(self._updates.in_question(request), options)
        answers: dict[str | None, ApprovalAnswer] = {"approve": "approve", "approve_for_session": "approve_for_session"}
        self._tasks.pop(request.id, None)
        self._engine.approvals.settle(request.id, answers.get(said, "reject"))

    async def _answer(self, request: QuestionRequest) -> None:
        """One after another; a person who chooses none of the answers dismisses the rest."""
        answers: dict[str, str] = {}
        for question in request.questions:
            said = await self._ask(_call_of(request.tool_call_id, question), _options_of(question))
            if said is None or said == _NO_ANSWER:
                answers.clear()
                break
            answers[question.question] = question.options[int(said)].label
        self._tasks.pop(request.id, None)
        self._engine.questions.settle(request.id, answers)

    async def _ask(self, call: ToolCallUpdate, options: list[PermissionOption]) -> str | None:
        """The id of the option that was chosen; None where none was, or nobody could be asked."""
        try:
            response = await self._client.request_permission(self._engine.session_id, call, options)
        except Exception:  # noqa: BLE001 - the edge: a client that fails, or is gone, has not agreed
            _log.exception("the client could not be asked")
            return None
        match response.outcome:
            case AllowedOutcome(option_id=chosen) if chosen in (option.option_id for option in options):
                return chosen
            case _:
                return None


def _call_of(call_id: str, question: Question) -> ToolCallUpdate:
    lines = [question.body, *(f"- **{option.label}** {option.description}" for option in question.options)]
    text = "\n".join(line for line in lines if line)
    return ToolCallUpdate(
        tool_call_id=call_id, title=question.question, kind="other", content=[tool_content(text_block(text))]
    )


def _options_of(question: Question) -> list[PermissionOption]:
    chosen = [
        PermissionOption(option_id=str(number), name=option.label, kind="allow_once")
        for number, option in enumerate(question.options)
    ]
    return [*chosen, PermissionOption(option_id=_NO_ANSWER, name="None of these", kind="reject_once")]
