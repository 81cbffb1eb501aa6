"""Whatever is pressed, clicked, resized or said, in whatever order: the screen stays, and nothing is thrown."""

import random
from pathlib import Path

import pytest

from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import ApprovalResponse, StepInterrupted
from kimi_tui.wire.parts import TextPart
from tests.ui.tui import scenes
from tests.ui.tui.stand_in import StandIn, make_app
from tests.ui.tui.test_screen import ready

KEYS = (  # noqa: SIM905 - a list of words reads better
    "a b c d f j k l n r x y z N 1 2 4 9 / @ enter escape tab shift+tab up down left right home end pageup "
    "pagedown space backspace delete ctrl+j ctrl+s ctrl+r ctrl+o ctrl+t ctrl+f ctrl+p ctrl+k ctrl+u f1 f2 f3 "
    "f4 f5 f6 f7 f11 "
).split()
SIZES = ((140, 42), (120, 20), (100, 30), (80, 24), (79, 40), (60, 18), (20, 6), (200, 60), (3, 2))
MESSAGES: tuple[WireMessage, ...] = (
    *scenes.streaming(),
    *scenes.approval(),
    *scenes.flow_asks(),
    *scenes.flow_done(),
    *scenes.error(),
    *scenes.chinese(),
    ApprovalResponse(request_id="ask", response="reject"),
    StepInterrupted(),
    TextPart(text="\x1b[2J\x1b]52;c;AAAA\x07[bold]\u202e\ud83d"),
)
STEPS = 80


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.timeout(120)
async def test_no_way_through_the_screen_ends_in_an_error(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    engine = StandIn(tmp_path)
    app, clock = make_app(engine)
    async with app.run_test(size=(140, 42)) as pilot:
        await ready(pilot)
        for _ in range(STEPS):
            clock.now += chance.choice((0.0, 0.1, 1.0))
            match chance.randrange(10):
                case 0:
                    await pilot.resize_terminal(*chance.choice(SIZES))
                case 1 | 2:
                    x, y = chance.randrange(app.size.width), chance.randrange(app.size.height)
                    await pilot.click(offset=(x, y))
                case 3 | 4 | 5:
                    engine.say(*chance.choices(MESSAGES, k=chance.randrange(1, 6)))
                    await pilot.pause()
                case _:
                    await pilot.press(chance.choice(KEYS))
            if app.return_value == 0:
                break  # the walk came upon "Quit" in the palette
            assert app.is_running
            assert isinstance(app, KimiTui)
            assert "Something went wrong" not in str(app.stage.state.conversation.items[-1:])
