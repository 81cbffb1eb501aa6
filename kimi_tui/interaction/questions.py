"""Questions to the user: pending requests, settled by id in the same way for every UI."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from kimi_tui.interaction.work_clock import WorkClock
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.requests import Question, QuestionRequest


@dataclass(frozen=True, slots=True)
class Answers:
    """Question text to label, or to comma-separated labels. Empty: the user dismissed the questions."""

    by_question: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def dismissed(self) -> bool:
        return not self.by_question


@dataclass(slots=True)
class _PendingRequest:
    request: QuestionRequest
    answer: asyncio.Future[Answers]


class Questions:
    """The question service of a session. Without a user, all questions are dismissed at once.

    `possible`: a user may be present later in this session.
    """

    def __init__(
        self, wire: Wire, *, attended: bool = True, possible: bool = True, work_clock: WorkClock | None = None
    ) -> None:
        self._wire = wire
        self._work_clock = work_clock or WorkClock()
        self.attended = attended
        self.possible = possible
        self._waiting: dict[str, _PendingRequest] = {}

    @property
    def pending(self) -> tuple[QuestionRequest, ...]:
        """The pending requests, oldest first."""
        return tuple(pending_entry.request for pending_entry in self._waiting.values())

    async def ask(self, questions: Sequence[Question], *, tool_call_id: str) -> Answers:
        """Wait until the user answers or dismisses the questions. Cancelling the wait withdraws the request."""
        if not self.attended:
            return Answers()
        request = QuestionRequest(id=uuid4().hex, tool_call_id=tool_call_id, questions=tuple(questions))
        pending_entry = _PendingRequest(request, asyncio.get_running_loop().create_future())
        self._waiting[request.id] = pending_entry
        self._wire.send(request)
        try:
            with self._work_clock.waiting():
                return await pending_entry.answer
        finally:
            self._waiting.pop(request.id, None)

    def settle(self, request_id: str, answers: Mapping[str, str]) -> bool:
        """Answer a request; empty answers dismiss it. False if no request of that id is pending."""
        pending_entry = self._waiting.pop(request_id, None)
        if pending_entry is None:
            return False
        if not pending_entry.answer.done():
            pending_entry.answer.set_result(Answers(dict(answers)))
        return True

    def dismiss_all(self) -> None:
        """Dismiss all requests when no user can answer any more."""
        for request_id in list(self._waiting):
            self.settle(request_id, {})
