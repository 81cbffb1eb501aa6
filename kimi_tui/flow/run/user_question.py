"""A decision that the user makes: its question, its deadline, and the branch that is taken when that has passed."""

from kimi_tui.flow.model.graph import Flow, FlowNode
from kimi_tui.flow.model.variables import expand
from kimi_tui.flow.run.branch_choice import match_choice
from kimi_tui.flow.run.node_values import value_lookup
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.turn_protocol import OpenQuestion

APPROVE, REJECT = "approve", "reject"
"""The answers to a call that waits for an approval."""
MAX_SHOWN = 16_384
"""Characters of a question with values that clients receive."""


def question_text(flow: Flow, state: RunState, node: FlowNode) -> str:
    """The node's label with the values of its variables."""
    return expand(node.title, value_lookup(flow, state))


def shown_question(flow: Flow, state: RunState, node: FlowNode) -> str | None:
    """The question for a user who sees the label already; None if the label has no variables."""
    question = question_text(flow, state, node)
    if len(question) > MAX_SHOWN:  # defence: bound-shown-question
        question = question[: MAX_SHOWN - 1] + "…"
    return None if question == node.title else question


def open_question(flow: Flow, state: RunState, node: FlowNode) -> OpenQuestion:
    """The question with its choices, for a run that ends without an answer."""
    return OpenQuestion(state.run_id, node.id, question_text(flow, state, node), flow.branch_labels(node.id))


def parked_question(state: RunState) -> OpenQuestion | None:
    """The approval that a run waits for; None if there is none, or it is answered."""
    if not state.parked or state.parked.keys() <= state.answers.keys():
        return None
    return OpenQuestion(state.run_id, state.node_id, "\n".join(state.parked.values()), (APPROVE, REJECT))


def seconds_left(flow: Flow, state: RunState, node: FlowNode, timestamp: float) -> float | None:
    """The time until the default branch of a node that asks the user is taken; None if the wait is unlimited."""
    settings = node.settings
    if not settings.ask or settings.timeout is None or _default_choice(flow, state, node) is None:
        return None
    # defence: deadlines-of-a-clock-set-back
    return min(settings.timeout, state.entered_at + settings.timeout - timestamp)


def overdue_choice(flow: Flow, state: RunState, node: FlowNode, timestamp: float) -> str | None:
    """The default branch, if the time to answer has passed."""
    left = seconds_left(flow, state, node, timestamp)
    return _default_choice(flow, state, node) if left is not None and left <= 0 else None


def _default_choice(flow: Flow, state: RunState, node: FlowNode) -> str | None:
    """The branch that `default` names, with the values of its variables; None if it names none."""
    default = node.settings.default
    if default is None:
        return None
    return match_choice(expand(default, value_lookup(flow, state)), flow.branch_labels(node.id))
