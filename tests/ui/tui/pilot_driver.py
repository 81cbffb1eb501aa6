"""Drives the keys and the mouse of an app that has a fake engine."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kimi_tui.ui.tui.app import KimiTui
from tests.ui.tui.fake_engine import Clock, FakeEngine, make_app
from tests.ui.tui.test_screen import ready

Start = Callable[..., AbstractAsyncContextManager["PilotDriver"]]


class PilotDriver:
    """At a running app; `verdicts` are the answers that approvals got."""

    def __init__(self, app: KimiTui, pilot: Pilot[int], engine: FakeEngine, clock: Clock) -> None:
        self.app, self.pilot, self.engine, self.clock = app, pilot, engine, clock
        self.verdicts: list[tuple[str, str | None]] = []

    @property
    def composer(self) -> str:
        return self.app.main_screen.composer.text

    async def say(self, *messages: object) -> None:
        self.engine.say(*messages)  # type: ignore[arg-type]
        await self.pilot.pause()
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type at a user's pace: a burst of keys would count as a paste."""
        prompt = self.app.main_screen.composer.prompt
        for letter in text:
            prompt.burst_gap_s = 0.0
            await self.pilot.press("space" if letter == " " else "slash" if letter == "/" else letter)

    async def press(self, *keys: str) -> None:
        prompt = self.app.main_screen.composer.prompt
        for key in keys:
            prompt.burst_gap_s = 0.0
            await self.pilot.press(key)
        await self.pilot.pause()


@pytest.fixture
def start(tmp_path: Path) -> Start:
    @asynccontextmanager
    async def starting(
        size: tuple[int, int] = (140, 42), engine: FakeEngine | None = None, prompt: str | None = None
    ) -> AsyncIterator[PilotDriver]:
        engine = engine or FakeEngine(tmp_path)
        app, clock = make_app(engine, prompt=prompt)
        async with app.run_test(size=size) as pilot:
            await ready(pilot)
            driver = PilotDriver(app, pilot, engine, clock)
            settle = engine.approvals.settle

            def settling(request_id: str, response: str, feedback: str | None = None, **more: object) -> bool:
                driver.verdicts.append((response, feedback))
                return settle(request_id, response, feedback, **more)  # type: ignore[arg-type]

            engine.approvals.settle = settling  # type: ignore[method-assign]
            yield driver

    return starting
