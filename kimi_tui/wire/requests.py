"""Requests: the soul waits until one of the listeners answers."""

from typing import Annotated, Literal

from pydantic import Field

from kimi_tui.wire.display import DisplayBlock
from kimi_tui.wire.parts import JsonObject, WireModel


class ApprovalRequest(WireModel):
    """A request to approve or reject a tool call.

    Extensions: `scope` describes what "for this session" would cover; `hunks` is set if each of the first `hunks` diff
    blocks in `display` can be approved or rejected separately.
    """

    id: str
    tool_call_id: str
    sender: str
    action: str
    description: str
    display: tuple[DisplayBlock, ...] = ()
    source_kind: Literal["foreground_turn", "background_agent"] | None = None
    source_id: str | None = None
    agent_id: str | None = None
    subagent_type: str | None = None
    source_description: str | None = None
    scope: str | None = None
    hunks: int | None = None


class ToolCallRequest(WireModel):
    """A call of a tool that the client registered; `arguments` is JSON text."""

    id: str
    name: str
    arguments: str | None = None


class QuestionOption(WireModel):
    label: str
    description: str = ""


class Question(WireModel):
    question: str
    header: str = ""
    options: Annotated[tuple[QuestionOption, ...], Field(min_length=2, max_length=4)]
    multi_select: bool = False
    body: str = ""
    other_label: str = ""
    other_description: str = ""


class QuestionRequest(WireModel):
    """One to four questions; the answer maps question text to label(s); an empty one means dismissed."""

    id: str
    tool_call_id: str
    questions: Annotated[tuple[Question, ...], Field(min_length=1, max_length=4)]


class HookRequest(WireModel):
    id: str
    subscription_id: str
    event: str
    target: str
    input_data: JsonObject
