"""Keys that come faster than a screen goes do not take the one below away too."""

from pathlib import Path

import pytest
from textual import events

from kimi_tui.ui.tui.dialogs.choice_dialog import ChoiceDialog
from kimi_tui.ui.tui.dialogs.option_list import Option
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.test_screen import ready


async def test_a_second_answer_of_a_screen_that_goes_is_nobodys(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    answers: list[str | None] = []
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        for _ in range(2):
            await app.push_screen(ChoiceDialog("which?", "", [Option("svg", "s", "SVG")]), answers.append)
        on_top, under = app.screen, app.screen_stack[-2]
        for key in ("s", "s", "escape"):
            on_top.post_message(events.Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert answers == ["svg"]
        assert app.screen is under
        await pilot.press("s")
        assert answers == ["svg", "svg"]
        assert app.screen is app.main_screen


@pytest.mark.parametrize("key", ["f1", "ctrl+p", "ctrl+l"])
async def test_letters_that_come_with_the_escape_that_closes_a_screen_are_in_the_message(
    tmp_path: Path, key: str
) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        await pilot.press(key)
        await pilot.pause()
        assert app.screen is not app.main_screen
        for name, letter in [("escape", None), ("n", "n"), ("o", "o"), ("w", "w")]:
            app.post_message(events.Key(name, letter))
        await pilot.pause()
        await pilot.pause()
        assert app.screen is app.main_screen
        assert app.main_screen.composer.text == "now"
