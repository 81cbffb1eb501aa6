"""Whatever is pressed, clicked, resized or said, in whatever order: the screen stays, and nothing is thrown."""

import random
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.doors import DOORS
from kimi_tui.ui.tui.screens.home import Home
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.display import DiffBlock
from kimi_tui.wire.events import ApprovalResponse, StepInterrupted
from kimi_tui.wire.parts import TextPart
from kimi_tui.wire.requests import ApprovalRequest, Question, QuestionOption, QuestionRequest
from tests.ui.tui import scenes
from tests.ui.tui.house import Open
from tests.ui.tui.stand_in import StandIn, make_app
from tests.ui.tui.test_screen import ready

KEYS = (  # noqa: SIM905 - a list of words reads better
    "a b c d e f h j k l m n o p r s t v x y z N 1 2 4 9 / @ enter escape tab shift+tab up down left right home end "
    "pageup pagedown space backspace delete ctrl+j ctrl+s ctrl+r ctrl+o ctrl+t ctrl+f ctrl+p ctrl+k ctrl+u f1 f2 f3 "
    "f4 f5 f6 f7 f8 f9 f10 f11 ctrl+v ctrl+g ctrl+l ctrl+d ctrl+x alt+up + - "
).split()
WORDS = ("hi", "/", "/mo", "@", "!ls", "look at /etc/passwd", "x" * 1200, "中文，和 English", "\x1b[31m\u202e")
SIZES = ((140, 42), (120, 20), (100, 30), (80, 24), (79, 40), (60, 18), (20, 6), (200, 60), (3, 2))
EDIT = ApprovalRequest(
    id="edit",
    tool_call_id="e",
    sender="WriteFile",
    action="edit file",
    description="Edit",
    display=tuple(DiffBlock(path="a.py", old_text="old", new_text="new", old_start=at) for at in (1, 20, 40)),
    scope="edits of a.py",
    hunks=3,
)
OPTIONS = (QuestionOption(label="one"), QuestionOption(label="two"))
QUESTION = QuestionRequest(
    id="q",
    tool_call_id="q",
    questions=tuple(
        Question(question=f"Which {what}?", options=OPTIONS, multi_select=many)
        for what, many in (("way", False), ("ways", True))
    ),
)
MESSAGES: tuple[WireMessage, ...] = (
    *scenes.streaming(),
    *scenes.approval(),
    *scenes.flow_asks(),
    *scenes.flow_done(),
    *scenes.error(),
    *scenes.chinese(),
    EDIT,
    QUESTION,
    ApprovalResponse(request_id="ask", response="reject"),
    StepInterrupted(),
    TextPart(text="\x1b[2J\x1b]52;c;AAAA\x07[bold]\u202e\ud83d"),
)
STEPS = 80


async def step(chance: random.Random, app: KimiTui, pilot: Pilot[int]) -> None:
    """A key, a click, a drag, a paste, or another size."""
    x, y = chance.randrange(app.size.width), chance.randrange(app.size.height)
    match chance.randrange(12):
        case 0:
            await pilot.resize_terminal(*chance.choice(SIZES))
        case 1 | 2:
            await pilot.click(offset=(x, y), times=chance.choice((1, 1, 2)))
        case 3:
            await pilot.mouse_down(offset=(x, y))
            await pilot.mouse_up(offset=(chance.randrange(app.size.width), y))
        case 4:
            (app.focused or app.screen).post_message(events.Paste(chance.choice(WORDS)))
            await pilot.pause()
        case _:
            await pilot.press(chance.choice(KEYS))


def is_well(app: KimiTui) -> bool:
    """Whether it goes on; not, where the walk came upon a way out."""
    if app.return_value == 0:
        return False
    assert app.is_running
    assert "Something went wrong" not in str(app.stage.state.conversation.items[-1:])
    return True


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
            if chance.randrange(3) == 0:
                engine.say(*chance.choices(MESSAGES, k=chance.randrange(1, 6)))
                await pilot.pause()
            else:
                await step(chance, app, pilot)
            if not is_well(app):
                break


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.timeout(120)
async def test_no_way_through_the_further_screens_ends_in_an_error(seed: int, open_house: Open) -> None:
    chance = random.Random(seed)
    async with open_house() as house:
        app, pilot = house.app, house.pilot
        await house.until(lambda: app.engine is not None)
        await house.submit("one")
        for _ in range(STEPS):
            if isinstance(app.screen, Home) and chance.randrange(2):
                app.doors.open(chance.choice([door.name for door in DOORS]))
                await pilot.pause()
            elif chance.randrange(8) == 0:
                await pilot.press("escape")
            else:
                await step(chance, app, pilot)
            if not is_well(app):
                break
