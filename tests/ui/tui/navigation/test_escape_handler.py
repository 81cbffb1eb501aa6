"""Esc, Ctrl+C and Ctrl+D: what each leaves."""

from kimi_tui.wire.events import StepBegin, TurnBegin
from tests.ui.tui.pilot_driver import Start


async def test_escape_interrupts_a_turn(start: Start) -> None:
    async with start() as driver:
        await driver.type("one")
        await driver.press("enter")
        await driver.say(TurnBegin(user_input="one"), StepBegin(n=1))
        await driver.press("escape")
        assert driver.engine.cancelled == 1


async def test_ctrl_c_clears_then_quits_when_pressed_twice(start: Start) -> None:
    async with start() as driver:
        await driver.type("draft")
        await driver.press("ctrl+c")
        assert (driver.composer, driver.app.is_running) == ("", True)
        await driver.press("ctrl+c", "ctrl+c")
        assert driver.app.return_value == 0


async def test_ctrl_d_quits_only_when_nothing_is_written(start: Start) -> None:
    async with start() as driver:
        await driver.type("x")
        await driver.press("ctrl+d")
        assert driver.app.return_value is None
        await driver.press("backspace", "ctrl+d")
        assert driver.app.return_value == 0
    assert driver.engine.closed
