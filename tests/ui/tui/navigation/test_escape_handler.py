"""Esc, Ctrl+C and Ctrl+D: what each leaves."""

from kimi_tui.wire.events import StepBegin, TurnBegin
from tests.ui.tui.hands import Start


async def test_escape_interrupts_a_turn(start: Start) -> None:
    async with start() as stage:
        await stage.type("one")
        await stage.press("enter")
        await stage.say(TurnBegin(user_input="one"), StepBegin(n=1))
        await stage.press("escape")
        assert stage.engine.cancelled == 1


async def test_ctrl_c_clears_then_quits_when_pressed_twice(start: Start) -> None:
    async with start() as stage:
        await stage.type("draft")
        await stage.press("ctrl+c")
        assert (stage.composer, stage.app.is_running) == ("", True)
        await stage.press("ctrl+c", "ctrl+c")
        assert stage.app.return_value == 0


async def test_ctrl_d_quits_only_when_nothing_is_written(start: Start) -> None:
    async with start() as stage:
        await stage.type("x")
        await stage.press("ctrl+d")
        assert stage.app.return_value is None
        await stage.press("backspace", "ctrl+d")
        assert stage.app.return_value == 0
    assert stage.engine.closed
