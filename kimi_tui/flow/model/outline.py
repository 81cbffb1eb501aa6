"""A flow as a list of steps with their branches, for panes that are too narrow for a drawing.

Steps are listed once, in the order of the flow; the steps of a branch are indented below it. A branch to a step that is
listed elsewhere only names it.
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
        self.ways: dict[str, list[tuple[int, FlowEdge]]] = {node: [] for node in flow.nodes}
        entering: Counter[str] = Counter()
        for index, edge in enumerate(flow.edges):
            self.ways[edge.src].append((index, edge))
            if index not in back and edge.src != edge.dst:
                entering[edge.dst] += 1
        self.joins = {node for node, count in entering.items() if count > 1}
        self.later: set[str] = set()

    def run(self) -> tuple[OutlineLine, ...]:
        for start in (self.flow.begin_id, *self.flow.nodes):
            self.later.add(start)
            while self.later:
                node = min(self.later, key=lambda one: self.rank[one])
                self.later.remove(node)
                if node not in self.listed:
                    self._list_from(node)
        shown = [line for line, after in pairwise([*self.lines, None]) if line and not self._is_plain(line, after)]
        return tuple(shown)

    def _is_plain(self, line: OutlineLine, after: OutlineLine | None) -> bool:
        """Whether a line only says that the single outgoing edge leads to the next listed step."""
        if line.edge is None or line.goes_to is None or after is None or after.node != line.goes_to:
            return False
        return not line.text and len(self.ways[self.flow.edges[line.edge].src]) == 1

    def _list_from(self, start: str) -> None:
        """List the steps after `start`; a step where several paths meet is deferred."""
        todo: list[tuple[int, str, tuple[int, FlowEdge] | None]] = [(0, start, None)]
        while todo:
            indent, node, way = todo.pop()
            if way is not None:
                index, edge = way
                self.lines.append(OutlineLine(indent, _words(edge), edge=index))
            if node in self.listed:
                continue
            level = indent if way is None else indent + 1
            todo.extend(reversed(self._list_one(node, level)))

    def _list_one(self, node: str, indent: int) -> list[tuple[int, str, tuple[int, FlowEdge] | None]]:
        """List a step and the branches that only need a name; returns the branches with more steps."""
        self.listed.add(node)
        self.lines.append(OutlineLine(indent, _title(self.flow, node), node=node))
        ways = self.ways[node]
        fresh = [way for way in ways if way[1].dst not in self.listed and way[1].dst not in self.joins]
        for index, edge in ways:
            if (index, edge) in fresh:
                continue
            back = edge.dst in self.listed
            self.lines.append(OutlineLine(indent + 1, _words(edge), edge=index, goes_to=edge.dst, back=back))
            if not back:
                self.later.add(edge.dst)
        if len(ways) == 1 and fresh:
            return [(indent, fresh[0][1].dst, None)]
        if len(fresh) == 1:
            index, edge = fresh[0]
            self.lines.append(OutlineLine(indent + 1, _words(edge), edge=index, goes_to=edge.dst))
            return [(indent, edge.dst, None)]
        return [(indent + 1, edge.dst, (index, edge)) for index, edge in fresh]


def _words(edge: FlowEdge) -> str:
    return clean_label(edge.label or "").replace("\n", " ")
