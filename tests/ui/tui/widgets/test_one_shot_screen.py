"""Keys that come faster than a screen goes do not take the one below away too."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events
from textual.message import Message
from textual.messages import InvokeLater
from textual.pilot import Pilot
from textual.widgets import Input, Static

from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.composer.composer import Composer
from kimi_tui.ui.tui.dialogs.choice_dialog import ChoiceDialog
from kimi_tui.ui.tui.dialogs.option_list import Option
from kimi_tui.ui.tui.keys.input_buffer import KeyPassed
from kimi_tui.ui.tui.main_screen.find_bar import FindBar
from kimi_tui.ui.tui.screens.sessions import Sessions
from tests.ui.tui import wire_scenarios
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.pilot_driver import Start, start
from tests.ui.tui.test_screen import ready

__all__ = ["start"]

Keys = list[tuple[str, str | None]]
NOW: Keys = [("n", "n"), ("o", "o"), ("w", "w")]


async def type_in_one_read(pilot: Pilot[int], keys: Keys) -> None:
    for name, letter in keys:
        pilot.app.post_message(events.Key(name, letter))
    for _ in range(8):
        await pilot.pause()


async def test_a_second_answer_of_a_screen_that_goes_is_nobodys(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    answers: list[str | None] = []
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        for _ in range(2):
            await app.push_screen(ChoiceDialog("which?", "", [Option("svg", "s", "SVG")]), answers.append)
        on_top, under = app.screen, app.screen_stack[-2]
        for key in ("s", "s", "escape"):
            on_top.post_message(events.Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert answers == ["svg"]
        assert app.screen is under
        await pilot.press("s")
        assert answers == ["svg", "svg"]
        assert app.screen is app.main_screen


class LateDialog(ChoiceDialog):
    """Its callbacks are called when the test says so."""

    late: list[Callable[[], object]]

    def post_message(self, message: Message) -> bool:
        if isinstance(message, InvokeLater):
            self.late.append(message.callback)
            return True
        return super().post_message(message)


async def test_a_screen_that_is_closed_before_its_next_frame_is_not_called_back(tmp_path: Path) -> None:
    """Its widgets are gone then: the search for one ended the program."""
    app, _ = make_app(FakeEngine(tmp_path))
    called: list[str] = []
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        dialog = LateDialog("which?", "", [Option("svg", "s", "SVG")])
        dialog.late = []
        await app.push_screen(dialog)
        dialog.call_after_refresh(called.append, "open")
        dialog.late.pop()()
        dialog.call_after_refresh(called.append, "closed")
        await app.pop_screen()
        dialog.late.pop()()
    assert called == ["open"]


class WatchedWidget(Static):
    """Calls `on_removed` when it is being removed: the screen around it is attached still."""

    on_removed: Callable[[], object]

    def on_unmount(self) -> None:
        self.on_removed()


async def test_a_screen_whose_widgets_are_being_removed_is_not_called_back(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    called: list[str] = []
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        dialog, widget = ChoiceDialog("which?", "", [Option("svg", "s", "SVG")]), WatchedWidget()
        await app.push_screen(dialog)
        await dialog.mount(widget)
        dialog.call_if_open(lambda: called.append("open"))
        widget.on_removed = lambda: dialog.call_if_open(lambda: called.append("closed"))
        await app.pop_screen()
    assert called == ["open"]


async def test_a_worker_of_a_screen_that_is_closed_ends_before_the_widgets_go(tmp_path: Path) -> None:
    """It would search for a widget that is gone, and end the program."""
    app, _ = make_app(FakeEngine(tmp_path))
    removed, went_on = asyncio.Event(), False

    async def work() -> None:
        nonlocal went_on
        await removed.wait()
        went_on = True

    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        dialog, widget = ChoiceDialog("which?", "", [Option("svg", "s", "SVG")]), WatchedWidget()
        await app.push_screen(dialog)
        await dialog.mount(widget)
        dialog.run_worker(work)
        widget.on_removed = removed.set
        await pilot.pause()
        await app.pop_screen()
        await pilot.pause()
    assert removed.is_set()
    assert not went_on


@pytest.mark.parametrize("key", ["f1", "ctrl+p", "ctrl+l"])
async def test_letters_that_come_with_the_escape_that_closes_a_screen_are_in_the_message(
    tmp_path: Path, key: str
) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        await pilot.press(key)
        await pilot.pause()
        assert app.screen is not app.main_screen
        for name, letter in [("escape", None), ("n", "n"), ("o", "o"), ("w", "w")]:
            app.post_message(events.Key(name, letter))
        await pilot.pause()
        await pilot.pause()
        assert app.screen is app.main_screen
        assert app.main_screen.composer.text == "now"


@pytest.mark.parametrize("key", ["ctrl+p", "ctrl+l"])
async def test_letters_that_come_with_the_key_that_opens_a_field_are_in_it(tmp_path: Path, key: str) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        await type_in_one_read(pilot, [("d", "d"), (key, None), *NOW])
        assert app.main_screen.composer.text == "d"
        assert app.screen.query_one(Input).value == "now"


@pytest.mark.parametrize("key", ["f2", "f8"])
async def test_letters_that_come_with_the_key_that_goes_to_a_pane_are_not_in_the_message(
    start: Start, key: str
) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.error())
        await type_in_one_read(driver.pilot, [("d", "d"), (key, None), *NOW])
        assert driver.composer == "d"
        assert driver.app.main_screen.in_pane


async def test_letters_that_come_with_the_key_of_the_find_bar_are_in_it(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.error())
        await type_in_one_read(driver.pilot, [("d", "d"), ("ctrl+f", None), *NOW])
        assert driver.composer == "d"
        assert driver.app.main_screen.query_one(FindBar).query_text == "now"


async def test_a_field_that_is_opened_closed_and_opened_in_one_read_gets_the_letters_typed_while_it_is_open(
    tmp_path: Path,
) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        around: Keys = [("ctrl+p", None), ("x", "x"), ("escape", None)]
        await type_in_one_read(pilot, [*around, ("d", "d"), ("ctrl+p", None), *NOW])
        assert app.main_screen.composer.text == "d"
        assert app.screen.query_one(Input).value == "now"


async def test_letters_that_follow_a_command_that_opens_a_screen_are_in_its_field(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        app.post_message(Composer.Submitted("/sessions", "/sessions"))
        await type_in_one_read(pilot, NOW)
        assert app.main_screen.composer.text == ""
        assert isinstance(app.screen, Sessions)
        assert app.screen.query_one(Input).value == "now"


class LateApp(KimiTui):
    """Handles what follows a key only once it has ended."""

    late: list[KeyPassed]

    async def on_key_passed(self, event: KeyPassed) -> None:
        if self.is_running:
            event.prevent_default()
            self.late = [event]
        else:
            await super().on_key_passed(event)


async def test_a_program_that_ends_with_a_key_on_its_way_ends_without_an_error(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path), kind=LateApp)
    assert isinstance(app, LateApp)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        await type_in_one_read(pilot, [("f1", None), *NOW])
    await app.on_key_passed(app.late[0])
    assert app.main_screen.composer.text == ""
