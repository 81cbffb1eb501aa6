"""Handles a server's requests: for the session's folders and for answers of the user, not of the model.

A server is not trusted, so its questions are shown with its name, and only the user answers them.
"""

import logging
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui.interaction.questions import Questions
from kimi_tui.mcp.elicitation_form import Form, FormTooLargeError
from kimi_tui.mcp.pending_calls import CallEndedError, PendingCalls
from kimi_tui.mcp.untrusted_text import one_line

if TYPE_CHECKING:
    from mcp.client.session import ClientRequestContext
    from mcp_types import ElicitRequestParams, ElicitResult, ErrorData, ListRootsResult

_log = logging.getLogger(__name__)

MAX_FORMS = 20
"""Maximum forms that a server shows to the user within one call of its tools."""


@dataclass(frozen=True, slots=True)
class ServerRequestHandler:
    """Handles one server's requests. `calls` are the running calls."""

    server: str
    work_dir: Path
    questions: Questions | None
    calls: PendingCalls = field(repr=False)
    _shown: Counter[str] = field(default_factory=Counter[str])

    async def roots(self, context: "ClientRequestContext") -> "ListRootsResult | ErrorData":
        from mcp_types import ListRootsResult, Root
        from pydantic import FileUrl

        return ListRootsResult(roots=[Root(uri=FileUrl(self.work_dir.as_uri()), name=self.work_dir.name)])

    async def elicit(
        self, context: "ClientRequestContext", params: "ElicitRequestParams"
    ) -> "ElicitResult | ErrorData":
        """Return the user's answers; declines if no call is running, for a web address, and without a user."""
        from mcp_types import ElicitResult

        call_id = self.calls.latest
        if call_id is None or self.questions is None or params.mode != "form":
            _log.info("declined what MCP server %s asks: %s", self.server, one_line(params.message, limit=200))
            return ElicitResult(action="decline")
        self._shown[call_id] += 1
        if self._shown[call_id] > MAX_FORMS:  # defence: bound-forms
            return ElicitResult(action="decline")
        try:
            form = Form.of(self.server, params.message, params.requested_schema)
        except FormTooLargeError as error:
            _log.info("declined what MCP server %s asks: %s", self.server, error)
            return ElicitResult(action="decline")
        with self.calls.pausing():
            for questions in form.batches():
                asking = self.questions.ask(questions, tool_call_id=call_id)
                try:
                    answers = await self.calls.while_running(asking)  # defence: questions-end-with-calls
                except CallEndedError:
                    return ElicitResult(action="cancel")
                if answers.dismissed:
                    return ElicitResult(action="cancel")
                if not form.take(answers.by_question):
                    return ElicitResult(action="decline")
        return ElicitResult(action="accept", content=form.content)
