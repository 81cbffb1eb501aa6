"""The values of variables in a run: the results of nodes, for the texts of later nodes."""

from collections.abc import Callable, Mapping

from kimi_tui.flow.model.command_template import MAX_VALUE_BYTES
from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.model.settings import KEYS_WITH_VARIABLES
from kimi_tui.flow.model.variables import ARGS_VARIABLE, Variable, variables
from kimi_tui.flow.run.run_state import RunState


def referenced_fields(flow: Flow) -> dict[str, frozenset[str]]:
    """The fields that variables of the chart refer to, by node. Only these are kept in the journal."""
    fields: dict[str, set[str]] = {}
    for node in flow.nodes.values():
        texts = [node.label] if isinstance(node.label, str) and flow.source != "ralph" else []
        texts += [node.settings.written[key] for key in KEYS_WITH_VARIABLES if key in node.settings.written]
        for text in texts:
            for variable in variables(text):
                if variable.node in flow.nodes:
                    fields.setdefault(variable.node, set()).add(variable.field)
    return {node_id: frozenset(names) for node_id, names in fields.items()}


def kept_values(values: Mapping[str, str], fields: frozenset[str] | None) -> dict[str, str] | None:
    """Return the values to keep: those that variables refer to, cut just above the limit for commands."""
    if not fields:
        return None
    return {name: value[: MAX_VALUE_BYTES + 1] for name, value in values.items() if name in fields}


def value_lookup(flow: Flow, state: RunState) -> Callable[[Variable], str | None]:
    """The value of a variable at this point of a run: empty if its node has not run, None if the chart lacks it."""

    def look_up(variable: Variable) -> str | None:
        if variable == ARGS_VARIABLE:
            return state.args
        if variable.node not in flow.nodes:
            return None
        return state.values.get(variable.node, {}).get(variable.field, "")

    return look_up
