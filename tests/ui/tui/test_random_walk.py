"""Whatever is pressed, clicked, resized or said, in whatever order and from wherever: the screen stays well.

`KIMI_TUI_WALKS=1000:200` walks with 200 other seeds, from 1000 on.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.screens.first_start import SetupWizard
from kimi_tui.ui.tui.screens.trust import TrustQuestion
from kimi_tui.wire.codec import WireMessage
from tests.ui.tui import wire_scenarios
from tests.ui.tui.app_harness import Open
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.fuzz_driver import EDIT, QUESTION, AnswerRecordingApp, FuzzDriver
from tests.ui.tui.replay.test_replay import replaying
from tests.ui.tui.test_screen import ready

STEPS = int(os.environ.get("KIMI_TUI_WALK_STEPS", "14"))
WIDE, MEDIUM, NARROW = (140, 42), (100, 30), (60, 18)
PAUSED: list[WireMessage] = [*wire_scenarios.flow_at_decision(), *wire_scenarios.flow_asks()[-1:]]
STARTS: dict[str, tuple[tuple[int, int], list[WireMessage], str]] = {
    "empty": (WIDE, [], ""),
    "streaming": (MEDIUM, wire_scenarios.streaming(), ""),
    "tool": (WIDE, wire_scenarios.tool_running(), "f2 j enter"),
    "approval": (WIDE, wire_scenarios.approval(), ""),
    "approval, narrow": (NARROW, [*wire_scenarios.approval(), EDIT], ""),
    "edit": (MEDIUM, [EDIT], ""),
    "question": (MEDIUM, [QUESTION], ""),
    "flow": (WIDE, wire_scenarios.flow_at_decision(), "f3"),
    "flow paused": (WIDE, PAUSED, "f3"),
    "branches": (MEDIUM, wire_scenarios.flow_asks(), ""),
    "flow, zoomed": (MEDIUM, wire_scenarios.flow_at_decision(), "f3 f11"),
    "talk, zoomed": (WIDE, wire_scenarios.flow_done(), "f2 f11"),
    "opened": (MEDIUM, wire_scenarios.tool_running(), "f7"),
    "opened, narrow": (NARROW, wire_scenarios.flow_at_decision(), "f7"),
    "help": (MEDIUM, wire_scenarios.streaming(), "f1"),
    "palette": (WIDE, wire_scenarios.streaming(), "ctrl+p"),
    "finder": (MEDIUM, wire_scenarios.chinese(), "ctrl+f e"),
    "history": (MEDIUM, wire_scenarios.chinese(), "ctrl+r"),
    "menu": (NARROW, [], "/"),
    "time": (WIDE, wire_scenarios.flow_done(), "f8 left left"),
    "tiny": ((20, 6), wire_scenarios.error(), ""),
}
SCREEN_COMMANDS = ("sessions", "model", "settings", "setup", "theme", "skills", "usage", "rewind", "task", "mcp", "log")


def seeds(usual: int) -> Iterator[int]:
    first, _, count = os.environ.get("KIMI_TUI_WALKS", "").partition(":")
    return iter(range(int(first), int(first) + int(count or 1)) if first else range(usual))


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("seed", seeds(1))
@pytest.mark.timeout(120)
async def test_no_way_through_the_screen_leads_where_it_is_not_well(seed: int, start: str, tmp_path: Path) -> None:
    size, messages, keys = STARTS[start]
    engine = FakeEngine(tmp_path)
    app, clock = make_app(engine, kind=AnswerRecordingApp)
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        engine.say(*messages)
        await pilot.pause()
        await pilot.press(*keys.split())
        await FuzzDriver(seed * 100 + len(start), app, pilot, clock, engine).go(STEPS)


@pytest.mark.parametrize("seed", seeds(1))
@pytest.mark.timeout(120)
async def test_no_way_through_a_recording_leads_where_it_is_not_well(seed: int, tmp_path: Path) -> None:
    async with replaying(tmp_path) as harness:
        await FuzzDriver(seed, harness.app, harness.pilot, harness.clock, None).go(STEPS)


@pytest.mark.parametrize("seed", seeds(1))
@pytest.mark.timeout(120)
async def test_no_way_from_the_first_key_on_leads_where_it_is_not_well(seed: int, tmp_path: Path) -> None:
    """While the panes and the engine are still being made."""
    engine = FakeEngine(tmp_path)
    app, clock = make_app(engine, kind=AnswerRecordingApp)
    async with app.run_test(size=MEDIUM) as pilot:
        await FuzzDriver(seed, app, pilot, clock, engine).go(STEPS)


@pytest.mark.parametrize("seed", seeds(2))
@pytest.mark.timeout(120)
async def test_no_way_through_the_further_screens_leads_where_it_is_not_well(seed: int, open_app: Open) -> None:
    async with open_app() as harness:
        app = harness.app
        await harness.until(lambda: app.engine is not None)
        await harness.submit("one")
        walk = FuzzDriver(seed, app, harness.pilot, None, None)
        for number in range(STEPS * 3):
            if isinstance(app.screen, MainScreen) and walk.chance.randrange(2):
                walk.done.append(screen := SCREEN_COMMANDS[(number + seed) % len(SCREEN_COMMANDS)])
                app.screen_router.open(screen)
                await harness.pilot.pause()
            elif walk.chance.randrange(8) == 0:
                await harness.pilot.press("escape")
            await walk.go(1)
            if app.return_value == 0:
                break


@pytest.mark.parametrize("seed", seeds(1))
@pytest.mark.parametrize("first", ["no model", "trust"])
@pytest.mark.timeout(120)
async def test_no_way_through_the_first_screen_leads_where_it_is_not_well(
    seed: int, first: str, open_app: Open, tmp_path: Path
) -> None:
    if first == "trust":
        folder = tmp_path / "proj" / ".kimi-tui" / "skills" / "own"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text("---\nname: own\ndescription: ours\n---\nDo it.\n")
    async with open_app(model=first == "trust") as harness:
        await harness.on(TrustQuestion if first == "trust" else SetupWizard)
        await FuzzDriver(seed, harness.app, harness.pilot, None, None).go(STEPS)
