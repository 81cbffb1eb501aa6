import pytest
from wcwidth import wcswidth

from kimi_tui.flow.layout.free_rows import use_free_rows
from kimi_tui.flow.layout.layout import LayoutDirection, LayoutMode, layout
from kimi_tui.flow.model.graph import Flow, NodeKind
from kimi_tui.flow.render.chart_canvas import ChartCanvas
from kimi_tui.flow.render.chart_style import ChartStyle, EdgeStyle, NodeStyle
from kimi_tui.flow.render.text_renderer import render_text
from tests.flow.random_flows import any_flow, make_flow

DIRECTIONS: tuple[LayoutDirection, ...] = ("TB", "LR")
MODES: tuple[LayoutMode, ...] = ("full", "compact")


def _release() -> Flow:
    return make_flow(
        {"b": "BEGIN", "fix": "Fix", "ok": "Green?", "tag": "Tag", "e": "END"},
        [("b", "fix", None), ("fix", "ok", None), ("ok", "fix", "no"), ("ok", "tag", "yes"), ("tag", "e", None)],
    )


def test_a_flow_reads_from_top_to_bottom() -> None:
    style = ChartStyle({"fix": NodeStyle("✓", visits=2), "ok": NodeStyle("▶", current=True)})
    assert render_text(layout(_release(), direction="TB"), style=style).splitlines() == [
        "  ╭───────╮",
        "  │ BEGIN │",
        "  ╰───┬───╯",
        "      ▼",
        "┌ ✓ ×2 ─────┐",
        "│    Fix    │◀─╮",
        "└─────┬─────┘  │",
        "      ▼        │",
        "╱ ▶ ━━━━━━━━╲  │ no",
        "┃  Green?   ┠──╯",
        "╲━━━━━┯━━━━━╱",
        "      │ yes",
        "      ▼",
        "┌───────────┐",
        "│    Tag    │",
        "└─────┬─────┘",
        "      ▼",
        "   ╭─────╮",
        "   │ END │",
        "   ╰─────╯",
    ]


def test_every_row_is_as_wide_as_the_layout() -> None:
    for seed in range(20):
        placed = layout(any_flow(8, 14, seed), direction="LR" if seed % 2 else "TB")
        canvas = ChartCanvas(placed)
        rows = ["".join(span.text for span in canvas.row(y, ChartStyle())) for y in range(canvas.height)]
        assert [wcswidth(row) for row in rows] == [placed.width] * placed.height


def test_a_style_moves_nothing() -> None:
    placed = layout(_release(), direction="TB")
    canvas = ChartCanvas(placed)
    style = ChartStyle({"fix": NodeStyle("✓", visits=12, current=True)})
    changed = {y for y in range(canvas.height) if canvas.row(y, ChartStyle()) != canvas.row(y, style)}
    assert changed
    assert changed <= canvas.rows_covered({"fix"}, ())
    text = render_text(placed, style=style)
    assert "┏ ✓ ×12 ━" in text


def test_cells_know_what_they_belong_to() -> None:
    placed = layout(_release(), direction="TB")
    canvas = ChartCanvas(placed)
    spans = [span for y in range(canvas.height) for span in canvas.row(y, ChartStyle())]
    assert {span.node for span in spans} == {"", *placed.nodes}
    assert {span.edge for span in spans} == {-1, *(edge.index for edge in placed.edges)}
    assert all(span.node or span.edge >= 0 or not span.text.strip() for span in spans)


def test_shared_cells_belong_to_the_edge_that_was_taken() -> None:
    flow = make_flow(
        {"b": "BEGIN", "ask": "?", "one": "Left", "two": "Right", "e": "END"},
        [("b", "ask", None), ("ask", "one", "a"), ("ask", "two", "b"), ("one", "e", None), ("two", "e", None)],
    )
    placed = layout(flow, direction="TB")
    x, y = placed.edges[3].path[-1]
    assert placed.edges[4].path[-1] == (x, y)

    def owner(taken: int) -> int:
        edges = tuple(EdgeStyle("heavy" if index == taken else "light") for index in range(len(placed.edges)))
        at = 0
        for span in ChartCanvas(placed).row(y, ChartStyle(edges=edges)):
            at += wcswidth(span.text)
            if at > x:
                return span.edge
        return -1

    assert owner(3) == 3
    assert owner(4) == 4


def test_ascii_uses_nothing_else() -> None:
    flow = make_flow({"b": "BEGIN", "a": "Do", "c": "Sure?", "e": "END"}, [("b", "a", None), ("a", "c", None)])
    for mode in MODES:
        for direction in DIRECTIONS:
            placed = layout(flow, direction=direction, mode=mode)
            assert render_text(
                placed, ascii=True, style=ChartStyle({"a": NodeStyle("*", visits=3, current=True)})
            ).isascii()


def test_kinds_and_the_current_node_are_told_apart_by_their_boxes() -> None:
    text = render_text(layout(_release(), direction="TB"), style=ChartStyle({"tag": NodeStyle("▶", current=True)}))
    assert all(corner in text for corner in ("╭", "┌", "╱", "┏"))


def test_a_drawing_in_ascii_has_no_other_sign_of_ours() -> None:
    flow = make_flow(
        {"b": "BEGIN", "a": "word " * 60, "e": "END"}, [("b", "a", None), ("a", "e", "yes " * 40), ("a", "a", "no")]
    )
    for direction in DIRECTIONS:
        for mode in MODES:
            drawn = layout(flow, direction=direction, mode=mode, width=40)
            assert render_text(drawn, ascii=True, style=ChartStyle({"a": NodeStyle("x", visits=3)})).isascii()


def test_a_selected_node_has_a_double_frame_in_every_kind_of_drawing() -> None:
    for mode, frames in (("full", ("╔═", "═╗")), ("compact", ("[[", "]]"))):
        placed = layout(_release(), mode=mode)
        plain, chosen = render_text(placed), render_text(placed, style=ChartStyle(selected="fix"))
        assert all(frame in chosen and frame not in plain for frame in frames)
        assert chosen.count("\n") == plain.count("\n")
        assert render_text(placed, ascii=True, style=ChartStyle(selected="fix")).isascii()


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("width", [40, 60, 100])
def test_a_selected_box_without_a_border_has_its_ends_twice(width: int, ascii_only: bool) -> None:
    text = "Read the whole change as its most critical reader would"
    nodes = {"b": "BEGIN", "task": text, "decision": text + "?", "e": "END"}
    flow = make_flow(
        nodes, [("b", "task", None), ("task", "decision", None), ("decision", "e", "yes"), ("decision", "task", "no")]
    )
    placed = use_free_rows(layout(flow, mode="compact", width=width), flow, None)
    done = {node: NodeStyle("*", visits=2) for node in nodes}
    for node_id, node in placed.nodes.items():
        shown: list[str] = []
        for selected in ("", node_id):
            rows = render_text(placed, ascii=ascii_only, style=ChartStyle(done, selected=selected)).splitlines()
            shown.append("\n".join(row[node.x : node.x + node.width] for row in rows[node.y : node.y + node.height]))
        before, after = (block.splitlines() for block in shown)
        if node.height > 1 and node.kind is not NodeKind.DECISION and not ascii_only:
            assert (after[0][0], after[0][-1], after[-1][0], after[-1][-1]) == tuple("╔╗╚╝")
            continue
        assert all((row[:2], row[-2:]) == (old[0] * 2, old[-1] * 2) for row, old in zip(after, before, strict=True))


def test_the_sign_of_a_state_stands_in_every_border_however_narrow() -> None:
    for seed in range(12):
        flow = any_flow(8, 24, seed)
        for direction in DIRECTIONS:
            style = ChartStyle({node: NodeStyle("✗", ("failed",), visits=3) for node in flow.nodes})
            assert render_text(layout(flow, direction=direction, width=20), style=style).count("✗") == len(flow.nodes)


def test_a_compact_box_of_several_lines_has_corners_and_one_sign() -> None:
    text = "Read the whole change as its most critical reader would and write down every doubt"
    flow = make_flow({"b": "BEGIN", "n": text, "e": "END"}, [("b", "n", None), ("n", "e", None)])
    placed = use_free_rows(layout(flow, mode="compact", width=40), flow, None)
    height = placed.nodes["n"].height
    assert height > 1
    for ascii_only in (False, True):
        for style in (ChartStyle({"n": NodeStyle("✗")}), ChartStyle(selected="n")):
            canvas = ChartCanvas(placed, ascii=ascii_only)
            rows = ["".join(span.text for span in canvas.row(y, style)) for y in range(canvas.height)]
            assert {wcswidth(row) for row in rows} == {placed.width}
            assert "".join(rows).count("✗") == (not style.selected)
            words = "".join("".join(rows[placed.nodes["n"].y :][:height]).split())
            assert "".join(text.split())[:20] in words.replace("│", "")
    drawn = render_text(placed)
    assert drawn.count("┌") == drawn.count("┐") == drawn.count("└") == drawn.count("┘") == 1


def _compact_run(*, ascii_only: bool = False) -> list[str]:
    style = ChartStyle(
        {
            "fix": NodeStyle("✓", visits=2, notes=("0:12 · 2.1k", "0:12")),
            "ok": NodeStyle("▶", words=("running 0:03", "0:03"), current=True),
            "tag": NodeStyle("✓", visits=1, notes=("0:41",)),
        }
    )
    return render_text(layout(_release(), mode="compact"), style=style, ascii=ascii_only).splitlines()


def test_a_compact_box_tells_its_visits_inside_and_its_time_where_cells_are_free() -> None:
    drawn = _compact_run()
    assert any("[✓×2 Fix]◀──╮" in row for row in drawn)
    assert next(row for row in drawn if "Tag" in row).strip() == "[ ✓ Tag ] 0:41"
    assert not any("0:12" in row for row in drawn)  # the loop is there
    assert any("x2" in row for row in _compact_run(ascii_only=True))


def test_what_a_compact_box_tells_beside_it_moves_nothing_and_covers_nothing() -> None:
    for seed in range(20):
        flow = any_flow(9, 12, seed)
        canvas = ChartCanvas(layout(flow, mode="compact", width=60))
        style = ChartStyle(
            {node: NodeStyle("✓", visits=seed % 3, notes=("0:12 · 2.1k", "0:12")) for node in flow.nodes}
        )
        for y in range(canvas.height):
            plain, styled = ("".join(span.text for span in canvas.row(y, one)) for one in (ChartStyle(), style))
            assert wcswidth(plain) == wcswidth(styled) == canvas.width
            assert [char for char in plain if char in "│─╭╮╰╯▼◀▶▲├┤┬┴┼"] == [
                char for char in styled if char in "│─╭╮╰╯▼◀▶▲├┤┬┴┼"
            ]
