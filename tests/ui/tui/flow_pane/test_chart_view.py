"""The chart as a widget: what it shows, how one moves about in it, and what it repaints."""

import gc
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.geometry import Region

from kimi_tui.flow.layout.fitting import fitting_layout
from kimi_tui.flow.layout.geometry import Layout
from kimi_tui.flow.layout.layout import layout
from kimi_tui.flow.model.validation import build_flow
from kimi_tui.flow.parsing.reader import read_chart
from kimi_tui.flow.render.box_drawing import EAST, NORTH, SOUTH, WEST, arrow_char, line_char
from kimi_tui.flow.render.chart_style import ChartStyle, EdgeStyle, LineKind
from kimi_tui.flow.render.node_signs import SIGNS
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.skill.skill import Scope, Skill, parse_skill
from kimi_tui.ui.tui.flow_pane.chart_surface import DrawnSurface
from kimi_tui.ui.tui.flow_pane.outline_surface import OutlineSurface
from kimi_tui.ui.tui.flow_pane.run_styles import LiveContext, chart_style, node_status, recorded_chart
from kimi_tui.ui.tui.flow_pane.surface_planner import SurfacePlanner, Way, Zoom
from kimi_tui.ui.tui.main_screen.divider import Divider
from kimi_tui.wire.flow_events import (
    FlowBegin,
    FlowEdgeShape,
    FlowEnd,
    FlowNodeBegin,
    FlowNodeEnd,
    FlowNodeShape,
    FlowPaused,
)
from tests.bench.flow_pane import measure
from tests.flow.layout_check import violations
from tests.flow.random_flows import any_flow, likely_flow, make_flow
from tests.ui.tui import wire_scenarios
from tests.ui.tui.flow_pane import flow_scenarios
from tests.ui.tui.flow_pane.flow_driver import FlowDriver, open_flow


def text_of(plane: DrawnSurface | OutlineSurface, faces: object) -> str:
    return "\n".join(
        "".join(piece.text for piece in plane.row(y, faces)).rstrip()  # type: ignore[arg-type]
        for y in range(plane.height)
    )


def picture_after(messages: list[object]) -> tuple[RunView, object]:
    begin = next(one for one in messages if type(one).__name__ == "FlowBegin")
    picture = RunView.from_begin(begin)  # type: ignore[arg-type]
    for message in messages[messages.index(begin) + 1 :]:
        picture.apply(message)  # type: ignore[arg-type]
    return picture, recorded_chart(begin)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arms", "sign"),
    [
        ({NORTH: "light", SOUTH: "light"}, "│"),
        ({EAST: "light", SOUTH: "light"}, "╭"),
        ({NORTH: "heavy", SOUTH: "heavy"}, "┃"),
        ({EAST: "double", WEST: "double"}, "═"),
        ({NORTH: "dashed", SOUTH: "dashed"}, "╏"),
        ({EAST: "dashed", SOUTH: "dashed"}, "┏"),
        ({NORTH: "heavy", SOUTH: "heavy", EAST: "light"}, "┠"),
        ({EAST: "heavy", WEST: "light"}, "╼"),
        ({NORTH: "light", EAST: "heavy", SOUTH: "heavy", WEST: "light"}, "╆"),
    ],
)
def test_lines_of_different_weight_join(arms: dict[int, str], sign: str) -> None:
    assert line_char(arms) == sign  # type: ignore[arg-type]


@pytest.mark.parametrize("ascii_only", [False, True])
def test_lines_taken_possible_and_not_taken_have_signs_of_their_own(ascii_only: bool) -> None:
    for arms in ((EAST, WEST), (NORTH, SOUTH)):
        signs = {line_char(dict.fromkeys(arms, kind), ascii=ascii_only) for kind in get_args(LineKind)}
        assert len(signs) == 4
    assert arrow_char(EAST, "dashed") == "▷"  # open until the branch is taken
    assert {arrow_char(EAST, kind) for kind in get_args(LineKind) if kind != "dashed"} == {"▶"}


def test_a_chart_that_would_be_scrolled_gets_lower_boxes_until_it_fits() -> None:
    label = "Read the next files of the change and note each place that may be wrong, with its line and the reason"
    chart = ["flowchart TD", "  b([BEGIN]) --> n0"]
    chart += [f"  n{n}[Step {n}: {label}] --> n{n + 1}" for n in range(4)]
    flow = build_flow(read_chart("\n".join([*chart, "  n4[Sum up] --> e([END])"]), "mermaid"))
    planner = SurfacePlanner(flow)
    heights = {rows: planner.make(50, rows, "auto", "auto").surface.height for rows in (60, 36, 30, 16)}
    assert all(height <= rows for rows, height in heights.items()), heights
    assert planner.make(50, 36, "auto", "auto").mode == "full"
    assert planner.make(50, 16, "auto", "auto").mode == "compact"
    assert planner.make(50, 16, "full", "auto").mode == "full"


def test_a_chart_that_is_scrolled_anyway_has_whole_labels() -> None:
    label = "Read the next files and note each place that may be wrong"
    chart = ["flowchart TD", "  b([BEGIN]) --> n0"]
    chart += [f"  n{n}[Step {n}: {label}] --> n{n + 1}" for n in range(6)]
    flow = build_flow(read_chart("\n".join([*chart, "  n6[Sum up] --> e([END])"]), "mermaid"))
    shown = SurfacePlanner(flow).make(50, 16, "auto", "auto")
    assert isinstance(shown.surface, DrawnSurface)
    assert (shown.mode, 16 < shown.surface.height <= 24) == ("compact", True)
    assert not [node for node in shown.surface.layout.nodes.values() if any("…" in line for line in node.lines)]


def test_the_box_of_a_run_that_paused_says_what_happened_there() -> None:
    begin = FlowBegin(
        run_id="r", name="f", source="mermaid", nodes=(FlowNodeShape(id="n", label="Check", kind="task"),), edges=(),
        begin_id="B", end_id="E", max_moves=9,
    )  # fmt: skip
    for reason, words in (
        ("failed", "failed"),
        ("cancelled", "interrupted"),
        ("rejected", "rejected"),
        ("user", "paused"),
    ):
        run = RunView.from_begin(begin, 0.0)
        run.apply(FlowNodeBegin(run_id="r", node_id="n", move=1), 0.0)
        run.apply(FlowPaused(run_id="r", node_id="n", reason=reason), 1.0)
        style = chart_style(run, recorded_chart(begin), LiveContext(2.0)).node("n")
        assert (style.sign, style.words[0]) == (SIGNS["paused"], words)


def test_a_chart_that_is_too_large_to_draw_is_its_outline_and_says_so() -> None:
    flow = likely_flow(2_000, 1)
    shown = SurfacePlanner(flow).make(100, 40, "auto", "auto")
    assert shown.mode == "outline"
    rows = ["".join(piece.text for piece in shown.surface.row(y, ChartStyle())).rstrip() for y in range(3)]
    assert rows[0].startswith("this chart is too large to draw: 2000 nodes")
    assert "BEGIN" in rows[1]
    assert shown.surface.position_of(flow.begin_id) == Region(0, 1, 100, 1)


def test_a_chart_whose_lines_are_too_long_to_draw_is_its_outline() -> None:
    names = [f"n{i}" for i in range(600)]
    edges: list[tuple[str, str, str | None]] = [("BEGIN", "all", None)]
    edges += [("all", name, f"to {name}") for name in names] + [(name, "END", None) for name in names]
    flow = make_flow({name: name for name in ("BEGIN", "all", *names, "END")}, edges)
    shown = SurfacePlanner(flow).make(100, 40, "auto", "auto")
    assert shown.mode == "outline"
    first = "".join(piece.text for piece in shown.surface.row(0, ChartStyle()))
    assert first.startswith("this chart is too large to draw: 603 nodes, 1201 edges")


def test_a_chart_that_a_pane_of_dozens_of_screens_would_not_show_is_its_outline() -> None:
    assert SurfacePlanner(any_flow(60, 480, 1)).make(100, 40, "compact", "auto").mode == "outline"
    assert SurfacePlanner(likely_flow(800, 1)).make(100, 40, "full", "auto").mode == "full"


def test_only_a_few_layouts_of_long_lines_are_kept_when_the_pane_changes_its_width() -> None:
    flow = any_flow(60, 300, 1)
    planner = SurfacePlanner(flow)
    for width in range(55, 155, 20):
        assert planner.make(width, 40, "compact", "auto").mode == "compact"
    laid = [one for one in gc.get_objects() if isinstance(one, Layout) and len(one.edges) == len(flow.edges)]
    assert sum(one.line_cells for one in laid) < 1_000_000


def test_a_chart_of_few_nodes_and_many_edges_is_laid_out_off_the_event_loop() -> None:
    assert SurfacePlanner(any_flow(60, 580, 1)).is_slow
    assert not SurfacePlanner(likely_flow(60, 1)).is_slow


def test_every_row_of_a_canvas_is_as_wide_as_the_chart() -> None:
    picture, flow = picture_after(flow_scenarios.nested())
    laid = layout(flow)  # type: ignore[arg-type]
    for ascii_only in (False, True):
        plane = DrawnSurface(laid, ascii=ascii_only)
        faces = chart_style(picture, flow, LiveContext(), ascii=ascii_only)  # type: ignore[arg-type]
        rows = [sum(len(piece.text) for piece in plane.row(y, faces)) for y in range(plane.height)]
        assert set(rows) == {laid.width}
        assert not ascii_only or text_of(plane, faces).isascii()


def test_the_way_gone_is_told_apart_without_colour_and_so_is_a_persons_choice() -> None:
    picture, flow = picture_after(flow_scenarios.nested())
    text = text_of(DrawnSurface(layout(flow)), chart_style(picture, flow, LiveContext()))  # type: ignore[arg-type]
    assert "║ yes" in text  # chosen by hand
    assert "┃ no" in text  # chosen by the model
    assert "╏ flaky" in text  # in question now
    assert "│ no" in text  # not gone: another decision's


def test_a_change_concerns_the_rows_of_its_node_only() -> None:
    picture, flow = picture_after(flow_scenarios.nested())
    plane = DrawnSurface(layout(flow))  # type: ignore[arg-type]
    before = chart_style(picture, flow, LiveContext(10.0))  # type: ignore[arg-type]
    rows = [plane.row(y, before) for y in range(plane.height)]
    picture.apply(FlowNodeEnd(run_id="run", node_id="pass", move=9, status="done", duration_s=3.0))
    after = chart_style(picture, flow, LiveContext(10.0))  # type: ignore[arg-type]
    touched = plane.rows_covered(after.other_nodes(before), after.other_edges(before))
    changed = {y for y in range(plane.height) if plane.row(y, after) != rows[y]}
    assert changed <= touched
    place = plane.position_of("pass")
    assert place is not None
    assert changed <= set(range(place.y, place.bottom))


@pytest.mark.parametrize(
    ("circumstances", "standing"),
    [
        (LiveContext(), "running"),
        (LiveContext(approval=True), "approval"),
        (LiveContext(answer=True), "answer"),
        (LiveContext(retry_until=5.0), "retrying"),
    ],
)
def test_what_holds_the_running_node_up_is_its_standing(circumstances: LiveContext, standing: str) -> None:
    picture, _ = picture_after(wire_scenarios.flow_at_decision())
    assert node_status(picture, "green", circumstances) == standing


def test_nodes_that_a_run_did_not_come_to_are_skipped_only_if_it_finished() -> None:
    picture, _ = picture_after(flow_scenarios.failed())
    assert node_status(picture, "tag", LiveContext()) == "waiting"
    assert node_status(picture, "green", LiveContext()) == "failed"
    picture.apply(FlowEnd(run_id="run", status="finished", moves=5))
    assert node_status(picture, "tag", LiveContext()) == "skipped"


def test_the_selected_row_of_an_outline_has_the_cursor_and_no_text_moves() -> None:
    flow = likely_flow(8, 3)
    for ascii_only in (False, True):
        surface = OutlineSurface(flow, 40, ascii=ascii_only)
        for node in flow.nodes:
            region = surface.position_of(node)
            assert region is not None
            plain, chosen = (
                "".join(piece.text for piece in surface.row(region.y, ChartStyle(selected=selected)))
                for selected in ("", node)
            )
            assert chosen.replace(">" if ascii_only else "›", " ", 1) == plain != chosen


def test_an_outline_is_never_wider_than_its_pane() -> None:
    picture, flow = picture_after(flow_scenarios.chinese_flow())
    from kimi_tui.ui.tui.text.styled_line import cells

    for width in (12, 20, 33):
        plane = OutlineSurface(flow, width)  # type: ignore[arg-type]
        faces = chart_style(picture, flow, LiveContext())  # type: ignore[arg-type]
        assert {sum(cells(piece.text) for piece in plane.row(y, faces)) for y in range(plane.height)} == {width}


def test_a_branch_without_a_label_is_one_space_from_its_sign() -> None:
    flow = make_flow(
        {"b": "BEGIN", "q": "Ok?", "x": "Fix", "e": "END"},
        [("b", "q", None), ("q", "e", "yes"), ("q", "x", "no"), ("x", "q", None)],
    )
    plane = OutlineSurface(flow, 30)
    assert "╰ ↑ Ok?" in text_of(plane, ChartStyle())
    counted = ChartStyle(edges=tuple(EdgeStyle(count="×2") for _ in flow.edges))
    assert "╰ ×2 ↑ Ok?" in text_of(plane, counted)


def test_a_chart_with_lower_boxes_fits_before_it_is_scrolled() -> None:
    picture, flow = picture_after(flow_scenarios.nested())
    del picture
    planner = SurfacePlanner(flow)  # type: ignore[arg-type]
    shown = {rows: planner.make(51, rows, "auto", "auto") for rows in (45, 37, 33, 25)}
    assert [one.mode for one in shown.values()] == ["full", "full", "compact", "compact"]
    assert all(one.surface.height <= rows for rows, one in shown.items())


@pytest.mark.parametrize("width", [51, 100, 140, 200])
def test_the_pane_draws_what_flow_show_draws_if_it_is_high_enough(width: int) -> None:
    for seed in range(12):
        flow = replace(likely_flow(4 + seed * 2, seed), direction="LR" if seed % 3 == 0 else "TB")
        shown, laid = SurfacePlanner(flow).make(width, 10_000, "auto", "auto"), fitting_layout(flow, width)
        drawn = shown.surface.layout if isinstance(shown.surface, DrawnSurface) else None
        if laid is not None:
            assert drawn == laid, (seed, width)


def test_boxes_of_a_zoomed_flow_to_the_right_are_as_high_as_their_text() -> None:
    text = "Read the next files of the change and note each place that may be wrong. " * 12
    flow = make_flow(
        {"b": "BEGIN", "x": text, "y": "Do", "z": text[:500], "e": "END"},
        [("b", "x", None), ("x", "y", None), ("y", "z", None), ("z", "e", None)],
    )
    shown = SurfacePlanner(flow).make(100, 38, "auto", "LR")
    assert isinstance(shown.surface, DrawnSurface)
    for node in shown.surface.layout.nodes.values():
        assert node.height == len(node.lines) + 2
        assert "…" not in node.lines[-1]


# On the screen


async def test_a_large_chart_is_laid_out_aside_and_has_a_map(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*flow_scenarios.large_200())
        await one.press("f3", "f11")
        chart = one.pane.chart
        assert chart.surface is not None
        assert chart.map is not None
        assert "▶" in one.shown().splitlines()[2][100:]
        await one.press("m")
        assert "█" not in one.shown().splitlines()[4][100:]


async def test_a_map_that_may_not_cover_the_chart_is_there_only_where_its_corner_is_free(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*flow_scenarios.large_200())
        await one.press("f3", "home")
        chart = one.pane.chart
        chart.map_covers = False

        def has_map() -> bool:
            return any("map" in segment.style.meta for segment in chart.render_line(0) if segment.style)

        chart.forget_map()
        assert not has_map()
        await one.press("f11")
        assert has_map()
        corner = chart.map_region
        drawn = [chart.render_line(y).crop(corner.x, corner.right).text for y in range(corner.height)]
        chart.with_map = False
        chart.forget_map()
        below = [chart.render_line(y).crop(corner.x, corner.right).text.strip() for y in range(corner.height)]
        assert any(text.strip() for text in drawn)
        assert not any(below)


async def test_a_click_on_the_map_goes_there_and_stops_following(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*flow_scenarios.large_200())
        await one.press("f3", "f11")
        chart = one.pane.chart
        area = chart.map_region
        await one.pilot.click(chart, offset=(area.right - 1, area.bottom - 1))
        await one.settle()
        assert (chart.following, chart.scroll_y > 100) == (False, True)
        await one.press("home")
        assert chart.following
        assert current_is_seen(one)


async def test_each_press_of_z_changes_the_chart(tmp_path: Path) -> None:
    async with open_flow(tmp_path, size=(140, 42)) as one:
        await one.say(*wire_scenarios.flow_at_decision())
        await one.press("f3")
        chart, drawn = one.pane.chart, []
        for _ in range(3):
            drawn.append(chart.surface)
            await one.press("z")
            await one.settle()
            assert chart.surface is not drawn[-1]
        assert chart.zoom == "auto"


async def test_the_wheel_and_a_drag_pan_and_a_drag_opens_nothing(tmp_path: Path) -> None:
    async with open_flow(tmp_path, size=(140, 30)) as one:
        await one.say(*flow_scenarios.nested())
        chart = one.pane.chart
        chart.zoom_by(1)
        await one.settle()
        chart.action_home()
        await one.settle()
        top = chart.scroll_y
        assert chart.following
        await one.pilot.mouse_down(chart, offset=(25, 8))
        await one.pilot.hover(chart, offset=(25, 13))
        await one.pilot.mouse_up(chart, offset=(25, 13))
        await one.settle()
        assert (chart.scroll_y, chart.following) == (top - 5, False)
        assert type(one.app.screen).__name__ == "MainScreen"


async def test_the_view_follows_the_run_until_the_person_pans(tmp_path: Path) -> None:
    async with open_flow(tmp_path, size=(140, 24)) as one:
        await one.say(*flow_scenarios.nested())
        assert current_is_seen(one)
        await one.press("f3", "shift+up", "shift+up", "shift+up", "shift+up", "shift+up", "shift+up")
        top = one.pane.chart.scroll_y
        await one.say(FlowNodeEnd(run_id="run", node_id="pass", move=9, status="done", duration_s=1.0))
        await one.say(FlowNodeBegin(run_id="run", node_id="review", move=10))
        assert one.pane.chart.scroll_y == top
        await one.press("home")
        assert current_is_seen(one)


async def test_keys_change_the_view(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*flow_scenarios.nested())
        await one.press("f3")
        chart = one.pane.chart
        assert chart.view == "full"
        for key, view in (
            ("minus", "compact"),
            ("minus", "outline"),
            ("plus", "compact"),
            ("o", "outline"),
            ("o", "full"),
        ):
            await one.press(key)
            assert chart.view == view
        await one.press("d")
        assert chart.direction == "LR"


async def test_a_low_chart_to_the_right_is_in_the_middle_of_a_tall_pane(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*flow_scenarios.nested())
        chart = one.pane.chart

        def rows() -> list[int]:
            return [y for y in range(chart.size.height) if chart.render_line(y).text.strip()]

        assert chart.direction == "TB"
        assert rows()[0] == 0
        await one.press("f3", "z", "d")
        assert chart.surface is not None
        assert chart.direction == "LR"
        above, below = rows()[0], chart.size.height - 1 - rows()[-1]
        assert above > 2
        assert abs(above - below) <= 2


async def test_a_narrow_pane_has_an_outline_by_itself(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*flow_scenarios.nested())
        one.app.main_screen.query_one(Divider).post_message(Divider.Moved(one.app.size.width))
        await one.settle()
        assert one.pane.chart.view == "outline"


async def test_an_idle_chart_repaints_nothing_and_a_second_of_a_run_only_its_node(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*flow_scenarios.nested())
        chart = one.pane.chart
        painted: list[Region] = []
        refresh = chart.refresh

        def counting(*regions: Region, **options: bool) -> object:
            painted.extend(regions or [Region(0, 0, *chart.size)])
            return refresh(*regions, **options)

        chart.refresh = counting  # type: ignore[method-assign]
        one.app.presenter.tick()
        await one.settle()
        painted.clear()
        one.app.presenter.tick()
        await one.settle()
        assert painted == []
        one.clock.now += 1
        one.app.presenter.tick()
        await one.settle()
        place = chart.surface.position_of("pass") if chart.surface is not None else None
        assert place is not None
        assert 0 < sum(region.area for region in painted) <= place.area


def current_is_seen(one: FlowDriver) -> bool:
    chart = one.pane.chart
    place = chart.surface.position_of(chart.current) if chart.surface is not None else None
    assert place is not None
    return Region(chart.scroll_offset.x, chart.scroll_offset.y, *chart.size).contains_region(place)


@pytest.mark.faults
async def test_a_change_on_a_chart_of_200_nodes_fits_into_a_frame() -> None:
    """A frame is 16 ms; the process's own time is counted, not that of its neighbours."""
    nodes, times, _, _, idle_cells = await measure(200)
    assert nodes > 200
    assert sorted(times)[len(times) // 2] < 16
    assert idle_cells == 0


def test_of_a_broken_record_what_there_is_of_the_chart_is_drawn() -> None:
    """Edges to nodes that are not there, and no nodes at all."""
    shapes = (FlowNodeShape(id="a", label="A", kind="task"),)
    edges = (FlowEdgeShape(src="a", dst="nowhere"), FlowEdgeShape(src="gone", dst="a"))
    for nodes in (shapes, ()):
        begin = FlowBegin(
            run_id="r", name="n", source="mermaid", nodes=nodes, edges=edges, begin_id="b", end_id="e", max_moves=1
        )
        flow = recorded_chart(begin)
        assert set(flow.nodes) == {"b", "e", *(shape.id for shape in nodes)}
        assert flow.edges == ()
        assert layout(flow).nodes


def test_labels_are_whole_in_a_pane_as_long_as_the_chart_needs_no_scrolling() -> None:
    text = "Read the change as its most critical reader would, and write down each doubt that is left"
    flow = make_flow({"b": "BEGIN", "n": text * 2, "e": "END"}, [("b", "n", None), ("n", "e", None)])
    planner = SurfacePlanner(flow)

    def shown(width: int, height: int) -> str:
        surface = planner.make(width, height, "auto", "auto").surface
        return "".join(span.text for y in range(surface.height) for span in surface.row(y, ChartStyle()))

    assert "…" not in shown(40, 40)
    assert "…" in shown(40, 10)
    assert "…" not in shown(140, 10)


@settings(max_examples=60, derandomize=True, database=None, deadline=None)
@given(
    st.integers(3, 40), st.integers(0, 10_000), st.sampled_from([(51, 33), (70, 20), (140, 38), (200, 56)]),
    st.sampled_from(["auto", "full", "compact"]), st.sampled_from(["auto", "TB", "LR"]),
)  # fmt: skip
def test_nothing_is_cut_while_cells_are_free_and_begin_never_is(
    size: int, seed: int, pane: tuple[int, int], zoom: Zoom, way: Way
) -> None:
    width, height = pane
    flow = likely_flow(size, seed)
    surface = SurfacePlanner(flow).make(width, height, zoom, way).surface
    assert isinstance(surface, DrawnSurface)
    assert violations(surface.layout, flow) == []
    begin = surface.layout.nodes[flow.begin_id]
    assert "".join(begin.lines) == "BEGIN"
    cut = [node.id for node in surface.layout.nodes.values() if node.lines[-1].endswith("…")]
    assert not cut or (width < 100 and surface.height >= height)


LONG = (
    "flowchart TD\nB([BEGIN]) --> " + " --> ".join(f"n{n}[Look at part {n} of it]" for n in range(9)) + " --> E([END])"
)
SHORT = "flowchart TD\nB([BEGIN]) --> a[Look]\na --> E([END])"


def skill(name: str, chart: str) -> Skill:
    text = f"---\nname: {name}\ntype: flow\ndescription: d\n---\n```mermaid\n{chart}\n```\n"
    return parse_skill(text, Path(name) / "SKILL.md", Scope.USER)


async def test_a_direction_belongs_to_its_flow(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        chart = one.pane.chart
        one.pane.show_chart(skill("short", SHORT))
        await one.press("f3")
        await one.press("d")
        assert chart.direction == "LR"
        one.pane.show_chart(skill("long", LONG))
        await one.settle()
        assert chart.direction == "TB"
        one.pane.show_chart(skill("short", SHORT))
        await one.settle()
        assert chart.direction == "LR"


async def test_a_wide_chart_that_opens_from_the_list_begins_at_its_first_node(tmp_path: Path) -> None:
    async with open_flow(tmp_path, size=(100, 30)) as one:
        lying = LONG.replace("flowchart TD", "flowchart LR")
        one.pane.show_flows([skill("long", lying), skill("short", SHORT)])
        await one.press("f3")
        chart = one.pane.chart
        chart.action_turn()
        await one.settle()
        assert (chart.direction, chart.scroll_offset.x) == ("LR", 0)
        one.pane.show_chart(skill("short", SHORT))
        await one.press("l", "home", "v")
        assert (chart.direction, chart.scroll_offset.x) == ("LR", 0)
