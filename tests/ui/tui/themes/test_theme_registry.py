"""Themes of the user, read again while the app shows one of them."""

import asyncio
from pathlib import Path

import pytest

from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.test_screen import ready
from tests.ui.tui.themes.test_theme import GOOD


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))
    folder = tmp_path / "home" / "themes"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(GOOD, "utf-8")
    return folder


async def test_a_theme_that_is_changed_is_shown_as_it_is_now(folder: Path, tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path), theme="mine")
    async with app.run_test() as pilot:
        await ready(pilot)
        (folder / "mine.yaml").write_text(GOOD.replace('background: "#123456"', 'background: "#654321"'), "utf-8")
        assert app.theme_registry.reload() == []
        await pilot.pause()
        assert app.current_theme.background == "#654321"
        assert app.main_screen.styles.background.r > 90


async def test_the_same_theme_activated_again_styles_nothing(folder: Path, tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path), theme="mine")
    async with app.run_test() as pilot:
        await ready(pilot)
        changes: list[str] = []
        app.theme_changed_signal.subscribe(app, lambda theme: changes.append(theme.name))
        assert app.theme_registry.activate("mine")
        await pilot.pause()
        assert changes == []
        assert app.theme_registry.activate("kimi")
        await pilot.pause()
        assert changes == ["kimi"]


async def test_a_theme_that_is_broken_is_told_with_its_line_and_the_one_that_is_shown_stays(
    folder: Path, tmp_path: Path
) -> None:
    app, _ = make_app(FakeEngine(tmp_path), theme="mine")
    async with app.run_test() as pilot:
        await ready(pilot)
        (folder / "mine.yaml").write_text(GOOD.replace('primary: "#123456"', "primary: blueish"), "utf-8")
        (wrong,) = app.theme_registry.reload()
        assert "mine.yaml:8: primary" in wrong
        assert app.current_theme.background == "#123456"


async def test_the_theme_that_is_shown_stays_when_its_file_goes_and_can_be_had_again(
    folder: Path, tmp_path: Path
) -> None:
    app, _ = make_app(FakeEngine(tmp_path), theme="mine")
    async with app.run_test() as pilot:
        await ready(pilot)
        (folder / "mine.yaml").unlink()
        assert app.theme_registry.reload() == []
        assert app.current_theme.background == "#123456"
        assert "mine" in app.theme_registry.titles()
        assert app.theme_registry.activate("kimi")
        assert app.theme_registry.activate("mine")
        assert app.current_theme.background == "#123456"


async def test_a_start_in_a_theme_that_is_gone_or_broken_is_one_in_ours(folder: Path, tmp_path: Path) -> None:
    (folder / "broken.yaml").write_text("name: [\n", "utf-8")
    (folder / "kimi-dark.yaml").write_text("colours: 1\n", "utf-8")
    for name in ("gone", "broken"):
        app, _ = make_app(FakeEngine(tmp_path), theme=name)
        assert app.current_theme.name == "kimi-dark"


async def test_a_file_that_changes_is_noticed(folder: Path, tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path), theme="mine")
    told = asyncio.Event()
    async with app.run_test() as pilot:
        await ready(pilot)
        (folder / "wrong.yaml").write_text("- x\n", "utf-8")
        follower = asyncio.create_task(app.theme_registry.watch(lambda _text: told.set()))
        await asyncio.wait_for(told.wait(), 20)
        told.clear()
        (folder / "wrong.yaml").write_text("- y\n", "utf-8")
        touching = asyncio.create_task(_touch(folder / "wrong.yaml"))
        await asyncio.wait_for(told.wait(), 20)
        touching.cancel()
        follower.cancel()
        await asyncio.gather(follower, touching, return_exceptions=True)


async def _touch(file: Path) -> None:
    """Change it again and again: a watcher hears of changes only once it has begun."""
    while True:
        await asyncio.sleep(0.2)
        file.write_text(file.read_text("utf-8") + "- z\n", "utf-8")
