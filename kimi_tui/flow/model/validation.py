"""Validates a chart and turns it into a flow; also lints it.

Errors stop a flow from running (`build_flow`), warnings (`lint`) never do. The time is linear in the chart's size.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from kimi_tui.errors import FlowValidationError
from kimi_tui.flow.model.graph import Chart, ChartEdge, ChartNode, ChartNote, Flow, FlowEdge, FlowNode, NodeKind
from kimi_tui.flow.model.loops import Outgoing, loops_without_decision, loops_without_end
from kimi_tui.flow.model.setting_rules import ChartSettings, NodeRole, setting_flaws, setting_warnings
from kimi_tui.flow.model.settings import read_settings
from kimi_tui.flow.parsing.groups import resolve_groups
from kimi_tui.i18n import UserText, tr

LONGEST_BRANCH_LABEL = 40
_TAG = re.compile(r"<[^<>]*>")


def build_flow(chart: Chart) -> Flow:
    """The flow of a chart. Raises `FlowValidationError` for an invalid chart: the first of its `flaws`."""
    for flaw in _flaws(chart):
        raise flaw
    plain = resolve_groups(chart).chart
    begin, end_ids = _with_role(plain, NodeKind.BEGIN)[0], {node.id for node in _with_role(plain, NodeKind.END)}
    outgoing = _outgoing(plain)
    reached = _reached_from(begin.id, end_ids, outgoing)
    end_id = next(node.id for node in plain.nodes if node.id in end_ids and node.id in reached)
    nodes = {
        node.id: FlowNode(node.id, node.label, _kind(node, begin, end_ids, outgoing), read_settings(node.settings)[0])
        for node in plain.nodes
    }
    edges = {
        node_id: tuple(FlowEdge(edge.src, edge.dst, _branch(edge)) for edge in edges)
        for node_id, edges in outgoing.items()
    }
    return Flow(nodes, edges, begin.id, end_id, chart.source, chart.direction, chart)


def diagnostics(chart: Chart) -> list[FlowValidationError]:
    """All errors of a chart, in the order of its text."""
    return sorted(_flaws(chart), key=lambda flaw: (flaw.line or 0, flaw.column or 0))


def _flaws(read: Chart) -> Iterator[FlowValidationError]:
    plain = resolve_groups(read)
    chart = plain.chart
    yield from plain.flaws
    begin_nodes, end_nodes = _with_role(chart, NodeKind.BEGIN), _with_role(chart, NodeKind.END)
    if len(begin_nodes) != 1:  # defence: one-begin
        yield _begin_flaw(read, begin_nodes)
    if not end_nodes:
        yield _missing(read, NodeKind.END)
    outgoing = _outgoing(chart)
    reached: set[str] = set(outgoing)
    if begin_nodes and not outgoing[begin_nodes[0].id]:
        if not any(edge.src == begin_nodes[0].id for edge in read.edges):  # else its edge has a flaw already
            yield _refusal(tr("BEGIN has no outgoing edge; link it to the first step"), begin_nodes[0])
    elif begin_nodes and end_nodes:
        reached = _reached_from(begin_nodes[0].id, {end.id for end in end_nodes}, outgoing)
        if not plain.flaws and not any(end.id in reached for end in end_nodes):
            stops = _where_it_stops(chart, outgoing, reached)
            yield _refusal(tr("END cannot be reached from BEGIN; {why}", why=stops), end_nodes[0])
    for node in chart.nodes:
        if node.id in reached and _role(node) is None and len(outgoing[node.id]) > 1:
            yield from _branch_flaws(node, outgoing[node.id])
    yield from setting_flaws(_settings_of(chart, outgoing))


def _settings_of(chart: Chart, outgoing: Mapping[str, Sequence[ChartEdge]]) -> ChartSettings:
    roles: dict[str, NodeRole] = {
        node.id: "begin" if role is NodeKind.BEGIN
        else "end" if role is NodeKind.END
        else "decision" if len(outgoing[node.id]) > 1
        else "task"
        for node, role in ((node, _role(node)) for node in chart.nodes)
    }  # fmt: skip
    begin_id = next((node_id for node_id, role in roles.items() if role == "begin"), None)
    return ChartSettings({node.id: node for node in chart.nodes}, outgoing, roles, begin_id)


def lint(read: Flow | Chart) -> list[ChartNote]:
    """Warnings about a chart, in the order of its text. A flow without a chart has none."""
    source = read.chart if isinstance(read, Flow) else read
    if source is None:
        return []
    diagnostics = list(source.notes)
    diagnostics += _container_warnings(source)
    chart = resolve_groups(source).chart
    outgoing = _outgoing(chart)
    diagnostics += (
        ChartNote(tr("this edge points both ways; it is followed forward only"), edge.line, edge.column)
        for edge in chart.edges
        if edge.heads == "both"
    )
    begin_nodes, end_nodes = _with_role(chart, NodeKind.BEGIN), _with_role(chart, NodeKind.END)
    diagnostics += (
        ChartNote(
            tr("this chart has a second END; every END ends the run, but Kimi CLI accepts only one"),
            node.line,
            node.column,
        )
        for node in end_nodes[1:]
    )
    reached: set[str] = set(outgoing)
    if begin_nodes:
        reached = _reached_from(begin_nodes[0].id, {end.id for end in end_nodes}, outgoing)
        diagnostics += (
            ChartNote(tr("`{node}` cannot be reached from BEGIN", node=node.id), node.line, node.column)
            for node in chart.nodes
            if node.id not in reached
        )
    meant_as_end = None if end_nodes else _nearly(source, NodeKind.END)
    for node in chart.nodes:
        if node.id in reached and node is not meant_as_end:
            diagnostics += _node_warnings(node, outgoing[node.id])
    diagnostics += _loop_warnings(chart, outgoing, reached)
    diagnostics += setting_warnings(_settings_of(chart, outgoing), reached)
    return sorted(diagnostics, key=lambda note: (note.line, note.column))


def _container_warnings(chart: Chart) -> Iterator[ChartNote]:
    """Warn about groups with what only a step has: a text that looks like a prompt, settings, or no nodes inside.

    Every D2 container has a title as its text; the text of a Mermaid node is meant as a prompt.
    """
    groups = {group.id: group for group in chart.groups}
    is_title = chart.source == "d2"
    for node in chart.nodes:
        if node.id not in groups:
            continue
        if not groups[node.id].members:
            yield ChartNote(
                tr("the group `{group}` has no nodes, so it is a step with the prompt `{label}`",
                    group=node.id, label=_short(node.label)),
                groups[node.id].line,
                groups[node.id].column,
            )  # fmt: skip
            continue
        for setting in node.settings:
            yield ChartNote(
                tr("`{node}` is a group, so its setting `{key}` has no effect", node=node.id, key=setting.key),
                setting.line,
                setting.column,
            )
        is_prompt = "\n" in node.label or len(node.label) > LONGEST_BRANCH_LABEL
        if is_prompt if is_title else node.label != node.id:
            yield ChartNote(
                tr(
                    "`{node}` is a container: its text is only a title and is not sent to the model",
                    node=node.id,
                ),
                node.line,
                node.column,
            )


def _role(node: ChartNode) -> NodeKind | None:
    """BEGIN and END are recognised by label; by id if the label is in a block of its own."""
    name = node.id if node.labelled_inside and node.id.casefold() in ("begin", "end") else node.label
    match name.strip().casefold():
        case "begin":
            return NodeKind.BEGIN
        case "end":
            return NodeKind.END
        case _:
            return None


def _with_role(chart: Chart, role: NodeKind) -> list[ChartNode]:
    return [node for node in chart.nodes if _role(node) is role]


def _begin_flaw(chart: Chart, begin_nodes: Sequence[ChartNode]) -> FlowValidationError:
    if not begin_nodes:
        return _missing(chart, NodeKind.BEGIN)
    ids = ", ".join(f"`{node.id}`" for node in begin_nodes[:8]) + (", .." if len(begin_nodes) > 8 else "")
    return _refusal(
        tr("{count} nodes are labelled BEGIN ({nodes}); a flow has exactly one", count=len(begin_nodes), nodes=ids),
        begin_nodes[1],
    )


def _missing(chart: Chart, role: NodeKind) -> FlowValidationError:
    """The error for a missing role: at the node that was probably meant, with the label it needs.

    Without such a node it is at the chart's start, with an example.
    """
    name = role.upper()
    if (node := _nearly(chart, role)) is None:
        cause = tr(
            "no node is labelled {name}; a flow needs one, for example `{example}`",
            name=name,
            example=_example(chart, name),
        )
        return FlowValidationError(cause, line=1, column=1)
    if any(group.id == node.id for group in chart.groups):
        cause = tr("`{node}` is a group of nodes and cannot be {name}; give {name} its own node",
            node=node.id, name=name)  # fmt: skip
    else:
        cause = tr(
            "no node is labelled {name}; the label of `{node}` is `{label}` but must be exactly {name}: `{example}`",
            name=name,
            node=node.id,
            label=_short(node.label),
            example=f"{node.id}: {name}" if chart.source == "d2" else f"{node.id}([{name}])",
        )
    return _refusal(cause, node)


_OTHER_WORDS = {NodeKind.BEGIN: ("begin", "start", "开始"), NodeKind.END: ("end", "stop", "finish", "done", "结束")}


def _nearly(chart: Chart, role: NodeKind) -> ChartNode | None:
    """The node that was probably meant to be BEGIN or END: by its id, its label without marks, or a synonym."""
    expected, *variants = _OTHER_WORDS[role]
    nodes = [node for node in chart.nodes if _role(node) is None]
    tests: tuple[Callable[[ChartNode], bool], ...] = (
        lambda node: _bare(node.label) == expected,
        lambda node: _bare(node.id) == expected,
        lambda node: _bare(node.label) in variants,
    )
    return next((node for test in tests for node in nodes if test(node)), None)


def _bare(text: str) -> str:
    """The letters of a short text in one case: without markup, emoji, punctuation and spaces."""
    if len(text) > LONGEST_BRANCH_LABEL:
        return ""
    return "".join(character for character in _TAG.sub("", text) if character.isalpha()).casefold()


def _example(chart: Chart, name: str) -> str:
    if chart.source == "d2":
        return f"{name} -> first step" if name == "BEGIN" else f"last step -> {name}"
    return f"{name}([{name}]) --> A" if name == "BEGIN" else f"A --> {name}([{name}])"


def _refusal(cause: UserText, element: ChartNode | ChartEdge) -> FlowValidationError:
    return FlowValidationError(cause, line=element.line, column=element.column)


def _branch(edge: ChartEdge) -> str | None:
    return (edge.label or "").strip() or None


def _outgoing(chart: Chart) -> dict[str, list[ChartEdge]]:
    """The outgoing edges of every node, without hidden edges."""
    outgoing: dict[str, list[ChartEdge]] = {node.id: [] for node in chart.nodes}
    for edge in chart.edges:
        if edge.heads != "hidden":
            outgoing[edge.src].append(edge)
    return outgoing


def _reached_from(start: str, end_ids: Set[str], outgoing: Outgoing) -> set[str]:
    """The nodes that a run can reach: nothing runs after END."""
    reached, pending = {start}, [start]
    while pending:
        node_id = pending.pop()
        if node_id in end_ids:
            continue
        for edge in outgoing[node_id]:
            if edge.dst not in reached:
                reached.add(edge.dst)
                pending.append(edge.dst)
    return reached


def _where_it_stops(chart: Chart, outgoing: Outgoing, reached: set[str]) -> str:
    stops = [node.id for node in chart.nodes if node.id in reached and not outgoing[node.id]]
    if stops:
        names = ", ".join(f"`{node_id}`" for node_id in stops[:3])
        return tr("no edge leaves {nodes}", nodes=names)
    return tr("no path from BEGIN leaves its loop")


def _kind(node: ChartNode, begin: ChartNode, end_ids: Set[str], outgoing: Outgoing) -> NodeKind:
    if node is begin:
        return NodeKind.BEGIN
    if node.id in end_ids:
        return NodeKind.END
    return NodeKind.DECISION if len(outgoing[node.id]) > 1 else NodeKind.TASK


def _branch_flaws(node: ChartNode, outgoing: Sequence[ChartEdge]) -> Iterator[FlowValidationError]:
    by_label: dict[str, ChartEdge] = {}
    targets = list(dict.fromkeys(edge.dst for edge in outgoing))
    if len(targets) > 1 and not any(_branch(edge) for edge in outgoing):
        names = ", ".join(f"`{target}`" for target in targets[:8]) + (", .." if len(targets) > 8 else "")
        yield _refusal(
            tr(
                "`{node}` leads to {nodes} at once, but parallel steps are not supported; put them in "
                "sequence, or label each edge so that the model chooses one",
                node=node.id,
                nodes=names,
            ),
            outgoing[1],
        )
        return
    for edge in outgoing:
        label = _branch(edge)
        if label is None:
            yield _refusal(
                tr(
                    "`{node}` has {count} outgoing edges, but the one to `{to}` has no label; label every "
                    "branch of a decision",
                    node=node.id,
                    count=len(outgoing),
                    to=edge.dst,
                ),
                edge,
            )
        elif label in by_label:
            yield _refusal(
                tr(
                    "`{node}` has two branches labelled `{label}`, to `{first}` and to `{second}`; "
                    "branches of a decision need different labels",
                    node=node.id,
                    label=label,
                    first=by_label[label].dst,
                    second=edge.dst,
                ),
                edge,
            )
        else:
            by_label[label] = edge


def _node_warnings(node: ChartNode, outgoing: Sequence[ChartEdge]) -> Iterable[ChartNote]:
    role = _role(node)
    if role is NodeKind.END:
        if outgoing:
            yield ChartNote(tr("END ends the run; nodes after it never run"), outgoing[0].line, outgoing[0].column)
        return
    if not outgoing:
        yield ChartNote(
            tr("the run stops at `{node}`: it has no outgoing edge and is not END", node=node.id),
            node.line,
            node.column,
        )
    if role is NodeKind.BEGIN:
        if len(outgoing) > 1:
            yield ChartNote(
                tr("The run always takes the first edge of BEGIN, so this edge is never taken"),
                outgoing[1].line,
                outgoing[1].column,
            )
        return
    if not node.label.strip():
        yield ChartNote(tr("`{node}` has an empty label, so its prompt is empty", node=node.id), node.line, node.column)
    if len(outgoing) > 1:
        yield from _branch_warnings(node, outgoing)


def _branch_warnings(node: ChartNode, outgoing: Sequence[ChartEdge]) -> Iterable[ChartNote]:
    folded: dict[str, str] = {}
    for edge in outgoing:
        label = _branch(edge) or ""
        first_label = folded.setdefault(_without_spaces(label), label)
        if first_label != label:
            yield ChartNote(
                tr(
                    "the branches `{other}` and `{label}` differ only in case or spaces", other=first_label, label=label
                ),
                edge.line,
                edge.column,
            )
        if "<" in label:
            yield ChartNote(
                tr("the branch label `{label}` contains `<`, so Kimi CLI cannot choose it", label=_short(label)),
                edge.line,
                edge.column,
            )
        if "\n" in label:
            yield ChartNote(
                tr("the branch label `{label}` has more than one line", label=_short(label)), edge.line, edge.column
            )
        if len(label) > LONGEST_BRANCH_LABEL:
            yield ChartNote(
                tr(
                    "the branch label `{label}` has {count} characters; models repeat labels over {most} "
                    "characters unreliably",
                    label=_short(label),
                    count=len(label),
                    most=LONGEST_BRANCH_LABEL,
                ),
                edge.line,
                edge.column,
            )


def _without_spaces(label: str) -> str:
    """The visible characters of a label, in one case."""
    return "".join(character for character in label.casefold() if not character.isspace() and character.isprintable())


def _short(label: str) -> str:
    line = " ".join(label.split())
    return line if len(line) <= LONGEST_BRANCH_LABEL else line[: LONGEST_BRANCH_LABEL - 1] + "…"


def _loop_warnings(chart: Chart, outgoing: Outgoing, reached: set[str]) -> Iterable[ChartNote]:
    end_ids = {node.id for node in _with_role(chart, NodeKind.END)}
    positions = {node.id: (node.line, node.column) for node in chart.nodes}
    for node_id in loops_without_decision(outgoing, reached - end_ids):
        yield ChartNote(
            tr("the loop through `{node}` has no decision on it, so it never ends", node=node_id), *positions[node_id]
        )
    for node_id in loops_without_end(outgoing, reached, end_ids) if end_ids else ():
        yield ChartNote(
            tr("END is unreachable from the loop through `{node}`", node=node_id),
            *positions[node_id],
        )
