"""The run's place in a few rows, for a terminal without room for the chart."""

from pathlib import Path

import pytest

from kimi_tui.flow.run.run_view import RunView
from kimi_tui.ui.tui.flow_pane.place_strip import current_place, place_lines
from kimi_tui.ui.tui.flow_pane.run_styles import LiveContext, recorded_chart
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.wire.flow_events import FlowBegin
from tests.ui.tui.flow_pane import flow_scenarios
from tests.ui.tui.flow_pane.flow_driver import open_flow


def rows_of(messages: list[object], width: int, rows: int, *, ascii_only: bool = False) -> list[str]:
    begin = next(one for one in messages if isinstance(one, FlowBegin))
    run = RunView.from_begin(begin)
    for message in messages[messages.index(begin) + 1 :]:
        run.apply(message)  # type: ignore[arg-type]
    place = current_place(run, recorded_chart(begin), LiveContext(), ascii=ascii_only)
    assert place is not None
    return [line.text.rstrip() for line in place_lines(place, width, rows, Palette())]


def test_the_place_has_the_node_before_the_current_one_and_a_row_for_each_way() -> None:
    assert rows_of([*flow_scenarios.nested()], 100, 3) == [
        "   ✓ Run the tests ━▶ Tests pass? ┳╍ flaky ╍▷ ✓ Run the tests",
        "                                  ┣╍ fail ╍▷ □ Fix the failures",
        "                                  ┗╍ pass ╍▷ □ Review yourself",
    ]


def test_a_single_row_has_the_labels_of_the_ways() -> None:
    assert rows_of([*flow_scenarios.nested()], 80, 1) == [
        "   ✓ Run the tests ━▶ Tests pass? ╍▷ flaky  ╍▷ fail  ╍▷ pass"
    ]
    assert rows_of([*flow_scenarios.nested()], 80, 1, ascii_only=True)[0].isascii()


@pytest.mark.parametrize("width", [40, 44, 60, 80, 119])
def test_no_row_is_wider_than_the_terminal(width: int) -> None:
    for rows in (1, 2, 3):
        assert all(len(row) <= width for row in rows_of([*flow_scenarios.nested()], width, rows))


@pytest.mark.parametrize(("size", "rows"), [((100, 30), 2), ((80, 24), 1)])
async def test_a_flow_that_runs_beside_no_chart_shows_its_place_without_a_key(
    tmp_path: Path, size: tuple[int, int], rows: int
) -> None:
    async with open_flow(tmp_path, size=size) as one:
        await one.run()
        await one.reply("looked", "fixed")
        assert "✓ Fix it ━▶ Green?" in one.shown()
        assert ("╍▷ □ Tag it" in one.shown()) is (rows > 1)
        assert one.shown().count("Green?") == 2  # the turn's header, and the place
        await one.press("f3")
        assert "✓ Fix it ━▶ Green?" not in one.shown()  # the chart shows it
