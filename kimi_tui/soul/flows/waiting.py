"""The question that an interrupted run waits for."""

from kimi_tui.errors import FlowError
from kimi_tui.flow.model.variables import expand
from kimi_tui.flow.run.node_values import value_lookup
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.turn_protocol import OpenQuestion
from kimi_tui.soul.flows.prompt_flow import flow_of_run


def open_question(run: RunState) -> OpenQuestion | None:
    """The question of a run at a decision of the user; None if the run is over or at another node."""
    if not run.open or not run.entered:
        return None
    try:
        flow = flow_of_run(run)
    except FlowError:
        return None
    node = flow.nodes.get(run.node_id)
    if node is None or not node.settings.ask or node.id in run.chosen:
        return None
    choices = tuple(edge.label or "" for edge in flow.outgoing[node.id])
    return OpenQuestion(run.run_id, node.id, expand(node.title, value_lookup(flow, run)), choices)
