"""How a run ends: its status, its reason, and the open question of a run without a user."""

import shlex
from dataclasses import dataclass

from kimi_tui.config.budget import Budget, format_time, format_tokens
from kimi_tui.errors import FlowFailedError, KimiTuiError, MaxStepsReachedError
from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.run.run_state import Pause, RunState
from kimi_tui.flow.run.spending import raised_budget, spending_text
from kimi_tui.flow.run.turn_protocol import OpenQuestion, OverBudget
from kimi_tui.flow.run.user_question import open_question, parked_question
from kimi_tui.i18n import UserText, tr
from kimi_tui.wire.flow_events import FlowStatus


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a run. The user has to answer `question`, or settle `over_budget`, before the run can continue."""

    status: FlowStatus
    reason: str | None = None
    error: KimiTuiError | None = None
    question: OpenQuestion | None = None
    over_budget: OverBudget | None = None


def unattended_ending(flow: Flow, state: RunState, pause: Pause, error: KimiTuiError | None) -> Ending | None:
    """Return the end of a run without a user, in place of a pause; None if it continues. `error` is that of its last
    turn.
    """
    node_id = state.node_id
    match pause.reason:
        case "rejected":
            if (parked := parked_question(state)) is not None:
                return Ending("cancelled", tr("waits for the user at {node}", node=node_id), question=parked)
            if state.detail:
                return Ending("stopped", f"{node_id}: {state.detail}")
            return Ending("stopped", tr("a tool was rejected at {node}", node=node_id))
        case "cancelled":
            return Ending("cancelled", tr("interrupted at {node}", node=node_id))
        case "failed":
            reason = f"{node_id}: {state.detail}"
            return Ending("failed", reason, error or KimiTuiError(reason))
        case "choice" if flow.nodes[node_id].settings.ask:
            question = open_question(flow, state, flow.nodes[node_id])
            return Ending("cancelled", tr("waits for the user at {node}", node=node_id), question=question)
        case "choice":
            reason = tr("no valid choice at {node} in {count} replies", node=node_id, count=state.invalid)
            return Ending("failed", reason, FlowFailedError(reason))
        case "user" | "breakpoint" | "step":
            return None


def out_of_moves(moves: int) -> Ending:
    """Return the end of a run that reached its move limit."""
    error = MaxStepsReachedError(moves, "moves")
    return Ending("max_moves", tr("move limit reached ({count})", count=moves), error)


def over_budget(state: RunState, why: UserText) -> Ending:
    """Return the end of a run without a user whose budget is used up."""
    return Ending("cancelled", why, over_budget=_over_budget(state))


def pending_budget(state: RunState) -> OverBudget | None:
    """Return the budget that an open run waits for; None if it may continue."""
    return _over_budget(state) if state.open and state.is_over_budget else None


def how_to_raise(run_id: str, over: OverBudget) -> str:
    """Return the command that continues the run with a higher budget."""
    return f"kimi-tui flow resume {run_id} {over.raised}"


def _over_budget(state: RunState) -> OverBudget:
    higher = raised_budget(state.spent, state.budget)
    options = (
        f"--max-cost {str(Budget(higher.cost)).removesuffix(' usd')}" if higher.cost is not None else "",
        f"--max-tokens {format_tokens(higher.tokens)}" if higher.tokens is not None else "",
        f"--max-time {shlex.quote(format_time(higher.seconds))}" if higher.seconds is not None else "",
    )
    spent = spending_text(state.spent, state.budget)
    return OverBudget(state.run_id, state.node_id, str(state.budget), spent, " ".join(filter(None, options)))
