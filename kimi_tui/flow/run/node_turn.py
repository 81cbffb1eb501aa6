"""The rules that a node's settings set for its turn, and the check of the turn's result."""

from dataclasses import replace

from kimi_tui.flow.model.graph import Flow, FlowNode, NodeKind
from kimi_tui.flow.model.result_type import read_result_type
from kimi_tui.flow.run.node_result import EXTRA_REPLIES, ResultRule
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.turn_protocol import TurnResult, TurnRules
from kimi_tui.i18n import tr


def turn_rules(flow: Flow, node: FlowNode, state: RunState) -> TurnRules:
    """Return the rules of a node's turn at this point of the run: they require no branch if the user has chosen one."""
    settings = node.settings
    result: ResultRule | None = None
    if settings.out is not None:
        names_branch = node.kind is NodeKind.DECISION and node.id not in state.chosen
        result = ResultRule(read_result_type(settings.out), flow.branch_labels(node.id) if names_branch else ())
    return TurnRules(result, settings.tools, settings.timeout)


def checked(result: TurnResult, rules: TurnRules, state: RunState) -> TurnResult:
    """Return the turn, or a failed one if the required result is still missing after `EXTRA_REPLIES` more replies."""
    if rules.result is None or result.stop != "finished" or result.result is not None:
        return result
    if state.no_result < EXTRA_REPLIES:
        return result
    return replace(result, stop="failed", message=tr("no result in {count} replies", count=state.no_result + 1))
