"""Checks the settings of nodes against the chart: their edges, the other nodes and the variables that they use.

Errors stop a flow from running (`setting_flaws`), warnings (`setting_warnings`) never do.
"""

import difflib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal

from kimi_tui.errors import FlowValidationError
from kimi_tui.flow.model.command_template import CommandTemplateError, read_command
from kimi_tui.flow.model.graph import ChartEdge, ChartNode, ChartNote
from kimi_tui.flow.model.result_type import read_result_type
from kimi_tui.flow.model.settings import (
    INACTIVE_NODE_KEYS,
    KEYS_WITH_VARIABLES,
    NODE_KEYS,
    PARK,
    NodeSettings,
    WrittenSetting,
    is_known,
    last_of_each,
    nearest_key,
    read_settings,
)
from kimi_tui.flow.model.status_branches import ELSE, status_branch_fault
from kimi_tui.flow.model.value_branches import PossibleValues, missing_branches, possible_values
from kimi_tui.flow.model.variables import ITEM, Reference, Variable, misspelled_variables, references, variables
from kimi_tui.i18n import UserText, tr

NodeRole = Literal["begin", "end", "task", "decision"]
_KINDS_OF_WORK = ("run", "ask", "on", "flow")
_NOT_WITHOUT_MODEL = ("out", "model", "agent", "tools", "context")
BUILT_IN_TOOLS = (
    *("AskUserQuestion", "CreateSubagent", "EnterPlanMode", "ExitPlanMode", "FetchURL", "Glob", "Grep", "ReadFile"),
    *("ReadMediaFile", "SearchWeb", "SendDMail", "SetTodoList", "Shell", "StrReplaceFile", "Task", "TaskList"),
    *("TaskOutput", "TaskStop", "Think", "WriteFile"),
)
"""The tools of the program, for `flow check`; a session may have more."""
MCP_PREFIX = "mcp__"
_FIELDS_OF_ALL = ("text", "output", "status")
_MAX_REACHED = 200
"""The maximum number of nodes whose variables are checked for paths on which they are not set."""


@dataclass(frozen=True, slots=True)
class ChartSettings:
    """The nodes of a chart without groups, their edges and roles, and their settings."""

    nodes: Mapping[str, ChartNode]
    outgoing: Mapping[str, Sequence[ChartEdge]]
    roles: Mapping[str, NodeRole]
    begin_id: str | None
    settings: Mapping[str, NodeSettings] = field(init=False)

    def __post_init__(self) -> None:
        read = {node.id: read_settings(node.settings)[0] for node in self.nodes.values()}
        object.__setattr__(self, "settings", read)


def setting_flaws(chart: ChartSettings) -> Iterator[FlowValidationError]:
    """The errors in settings, each at its key or at its edge."""
    for node in chart.nodes.values():
        if node.settings:
            yield from _node_flaws(chart, node)
    for node in chart.nodes.values():
        yield from _label_flaws(chart, node)


def setting_warnings(chart: ChartSettings, reached: Set[str]) -> Iterator[ChartNote]:
    """The warnings about settings. `reached` are the nodes that a run can reach."""
    for node in chart.nodes.values():
        yield from _key_warnings(node)
        if node.settings:
            yield from _node_warnings(chart, node)
    yield from _spelling_warnings(chart, reached)
    yield from _reach_warnings(chart, reached)
    yield from _default_warnings(chart, reached)


def _at(setting: WrittenSetting, cause: UserText) -> FlowValidationError:
    return FlowValidationError(cause, line=setting.line, column=setting.column)


def _node_flaws(chart: ChartSettings, node: ChartNode) -> Iterator[FlowValidationError]:
    used = last_of_each(node.settings)
    settings, wrong = read_settings(node.settings)
    for one in wrong:
        yield _at(one.setting, one.cause)
    role = chart.roles[node.id]
    if role in ("begin", "end"):
        for setting in used.values():
            yield _at(setting, tr("{role} does not run anything, so it cannot have settings", role=role.upper()))
        return
    yield from _combination_flaws(used, role)
    ways = chart.outgoing[node.id]
    if settings.run is not None:
        for way, cause in status_branch_fault([(edge.label or "").strip() or None for edge in ways]):
            at = ways[way]
            yield FlowValidationError(
                tr("command node `{node}`: {cause}", node=node.id, cause=cause), line=at.line, column=at.column
            )
        try:
            read_command(settings.run)
        except CommandTemplateError as error:
            yield _at(used["run"], error.cause)
    if settings.default is not None and not variables(settings.default):
        labels = [(edge.label or "").strip() for edge in ways]
        if settings.default not in (*labels, PARK):
            named = ", ".join(f"`{label}`" for label in (*labels, PARK))
            yield _at(
                used["default"],
                tr("`default` must be one of the branches of `{node}`: {names}", node=node.id, names=named),
            )
    if settings.on is not None and not variables(settings.on):
        yield _at(used["on"], tr("`on` needs a variable, such as `{example}`", example="${NODE.field}"))
    for key in KEYS_WITH_VARIABLES:
        if key in used:
            for variable in variables(used[key].value or ""):
                cause = _variable_fault(chart, variable, each=settings.each is not None)
                if cause is not None:
                    yield _at(used[key], cause)


def _combination_flaws(used: Mapping[str, WrittenSetting], role: NodeRole) -> Iterator[FlowValidationError]:
    works = [key for key in used if key in _KINDS_OF_WORK]
    for key in works[1:]:
        yield _at(used[key], tr("a node has either `{first}` or `{second}`; use two nodes", first=works[0], second=key))
    without_model = next((key for key in works if key != "flow"), None)
    for key in _NOT_WITHOUT_MODEL:
        if key in used and without_model is not None:
            yield _at(used[key], tr("`{key}` is only valid for a node that the model runs; this node has `{other}`",
                key=key, other=without_model))  # fmt: skip
    for key, needed in (("args", "flow"), ("max", "each"), ("default", "ask")):
        if key in used and needed not in used:
            yield _at(used[key], tr("`{key}` needs `{needed}`", key=key, needed=needed))
    if "default" in used and "timeout" not in used:
        yield _at(used["default"], tr("`{key}` needs `{needed}`", key="default", needed="timeout"))
    if role == "decision" and "each" in used:
        yield _at(used["each"], tr("a decision cannot have `each`; use a separate decision node after this one"))
    for key in ("ask", "on"):
        if role != "decision" and key in used:
            yield _at(
                used[key], tr("`{key}` is only valid for a decision; this node has a single outgoing edge", key=key)
            )
        if key in used and "retries" in used:
            yield _at(used["retries"], tr("`retries` has no effect on a node with `{key}`", key=key))
    if "on" in used and "timeout" in used:
        yield _at(used["timeout"], tr("`timeout` has no effect on a node with `{key}`", key="on"))


def _label_flaws(chart: ChartSettings, node: ChartNode) -> Iterator[FlowValidationError]:
    """Errors for variables of this chart's nodes that never have a value; `${x.y}` of another `x` is plain text."""
    for variable in variables(node.label):
        if variable.node in chart.nodes and (cause := _variable_fault(chart, variable, each=True)) is not None:
            yield FlowValidationError(cause, line=node.line, column=node.column)


def declared_fields(settings: NodeSettings, role: NodeRole) -> tuple[str, ...]:
    """The fields that a node sets for variables; none without a turn or a command."""
    if role in ("begin", "end"):
        return ()
    if settings.run is not None:
        return ("text", "status", "output")
    if not settings.has_turn:
        return ()
    if settings.out is None:
        return ("text",)
    choice = ("choice",) if role == "decision" else ()
    return ("text", *choice, *(one.name for one in read_result_type(settings.out)))


def _variable_fault(chart: ChartSettings, variable: Variable, *, each: bool) -> UserText | None:
    if not variable.node:
        if variable.field.startswith(ITEM) and not each:
            return tr("`{variable}` has a value only in a node with `each`", variable=variable)
        return None
    if variable.node not in chart.nodes:
        return tr("`{variable}`: the chart has no node `{node}`", variable=variable, node=variable.node)
    fields = declared_fields(chart.settings[variable.node], chart.roles[variable.node])
    if variable.field in fields:
        return None
    if not fields:
        return tr("`{variable}`: `{node}` has no values", variable=variable, node=variable.node)
    named = ", ".join(f"`{name}`" for name in fields)
    return tr("`{variable}` is never set; `{node}` has {fields}", variable=variable, node=variable.node, fields=named)


def _key_warnings(node: ChartNode) -> Iterator[ChartNote]:
    before: set[str] = set()
    for setting in node.settings:
        key = setting.key
        if not is_known(key):
            near = nearest_key(key)
            if near is None:
                text = tr("the setting `{key}` is unknown and ignored", key=key)
            else:
                text = tr("the setting `{key}` is unknown and ignored; did you mean `{near}`?", key=key, near=near)
            yield ChartNote(text, setting.line, setting.column)
        elif key in before:
            yield ChartNote(
                tr("`{node}` has `{key}` more than once; the last one counts", node=node.id, key=key),
                setting.line,
                setting.column,
            )
        before.add(key)
    for setting in last_of_each(node.settings).values():
        if setting.key in INACTIVE_NODE_KEYS:
            yield ChartNote(
                tr("`{key}` is recognized but has no effect yet", key=setting.key), setting.line, setting.column
            )


def _node_warnings(chart: ChartSettings, node: ChartNode) -> Iterator[ChartNote]:
    used, settings = last_of_each(node.settings), chart.settings[node.id]
    if settings.context in (None, "shared"):
        for key in ("model", "agent"):
            if key in used and settings.flow is None:
                yield ChartNote(
                    tr("`{key}` needs `context: fork` or `context: fresh`", key=key), used[key].line, used[key].column
                )
    for name in settings.tools:
        if name not in BUILT_IN_TOOLS and not name.startswith(MCP_PREFIX):
            if near := difflib.get_close_matches(name, BUILT_IN_TOOLS, 1):
                text = tr("`{tool}` is not a tool of kimi-tui; did you mean `{near}`?", tool=name, near=near[0])
            else:
                text = tr("`{tool}` is not a tool of kimi-tui", tool=name)
            yield ChartNote(text, used["tools"].line, used["tools"].column)
    if settings.ask and settings.timeout is not None and "default" not in used:
        yield ChartNote(
            tr("`timeout` has no effect on a node with `ask` and no `default`"),
            used["timeout"].line,
            used["timeout"].column,
        )
    if settings.on is not None:
        yield from _value_branch_warnings(chart, node, settings.on, used["on"])


def _value_branch_warnings(
    chart: ChartSettings, node: ChartNode, on: str, setting: WrittenSetting
) -> Iterator[ChartNote]:
    """Warn of branches that no value of `on` takes, and of values without a branch."""
    branches = [((edge.label or "").strip(), edge) for edge in chart.outgoing[node.id]]
    possible = _values_of(chart, on)
    for label, edge in branches:
        if possible is not None and label not in ("", ELSE) and not possible.fits(label):
            yield ChartNote(
                tr("the branch `{label}` is never taken: the value of `{on}` is {values}",
                    label=label, on=on, values=possible.shown),
                edge.line,
                edge.column,
            )  # fmt: skip
    if missing_branches(possible, [label for label, _ in branches]):
        yield ChartNote(
            tr("`{node}` has no branch `else`: a value without a branch stops the run", node=node.id),
            setting.line,
            setting.column,
        )


def _values_of(chart: ChartSettings, text: str) -> PossibleValues | None:
    """The values of a text that is a single variable of a node; None if it can be any text."""
    match list(references(text.strip())):
        case [Reference(Variable(source, field), 0, end)] if end == len(text.strip()) and source in chart.nodes:
            labels = [(edge.label or "").strip() for edge in chart.outgoing[source]]
            return possible_values(chart.settings[source], labels, field)
        case _:
            return None


def _texts_with_variables(node: ChartNode) -> list[tuple[str, int, int]]:
    """The node's texts that can contain variables, with their places; the label is the first."""
    texts = [(node.label, node.line, node.column)]
    texts += [
        (setting.value or "", setting.line, setting.column)
        for setting in last_of_each(node.settings).values()
        if setting.key in KEYS_WITH_VARIABLES
    ]
    return texts


def _spelling_warnings(chart: ChartSettings, reached: Set[str]) -> Iterator[ChartNote]:
    """Warn of texts that are nearly variables: without the closing brace, with spaces, or in another case."""
    for node in chart.nodes.values():
        if node.id not in reached:
            continue
        run = last_of_each(node.settings).get("run")
        for text, line, column in _texts_with_variables(node):
            if run is not None and text is run.value:
                continue  # a variable of the shell may be meant
            if text is node.label and chart.settings[node.id].each is None:
                for variable in variables(text):
                    if not variable.node and variable.field.startswith(ITEM):
                        cause = tr("`{variable}` has a value only in a node with `each`", variable=variable)
                        yield ChartNote(cause, line, column)
            for found, variable in misspelled_variables(text):
                if not variable.node or variable.node in chart.nodes:
                    yield ChartNote(
                        tr("`{found}` stays as written; did you mean `{variable}`?", found=found, variable=variable),
                        line,
                        column,
                    )


def _reach_warnings(chart: ChartSettings, reached: Set[str]) -> Iterator[ChartNote]:
    """Warn of variables whose node does not run on some path, or on any path, to the place of their use."""
    uses: dict[str, list[tuple[ChartNode, int, int, Variable]]] = {}
    uses_variables = any(
        any(setting.key in NODE_KEYS for setting in node.settings)
        or any(not variable.node or variable.node in chart.nodes for variable in variables(node.label))
        for node in chart.nodes.values()
    )
    for node in chart.nodes.values():
        if node.id not in reached:
            continue
        for text, line, column in _texts_with_variables(node):
            for variable in variables(text):
                if variable.node in chart.nodes:
                    uses.setdefault(variable.node, []).append((node, line, column, variable))
                elif variable.node and text is node.label and (uses_variables or variable.field in _FIELDS_OF_ALL):
                    yield ChartNote(
                        tr("the chart has no node `{node}`, so `{variable}` stays as written",
                            node=variable.node, variable=variable),
                        line,
                        column,
                    )  # fmt: skip
    for source in [*uses][:_MAX_REACHED]:
        after = _reached_without(chart, source, source)
        around = set[str]() if chart.begin_id is None else _reached_without(chart, chart.begin_id, None, source)
        for node, line, column, variable in uses[source]:
            if node.id not in after:
                text = tr("`{variable}` is empty here: `{node}` runs later", variable=variable, node=source)
            elif node.id in around:
                text = tr("`{variable}` is empty when a run has not passed `{node}`", variable=variable, node=source)
            else:
                continue
            yield ChartNote(text, line, column)


def _default_warnings(chart: ChartSettings, reached: Set[str]) -> Iterator[ChartNote]:
    """Warn of defaults that lead back to their question and not to END: an unattended run goes round at them."""
    waiting = [node for node in chart.nodes.values() if node.id in reached and chart.settings[node.id].ask]
    for node in waiting[:_MAX_REACHED]:
        settings = chart.settings[node.id]
        edge = next((edge for edge in chart.outgoing[node.id] if edge.label == settings.default), None)
        if edge is None or settings.timeout is None:
            continue
        after = _reached_without(chart, edge.dst, None, node.id) if edge.dst != node.id else {node.id}
        ends = any(chart.roles[one] == "end" for one in after)
        back = edge.dst == node.id or any(edge.dst == node.id for one in after for edge in chart.outgoing[one])
        if back and not ends:
            setting = last_of_each(node.settings)["default"]
            yield ChartNote(
                tr("the default `{label}` leads back to this question: without an answer the run never ends",
                    label=settings.default),
                setting.line,
                setting.column,
            )  # fmt: skip


def _reached_without(chart: ChartSettings, start: str, leave_out: str | None, without: str = "") -> set[str]:
    """The nodes on paths from `start` that avoid `without`; `leave_out` is in them only if a loop leads back to it."""
    reached: set[str] = set() if leave_out == start else {start}
    waiting = [start]
    while waiting:
        for edge in chart.outgoing[waiting.pop()]:
            if edge.dst not in reached and edge.dst != without:
                reached.add(edge.dst)
                waiting.append(edge.dst)
    return reached
