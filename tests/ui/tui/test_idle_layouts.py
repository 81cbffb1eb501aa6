"""A screen on which nothing happens is not laid out: each needless layout costs the processor of whoever waits."""

from pathlib import Path

import pytest

from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.fuzz_driver import AnswerRecordingApp
from tests.ui.tui.test_random_walk import STARTS
from tests.ui.tui.test_screen import ready


@pytest.mark.parametrize("size", [(140, 42), (80, 24), (80, 12)], ids=str)
@pytest.mark.parametrize("start", STARTS)
async def test_a_screen_that_waits_is_laid_out_no_more(start: str, size: tuple[int, int], tmp_path: Path) -> None:
    _, messages, keys = STARTS[start]
    engine = FakeEngine(tmp_path)
    app, _clock = make_app(engine, kind=AnswerRecordingApp)
    layouts: list[object] = []
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        engine.say(*messages)
        await pilot.press(*keys.split())
        for _ in range(8):
            await pilot.pause()
        app.screen.screen_layout_refresh_signal.subscribe(app, layouts.append, immediate=True)
        for _ in range(6):
            await pilot.pause()
    assert len(layouts) <= 2
