"""The bar that searches the conversation."""

from pathlib import Path

from textual import events
from textual.widgets import Input

from kimi_tui.ui.tui.main_screen.find_bar import FindBar
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.test_screen import ready


async def test_letters_that_come_with_the_key_that_opens_the_search_are_searched_for(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        for key, char in (("ctrl+f", None), ("a", "a"), ("b", "b"), ("c", "c")):
            app.post_message(events.Key(key, char))
        await pilot.pause()
        await pilot.pause()
        assert app.main_screen.query_one(FindBar).query_one(Input).value == "abc"
        assert app.main_screen.composer.text == ""
