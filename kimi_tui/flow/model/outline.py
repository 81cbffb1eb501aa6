"""A flow as a list of steps with their branches, for panes that are too narrow for a drawing.

Steps are listed once, in the order of the flow; the steps of a branch are indented below it. A branch to a step that is
listed elsewhere shows only that step's name.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from kimi_tui.flow.layout.cell_text import clean_label
from kimi_tui.flow.layout.ranking import back_edges, ranks
from kimi_tui.flow.model.graph import Flow, FlowEdge


@dataclass(frozen=True, slots=True)
class OutlineLine:
    """One line: a step (`node`), or a branch (`edge`, an index in `flow.edges`) with its target.

    `indent` counts levels. `goes_to` is None if the branch's steps follow below it; else it names the target step, and
    `back` is true if that step was listed before.
    """

    indent: int
    text: str
    node: str | None = None
    edge: int | None = None
    goes_to: str | None = None
    back: bool = False


def outline(flow: Flow) -> tuple[OutlineLine, ...]:
    """All steps from BEGIN on, then the unreachable ones."""
    return _Outliner(flow).run()


def _title(flow: Flow, node: str) -> str:
    return clean_label(flow.nodes[node].title).replace("\n", " ") or node


class _Outliner:
    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.lines: list[OutlineLine] = []
        self.listed: set[str] = set()
        number = {node: index for index, node in enumerate(flow.nodes)}
        pairs = [(number[edge.src], number[edge.dst]) for edge in flow.edges]
        back = back_edges(len(number), pairs, [number[flow.begin_id]])
        onward = [pair for index, pair in enumerate(pairs) if index not in back and pair[0] != pair[1]]
        rank = ranks(len(number), onward)
        self.rank = {node: rank[index] for node, index in number.items()}
        self.outgoing: dict[str, list[tuple[int, FlowEdge]]] = {node: [] for node in flow.nodes}
        entering: Counter[str] = Counter()
        for index, edge in enumerate(flow.edges):
            self.outgoing[edge.src].append((index, edge))
            if index not in back and edge.src != edge.dst:
                entering[edge.dst] += 1
        self.joins = {node for node, count in entering.items() if count > 1}
        self.later: set[str] = set()

    def run(self) -> tuple[OutlineLine, ...]:
        for start in (self.flow.begin_id, *self.flow.nodes):
            self.later.add(start)
            while self.later:
                node = min(self.later, key=lambda candidate: self.rank[candidate])
                self.later.remove(node)
                if node not in self.listed:
                    self._list_from(node)
        visible = [
            line for line, following in pairwise([*self.lines, None]) if line and not self._is_plain(line, following)
        ]
        return tuple(visible)

    def _is_plain(self, line: OutlineLine, following: OutlineLine | None) -> bool:
        """Whether a line only says that the single outgoing edge leads to the next listed step."""
        if line.edge is None or line.goes_to is None or following is None or following.node != line.goes_to:
            return False
        return not line.text and len(self.outgoing[self.flow.edges[line.edge].src]) == 1

    def _list_from(self, start: str) -> None:
        """List the steps after `start`; a step where several paths meet is deferred."""
        todo: list[tuple[int, str, tuple[int, FlowEdge] | None]] = [(0, start, None)]
        while todo:
            indent, node, branch = todo.pop()
            if branch is not None:
                index, edge = branch
                self.lines.append(OutlineLine(indent, _edge_label(edge), edge=index))
            if node in self.listed:
                continue
            level = indent if branch is None else indent + 1
            todo.extend(reversed(self._list_one(node, level)))

    def _list_one(self, node: str, indent: int) -> list[tuple[int, str, tuple[int, FlowEdge] | None]]:
        """List a step and the branches that only need a name; returns the branches with more steps."""
        self.listed.add(node)
        self.lines.append(OutlineLine(indent, _title(self.flow, node), node=node))
        outgoing = self.outgoing[node]
        unlisted = [
            branch for branch in outgoing if branch[1].dst not in self.listed and branch[1].dst not in self.joins
        ]
        for index, edge in outgoing:
            if (index, edge) in unlisted:
                continue
            back = edge.dst in self.listed
            self.lines.append(OutlineLine(indent + 1, _edge_label(edge), edge=index, goes_to=edge.dst, back=back))
            if not back:
                self.later.add(edge.dst)
        if len(outgoing) == 1 and unlisted:
            return [(indent, unlisted[0][1].dst, None)]
        if len(unlisted) == 1:
            index, edge = unlisted[0]
            self.lines.append(OutlineLine(indent + 1, _edge_label(edge), edge=index, goes_to=edge.dst))
            return [(indent, edge.dst, None)]
        return [(indent + 1, edge.dst, (index, edge)) for index, edge in unlisted]


def _edge_label(edge: FlowEdge) -> str:
    return clean_label(edge.label or "").replace("\n", " ")
