"""Asks the user through the client: approvals as permission requests, questions as a form or as permission requests."""

import asyncio
import logging
from collections.abc import Set

from acp.helpers import text_block, tool_content
from acp.interfaces import Client
from acp.schema import AcceptElicitationResponse, AllowedOutcome, PermissionOption, ToolCallUpdate

from kimi_tui.soul.engine import Engine
from kimi_tui.text_safety import one_line
from kimi_tui.ui.acp.question_form import make_form, read_answers
from kimi_tui.ui.acp.updates import Updates
from kimi_tui.wire.events import ApprovalAnswer
from kimi_tui.wire.requests import ApprovalRequest, Question, QuestionRequest

_log = logging.getLogger(__name__)
_NO_ANSWER = "no answer"
_DONE_OPTION = "done"
_MAX_CHOICES = 40
"""Maximum requests for one question with several answers: a client that answers by itself never ends it."""


class PermissionRequests:
    """Each request waits in its own task, until the client or another UI has answered."""

    def __init__(self, engine: Engine, client: Client, updates: Updates, *, supports_forms: bool) -> None:
        self._engine = engine
        self._client = client
        self._updates = updates
        self._supports_forms = supports_forms
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def begin(self, request: ApprovalRequest | QuestionRequest) -> None:
        match request:
            case ApprovalRequest():
                asking = self._approve(request)
            case QuestionRequest():
                asking = self._answer(request)
        self._tasks[request.id] = asyncio.create_task(asking, name=f"ask {request.id}")

    def settled(self, request_id: str) -> None:
        """Cancel a request that was answered elsewhere."""
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
            name = f"Allow in this session: {one_line(request.scope)}"  # defence: scope-on-one-line
            options.append(PermissionOption(option_id="approve_for_session", name=name, kind="allow_always"))
        options.append(PermissionOption(option_id="reject", name="Reject", kind="reject_once"))
        chosen_option = await self._ask(self._updates.approval_call(request), options)
        answer_by_option: dict[str | None, ApprovalAnswer] = {
            "approve": "approve",
            "approve_for_session": "approve_for_session",
        }
        self._tasks.pop(request.id, None)
        self._engine.approvals.settle(request.id, answer_by_option.get(chosen_option, "reject"))

    async def _answer(self, request: QuestionRequest) -> None:
        answers = await (self._fill_in(request) if self._supports_forms else self._one_by_one(request))
        self._tasks.pop(request.id, None)
        self._engine.questions.settle(request.id, answers)

    async def _fill_in(self, request: QuestionRequest) -> dict[str, str]:
        """Ask all questions in one form; declining it dismisses them."""
        message = "\n".join(question.question for question in request.questions)
        try:
            response = await self._client.create_elicitation(message, make_form(request, self._engine.session_id))
        except Exception:  # noqa: BLE001 - the edge: a client that fails, or is gone, has not answered
            _log.exception("the client could not be asked")
            return {}
        match response:
            case AcceptElicitationResponse(content=dict(content)):
                return read_answers(request, content)
            case _:
                return {}

    async def _one_by_one(self, request: QuestionRequest) -> dict[str, str]:
        """Ask each question as a permission request; if the user chooses nothing, the remaining ones are dismissed."""
        answers: dict[str, str] = {}
        for question in request.questions:
            labels = await (self._choose if question.multi_select else self._choose_one)(request, question)
            if not labels:
                return {}
            answers[question.question] = ", ".join(labels)
        return answers

    async def _choose_one(self, request: QuestionRequest, question: Question) -> list[str]:
        chosen_option = await self._ask_question(request, question)
        return [] if chosen_option is None else [question.options[int(chosen_option)].label]

    async def _choose(self, request: QuestionRequest, question: Question) -> list[str]:
        """Ask repeatedly; each choice toggles one answer, until the user confirms."""
        chosen: set[int] = set()
        for _ in range(_MAX_CHOICES):  # defence: bound-choices
            chosen_option = await self._ask_question(request, question, chosen)
            if chosen_option is None:
                return []
            if chosen_option == _DONE_OPTION:
                return [option.label for number, option in enumerate(question.options) if number in chosen]
            chosen ^= {int(chosen_option)}
        return []

    async def _ask_question(
        self, request: QuestionRequest, question: Question, chosen: Set[int] | None = None
    ) -> str | None:
        """Return the id of the chosen answer; None if the user chose none, or the question was withdrawn."""
        # defence: withdrawn-question
        if not any(pending.id == request.id for pending in self._engine.questions.pending):
            return None
        option_id = await self._ask(_question_call(request.tool_call_id, question), _question_options(question, chosen))
        return None if option_id == _NO_ANSWER else option_id

    async def _ask(self, call: ToolCallUpdate, options: list[PermissionOption]) -> str | None:
        """Return the id of the chosen option; None if nothing was chosen or the request failed."""
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


def _question_call(call_id: str, question: Question) -> ToolCallUpdate:
    lines = [question.body, *(f"- **{option.label}** {option.description}" for option in question.options)]
    text = "\n".join(line for line in lines if line)
    return ToolCallUpdate(
        tool_call_id=call_id, title=one_line(question.question), kind="other", content=[tool_content(text_block(text))]
    )


def _question_options(question: Question, chosen: Set[int] | None = None) -> list[PermissionOption]:
    """Make the options. With `chosen`, multiple answers are allowed, and these are selected.

    `Done` is the first option, because clients that answer by themselves take the first one.
    """
    options = [
        PermissionOption(option_id=str(number), name=_mark(number, chosen) + one_line(option.label), kind="allow_once")
        for number, option in enumerate(question.options)
    ]
    if chosen:
        options.insert(0, PermissionOption(option_id=_DONE_OPTION, name="Done", kind="allow_once"))
    return [*options, PermissionOption(option_id=_NO_ANSWER, name="None of these", kind="reject_once")]


def _mark(number: int, chosen: Set[int] | None) -> str:
    if chosen is None:
        return ""
    return "☑ " if number in chosen else "☐ "
