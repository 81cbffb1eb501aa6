"""`kimi-tui flow check --explain`: what a chart does, in words.

Lists what runs without a model, the decisions and loops, where variables have a value, and how Kimi CLI and Mermaid
treat the settings.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kimi_tui.flow.model.graph import Flow, FlowNode, NodeKind
from kimi_tui.flow.model.settings import INACTIVE_NODE_KEYS, KEYS_WITH_VARIABLES
from kimi_tui.flow.model.variables import Variable, variables

_MAX_NODES = 8


@dataclass(frozen=True, slots=True)
class Section:
    """A title and its lines."""

    title: str
    lines: tuple[str, ...]


def explain(flow: Flow) -> list[Section]:
    """Return the sections of the explanation that have lines."""
    sections = (
        Section("Without a model", tuple(_without_model(flow))),
        Section("Turns of the model", tuple(_turns(flow))),
        Section("Decisions", tuple(_decisions(flow))),
        Section("Loops", tuple(_loops(flow))),
        Section("Variables", tuple(_variables(flow))),
        Section("Other readers", tuple(_other_readers(flow))),
    )
    return [section for section in sections if section.lines]


def _steps(flow: Flow) -> Iterator[FlowNode]:
    return (node for node in flow.nodes.values() if node.kind in (NodeKind.TASK, NodeKind.DECISION))


def _without_model(flow: Flow) -> Iterator[str]:
    for node in _steps(flow):
        settings = node.settings
        if settings.run is not None:
            yield f"{node.id} runs a command: {settings.run}"
        elif settings.ask:
            default = settings.written.get("default")
            yield (
                f"{node.id} asks the user"
                if default is None
                else f"{node.id} asks the user; after {settings.written.get('timeout', '')}: {default}"
            )
        elif settings.on is not None:
            yield f"{node.id} compares {settings.on} with its branches"


def _turns(flow: Flow) -> Iterator[str]:
    plain = [node.id for node in _steps(flow) if node.settings.has_turn and not node.settings.written]
    if plain:
        yield _names(plain)
    for node in _steps(flow):
        if node.settings.has_turn and node.settings.written:
            written = ", ".join(f"{key}: {value}" for key, value in node.settings.written.items())
            yield f"{node.id}: {written}"


def _decisions(flow: Flow) -> Iterator[str]:
    for node in _steps(flow):
        if node.kind is not NodeKind.DECISION:
            continue
        branches = ", ".join(f"{edge.label} → {edge.dst}" for edge in flow.outgoing[node.id])
        settings = node.settings
        if settings.run is not None:
            yield f"{node.id}, by the exit status: {branches}"
        elif settings.ask:
            yield f"{node.id}, by the user: {branches}"
        elif settings.on is not None:
            yield f"{node.id}, by a value: {branches}"
        else:
            yield f"{node.id}, by the model: {branches}"


def _loops(flow: Flow) -> Iterator[str]:
    for loop in _strong_components(flow):
        exits = [
            f"{edge.src} ({edge.label})" if edge.label else edge.src
            for node_id in loop
            for edge in flow.outgoing[node_id]
            if edge.dst not in loop
        ]
        if exits:
            yield f"{_names(loop)}; left at {', '.join(exits)}"
        else:
            yield f"{_names(loop)}; never left"


def _variables(flow: Flow) -> Iterator[str]:
    uses: dict[Variable, list[str]] = {}
    for node in _steps(flow):
        texts = [node.label] if isinstance(node.label, str) else []
        texts += [node.settings.written[key] for key in KEYS_WITH_VARIABLES if key in node.settings.written]
        for variable in dict.fromkeys(variable for text in texts for variable in variables(text)):
            if not variable.node or variable.node in flow.nodes:
                uses.setdefault(variable, []).append(node.id)
    for variable, users in uses.items():
        if not variable.node:
            yield f"{variable}, from the start: read by {_names(users)}"
            continue
        source = variable.node
        around = _reached(flow, flow.begin_id, without=source)
        sometimes = [user for user in users if user in around]
        always = [user for user in users if user not in around]
        if always:
            yield f"{variable}, set by {source}: read by {_names(always)}"
        if sometimes:
            yield f"{variable}, set by {source}: read by {_names(sometimes)}, empty until {source} has run"


def _other_readers(flow: Flow) -> Iterator[str]:
    """What Kimi CLI and Mermaid make of the settings; they read the same nodes and edges."""
    commands = [node.id for node in _steps(flow) if node.settings.run is not None]
    if commands:
        yield f"Kimi CLI gives the labels of {_names(commands)} to the model in place of their commands"
    choices = [node.id for node in _steps(flow) if node.settings.ask or node.settings.on is not None]
    if choices:
        yield f"Kimi CLI lets the model choose at {_names(choices)}"
    if any(node.settings.written for node in _steps(flow)):
        yield "Mermaid, and so GitHub, draws the chart without the settings"
    ends = [node.id for node in flow.nodes.values() if node.kind is NodeKind.END]
    if len(ends) > 1:
        yield f"Kimi CLI accepts one END only; this chart has {len(ends)}"
    inactive = {key for node in _steps(flow) for key in node.settings.written if key in INACTIVE_NODE_KEYS}
    if inactive:
        yield f"without effect in this version: {', '.join(sorted(inactive))}"


def _reached(flow: Flow, start: str, *, without: str) -> set[str]:
    """The nodes that a run can reach from `start` before it passes `without`."""
    reached, pending = {start}, [start]
    while pending:
        for edge in flow.outgoing[pending.pop()]:
            if edge.dst not in reached:
                reached.add(edge.dst)
                if edge.dst != without:
                    pending.append(edge.dst)
    return reached


def _strong_components(flow: Flow) -> list[list[str]]:
    """The groups of nodes that lead to each other, in chart order: the loops. Tarjan's algorithm, without recursion."""
    ahead: Mapping[str, Sequence[str]] = {
        node_id: [edge.dst for edge in edges] for node_id, edges in flow.outgoing.items()
    }
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []
    for root in flow.nodes:
        work = [(root, iter(ahead.get(root, ())))] if root not in number else []
        while work:
            node_id, following = work[-1]
            if node_id not in number:
                number[node_id] = low[node_id] = len(number)
                stack.append(node_id)
                on_stack.add(node_id)
            new = None
            for other in following:
                if other not in number:
                    new = other
                    break
                if other in on_stack:
                    low[node_id] = min(low[node_id], number[other])
            if new is not None:
                work.append((new, iter(ahead.get(new, ()))))
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node_id])
            if low[node_id] == number[node_id]:
                place = stack.index(node_id)
                group, stack[place:] = stack[place:], []
                on_stack -= set(group)
                if len(group) > 1 or node_id in ahead.get(node_id, ()):
                    found.append([one for one in flow.nodes if one in group])
    return sorted(found, key=lambda group: list(flow.nodes).index(group[0]))


def _names(nodes: Sequence[str]) -> str:
    shown = ", ".join(nodes[:_MAX_NODES])
    return shown if len(nodes) <= _MAX_NODES else f"{shown}, .. ({len(nodes)})"
