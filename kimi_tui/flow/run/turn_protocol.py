"""The runner's interface: one turn of a conversation as input, and the outcome of a run as output."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from kimi_tui.errors import KimiTuiError
from kimi_tui.flow.model.command_template import BoundCommand
from kimi_tui.flow.run.node_result import ResultRule
from kimi_tui.i18n import UserText
from kimi_tui.wire.flow_events import FlowStatus, NodeStatus
from kimi_tui.wire.parts import JsonObject, TokenUsage, UserInput

TurnStop = Literal["finished", "rejected", "cancelled", "max_steps", "failed"]
NODE_STATUS: dict[TurnStop, NodeStatus] = {
    "finished": "done",
    "rejected": "rejected",
    "cancelled": "cancelled",
    "max_steps": "failed",
    "failed": "failed",
}
"""The status of a node whose turn, or command, ended that way."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A decision, or an approval, that a run without a user waits for."""

    run_id: str
    node_id: str
    question: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OverBudget:
    """A run that waits for a higher budget. `budget` is the present one as written, `spent` the used amount.

    `raised` is the option that raises the cap: `--max-tokens 1m`.
    """

    run_id: str
    node_id: str
    budget: str
    spent: UserText
    raised: str


@dataclass(frozen=True, slots=True)
class TurnResult:
    """How a turn ended: `message` is the text of the last assistant message, or the cause of a failure.

    `rejected` means that the user rejected a tool call without feedback. `cut`: the last message was cut at its length
    limit. `question` is the open question of a flow run. `result` is the typed result that the turn's rules require.
    `over_budget`: the budget of the flow ended the turn; `waits_for`: the run waits for a higher budget.
    `parked` are the calls that wait for an approval, by key. `started` is false if the user cancelled the turn before
    its prompt was part of the conversation.
    """

    stop: TurnStop
    message: str = ""
    steps: int = 0
    usage: TokenUsage | None = None
    cut: bool = False
    question: OpenQuestion | None = None
    result: JsonObject | None = None
    over_budget: bool = False
    waits_for: OverBudget | None = None
    parked: Mapping[str, str] | None = None
    started: bool = True


@dataclass(frozen=True, slots=True)
class TurnRules:
    """The rules of a node for its turn: the required typed result, the only allowed tools (empty: all), and the time
    limit for the model and its tools.
    """

    result: ResultRule | None = None
    tools: tuple[str, ...] = ()
    seconds: float | None = None


NO_RULES = TurnRules()


class TurnTaker(Protocol):
    """Takes one turn in the session's one context.

    Raises a KimiTuiError if the turn failed. Returns `cancelled` if the user stopped this turn only; lets
    asyncio.CancelledError through if the whole run is cancelled. A finished turn that did not give the result of its
    `rules` has none.
    """

    async def take_turn(self, prompt: UserInput, rules: TurnRules = NO_RULES) -> TurnResult: ...


@dataclass(frozen=True, slots=True)
class CommandCall:
    """The command of a node, for one attempt. `seconds` is the time that it may take, without waits for approval.

    `imported`: the chart comes from an imported run, so that the user has to approve the command whatever the rules.
    """

    command: BoundCommand
    run_id: str
    node_id: str
    move: int
    attempt: int
    seconds: float
    imported: bool = False


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """How a command ended. `finished`: it exited with a `status`; `failed`: it has none (killed, timed out).

    `rejected`: it did not run, and `detail` says why; `cancelled`: the user stopped it.
    """

    stop: Literal["finished", "failed", "rejected", "cancelled"]
    status: int | None = None
    output: str = ""
    detail: str | None = None
    parked: Mapping[str, str] | None = None

    @property
    def succeeded(self) -> bool:
        return self.stop == "finished" and self.status == 0


class CommandRunner(Protocol):
    """Runs the commands of nodes, like calls of the Shell tool. Raises as `TurnTaker` does."""

    async def run_command(self, call: CommandCall) -> CommandEnd: ...


class AnswerRecorder(Protocol):
    """Informs the model of a branch that the user chose."""

    def record_answer(self, question: str, choice: str, *, by_default: bool) -> None: ...


@dataclass(frozen=True, slots=True)
class FlowOutcome:
    """How a run ended. `steps` counts the turns' steps in this process; `error` is the cause of a failure, if any."""

    status: FlowStatus
    moves: int
    steps: int
    reason: str | None = None
    error: KimiTuiError | None = None
    question: OpenQuestion | None = None
    over_budget: OverBudget | None = None

    @property
    def turn_result(self) -> TurnResult:
        """The outcome as that of one turn."""
        match self.status:
            case "finished":
                return TurnResult("finished", self.reason or "", self.steps)
            case "cancelled":
                return TurnResult(
                    "cancelled", self.reason or "", self.steps, question=self.question, waits_for=self.over_budget
                )
            case "stopped" | "failed" | "max_moves":
                return TurnResult("failed", self.reason or self.status, self.steps)
