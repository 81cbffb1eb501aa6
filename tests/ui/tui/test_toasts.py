"""Passing words stand where nothing is clicked."""

from pathlib import Path

import pytest
from textual.widgets._toast import Toast

from tests.ui.tui.stand_in import StandIn, make_app
from tests.ui.tui.test_screen import MEDIUM, SMALL, WIDE, ready


@pytest.mark.parametrize("size", [WIDE, MEDIUM, SMALL, (60, 18)])
async def test_a_passing_word_covers_nothing_that_is_clicked(size: tuple[int, int], tmp_path: Path) -> None:
    app, _ = make_app(StandIn(tmp_path))
    async with app.run_test(size=size, notifications=True) as pilot:
        await ready(pilot)
        app.tell("written to flow-release-run-2026-11-22.md", severity="warning")
        await pilot.pause()
        toast = app.screen.query_one(Toast)
        assert toast.region.area > 0
        assert (toast.region.y, toast.region.height) == (1, 1)
        for clicked in (app.home.header, app.home.flow, app.home.composer, app.home.hints, app.home.strip):
            assert not toast.region.overlaps(clicked.region)
