"""What a server may ask of us: the folders we work in, and questions to the person. It may not ask the model.

A question comes from a server that nobody vouches for, so it is shown with the server's name, and nothing is
answered but by the person.
"""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui.interaction.questions import Questions
from kimi_tui.mcp.elicitation_form import Form, FormTooLargeError
from kimi_tui.mcp.untrusted_text import one_line

if TYPE_CHECKING:
    from mcp.client.session import ClientRequestContext
    from mcp_types import ElicitRequestParams, ElicitResult, ErrorData, ListRootsResult

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerRequestHandler:
    """Answers for one server. `call_id` names the call under way; `pausing` stops its clock while a person thinks."""

    server: str
    work_dir: Path
    questions: Questions | None
    call_id: Callable[[], str | None]
    pausing: Callable[[], AbstractContextManager[None]] = field(repr=False)

    async def roots(self, context: "ClientRequestContext") -> "ListRootsResult | ErrorData":
        from mcp_types import ListRootsResult, Root
        from pydantic import FileUrl

        return ListRootsResult(roots=[Root(uri=FileUrl(self.work_dir.as_uri()), name=self.work_dir.name)])

    async def elicit(
        self, context: "ClientRequestContext", params: "ElicitRequestParams"
    ) -> "ElicitResult | ErrorData":
        """The person's answers; declined where no call is under way, for a web address, and where nobody is there."""
        from mcp_types import ElicitResult

        call_id = self.call_id()
        if call_id is None or self.questions is None or params.mode != "form":
            _log.info("declined what MCP server %s asks: %s", self.server, one_line(params.message, most=200))
            return ElicitResult(action="decline")
        try:
            form = Form.of(self.server, params.message, params.requested_schema)
        except FormTooLargeError as error:
            _log.info("declined what MCP server %s asks: %s", self.server, error)
            return ElicitResult(action="decline")
        with self.pausing():
            for questions in form.batches():
                answers = await self.questions.ask(questions, tool_call_id=call_id)
                if answers.dismissed:
                    return ElicitResult(action="cancel")
                if not form.take(answers.by_question):
                    return ElicitResult(action="decline")
        return ElicitResult(action="accept", content=form.content)
