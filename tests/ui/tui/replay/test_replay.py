"""The scrub bar and a replay on the screen, by keys and by mouse."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from kimi_tui.errors import UsageError
from kimi_tui.jsonl import JsonlWriter
from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
from kimi_tui.ui.tui.engine_protocol import Engine
from kimi_tui.ui.tui.main_screen.scrub_bar import ScrubBar
from kimi_tui.ui.tui.replay.recorded_engine import find_recording, load
from kimi_tui.ui.tui.replay_app import ReplayApp
from kimi_tui.wire.parts import TextPart
from kimi_tui.wire.recorder import Recorder
from tests.ui.tui import wire_scenarios
from tests.ui.tui.fake_engine import NOW, Clock, FakeEngine
from tests.ui.tui.flow_pane.flow_driver import FlowDriver, open_flow
from tests.ui.tui.test_screen import ready


async def test_f8_goes_back_and_arrows_walk_through_time(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*wire_scenarios.flow_done())
        await one.press("f8", "home")
        assert one.app.main_screen.query_one(ScrubBar).has_focus
        assert "BEGIN" not in one.shown()
        for _ in range(4):
            await one.press("down")
        assert one.app.presenter.shown_state.flow.run is not None
        assert "Look at the failing test" in one.shown()
        assert "past" in one.shown()
        number = one.app.time_travel.number
        await one.press("right")
        assert one.app.time_travel.number > number
        await one.press("left")
        assert one.app.time_travel.number == number


async def test_end_goes_back_to_now_and_everything_is_as_it_was(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*wire_scenarios.flow_done())
        before = one.shown()
        await one.press("f8", "home", "right", "right", "end")
        assert not one.app.time_travel.is_open
        assert one.app.main_screen.composer.prompt.has_focus
        assert one.shown() == before


async def test_the_todo_list_and_the_chart_are_those_of_the_moment(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*wire_scenarios.flow_done())
        assert "todo 4/4" in one.shown()
        await one.press("f8", "home")
        while "move 2" not in one.shown():
            await one.press("down")
        shown = one.shown()
        assert "todo 1/4" in shown
        assert any("▶" in border and "Fix it" in row for border, row in pairwise(shown.splitlines()))
        assert "Tagged" not in shown


async def test_what_is_said_meanwhile_is_not_lost_and_does_not_disturb(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*wire_scenarios.flow_at_decision())
        await one.press("f8", "home", "down")
        before = one.shown()
        await one.say(TextPart(text="Meanwhile, a word."))
        assert "Meanwhile" not in one.shown()
        assert one.shown().splitlines()[:30] == before.splitlines()[:30]
        await one.press("end")
        assert "Meanwhile, a word." in one.shown()


async def test_an_approval_is_asked_for_even_while_the_past_is_shown(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*wire_scenarios.flow_at_decision())
        await one.press("f8", "home", "down")
        await one.say(*wire_scenarios.approval()[-1:])
        assert one.app.main_screen.query_one(ApprovalDialog).is_open


async def test_the_past_cannot_be_steered(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.reply("I looked.")
        await one.press("f8", "up", "f3", "space")
        await one.reply("I fixed it.")
        assert one.runner.paused is None


@pytest.mark.parametrize("key", ["enter", "ctrl+s"])
async def test_a_message_that_is_sent_from_the_past_is_seen_now(tmp_path: Path, key: str) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*wire_scenarios.flow_done())
        await one.press("f8", "home", "i")
        one.app.main_screen.composer.text = "and now?"
        assert one.app.time_travel.is_open
        await one.press(key)
        assert not one.app.time_travel.is_open
        assert "Look at the failing test" in one.shown()


async def test_the_knob_follows_the_mouse(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*wire_scenarios.flow_done())
        await one.press("f8")
        bar = one.app.main_screen.query_one(ScrubBar)
        await one.pilot.mouse_down(bar, offset=(20, 0))
        await one.settle()
        first = one.app.time_travel.number
        await one.pilot.hover(bar, offset=(80, 0))
        await one.settle()
        assert one.app.time_travel.number > first > 0
        await one.pilot.mouse_up(bar, offset=(80, 0))
        await one.pilot.hover(bar, offset=(10, 0))
        await one.settle()
        assert one.app.time_travel.number > first


async def test_playing_goes_on_with_the_clock_and_stops_at_the_end(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*wire_scenarios.flow_done())
        machine = one.app.time_travel
        await one.press("f8")
        last = machine.number
        await one.press("home", "space")
        assert machine.playing
        one.clock.now += 7.0
        machine.tick()
        here = machine.number
        assert 5 < here < 20
        await one.press("plus")
        one.clock.now += 7.0
        machine.tick()
        assert machine.number > here + 12
        one.clock.now += 1_000
        machine.tick()
        assert (machine.playing, machine.number) == (False, last)


@asynccontextmanager
async def replaying(tmp_path: Path) -> AsyncIterator[FlowDriver]:
    file = tmp_path / "abc" / "wire.jsonl"
    clock = Clock(NOW)
    writer = JsonlWriter(file)
    recorder = Recorder(writer, clock=clock)
    for message in wire_scenarios.flow_done():
        recorder(message)
        clock.now += 0.7
    writer.close()
    recording = load(file)

    async def make() -> Engine:
        return recording

    clock = Clock(NOW + 1_000_000)
    app = ReplayApp(make, clock=clock, monotonic=clock, frame=0.0, motion=False)
    async with app.run_test(size=(140, 42)) as pilot:
        await ready(pilot)
        yield FlowDriver(app, pilot, FakeEngine(tmp_path), clock)


async def test_a_recording_plays_from_its_beginning_without_an_engine_or_a_composer(tmp_path: Path) -> None:
    async with replaying(tmp_path) as one:
        assert one.app.time_travel.playing
        assert not one.app.main_screen.composer.display
        one.clock.now += 9
        one.app.time_travel.tick()
        await one.settle()
        assert "recording" in one.shown()
        assert "Look at the failing test" in one.shown()
        one.clock.now += 100
        one.app.time_travel.tick()
        await one.settle()
        assert "finished" in one.shown()
        assert list(tmp_path.glob("abc/*")) == [tmp_path / "abc" / "wire.jsonl"]
        await one.press("escape")
        assert one.app.return_value == 0


async def test_the_header_of_a_recording_names_what_the_session_was_about(tmp_path: Path) -> None:
    (tmp_path / "abc").mkdir()
    (tmp_path / "abc" / "state.json").write_text('{"title": "Fix the flaky test"}', "utf-8")
    async with replaying(tmp_path) as one:
        assert "kimi-tui  Fix the flaky test" in one.shown()
        assert "back to now" not in one.shown()


def test_a_recording_is_named_by_its_file_its_folder_or_the_beginning_of_an_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))
    file = tmp_path / "home" / "sessions" / "elsewhere" / "abcdef" / "wire.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("{}\n", "utf-8")
    for name in (str(file), str(file.parent), "abcdef", "abc"):
        assert find_recording(name, tmp_path) == file
    with pytest.raises(UsageError, match="no session with this id or prefix"):
        find_recording("xyz", tmp_path)
    with pytest.raises(UsageError, match="the recording is empty"):
        load(file)
