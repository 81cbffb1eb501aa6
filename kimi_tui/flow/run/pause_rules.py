"""Decides from a run's state when it waits for the user."""

from typing import Literal

from kimi_tui.flow.model.graph import FlowNode, NodeKind
from kimi_tui.flow.run.run_state import Pause, RunState
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.i18n import tr

TOOL_REJECTED = tr("a tool was rejected")
"""The detail of a pause at a tool that the user rejected."""


def pause_reason(
    state: RunState, node: FlowNode, pause_next: Literal["user", "step"] | None, max_choice_retries: int
) -> Pause | None:
    """The reason to pause at `node`, the current one; None to continue. `pause_next` is the user's request to pause."""
    if state.entered:
        without_choice = state.retries if node.settings.out is None else 0
        match state.stop:
            case "rejected":
                return Pause("rejected", state.detail or TOOL_REJECTED)  # defence: pause-at-rejected-tool
            case "cancelled" if not state.over_budget:
                return Pause("cancelled")
            case "failed" | "max_steps" if state.failures > node.settings.retries:
                return Pause("failed", state.detail)
            case "finished" if state.named_branch is not None:
                return Pause("choice", suggested=state.named_branch)
            case "finished" if without_choice > max_choice_retries:  # defence: bound-choice-retries
                return Pause("choice", f"no valid choice in {state.invalid} replies")
            case _ if node.settings.ask:  # defence: gate-asks-the-user
                return Pause("choice")
            case _:
                return Pause("user") if pause_next == "user" else None  # defence: pause-before-asking-again
    if node.id in state.breakpoints:
        return Pause("breakpoint")
    if pause_next is not None and node.kind not in (NodeKind.BEGIN, NodeKind.END):
        return Pause(pause_next)
    return None


def pause_detail(result: TurnResult) -> str | None:
    """More about a failed turn, if there is any; else None."""
    match result.stop:
        case "failed":
            return result.message or "the turn failed"
        case "max_steps":
            return f"the turn took all the steps it may take ({result.steps})"
        case "finished" | "rejected" | "cancelled":
            return None
