"""What the further screens have in common."""

from pathlib import Path

import pytest

from kimi_tui.ui.tui.screens.log import LogView
from kimi_tui.ui.tui.screens.mcp import McpStatus
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.screen_text import app_strips, notices
from tests.ui.tui.test_screen import ready


async def test_a_word_that_is_too_long_for_the_frames_edge_is_told_whole(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        screen = LogView(tmp_path / "log")
        await app.push_screen(screen)
        await pilot.pause()
        screen.set_status("short")
        assert str(screen.query_one("#frame").border_subtitle) == "short"
        assert not notices(app)
        screen.set_status("this cannot be done: " + "because " * 12)
        await pilot.pause()
        assert any("because because" in note for note in notices(app))


async def test_a_screen_is_a_card_as_high_as_what_it_holds(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    log = tmp_path / "log"
    async with app.run_test(size=(140, 42)) as pilot:
        await ready(pilot)
        for count, size in ((1, (108, 8)), (9, (140, 17)), (99, (140, 42))):
            log.write_text("2026-01-01 10:00:00,000 INFO one\n" * count, "utf-8")
            screen = LogView(log)
            await app.push_screen(screen)
            await app.workers.wait_for_complete([one for one in app.workers if one.group == "load"])
            await pilot.pause()
            frame = screen.query_one("#frame").region
            assert frame.size == size
            assert frame.x == (140 - size[0]) // 2
            assert frame.y == (42 - size[1]) // 2
            screen.dismiss(None)
            await pilot.pause()


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (140, 42)])
async def test_a_card_without_items_says_so_at_every_size(size: tuple[int, int], tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))

    async def restart(name: str) -> None:
        raise AssertionError(name)

    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        await app.push_screen(McpStatus(tuple, restart=restart))
        await pilot.pause()
        assert any("no MCP servers configured" in strip.text for strip in app_strips(app))
