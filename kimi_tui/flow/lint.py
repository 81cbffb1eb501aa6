"""Turns a chart into a flow or says why it is none; and what a flow's writer may want to know besides.

Errors stop a flow from running (`build_flow`), warnings (`lint`) never do. Everything is linear in the chart's size.
"""

from collections.abc import Iterable, Iterator, Sequence

from kimi_tui.errors import FlowValidationError
from kimi_tui.flow.graph import Chart, ChartEdge, ChartNode, ChartNote, Flow, FlowEdge, FlowNode, NodeKind
from kimi_tui.flow.loops import Outgoing, loops_without_decision, loops_without_end
from kimi_tui.said import said

LONGEST_BRANCH_LABEL = 40


def build_flow(chart: Chart) -> Flow:
    """The flow a chart describes; raises `FlowValidationError`, the first of its `flaws`, where it is none."""
    for flaw in _flaws(chart):
        raise flaw
    begin, end = _with_role(chart, NodeKind.BEGIN)[0], _with_role(chart, NodeKind.END)[0]
    outgoing = _outgoing(chart)
    nodes = {node.id: FlowNode(node.id, node.label, _kind(node, begin, end, outgoing)) for node in chart.nodes}
    edges = {
        node_id: tuple(FlowEdge(edge.src, edge.dst, _branch(edge)) for edge in ways)
        for node_id, ways in outgoing.items()
    }
    return Flow(nodes, edges, begin.id, end.id, chart.source, chart.direction, chart)


def flaws(chart: Chart) -> list[FlowValidationError]:
    """All that keeps a chart from being a flow, in the order of their places."""
    return sorted(_flaws(chart), key=lambda flaw: (flaw.line or 0, flaw.column or 0))


def _flaws(chart: Chart) -> Iterator[FlowValidationError]:
    begins, ends = _with_role(chart, NodeKind.BEGIN), _with_role(chart, NodeKind.END)
    yield from _role_flaws(chart, begins, NodeKind.BEGIN)
    yield from _role_flaws(chart, ends, NodeKind.END)
    outgoing = _outgoing(chart)
    reached: set[str] = set(outgoing)
    if begins and not outgoing[begins[0].id]:
        yield _refusal(said("BEGIN has no way out; link it to the first step"), begins[0])
    elif begins and ends:
        reached = _reached_from(begins[0].id, ends[0].id, outgoing)
        if ends[0].id not in reached:
            stops = _where_it_stops(chart, outgoing, reached)
            yield _refusal(said("END cannot be reached from BEGIN; {why}", why=stops), ends[0])
    for node in chart.nodes:
        if node.id in reached and len(outgoing[node.id]) > 1:
            yield from _branch_flaws(node, outgoing[node.id])


def lint(read: Flow | Chart) -> list[ChartNote]:
    """Warnings about a chart, in the order of their places. A flow that came from no chart has none."""
    chart = read.chart if isinstance(read, Flow) else read
    if chart is None:
        return []
    found = list(chart.notes)
    outgoing = _outgoing(chart)
    found += (
        ChartNote(said("this edge points both ways; it is followed forward only"), edge.line, edge.column)
        for edge in chart.edges
        if edge.heads == "both"
    )
    begins, ends = _with_role(chart, NodeKind.BEGIN), _with_role(chart, NodeKind.END)
    reached: set[str] = set(outgoing)
    if begins:
        reached = _reached_from(begins[0].id, ends[0].id if ends else None, outgoing)
        found += (
            ChartNote(said("`{node}` cannot be reached from BEGIN", node=node.id), node.line, node.column)
            for node in chart.nodes
            if node.id not in reached
        )
    for node in chart.nodes:
        if node.id in reached:
            found += _node_warnings(node, outgoing[node.id])
    found += _loop_warnings(chart, outgoing, reached)
    return sorted(found, key=lambda note: (note.line, note.column))


def _role(node: ChartNode) -> NodeKind | None:
    """BEGIN and END are told by label; by id where the label stands in a block of its own."""
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


def _role_flaws(chart: Chart, found: Sequence[ChartNode], role: NodeKind) -> Iterator[FlowValidationError]:
    name = role.upper()
    if not found:
        example = _example(chart, name)
        cause = said(
            "no node is labelled {name}; a flow needs exactly one, for example `{example}`", name=name, example=example
        )
        yield FlowValidationError(cause, line=1, column=1)
    elif len(found) > 1:
        ids = ", ".join(f"`{node.id}`" for node in found[:8]) + (", .." if len(found) > 8 else "")
        cause = said(
            "{count} nodes are labelled {name} ({nodes}); a flow has exactly one",
            count=len(found),
            name=name,
            nodes=ids,
        )
        yield _refusal(cause, found[1])


def _example(chart: Chart, name: str) -> str:
    if chart.source == "d2":
        return f"{name} -> first step" if name == "BEGIN" else f"last step -> {name}"
    return f"{name}([{name}]) --> A" if name == "BEGIN" else f"A --> {name}([{name}])"


def _refusal(cause: str, at: ChartNode | ChartEdge) -> FlowValidationError:
    return FlowValidationError(cause, line=at.line, column=at.column)


def _branch(edge: ChartEdge) -> str | None:
    return (edge.label or "").strip() or None


def _outgoing(chart: Chart) -> dict[str, list[ChartEdge]]:
    """The ways out of every node; edges that are drawn hidden are none."""
    outgoing: dict[str, list[ChartEdge]] = {node.id: [] for node in chart.nodes}
    for edge in chart.edges:
        if edge.heads != "hidden":
            outgoing[edge.src].append(edge)
    return outgoing


def _reached_from(start: str, end: str | None, outgoing: Outgoing) -> set[str]:
    """What a run can come to: nothing is run after END."""
    reached, waiting = {start}, [start]
    while waiting:
        node_id = waiting.pop()
        if node_id == end:
            continue
        for edge in outgoing[node_id]:
            if edge.dst not in reached:
                reached.add(edge.dst)
                waiting.append(edge.dst)
    return reached


def _where_it_stops(chart: Chart, outgoing: Outgoing, reached: set[str]) -> str:
    stops = [node.id for node in chart.nodes if node.id in reached and not outgoing[node.id]]
    if stops:
        named = ", ".join(f"`{node_id}`" for node_id in stops[:3])
        return said("no way leads on from {nodes}", nodes=named)
    return said("every way from BEGIN runs in a circle")


def _kind(node: ChartNode, begin: ChartNode, end: ChartNode, outgoing: Outgoing) -> NodeKind:
    if node is begin:
        return NodeKind.BEGIN
    if node is end:
        return NodeKind.END
    return NodeKind.DECISION if len(outgoing[node.id]) > 1 else NodeKind.TASK


def _branch_flaws(node: ChartNode, ways: Sequence[ChartEdge]) -> Iterator[FlowValidationError]:
    seen: dict[str, ChartEdge] = {}
    for edge in ways:
        label = _branch(edge)
        if label is None:
            yield _refusal(
                said(
                    "`{node}` has {count} ways out, and this one, to `{to}`, has no label; "
                    "label every branch of a decision",
                    node=node.id,
                    count=len(ways),
                    to=edge.dst,
                ),
                edge,
            )
        elif label in seen:
            yield _refusal(
                said(
                    "`{node}` has two branches labelled `{label}`, to `{first}` and to `{second}`; "
                    "branches of a decision need different labels",
                    node=node.id,
                    label=label,
                    first=seen[label].dst,
                    second=edge.dst,
                ),
                edge,
            )
        else:
            seen[label] = edge


def _node_warnings(node: ChartNode, ways: Sequence[ChartEdge]) -> Iterable[ChartNote]:
    role = _role(node)
    if role is NodeKind.END:
        if ways:
            yield ChartNote(said("END ends the run; what comes after it is never run"), ways[0].line, ways[0].column)
        return
    if not ways:
        yield ChartNote(
            said("a run stops at `{node}`: it has no way out, and is not END", node=node.id), node.line, node.column
        )
    if role is NodeKind.BEGIN:
        if len(ways) > 1:
            yield ChartNote(
                said("BEGIN is always left by its first edge; this one is never taken"), ways[1].line, ways[1].column
            )
        return
    if not node.label.strip():
        yield ChartNote(
            said("`{node}` has an empty label, so its prompt is empty", node=node.id), node.line, node.column
        )
    if len(ways) > 1:
        yield from _branch_warnings(node, ways)


def _branch_warnings(node: ChartNode, ways: Sequence[ChartEdge]) -> Iterable[ChartNote]:
    folded: dict[str, str] = {}
    for edge in ways:
        label = _branch(edge) or ""
        other = folded.setdefault(label.casefold(), label)
        if other != label:
            yield ChartNote(
                said("the branches `{other}` and `{label}` differ only in case", other=other, label=label),
                edge.line,
                edge.column,
            )
        if "<" in label:
            yield ChartNote(
                said("the branch `{label}` holds a `<`, so no answer can name it", label=_short(label)),
                edge.line,
                edge.column,
            )
        if "\n" in label:
            yield ChartNote(
                said("the branch `{label}` has more than one line", label=_short(label)), edge.line, edge.column
            )
        if len(label) > LONGEST_BRANCH_LABEL:
            yield ChartNote(
                said(
                    "the branch `{label}` has {count} characters; more than {most} are hard to repeat exactly",
                    label=_short(label),
                    count=len(label),
                    most=LONGEST_BRANCH_LABEL,
                ),
                edge.line,
                edge.column,
            )


def _short(label: str) -> str:
    line = " ".join(label.split())
    return line if len(line) <= LONGEST_BRANCH_LABEL else line[: LONGEST_BRANCH_LABEL - 1] + "…"


def _loop_warnings(chart: Chart, outgoing: Outgoing, reached: set[str]) -> Iterable[ChartNote]:
    ends = {node.id for node in _with_role(chart, NodeKind.END)}
    places = {node.id: (node.line, node.column) for node in chart.nodes}
    for node_id in loops_without_decision(outgoing, reached - ends):
        yield ChartNote(
            said("the loop through `{node}` has no decision on it, so it never ends", node=node_id), *places[node_id]
        )
    for node_id in loops_without_end(outgoing, reached, min(ends)) if len(ends) == 1 else ():
        yield ChartNote(
            said("no way leads from the loop through `{node}` to END, whatever is decided", node=node_id),
            *places[node_id],
        )
