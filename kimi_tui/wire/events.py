"""Events: facts in the order in which they happened. Events have no responses."""

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from kimi_tui.wire.parts import JsonObject, TokenUsage, UserInput, WireModel

ApprovalAnswer = Literal["approve", "approve_for_session", "reject"]


class TurnBegin(WireModel):
    """The first message of a turn."""

    user_input: UserInput


class TurnEnd(WireModel):
    """The last message of a turn; not sent if the turn is interrupted."""


class SteerInput(WireModel):
    """Text added to a running turn, sent once it is in the context."""

    user_input: UserInput


class StepBegin(WireModel):
    """One model call and its tool calls; `n` counts from 1 within the turn."""

    n: int = Field(ge=1)


class StepInterrupted(WireModel):
    """The step was cancelled, or failed with that error."""

    error_type: str | None = None
    status_code: int | None = None


class StepRetry(WireModel):
    """A recoverable failure, sent before the wait; discard what the failed attempt streamed."""

    n: int
    next_attempt: int
    max_attempts: int
    wait_s: float
    error_type: str
    status_code: int | None = None


class CompactionBegin(WireModel):
    pass


class CompactionEnd(WireModel):
    """A compaction has ended.

    `compacted` is false if the compaction failed or was interrupted, so that the conversation is unchanged.
    """

    compacted: bool | None = None


class MCPServerStatus(WireModel):
    name: str
    status: Literal["pending", "connecting", "connected", "failed", "unauthorized"]
    tools: tuple[str, ...] = ()


class MCPStatus(WireModel):
    loading: bool
    connected: int
    total: int
    tools: int
    servers: tuple[MCPServerStatus, ...] = ()


class StatusUpdate(WireModel):
    """Figures of the session; an absent field has not changed. `context_usage` is 0..1.

    `model` is the configuration's name of the model that used `token_usage` (extension: only for clients that support
    flows).
    """

    context_usage: float | None = None
    context_tokens: int | None = None
    max_context_tokens: int | None = None
    token_usage: TokenUsage | None = None
    model: str | None = None
    message_id: str | None = None
    plan_mode: bool | None = None
    mcp_status: MCPStatus | None = None


class ApprovalResponse(WireModel):
    """An approval was settled, by any client.

    `feedback` with an approval is a comment for the model. `taken` (extension) goes with `approve`: indexes from 0 of
    the approved diff blocks; without it all of them.
    """

    request_id: str
    response: ApprovalAnswer
    feedback: str | None = None
    taken: tuple[int, ...] | None = None

    @field_validator("feedback", mode="before")
    @classmethod
    def _empty_feedback_is_none(cls, value: Any) -> Any:
        return value or None


class SubagentEvent(WireModel):
    """An event of a subagent; `event` is its envelope (decode it with `codec.decode`)."""

    parent_tool_call_id: str
    agent_id: str | None = None
    subagent_type: str | None = None
    event: JsonObject

    @model_validator(mode="before")
    @classmethod
    def _old_name(cls, value: Any) -> Any:
        if isinstance(value, dict) and "parent_tool_call_id" not in value and "task_tool_call_id" in value:
            return {**value, "parent_tool_call_id": value["task_tool_call_id"]}  # pyright: ignore[reportUnknownVariableType]
        return value  # pyright: ignore[reportUnknownVariableType]


class BtwBegin(WireModel):
    id: str
    question: str


class BtwEnd(WireModel):
    id: str
    response: str | None = None
    error: str | None = None


class PlanDisplay(WireModel):
    content: str
    file_path: str


class HookTriggered(WireModel):
    event: str
    target: str
    hook_count: int


class HookResolved(WireModel):
    event: str
    target: str
    action: Literal["allow", "block"]
    reason: str = ""
    duration_ms: int


class MCPLoadingBegin(WireModel):
    pass


class MCPLoadingEnd(WireModel):
    pass


class Notification(WireModel):
    """A message for the user that belongs to no step. `created_at` is seconds since the epoch."""

    id: str
    category: str
    type: str
    source_kind: str
    source_id: str
    title: str
    body: str
    severity: str
    created_at: float
    payload: JsonObject = Field(default_factory=dict)
