"""A home of its own for every screen, a folder to work in, and an app to show screens in."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from kimi_tui.ui.tui.app import KimiTui
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.test_screen import ready

MakeScreen = Callable[[], Screen[object]]


class Shown:
    """A screen that is open in an app; `results` is what it gave back when it was left."""

    def __init__(self, app: KimiTui, pilot: Pilot[int]) -> None:
        self.app, self.pilot = app, pilot
        self.results: list[object] = []

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            if len(key) > 1:
                await self.settle()
        await self.settle()

    async def settle(self) -> None:
        """Until what the keys set off has been done."""
        ours = ("sessions", "search", "preview", "change", "load", "look")
        for _ in range(4):  # a key can be a message of the line, then of the list, then of the screen, then work
            await self.pilot._wait_for_screen()
            await self.pilot.pause()
            await self.app.workers.wait_for_complete([one for one in self.app.workers if one.group in ours])
        await self.pilot.pause()


ShowScreen = Callable[..., AbstractAsyncContextManager[Shown]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    return tmp_path / "home"


@pytest.fixture
def work_dir(tmp_path: Path, home: Path) -> Path:
    folder = tmp_path / "proj"
    folder.mkdir()
    return folder


@pytest.fixture
def show(work_dir: Path) -> ShowScreen:
    @asynccontextmanager
    async def showing(make: MakeScreen, size: tuple[int, int] = (140, 42)) -> AsyncIterator[Shown]:
        app, _ = make_app(FakeEngine(work_dir))
        async with app.run_test(size=size) as pilot:
            await ready(pilot)
            shown = Shown(app, pilot)
            app.push_screen(make(), shown.results.append)
            await shown.settle()
            yield shown

    return showing
