"""How two charts differ, and one chart of both."""

from kimi_tui.flow.layout.layout import layout
from kimi_tui.flow.model.diff import compare_flows, merge_flows
from tests.flow.layout_check import violations
from tests.flow.random_flows import make_flow

OLD = make_flow(
    {"b": "BEGIN", "fix": "Fix it", "lint": "Lint", "e": "END"},
    [("b", "fix", None), ("fix", "lint", None), ("lint", "e", None)],
)
NEW = make_flow(
    {"start": "BEGIN", "fix": "Fix it well", "docs": "Write docs", "e": "END"},
    [("start", "fix", None), ("fix", "docs", None), ("docs", "e", None)],
)


def test_nodes_are_told_apart_by_their_ids_and_the_ends_by_what_they_are() -> None:
    found = compare_flows(OLD, NEW)
    assert (found.only_first, found.only_second, found.reworded) == (("lint",), ("docs",), ("fix",))
    assert (found.ways_first, found.ways_second) == (2, 2)
    assert not compare_flows(OLD, OLD)


def test_a_chart_of_both_has_all_nodes_and_lines_once_and_can_be_drawn() -> None:
    both = merge_flows(OLD, NEW)
    assert list(both.nodes) == ["b", "fix", "lint", "e", "docs"]
    assert [(edge.src, edge.dst) for edge in both.edges] == [
        ("b", "fix"), ("fix", "lint"), ("fix", "docs"), ("lint", "e"), ("docs", "e"),
    ]  # fmt: skip
    assert violations(layout(both), both) == []
