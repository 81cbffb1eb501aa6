"""What one can do at the beginning can be clicked."""

from pathlib import Path

import pytest

from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.main_screen.welcome import Welcome
from kimi_tui.ui.tui.navigation.command_palette import CommandPalette
from kimi_tui.ui.tui.screens.help import Help
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.screen_text import app_text
from tests.ui.tui.test_screen import SMALL, WIDE, ready


def row_of(app: KimiTui, words: str) -> int:
    welcome = app.main_screen.query_one(Welcome)
    return next(y for y in range(welcome.size.height) if words in welcome.render_line(y).text)


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_a_click_on_a_row_does_what_its_key_does(size: tuple[int, int], tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        await pilot.click(app.main_screen.query_one(Welcome), offset=(size[0] // 4, row_of(app, "all actions")))
        await pilot.pause()
        assert isinstance(app.screen, CommandPalette)
        await pilot.press("escape")
        await pilot.pause()
        app.main_screen.query_one(Welcome).show_note("3 MCP servers failed: /mcp", action="help")
        await pilot.pause()
        await pilot.click(app.main_screen.query_one(Welcome), offset=(size[0] // 4, row_of(app, "3 MCP servers")))
        await pilot.pause()
        assert isinstance(app.screen, Help)
        await pilot.press("escape")
        await pilot.click(app.main_screen.query_one(Welcome), offset=(size[0] // 4, row_of(app, "commands, skills")))
        await pilot.pause()
        assert app.main_screen.composer.text == "/"


async def test_the_keys_are_shown_whole_or_not_at_all_above_a_menu(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(80, 18)) as pilot:
        await ready(pilot)
        assert "all actions" in app_text(app)
        await pilot.press("/")
        await pilot.pause()
        shown = app_text(app)
        assert "agents that follow flows" in shown
        assert "all actions" not in shown
        assert "a file in this folder" not in shown
        await pilot.press("escape")
        await pilot.pause()
        assert "all actions" in app_text(app)
