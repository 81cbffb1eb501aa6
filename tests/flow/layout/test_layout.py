import time
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kimi_tui.errors import ChartTooLargeError
from kimi_tui.flow.layout.box_sizes import MAX_LINES
from kimi_tui.flow.layout.cell_text import cell_width, wrap
from kimi_tui.flow.layout.free_cells import use_free_cells
from kimi_tui.flow.layout.layout import Layout, LayoutDirection, LayoutMode, layout, layout_within
from kimi_tui.flow.model.graph import Flow, NodeKind
from kimi_tui.flow.model.validation import build_flow
from kimi_tui.flow.parsing.reader import read_chart
from tests.flow.layout_check import crossings, violations
from tests.flow.random_flows import any_flow, likely_flow, make_flow

DIRECTIONS = st.sampled_from(["TB", "LR"])
MODES = st.sampled_from(["full", "compact"])
WIDTHS = st.sampled_from([None, 24, 40, 80])
BOUNDED = settings(
    max_examples=80, derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
BOTH: tuple[LayoutDirection, ...] = ("TB", "LR")


def test_a_box_of_a_flow_to_the_right_has_no_blank_row_for_its_two_ways() -> None:
    text = "flowchart LR\nb([BEGIN]) --> d{Ok?}\nd -->|yes| t[Tag]\nd -->|no| u[Undo]\nt --> e([END])\nu --> e"
    for mode, height in (("full", 3), ("compact", 1)):
        flow = build_flow(read_chart(text, "mermaid"))
        laid = layout(flow, direction="LR", mode=mode)  # type: ignore[arg-type]
        assert {node.height for node in laid.nodes.values()} == {height}
        assert violations(laid, flow) == []


@BOUNDED
@given(st.integers(2, 12), st.integers(1, 26), st.integers(0, 10_000), DIRECTIONS, MODES, WIDTHS)
def test_no_line_box_or_label_is_in_the_way_of_another_in_any_graph(
    size: int, links: int, seed: int, direction: LayoutDirection, mode: LayoutMode, width: int | None
) -> None:
    flow = any_flow(size, links, seed)
    assert violations(layout(flow, direction=direction, mode=mode, width=width), flow) == []


@BOUNDED
@given(st.integers(3, 45), st.integers(0, 10_000), DIRECTIONS, MODES, WIDTHS)
def test_no_line_box_or_label_is_in_the_way_of_another_in_a_likely_flow(
    size: int, seed: int, direction: LayoutDirection, mode: LayoutMode, width: int | None
) -> None:
    flow = likely_flow(size, seed)
    assert violations(layout(flow, direction=direction, mode=mode, width=width), flow) == []


def test_the_same_flow_always_gives_the_same_layout() -> None:
    assert layout(likely_flow(30, 4), direction="TB") == layout(likely_flow(30, 4), direction="TB")


def _line(drawn: Layout, *names: str) -> set[int]:
    return {drawn.nodes[name].x + (drawn.nodes[name].width - 1) // 2 for name in names}


def test_the_main_line_is_straight_and_the_loop_stands_beside_it() -> None:
    flow = make_flow(
        {"b": "BEGIN", "fix": "Fix the flaky test", "ok": "Green?", "tag": "Tag", "e": "END"},
        [("b", "fix", None), ("fix", "ok", None), ("ok", "fix", "no"), ("ok", "tag", "yes"), ("tag", "e", None)],
    )
    drawn = layout(flow, direction="TB")
    assert len(_line(drawn, "b", "fix", "ok", "tag", "e")) == 1
    loop = next(edge for edge in drawn.edges if edge.label == "no")
    assert loop.back
    assert loop.path[0][0] == drawn.nodes["ok"].x + drawn.nodes["ok"].width
    assert loop.path[-1][0] == drawn.nodes["fix"].x + drawn.nodes["fix"].width
    assert crossings(drawn) == 0


def test_equal_branches_stand_on_both_sides_of_their_decision() -> None:
    flow = make_flow(
        {"b": "BEGIN", "ask": "Which?", "one": "Left", "two": "Side", "e": "END"},
        [("b", "ask", None), ("ask", "one", "a"), ("ask", "two", "b"), ("one", "e", None), ("two", "e", None)],
    )
    drawn = layout(flow, direction="TB")
    (middle,), (left,), (right,) = _line(drawn, "ask"), _line(drawn, "one"), _line(drawn, "two")
    assert abs((middle - left) - (right - middle)) <= 1


def test_lines_that_go_back_to_one_node_share_its_arrow() -> None:
    flow = make_flow(
        {"b": "BEGIN", "w": "Write", "x": "Lint?", "y": "Test?", "e": "END"},
        [("b", "w", None), ("w", "x", None), ("x", "y", "ok"), ("x", "w", "no"), ("y", "e", "ok"), ("y", "w", "no")],
    )
    drawn = layout(flow, direction="TB")
    first, second = (edge for edge in drawn.edges if edge.back)
    assert first.path[-1] == second.path[-1]


def test_twins_and_self_loops_have_lines_of_their_own() -> None:
    flow = make_flow(
        {"b": "BEGIN", "a": "Wait", "e": "END"},
        [("b", "a", None), ("a", "a", "wait"), ("a", "a", "wait more"), ("a", "e", "one"), ("a", "e", "two")],
    )
    for direction in BOTH:
        drawn = layout(flow, direction=direction)
        assert violations(drawn, flow) == []
        assert len({edge.path[0] for edge in drawn.edges}) == len(drawn.edges)


def test_a_narrow_pane_gets_a_narrower_drawing() -> None:
    flow = likely_flow(12, 3)
    free = layout(flow, direction="TB")
    narrow = layout(flow, direction="TB", width=30)
    assert narrow.width < free.width
    assert layout(flow, direction="TB", width=free.width).width == free.width


def test_left_right_runs_to_the_right() -> None:
    drawn = layout(
        make_flow({"b": "BEGIN", "a": "Do", "e": "END"}, [("b", "a", None), ("a", "e", None)]), direction="LR"
    )
    assert drawn.nodes["b"].x < drawn.nodes["a"].x < drawn.nodes["e"].x
    assert {node.y for node in drawn.nodes.values()} == {0}


@pytest.mark.parametrize("most", [3, 12])
def test_a_box_has_no_more_lines_than_asked_for(most: int) -> None:
    flow = make_flow(
        {"b": "BEGIN", "a": "word " * 90, "c": "很" * 200, "e": "END"}, [("b", "a", None), ("a", "c", None)]
    )
    drawn = layout(flow, direction="TB", lines=most)
    for node in drawn.nodes.values():
        assert len(node.lines) <= most
        assert all(cell_width(line) <= node.width - 2 for line in node.lines)
    assert drawn.nodes["a"].lines[-1].endswith("…")
    assert drawn.nodes["b"].kind is NodeKind.BEGIN


def test_a_wide_drawing_has_wide_boxes_with_whole_labels() -> None:
    text = "Find the command that runs the tests, or take the one that the request names"
    flow = make_flow({"b": "BEGIN", "a": text, "e": "END"}, [("b", "a", None), ("a", "e", None)])
    assert len(layout(flow, width=140).nodes["a"].lines) == 2
    assert len(layout(flow, width=50).nodes["a"].lines) == 3
    assert " ".join(layout(flow, width=16).nodes["a"].lines) == text


def test_a_box_alone_in_its_layer_uses_the_room_that_a_full_layer_needs() -> None:
    text = "Brief: what changed since May, and for whom it matters"
    names = ["one", "two", "three"]
    flow = make_flow(
        {"b": "BEGIN", "a": text, **{name: f"Write part {name} of the report" for name in names}, "e": "END"},
        [("b", "a", None), *(("a", name, name) for name in names), *((name, "e", None) for name in names)],
    )
    for mode in ("full", "compact"):
        drawn = layout(flow, width=56, mode=mode)
        assert drawn.width <= 56
        assert drawn.nodes["a"].width >= 30 > max(drawn.nodes[name].width for name in names)
    assert "…" not in "".join(layout(flow, width=100, mode="compact").nodes["a"].lines)


def test_compact_boxes_are_one_line_high() -> None:
    drawn = layout(likely_flow(10, 1), direction="TB", mode="compact")
    assert {node.height for node in drawn.nodes.values()} == {1}


def test_a_flow_may_be_very_long() -> None:
    names = [f"n{i}" for i in range(3000)]
    flow = make_flow(dict.fromkeys(names, "step"), [(a, b, None) for a, b in pairwise(names)])
    assert layout(flow, direction="TB").height == 3000 * 4 - 1


def test_a_flow_without_edges_is_drawn_side_by_side() -> None:
    flow = make_flow({"b": "BEGIN", "e": "END"}, [])
    assert violations(layout(flow, direction="TB"), flow) == []


@pytest.mark.parametrize(("size", "limit"), [(20, 0.02), (200, 0.3)])
def test_a_layout_is_quick(size: int, limit: float) -> None:
    best = 10.0
    for seed in range(3):
        flow = likely_flow(size, seed)
        begin = time.process_time()
        layout(flow, direction="TB")
        best = min(best, time.process_time() - begin)
    assert best < 2 * limit


def _with_local_loops(size: int) -> Flow:
    names = ["BEGIN", *(f"n{i}" for i in range(size - 2)), "END"]
    edges: list[tuple[str, str, str | None]] = [
        (a, b, "go on" if i % 3 == 0 and i else None) for i, (a, b) in enumerate(pairwise(names))
    ]
    edges += [(names[i], names[max(1, i - i % 17)], "again") for i in range(3, size - 1, 3)]
    return make_flow({name: f"{name}: look at what it says" for name in names}, edges)


def test_two_thousand_nodes_are_laid_out_in_three_seconds() -> None:
    begin = time.process_time()
    drawn = layout(_with_local_loops(2_000), direction="TB", width=80)
    assert time.process_time() - begin < 3
    assert len(drawn.nodes) == 2_000


def test_a_node_with_hundreds_of_edges_is_laid_out_soon() -> None:
    begin = time.process_time()
    layout(any_flow(60, 580, 1), direction="TB", width=100)
    assert time.process_time() - begin < 3


def _layers_joined_to_all_of_the_next(count: int) -> Flow:
    names = ["BEGIN", *(f"n{i}" for i in range(3 * count)), "END"]
    edges: list[tuple[str, str, str | None]] = [
        (f"n{a}", f"n{b}", f"to {b}")
        for layer in range(0, 3 * count - 3, 3)
        for a in range(layer, layer + 3)
        for b in range(layer + 3, layer + 6)
    ]
    ends = [("BEGIN", "n0", None), (names[-2], "END", None)]
    return make_flow({name: name for name in names}, [*ends, *edges])


def test_hundreds_of_layers_joined_to_all_of_the_next_are_laid_out_soon() -> None:
    begin = time.process_time()
    layout(_layers_joined_to_all_of_the_next(500), direction="TB", width=100)
    assert time.process_time() - begin < 6


def _repeated(src: str, dst: str, count: int) -> Flow:
    ways = [(src, dst, f"c{number}") for number in range(count)]
    edges: list[tuple[str, str, str | None]] = [("BEGIN", "a", None), ("a", "b", "go on"), ("b", "END", None), *ways]
    return make_flow({name: name for name in ("BEGIN", "a", "b", "END")}, edges)


@pytest.mark.parametrize(("src", "dst", "count"), [("a", "b", 700), ("b", "a", 700), ("a", "a", 300)])
def test_hundreds_of_labelled_edges_of_two_nodes_are_laid_out_soon(src: str, dst: str, count: int) -> None:
    begin = time.process_time()
    layout(_repeated(src, dst, count), direction="TB", width=100)
    assert time.process_time() - begin < 6


@pytest.mark.parametrize(
    "flow", [_repeated("a", "a", 400), likely_flow(2_000, 1), any_flow(300, 3_000, 1), any_flow(20, 50_000, 1)]
)
def test_a_chart_that_would_take_too_long_is_refused_at_once(flow: Flow) -> None:
    begin = time.process_time()
    with pytest.raises(ChartTooLargeError, match="too large to draw"):
        layout(flow, direction="TB", width=100)
    assert time.process_time() - begin < 1


def test_a_try_that_cannot_fit_is_not_made_and_changes_nothing() -> None:
    flow = likely_flow(30, 2)
    widths = [layout(flow, direction="TB", width=width).width for width in (20, 40, 60, 400)]
    assert widths == sorted(widths)


def test_chinese_breaks_between_characters_but_not_before_a_comma() -> None:
    for width in range(4, 20):
        lines = wrap("这是一段，没有空格的说明", width, 9)
        assert "".join(lines) == "这是一段，没有空格的说明"
        assert all(cell_width(line) <= width and not line.startswith("，") for line in lines)


def test_lines_of_a_label_are_about_equally_long() -> None:
    assert wrap("Publish the notes to all", 20) == ("Publish the", "notes to all")


def test_control_characters_never_reach_a_box() -> None:
    flow = make_flow(
        {"b": "BEGIN", "a": "x\x1b]52;c;QQ==\x07y\u202ez", "e": "END"}, [("b", "a", "\x1b[2Jgo"), ("a", "e", None)]
    )
    drawn = layout(flow, direction="TB")
    text = "".join([*drawn.nodes["a"].lines, *drawn.edges[0].label_lines])
    assert text.isprintable()


def test_stages_with_loops_back_stand_below_each_other_and_not_aside() -> None:
    labels = {"b": "BEGIN", "e": "END"}
    edges: list[tuple[str, str, str | None]] = [("b", "s0", None)]
    for harness in range(4):
        labels[f"s{harness}"] = f"Stage {harness}?"
        for part in range(4):
            labels[f"n{harness}{part}"] = f"Do part {part}"
            edges += [
                (f"s{harness}", f"n{harness}{part}", f"part {part}"),
                (f"n{harness}{part}", f"s{harness + 1}", None),
            ]
        edges.append((f"s{harness + 1}", f"s{harness}", "back"))
    labels["s4"] = "Stage 4?"
    flow = make_flow(labels, [*edges, ("s4", "e", "done")])
    drawn = layout(flow, direction="TB")
    one_stage = max(node.x + node.width for node in drawn.nodes.values() if node.id.startswith("n0"))
    assert drawn.width < one_stage + 24
    assert violations(drawn, flow) == []


def test_compact_boxes_say_as_much_as_there_is_room_for() -> None:
    flow = make_flow(
        {"b": "BEGIN", "n": "Brief: what changed since May", "e": "END"}, [("b", "n", None), ("n", "e", None)]
    )
    assert layout(flow, mode="compact", width=60).nodes["n"].lines == ("Brief: what changed since May",)
    assert layout(flow, mode="compact", width=20).nodes["n"].lines == ("Brief: what…",)


@pytest.mark.parametrize("direction", BOTH)
def test_cut_boxes_are_widened_into_free_cells_and_nothing_changes_its_row(direction: LayoutDirection) -> None:
    said = "Say what you looked at and what is left to do here"
    names = {"b": "BEGIN", "n": said, "q": "All good?", "l": said, "r": said, "e": "END"}
    edges = [("b", "n", None), ("n", "q", None), ("q", "n", "again"), ("q", "l", "yes"), ("q", "r", "no")]
    flow = make_flow(names, [*edges, ("l", "e", None), ("r", "e", None)])
    narrow = layout(flow, mode="compact", direction=direction)
    drawn = use_free_cells(narrow, flow, narrow.width + 60)
    assert not violations(drawn, flow)
    assert drawn.width <= narrow.width + 60
    assert {node.id: node.y for node in drawn.nodes.values()} == {node.id: node.y for node in narrow.nodes.values()}
    cut = [sum("…" in node.lines[0] for node in one.nodes.values()) for one in (narrow, drawn)]
    assert cut == [3, 0] if direction == "TB" else cut[1] <= cut[0]
    assert use_free_cells(drawn, flow, narrow.width - 1) is drawn


def test_the_label_of_a_loop_is_on_the_right_of_its_line_on_either_side() -> None:
    flow = make_flow(
        {"b": "BEGIN", "edit": "Edit", "lint": "Clean?", "test": "Tests pass?", "e": "END"},
        [("b", "edit", None), ("edit", "lint", None), ("lint", "edit", "no"), ("lint", "test", "yes"),
         ("test", "edit", "fail"), ("test", "e", "pass")],
    )  # fmt: skip
    for mode in ("full", "compact"):
        drawn = layout(flow, width=60, mode=mode)  # type: ignore[arg-type]
        for edge in (edge for edge in drawn.edges if edge.back):
            assert edge.label_at is not None
            x, y = edge.label_at
            assert (x - 2, y) in edge.cells, (mode, edge)


def test_a_low_drawing_has_fewer_rows_and_the_same_words() -> None:
    flow = make_flow(
        {"b": "BEGIN", "n": "Read the report twice " * 3, "e": "END"}, [("b", "n", None), ("n", "e", None)]
    )
    tall, low = layout(flow, width=50), layout(flow, width=50, low=True)
    assert low.height <= tall.height - 5
    assert " ".join(low.nodes["n"].lines) == " ".join(tall.nodes["n"].lines)


def test_the_label_of_a_loop_that_runs_to_the_right_is_inside_the_loop() -> None:
    flow = make_flow(
        {"b": "BEGIN", "fix": "Fix the flaky test", "run": "Run it", "ok": "Green?", "e": "END"},
        [("b", "fix", None), ("fix", "run", None), ("run", "ok", None), ("ok", "fix", "no"), ("ok", "e", "yes")],
    )
    drawn = layout(flow, direction="LR", width=100)
    back = next(edge for edge in drawn.edges if edge.label == "no")
    rows = {y for _, y in back.path}
    assert back.label_at is not None
    assert min(rows) <= back.label_at[1] < max(rows)
    assert drawn.height == max(rows) + 1


def test_a_cut_box_grows_into_free_rows_of_a_flow_that_runs_to_the_right() -> None:
    flow = make_flow(
        {"b": "BEGIN", "long": " ".join(f"word{number}" for number in range(50)), "x": "Do", "y": "More", "e": "END"}
        | {f"n{number}": "Look at this " * 4 for number in range(6)},
        [("b", "long", None), ("long", "x", None), ("x", "y", None), ("y", "x", "no"), ("y", "e", "yes")]
        + [edge for number in range(6) for edge in (("x", f"n{number}", f"w{number}"), (f"n{number}", "e", None))],
    )
    drawn = layout(flow, direction="LR", width=90)
    assert violations(drawn, flow) == []
    assert len(drawn.nodes["long"].lines) > MAX_LINES


def bug_hunt() -> Flow:
    """Loops stand on both sides of a column that is beside another one."""
    return make_flow(
        {"b": "BEGIN", "a": "Do the tests pass?", "s": "Search the next fault", "p": "Prove it by a test",
         "q": "Proved?", "f": "Fix it now", "n": "It is not one", "g": "Green?", "r": "Report it all", "e": "END"},
        [("b", "a", None), ("a", "s", "ok"), ("a", "r", "failed"), ("s", "p", "found"), ("s", "r", "none"),
         ("p", "q", None), ("q", "f", "true"), ("q", "n", "else"), ("f", "g", None), ("g", "f", "failed"),
         ("g", "s", "ok"), ("n", "s", None), ("r", "e", None)],
    )  # fmt: skip


def test_a_flow_whose_main_line_cannot_be_straight_in_a_width_is_bent_to_fit() -> None:
    """Straight, it is 64 columns wide at least."""
    flow = bug_hunt()
    bent = layout(flow, mode="compact", width=51)
    assert bent.width <= 51
    assert violations(bent, flow) == []


def test_a_bent_flow_is_straight_as_far_as_there_is_room() -> None:
    flow = bug_hunt()
    bent = layout(flow, mode="compact", width=51)
    bends = {(edge.src, edge.dst): len(edge.path) - 2 for edge in bent.edges}
    assert [way for way in (("b", "a"), ("a", "s"), ("p", "q"), ("r", "e")) if bends[way] > 0] == []


def test_a_low_drawing_has_labels_beside_the_arrowheads_of_straight_lines() -> None:
    flow = make_flow(
        {"b": "BEGIN", "q": "Ok?", "t": "Tag it", "u": "Undo it", "e": "END"},
        [("b", "q", None), ("q", "t", "yes"), ("q", "u", "no"), ("t", "e", None), ("u", "e", None)],
    )
    tall, low = layout(flow, mode="compact", width=40), layout(flow, mode="compact", width=40, low=True)
    assert violations(low, flow) == []
    assert low.height == tall.height - 1
    for edge in low.edges[1:3]:
        assert edge.label_at == (edge.path[-1][0] + 2, edge.path[-1][1])


@BOUNDED
@given(
    st.integers(3, 20), st.integers(2, 24), st.integers(0, 10_000), MODES, st.sampled_from([40, 51, 100]), st.booleans()
)
def test_the_label_of_a_back_edge_is_on_the_right_of_a_part_that_is_its_own(
    size: int, links: int, seed: int, mode: LayoutMode, width: int, low: bool
) -> None:
    flow = any_flow(size, links, seed) if seed % 2 else likely_flow(size, seed)
    drawn = layout(flow, mode=mode, width=width, low=low)
    for edge in drawn.edges:
        if not edge.back or edge.label_at is None:
            continue
        x, y = edge.label_at
        others = {cell for other in drawn.edges if other is not edge for cell in other.cells}
        own = set(edge.cells) - others
        beside = {(x - 2, y + row) for row in range(len(edge.label_lines))}
        assert beside & own, (edge, drawn.width)


def test_a_flow_to_the_right_that_must_be_scrolled_has_boxes_of_whole_words() -> None:
    text = "Read what was changed, and every doubt of a critical reader is written down in the notes"
    names = ["BEGIN", *(f"n{number}" for number in range(8)), "END"]
    flow = make_flow(
        {name: name if name in ("BEGIN", "END") else text for name in names}, [(a, b, None) for a, b in pairwise(names)]
    )
    scrolled = layout(flow, direction="LR", width=60)
    assert scrolled.width > 60
    assert {len(scrolled.nodes[name].lines) for name in names[1:-1]} == {6}


def test_text_that_is_whole_in_its_last_line_ends_without_an_ellipsis() -> None:
    assert wrap("one two\nthree\nfour", 20, 2) == ("one two", "three four")


@BOUNDED
@given(st.integers(3, 30), st.integers(0, 10_000), DIRECTIONS, MODES, st.sampled_from([24, 40, 80]))
def test_a_layout_is_had_within_a_width_exactly_if_it_fits(
    size: int, seed: int, direction: LayoutDirection, mode: LayoutMode, width: int
) -> None:
    flow = likely_flow(size, seed)
    whole = layout(flow, direction=direction, mode=mode, width=width)
    assert layout_within(flow, width, direction=direction, mode=mode) == (whole if whole.width <= width else None)


@pytest.mark.parametrize("mode", ["full", "compact"])
@pytest.mark.parametrize("low", [False, True])
def test_the_text_of_begin_is_whole_however_few_lines_the_boxes_have(mode: LayoutMode, low: bool) -> None:
    start = "Begin a new feature: make clear what is wanted, and how it is to be built"
    flow = make_flow({"b": start, "n": start, "e": "END"}, [("b", "n", None), ("n", "e", None)])
    drawn = layout(flow, mode=mode, width=30, lines=1, low=low)
    assert " ".join(drawn.nodes["b"].lines) == start
    assert drawn.nodes["n"].lines[-1].endswith("…")
    assert violations(drawn, flow) == []


def test_a_word_is_whole_where_the_width_has_room_for_it() -> None:
    others = [f"n{i}" for i in range(3)]
    flow = make_flow(
        {"b": "BEGIN", "long": "Documentation", **dict.fromkeys(others, "Tag it all at once and go on"), "e": "END"},
        [("b", "long", "because"), *(("b", node, None) for node in others)]
        + [(node, "e", None) for node in ("long", *others)],
    )
    drawn = layout(flow, direction="TB", width=64)
    assert drawn.width <= 64
    assert drawn.nodes["long"].lines == ("Documentation",)


def test_a_word_is_divided_where_the_chart_would_else_not_fit() -> None:
    flow = make_flow(
        {"b": "BEGIN", **{f"n{i}": "Internationalization" for i in range(4)}, "e": "END"},
        [("b", f"n{i}", None) for i in range(4)] + [(f"n{i}", "e", None) for i in range(4)],
    )
    assert layout(flow, direction="TB", width=70).width <= 70


def test_a_chart_that_is_scrolled_anyway_divides_no_word_for_a_few_columns() -> None:
    kinds = ["bug", "feature", "docs", "tests", "security", "performance", "question", "dependency", "build", "other"]
    flow = make_flow(
        {"b": "BEGIN", "k": "Which kind?", **{kind: f"Handle a {kind} request" for kind in kinds}, "e": "END"},
        [("b", "k", None), *(("k", kind, kind) for kind in kinds), *((kind, "e", None) for kind in kinds)],
    )
    drawn = layout(flow, width=51)
    assert [kind for kind in kinds if not any(kind in line for line in drawn.nodes[kind].lines)] == []
    assert violations(drawn, flow) == []


def test_a_flow_to_the_right_gives_free_columns_to_its_tallest_boxes() -> None:
    long = "Read the whole change as its most critical reader would and write down every doubt that is left. " * 2
    flow = make_flow(
        {"b": "BEGIN", "one": "Look", "two": long, "three": "Say what is left", "e": "END"},
        [("b", "one", None), ("one", "two", None), ("two", "three", None), ("three", "e", None)],
    )
    for width in (80, 100, 120):
        laid = layout(flow, direction="LR", width=width)
        assert laid.width <= width
        room = width - laid.width
        wider = wrap(long.strip(), laid.nodes["two"].width - 4 + room, MAX_LINES)
        assert len(laid.nodes["two"].lines) <= max(len(wider), 4)
        assert violations(laid, flow) == []


@pytest.mark.parametrize("mode", ["full", "compact"])
def test_lines_from_the_sides_enter_by_the_arrow_of_the_straight_one(mode: LayoutMode) -> None:
    nodes = {"b": "BEGIN", "n": "Is there anything left?", "x": "Write all of it down", "e": "END"}
    flow = make_flow(nodes, [("b", "n", None), ("n", "x", "yes"), ("n", "e", "no"), ("x", "e", None)])
    laid = layout(flow, mode=mode)
    end = laid.nodes["e"]
    assert {edge.path[-1] for edge in laid.edges if edge.dst == "e"} == {(end.x + (end.width - 1) // 2, end.y - 1)}
