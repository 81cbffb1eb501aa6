"""The records of a flow's journal, one JSON line each; `r` is the kind, `run` the run's id, `at` the wall clock."""

from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from kimi_tui.config.budget import MAX_TOKENS
from kimi_tui.flow.run.turn_protocol import TurnStop
from kimi_tui.timestamps import valid_seconds, valid_timestamp
from kimi_tui.wire.flow_events import FlowStatus, PauseReason
from kimi_tui.wire.parts import JsonObject, TokenUsage, WireModel

By = Literal["model", "user", "default", "switch"]
"""Who took a branch; `default`: the chart's default, after the time ran out; `switch`: selected by a value."""
_MAX_COUNT = 1_000_000_000
Ask = Literal["never", "always"] | frozenset[str]

_Time = Annotated[float, AfterValidator(valid_timestamp)]
_Seconds = Annotated[float, AfterValidator(valid_seconds)]
_Cost = Annotated[float, AfterValidator(valid_seconds)]
_Tokens = Annotated[int, AfterValidator(lambda count: min(max(count, 0), MAX_TOKENS))]
_Count = Annotated[int, AfterValidator(lambda count: min(max(count, 0), _MAX_COUNT))]


class _Record(WireModel):
    run: str
    at: _Time = 0.0


class GuidanceRecord(WireModel):
    """Text beside the chart in the skill's file: for the whole flow, and for single nodes."""

    intro: str = ""
    sections: dict[str, str] = Field(default_factory=dict)


class RunStarted(_Record):
    """A run starts; the record has the chart's text, so that the run can resume after the skill was changed or
    deleted.
    """

    r: Literal["begin"] = "begin"
    name: str
    source: Literal["mermaid", "d2", "ralph"]
    text: str
    sha256: str
    args: str = ""
    max_moves: _Count
    node: str
    guidance: GuidanceRecord | None = None
    when_asked: Literal["refuse", "park"] | None = None


class RunResumed(_Record):
    """Another process resumes a run. `fresh`: the count of retries for an invalid choice restarts at 0."""

    r: Literal["resume"] = "resume"
    node: str
    max_moves: _Count
    fresh: bool = False
    text: str | None = None
    sha256: str | None = None
    guidance: GuidanceRecord | None = None


class NodeEntered(_Record):
    """A node's turn is about to start. The same move again: the previous turn was interrupted, or chose no branch."""

    r: Literal["enter"] = "enter"
    node: str
    move: _Count
    attempt: _Count = 1


class TurnFinished(_Record):
    """A turn has ended. `to` is the next node, None if the run stays.

    `choice` with `to` is a taken branch; `choice` alone is one that the user has to confirm. `status` is the exit
    status of a command; `values` are the fields of the node that variables of the chart refer to; `result` is the
    node's typed result, shortened if it is very long; `parked` are the calls that wait for an approval, by key.
    `over_budget`: the turn is incomplete, because the budget allowed no more requests.
    """

    r: Literal["turn"] = "turn"
    node: str
    move: _Count
    stop: TurnStop
    detail: str | None = None
    duration_s: _Seconds = 0.0
    steps: _Count = 0
    usage: TokenUsage | None = None
    choice: str | None = None
    to: str | None = None
    by: By = "model"
    passed: bool = False
    status: int | None = None
    values: dict[str, str] | None = None
    result: JsonObject | None = None
    over_budget: bool | None = None
    parked: dict[str, str] | None = None


class ReplyReceived(_Record):
    """The usage of one reply of a model, even if its turn failed; also replies of subagents and of compactions.

    `model` is its name in the configuration; `cost` is in US dollars, None without prices, and `at_most` if the price
    of cache reads is not known. `estimated`: the service did not report all of the usage. `turn_s` is the working time
    of the turn until then.
    """

    r: Literal["reply"] = "reply"
    node: str
    model: str = ""
    usage: TokenUsage
    cost: _Cost | None = None
    at_most: bool = False
    estimated: bool = False
    turn_s: _Seconds = 0.0


class BudgetSet(_Record):
    """The caps of the run from here on; None: no cap."""

    r: Literal["budget"] = "budget"
    cost: _Cost | None = None
    tokens: _Tokens | None = None
    seconds: _Seconds | None = None


class BranchChosen(_Record):
    """The user chose a branch, or confirmed the model's choice, without a turn."""

    r: Literal["choice"] = "choice"
    node: str
    move: _Count
    choice: str
    to: str
    by: By = "user"


class NodeLeft(_Record):
    """The run moves to another node without a choice. `passed`: it runs there even if a breakpoint is set."""

    r: Literal["go"] = "go"
    node: str
    to: str
    passed: bool = False


class RunPaused(_Record):
    r: Literal["pause"] = "pause"
    node: str
    reason: PauseReason
    detail: str | None = None
    suggested: str | None = None


class RunContinued(_Record):
    r: Literal["go_on"] = "go_on"
    node: str
    passed: bool = False


class ControlsChanged(_Record):
    """All of the user's settings for the run."""

    r: Literal["set"] = "set"
    breakpoints: frozenset[str] = frozenset()
    ask: Ask = "never"
    chosen: dict[str, str] = Field(default_factory=dict)
    prompts: dict[str, str] = Field(default_factory=dict)


class CallsAnswered(_Record):
    """The user's answer to the calls that the run is parked with."""

    r: Literal["answer"] = "answer"
    node: str
    approve: bool


class RunImported(_Record):
    """All records of the run before this one come from an imported file; the user's answers in it are void."""

    r: Literal["imported"] = "imported"


class RunEnded(_Record):
    r: Literal["end"] = "end"
    status: FlowStatus
    moves: _Count
    reason: str | None = None


Record = (
    RunStarted
    | RunResumed
    | NodeEntered
    | TurnFinished
    | ReplyReceived
    | BudgetSet
    | BranchChosen
    | NodeLeft
    | RunPaused
    | RunContinued
    | ControlsChanged
    | CallsAnswered
    | RunImported
    | RunEnded
)
_RECORD = TypeAdapter[Record](Annotated[Record, Field(discriminator="r")], config=ConfigDict(defer_build=True))


def dump_record(record: Record) -> JsonObject:
    """The record as plain JSON values; the kind first, without empty fields."""
    fields = record.model_dump(mode="json", exclude_none=True)
    return {"r": fields.pop("r"), **fields}


def load_record(value: object) -> Record | None:
    """The record of a parsed journal line; None if its kind is unknown to this version."""
    try:
        return _RECORD.validate_python(value)
    except ValidationError:
        return None
