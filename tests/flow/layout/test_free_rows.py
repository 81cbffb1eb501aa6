"""Boxes whose text is cut get the free rows of a pane, and nothing else is moved out of its place."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kimi_tui.flow.layout.free_cells import use_free_cells
from kimi_tui.flow.layout.free_rows import use_free_rows
from kimi_tui.flow.layout.layout import Layout, LayoutDirection, LayoutMode, layout
from kimi_tui.flow.model.graph import NodeKind
from tests.flow.layout_check import violations
from tests.flow.random_flows import any_flow, likely_flow, make_flow

PROMPT = "Read the whole change as its most critical reader would and write down every doubt that is left. "
DIRECTIONS = st.sampled_from(["TB", "LR"])
MODES = st.sampled_from(["full", "compact"])
BOUNDED = settings(
    max_examples=150, derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def text_of(laid: Layout, node: str) -> str:
    return "".join("".join(laid.nodes[node].lines).split())


@BOUNDED
@given(
    st.integers(2, 16), st.integers(1, 26), st.integers(0, 10_000), DIRECTIONS, MODES, st.sampled_from([24, 40, 80]),
    st.integers(1, 4), st.sampled_from([None, 0, 1, 5, 30]),
)  # fmt: skip
def test_more_rows_bring_nothing_in_the_way_of_anything_else(
    size: int, links: int, seed: int, way: LayoutDirection, mode: LayoutMode, width: int, lines: int, free: int | None
) -> None:
    flow = any_flow(size, links, seed) if seed % 2 else likely_flow(size + 1, seed)
    before = layout(flow, direction=way, mode=mode, width=width, lines=lines, low=seed % 3 == 0)
    rows = None if free is None else before.height + free
    laid = use_free_rows(before, flow, rows)
    assert violations(laid, flow) == []
    assert laid.width == before.width
    assert rows is None or laid.height <= rows


@BOUNDED
@given(st.integers(3, 16), st.integers(0, 10_000), MODES, st.sampled_from([40, 51, 80]), st.integers(0, 30))
def test_no_text_is_cut_while_there_are_free_rows(
    size: int, seed: int, mode: LayoutMode, width: int, free: int
) -> None:
    flow = likely_flow(size, seed)
    before = layout(flow, mode=mode, width=width, lines=1)
    laid = use_free_rows(before, flow, before.height + free)
    cut = [node for node in flow.nodes if text_of(laid, node).endswith("…")]
    assert not cut or laid.height == before.height + free


@pytest.mark.parametrize("mode", ["full", "compact"])
@pytest.mark.parametrize("direction", ["TB", "LR"])
def test_a_whole_prompt_is_shown_where_rows_are_without_limit(mode: LayoutMode, direction: LayoutDirection) -> None:
    long = PROMPT * 15
    flow = make_flow({"b": "BEGIN", "n": long, "e": "END"}, [("b", "n", None), ("n", "n", "no"), ("n", "e", "yes")])
    laid = use_free_rows(layout(flow, direction=direction, mode=mode, width=100), flow, None)
    assert text_of(laid, "n") == "".join(long.split())
    assert violations(laid, flow) == []


def test_the_box_that_needs_the_fewest_lines_gets_them_first() -> None:
    flow = make_flow(
        {"b": "BEGIN", "long": PROMPT * 3, "short": PROMPT[:60], "e": "END"},
        [("b", "long", None), ("long", "short", None), ("short", "e", None)],
    )
    before = layout(flow, mode="compact", width=40)
    laid = use_free_rows(before, flow, before.height + 2)
    assert "…" in text_of(laid, "long")
    assert text_of(laid, "short") == "".join(PROMPT[:60].split())
    assert laid.nodes["short"].kind is NodeKind.TASK


def test_a_chart_without_cut_text_stays_as_it_is() -> None:
    flow = likely_flow(9, 3)
    whole = layout(flow, width=100)
    assert use_free_rows(whole, flow, whole.height + 20) == whole


@BOUNDED
@given(st.integers(3, 16), st.integers(0, 10_000), MODES, st.sampled_from([40, 51, 80]), st.integers(0, 12))
@example(9, 2, "compact", 40, 3)
@example(9, 8, "full", 51, 0)
def test_boxes_that_are_still_cut_have_no_free_cells_beside_them(
    size: int, seed: int, mode: LayoutMode, width: int, free: int
) -> None:
    flow = likely_flow(size, seed)
    before = layout(flow, mode=mode, width=width, lines=1)
    laid = use_free_rows(before, flow, before.height + free, width)
    assert violations(laid, flow) == []
    assert laid.width <= max(width, before.width)
    assert use_free_cells(laid, flow, max(width, laid.width)) == laid


@pytest.mark.parametrize("mode", ["full", "compact"])
@pytest.mark.parametrize("direction", ["TB", "LR"])
@pytest.mark.parametrize("width", [51, 140])
def test_a_branch_says_its_whole_label_where_rows_are_without_limit(
    mode: LayoutMode, direction: LayoutDirection, width: int
) -> None:
    nodes = {"b": "BEGIN", "n": "Which?", "x": "One", "y": "Two", "e": "END"}
    edges = [("b", "n", None), ("n", "x", PROMPT * 3), ("n", "y", PROMPT), ("n", "n", PROMPT * 2), ("x", "e", None)]
    flow = make_flow(nodes, [*edges, ("y", "b", PROMPT)])
    laid = use_free_rows(layout(flow, direction=direction, mode=mode, width=width), flow, None, width)
    shown = {edge.index: "".join("".join(edge.label_lines).split()) for edge in laid.edges if edge.label}
    assert shown == {index: "".join(edge.label.split()) for index, edge in enumerate(flow.edges) if edge.label}
    assert violations(laid, flow) == []


def test_a_label_that_is_cut_gets_the_free_columns_before_more_rows() -> None:
    flow = make_flow(
        {"b": "BEGIN", "n": "Which?", "e": "END"}, [("b", "n", None), ("n", "e", "a " * 45), ("n", "b", "no")]
    )
    before = layout(flow, mode="compact")
    laid = use_free_rows(before, flow, before.height, 60)
    assert before.edges[1].label_lines[-1].endswith("…")
    assert "".join(laid.edges[1].label_lines).replace(" ", "") == "a" * 45
    assert (laid.height, laid.edges[1].label_at) == (before.height, before.edges[1].label_at)
    assert violations(laid, flow) == []


def test_a_label_that_stays_cut_leaves_the_rows_to_boxes() -> None:
    flow = make_flow(
        {"b": "BEGIN", "n": "Which?", "x": PROMPT[:60], "e": "END"},
        [("b", "n", None), ("n", "x", PROMPT * 4), ("n", "b", "no"), ("x", "e", None)],
    )
    before = layout(flow, mode="compact", width=40)
    laid = use_free_rows(before, flow, before.height + 3)
    assert text_of(before, "x").endswith("…")
    assert text_of(laid, "x") == "".join(PROMPT[:60].split())
    assert violations(laid, flow) == []
