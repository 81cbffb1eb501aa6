"""Flows to try layouts on: some that look like what people write, some that nobody would."""

import random
from collections.abc import Iterable

from kimi_tui.flow.model.graph import Flow, FlowEdge, FlowNode, NodeKind

CLOSED_WORDS = (
    "Fix",
    "Run the tests",
    "审查代码变更",
    "Publish the release notes to everyone who asked",
    "a/very/long/path_without_blanks.py",
    "ok",
    "含有 English 的标签，以及标点。",
    "Emoji 🎉 inside",
)
LABELS = (None, None, "yes", "no", "需要更多的信息才能继续", "try again once more please, with care")


def make_flow(labels: dict[str, str], edges: Iterable[tuple[str, str, str | None]]) -> Flow:
    """A flow of nodes `{id: label}`, told by their number of ways out; the first is BEGIN and the last END."""
    outgoing: dict[str, list[FlowEdge]] = {node: [] for node in labels}
    for src, dst, label in edges:
        for node in (src, dst):
            outgoing.setdefault(node, [])
        outgoing[src].append(FlowEdge(src, dst, label))
    names = list(outgoing)
    begin = next((node for node, label in labels.items() if label.strip().lower() == "begin"), names[0])
    end = next((node for node, label in labels.items() if label.strip().lower() == "end"), names[-1])
    nodes: dict[str, FlowNode] = {}
    for node in names:
        kind = NodeKind.DECISION if len(outgoing[node]) > 1 else NodeKind.TASK
        if node in (begin, end):
            kind = NodeKind.BEGIN if node == begin else NodeKind.END
        nodes[node] = FlowNode(node, labels.get(node, node), kind)
    return Flow(nodes, {node: tuple(leaving) for node, leaving in outgoing.items()}, begin, end)


def likely_flow(size: int, seed: int) -> Flow:
    """A line of steps with decisions that go back, skip ahead or take a way of their own and come back."""
    source = random.Random(seed)
    names = [f"n{i}" for i in range(size)]
    labels = {name: source.choice(CLOSED_WORDS) for name in names}
    labels[names[0]], labels[names[-1]] = "BEGIN", "END"
    edges: list[tuple[str, str, str | None]] = []
    index = 0
    while index < size - 1:
        here, chance = names[index], source.random()
        branches = min(source.choice((2, 2, 3)), size - 2 - index)
        if index and chance < 0.2 and branches > 1:
            for branch in range(1, branches + 1):
                edges.append((here, names[index + branch], f"case {branch}"))
                if branch < branches:
                    edges.append((names[index + branch], names[index + branches], None))
            index += branches
            continue
        edges.append((here, names[index + 1], "yes" if index and chance > 0.6 else None))
        if index and chance > 0.8:
            edges.append((here, names[min(size - 1, index + source.randint(2, 6))], "skip"))
        elif index and chance > 0.6:
            edges.append((here, names[source.randint(1, index)], "no"))
        index += 1
    return make_flow(labels, edges)


def any_flow(size: int, links: int, seed: int) -> Flow:
    """Edges between nodes at random: loops on themselves, twins, parts that nothing reaches."""
    source = random.Random(seed)
    names = [f"n{i}" for i in range(size)]
    labels = {name: source.choice(CLOSED_WORDS) for name in names}
    labels[names[0]], labels[names[-1]] = "BEGIN", "END"
    edges: list[tuple[str, str, str | None]] = []
    for _ in range(links):
        a, b = source.randrange(size), source.randrange(size)
        if source.random() < 0.6:
            a, b = min(a, b), max(a, b)
        edges.append((names[a], names[b], source.choice(LABELS)))
    return make_flow(labels, edges)
