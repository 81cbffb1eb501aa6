from wcwidth import wcswidth

from kimi_tui.flow.layout.layout import LayoutDirection, LayoutMode, layout
from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.render.text_renderer import NodeLook, Owner, draw_node, exits_of, render_text
from tests.flow.random_flows import any_flow, make_flow

DIRECTIONS: tuple[LayoutDirection, ...] = ("TB", "LR")
MODES: tuple[LayoutMode, ...] = ("full", "compact")


def _release() -> Flow:
    return make_flow(
        {"b": "BEGIN", "fix": "Fix", "ok": "Green?", "tag": "Tag", "e": "END"},
        [("b", "fix", None), ("fix", "ok", None), ("ok", "fix", "no"), ("ok", "tag", "yes"), ("tag", "e", None)],
    )


def test_a_flow_reads_from_top_to_bottom() -> None:
    states = {"fix": NodeLook("✓", visits=2), "ok": NodeLook("▶", current=True)}
    assert str(render_text(layout(_release(), direction="TB"), states=states)).splitlines() == [
        " ╭───────╮",
        " │ BEGIN │",
        " ╰───┬───╯",
        "     ▼",
        " ┌────×2─┐",
        " │ ✓ Fix │◀───╮",
        " └───┬───┘    │",
        "     ▼        │",
        "◆━━━━━━━━━━◆  │ no",
        "┃ ▶ Green? ┠──╯",
        "◆━━━━┯━━━━━◆",
        "     │ yes",
        "     ▼",
        " ┌───────┐",
        " │   Tag │",
        " └───┬───┘",
        "     ▼",
        "  ╭─────╮",
        "  │ END │",
        "  ╰─────╯",
    ]


def test_every_row_is_as_wide_as_the_layout() -> None:
    for seed in range(20):
        placed = layout(any_flow(8, 14, seed), direction="LR" if seed % 2 else "TB")
        drawing = render_text(placed, states={})
        assert [wcswidth("".join(run.text for run in row)) for row in drawing.rows] == [placed.width] * placed.height


def test_states_move_nothing() -> None:
    placed = layout(_release(), direction="TB")
    before = render_text(placed, states={})
    after = render_text(placed, states={"fix": NodeLook("✓", visits=12, current=True)})
    node = placed.nodes["fix"]
    for y, (old, new) in enumerate(zip(before.rows, after.rows, strict=True)):
        if not node.y <= y < node.y + node.height:
            assert old == new
    assert "✓ Fix" in str(after)
    assert "×12" in str(after)


def test_a_single_node_can_be_drawn_again() -> None:
    placed = layout(_release(), direction="TB")
    look = NodeLook("▶", current=True)
    rows = render_text(placed, states={"ok": look}).rows
    node = placed.nodes["ok"]
    alone = draw_node(node, look, exits_of(placed)["ok"])
    for y, runs in enumerate(alone):
        whole = "".join(run.text for run in rows[node.y + y])
        assert "".join(run.text for run in runs) == whole[node.x : node.x + node.width]


def test_cells_know_what_they_belong_to() -> None:
    placed = layout(_release(), direction="TB")
    owners = {run.owner for row in render_text(placed).rows for run in row}
    assert {Owner("node", node) for node in placed.nodes} < owners
    assert {Owner("edge", edge=edge.index) for edge in placed.edges} < owners
    assert Owner("label", edge=2) in owners
    for row in render_text(placed).rows:
        assert all(run.owner is not None or not run.text.strip() for run in row)


def test_shared_cells_belong_to_the_edge_that_was_taken() -> None:
    flow = make_flow(
        {"b": "BEGIN", "ask": "?", "one": "Left", "two": "Right", "e": "END"},
        [("b", "ask", None), ("ask", "one", "a"), ("ask", "two", "b"), ("one", "e", None), ("two", "e", None)],
    )
    placed = layout(flow, direction="TB")
    x, y = placed.edges[3].path[-1]
    assert placed.edges[4].path[-1] == (x, y)

    def owner(taken: tuple[int, ...]) -> Owner | None:
        at = 0
        for run in render_text(placed, taken=taken).rows[y]:
            at += wcswidth(run.text)
            if at > x:
                return run.owner
        return None

    assert owner((3,)) == Owner("edge", edge=3)
    assert owner((3, 4)) == Owner("edge", edge=4)


def test_ascii_uses_nothing_else() -> None:
    flow = make_flow({"b": "BEGIN", "a": "Do", "c": "Sure?", "e": "END"}, [("b", "a", None), ("a", "c", None)])
    for mode in MODES:
        for direction in DIRECTIONS:
            placed = layout(flow, direction=direction, mode=mode)
            assert str(render_text(placed, ascii=True, states={"a": NodeLook("*", 3, True)})).isascii()


def test_kinds_and_the_current_node_are_told_apart_by_their_boxes() -> None:
    text = str(render_text(layout(_release(), direction="TB"), states={"tag": NodeLook("▶", current=True)}))
    assert all(corner in text for corner in ("╭", "┌", "◆", "┏"))


def test_a_drawing_in_ascii_has_no_other_sign_of_ours() -> None:
    flow = make_flow(
        {"b": "BEGIN", "a": "word " * 60, "e": "END"}, [("b", "a", None), ("a", "e", "yes " * 40), ("a", "a", "no")]
    )
    for direction in DIRECTIONS:
        for mode in MODES:
            drawn = layout(flow, direction=direction, mode=mode, width=40)
            assert str(render_text(drawn, ascii=True, states={"a": NodeLook("x", visits=3)})).isascii()
