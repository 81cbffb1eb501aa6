"""Turns a chart into a flow or says why it is none; and what a flow's writer may want to know besides.

Errors stop a flow from running (`build_flow`), warnings (`lint`) never do. Everything is linear in the chart's size.
"""

from collections.abc import Iterable, Iterator, Sequence

from kimi_tui.errors import FlowValidationError
from kimi_tui.flow.graph import Chart, ChartEdge, ChartNode, ChartNote, Flow, FlowEdge, FlowNode, NodeKind
from kimi_tui.flow.loops import Outgoing, loops_without_decision, loops_without_end

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
        yield _refusal("BEGIN has no way out; link it to the first step", begins[0])
    elif begins and ends:
        reached = _reached_from(begins[0].id, ends[0].id, outgoing)
        if ends[0].id not in reached:
            stops = _where_it_stops(chart, outgoing, reached)
            yield _refusal(f"END cannot be reached from BEGIN; {stops}", ends[0])
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
        ChartNote("this edge points both ways; it is followed forward only", edge.line, edge.column)
        for edge in chart.edges
        if edge.heads == "both"
    )
    begins, ends = _with_role(chart, NodeKind.BEGIN), _with_role(chart, NodeKind.END)
    reached: set[str] = set(outgoing)
    if begins:
        reached = _reached_from(begins[0].id, ends[0].id if ends else None, outgoing)
        found += (
            ChartNote(f"`{node.id}` cannot be reached from BEGIN", node.line, node.column)
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
    said = node.id if node.labelled_inside and node.id.casefold() in ("begin", "end") else node.label
    match said.strip().casefold():
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
        cause = f"no node is labelled {name}; a flow needs exactly one, for example `{example}`"
        yield FlowValidationError(cause, line=1, column=1)
    elif len(found) > 1:
        ids = ", ".join(f"`{node.id}`" for node in found[:8]) + (", .." if len(found) > 8 else "")
        yield _refusal(f"{len(found)} nodes are labelled {name} ({ids}); a flow has exactly one", found[1])


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
        return f"the way stops at {named}, which {'has' if len(stops) == 1 else 'have'} no way out"
    return "every way from BEGIN runs in a circle"


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
                f"`{node.id}` has {len(ways)} ways out, and this one, to `{edge.dst}`, has no label; "
                "label every branch of a decision",
                edge,
            )
        elif label in seen:
            yield _refusal(
                f"`{node.id}` has two branches labelled `{label}`, to `{seen[label].dst}` and to `{edge.dst}`; "
                "branches of a decision need different labels",
                edge,
            )
        else:
            seen[label] = edge


def _node_warnings(node: ChartNode, ways: Sequence[ChartEdge]) -> Iterable[ChartNote]:
    role = _role(node)
    if role is NodeKind.END:
        if ways:
            yield ChartNote("END ends the run; what comes after it is never run", ways[0].line, ways[0].column)
        return
    if not ways:
        yield ChartNote(f"a run stops at `{node.id}`: it has no way out, and is not END", node.line, node.column)
    if role is NodeKind.BEGIN:
        if len(ways) > 1:
            yield ChartNote(
                "BEGIN is always left by its first edge; this one is never taken", ways[1].line, ways[1].column
            )
        return
    if not node.label.strip():
        yield ChartNote(f"`{node.id}` has an empty label, so its prompt is empty", node.line, node.column)
    if len(ways) > 1:
        yield from _branch_warnings(node, ways)


def _branch_warnings(node: ChartNode, ways: Sequence[ChartEdge]) -> Iterable[ChartNote]:
    folded: dict[str, str] = {}
    for edge in ways:
        label = _branch(edge) or ""
        other = folded.setdefault(label.casefold(), label)
        if other != label:
            yield ChartNote(f"the branches `{other}` and `{label}` differ only in case", edge.line, edge.column)
        if "<" in label:
            yield ChartNote(
                f"the branch `{_short(label)}` holds a `<`, so no answer can name it", edge.line, edge.column
            )
        if "\n" in label:
            yield ChartNote(f"the branch `{_short(label)}` has more than one line", edge.line, edge.column)
        if len(label) > LONGEST_BRANCH_LABEL:
            yield ChartNote(
                f"the branch `{_short(label)}` has {len(label)} characters; more than {LONGEST_BRANCH_LABEL} are hard "
                "to repeat exactly",
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
        yield ChartNote(f"the loop through `{node_id}` has no decision on it, so it never ends", *places[node_id])
    for node_id in loops_without_end(outgoing, reached, min(ends)) if len(ends) == 1 else ():
        yield ChartNote(f"no way leads from the loop through `{node_id}` to END, whatever is decided", *places[node_id])
