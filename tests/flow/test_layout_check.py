"""The checker of layouts finds every fault that is planted."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from kimi_tui.flow.layout.layout import Layout, layout
from kimi_tui.flow.model.graph import Flow
from tests.flow.layout_check import violations
from tests.flow.random_flows import likely_flow

Plant = Callable[[Layout, random.Random], Layout]


def _without_node(drawn: Layout, source: random.Random) -> Layout:
    gone = source.choice([*drawn.nodes])
    edges = tuple(edge for edge in drawn.edges if gone not in (edge.src, edge.dst))
    return replace(drawn, nodes={name: node for name, node in drawn.nodes.items() if name != gone}, edges=edges)


def _without_edge(drawn: Layout, source: random.Random) -> Layout:
    gone = source.choice(drawn.edges)
    return replace(drawn, edges=tuple(edge for edge in drawn.edges if edge is not gone))


def _to_another_node(drawn: Layout, source: random.Random) -> Layout:
    wrong = source.choice(drawn.edges)
    dst = source.choice([node for node in drawn.nodes if node != wrong.dst])
    return replace(drawn, edges=tuple(replace(edge, dst=dst) if edge is wrong else edge for edge in drawn.edges))


def _text_of_node(change: Callable[[str], str]) -> Plant:
    def plant(drawn: Layout, source: random.Random) -> Layout:
        node = source.choice([node for node in drawn.nodes.values() if len("".join(node.lines)) > 2])
        return replace(drawn, nodes={**drawn.nodes, node.id: replace(node, lines=(change("".join(node.lines)),))})

    return plant


def _text_of_edge(change: Callable[[str], str]) -> Plant:
    def plant(drawn: Layout, source: random.Random) -> Layout:
        wrong = source.choice([edge for edge in drawn.edges if len("".join(edge.label_lines)) > 2])
        lines = (change("".join(wrong.label_lines)),)
        edges = tuple(replace(edge, label_lines=lines) if edge is wrong else edge for edge in drawn.edges)
        return replace(drawn, edges=edges)

    return plant


CHANGES: dict[str, Callable[[str], str]] = {
    "empty": lambda _: "",
    "blank": lambda _: "  ",
    "too wide": lambda text: text * 20,
    "a letter": lambda text: text[0],
    "a letter and an ellipsis": lambda text: text[0] + "…",
    "something else": lambda text: text[::-1] + "!",
}
PLANTS: dict[str, Plant] = {
    "a missing node": _without_node,
    "a missing edge": _without_edge,
    "an edge to another node": _to_another_node,
    **{f"a node whose text is {name}": _text_of_node(change) for name, change in CHANGES.items()},
    **{f"an edge whose label is {name}": _text_of_edge(change) for name, change in CHANGES.items()},
}


def _flow(seed: int) -> Flow:
    return likely_flow(12 + seed % 9, seed)


@pytest.mark.parametrize("name", PLANTS)
def test_each_planted_fault_is_found(name: str) -> None:
    missed: list[int] = []
    for seed in range(40):
        flow, source = _flow(seed), random.Random(seed)
        drawn = layout(flow, direction="LR" if seed % 2 else "TB", mode="compact" if seed % 3 == 0 else "full")
        if not any(len("".join(edge.label_lines)) > 2 for edge in drawn.edges):
            continue
        assert violations(drawn, flow) == []
        if not violations(PLANTS[name](drawn, source), flow):
            missed.append(seed)
    assert missed == []
