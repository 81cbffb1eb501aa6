"""Passing words stand where nothing is clicked."""

from pathlib import Path

import pytest
from textual.widgets._toast import Toast

from kimi_tui.ui.tui.main_screen.footer import KeyFooter
from kimi_tui.ui.tui.main_screen.header import Header
from kimi_tui.ui.tui.main_screen.status_line import StatusLine
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.test_screen import MEDIUM, SMALL, WIDE, ready


@pytest.mark.parametrize("size", [WIDE, MEDIUM, SMALL, (60, 18)])
async def test_a_passing_word_covers_nothing_that_is_clicked(size: tuple[int, int], tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=size, notifications=True) as pilot:
        await ready(pilot)
        app.show_toast("written to flow-release-run-2026-11-22.md", severity="warning")
        await pilot.pause()
        toast = app.screen.query_one(Toast)
        assert toast.region.area > 0
        assert (toast.region.y, toast.region.height) == (1, 1)
        for clicked in (
            app.main_screen.query_one(Header),
            app.main_screen.flow_pane,
            app.main_screen.composer,
            app.main_screen.query_one(KeyFooter),
            app.main_screen.query_one(StatusLine),
        ):
            assert not toast.region.overlaps(clicked.region)


async def test_the_same_passing_words_are_shown_once_at_a_time(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=MEDIUM, notifications=True) as pilot:
        await ready(pilot)
        for text in ("no images", "no images", "no audio"):
            app.show_toast(text, severity="warning")
        await pilot.pause()
        assert len(app.screen.query(Toast)) == 2
