"""The questions of flows to the user: the pending question of a run, and the answer in the conversation."""

import time

from kimi_tui.errors import FlowError, UsageError
from kimi_tui.flow.run.journal_records import CallsAnswered
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.turn_protocol import OpenQuestion
from kimi_tui.flow.run.user_question import APPROVE, REJECT, open_question, parked_question
from kimi_tui.i18n import tr
from kimi_tui.llm.message import Message, user_message
from kimi_tui.soul.flows.prompt_flow import flow_of_run


def pending_question(run: RunState) -> OpenQuestion | None:
    """Return the question of a run at a decision of the user; None if the run has ended or is at another node."""
    if not run.open or not run.entered:
        return None
    if run.parked:
        return parked_question(run)
    try:
        flow = flow_of_run(run)
    except FlowError:
        return None
    node = flow.nodes.get(run.node_id)
    if node is None or not node.settings.ask or node.id in run.chosen:
        return None
    return open_question(flow, run, node)


def answer_to(run: RunState, node_id: str, label: str) -> CallsAnswered | None:
    """Return the answer to the parked calls of a run at this node; None if there is none. Raises UsageError."""
    if not run.parked or node_id != run.node_id:
        return None
    if label not in (APPROVE, REJECT):
        raise UsageError(tr("{node} waits for an approval; the possible answers are: {choices}", node=node_id,
            choices=f"{APPROVE}, {REJECT}"))  # fmt: skip
    return CallsAnswered(run=run.run_id, at=time.time(), node=node_id, approve=label == APPROVE)


def answer_message(question: str, choice: str, *, by_default: bool) -> Message:
    """The message that adds the answer to the conversation."""
    who = "Nobody answered in time, so the flow took its default" if by_default else "The user answered"
    return user_message(f"<system>A step of the flow asked the user.</system>\n{question}\n\n{who}: {choice}")
