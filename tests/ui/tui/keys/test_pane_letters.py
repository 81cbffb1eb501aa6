"""While a pane has the focus, a key of the pane acts, and a sentence starts nothing."""

import pytest
from textual import events
from textual.binding import Binding

from kimi_tui.ui.tui.flow_pane.chart_view import FlowChart
from kimi_tui.ui.tui.flow_pane.pane import FlowPane
from kimi_tui.ui.tui.keys.bindings import KEYS, PANES
from kimi_tui.ui.tui.keys.keymap import is_text
from kimi_tui.ui.tui.keys.pane_letters import ACTS_AT_ONCE
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.main_screen.scrub_bar import ScrubBar
from kimi_tui.ui.tui.terminal.key_sequences import unprintable_as_paste
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.transcript.view import Transcript
from tests.ui.tui import wire_scenarios
from tests.ui.tui.pilot_driver import PilotDriver, Start, start
from tests.ui.tui.screen_text import app_text

__all__ = ["start"]
OPENS_OR_CONTROLS = {"steer", "export", "start", "runs", "resume", "menu"}


def printable_bindings() -> dict[str, set[str]]:
    """The printable keys of the panes, and their actions."""
    found: dict[str, set[str]] = {}
    for widget in (MainScreen, Transcript, FlowPane, FlowChart, ScrubBar):
        for binding in widget.BINDINGS:
            assert isinstance(binding, Binding)
            for key in filter(is_text, binding.key.split(",")):
                found.setdefault(key, set()).add(binding.action.partition("(")[0])
    return found


def test_each_printable_key_of_a_pane_acts_at_once_or_is_known_to_open_or_control_something() -> None:
    found = printable_bindings()
    assert set().union(*found.values()) == ACTS_AT_ONCE | OPENS_OR_CONTROLS
    table = {one for key in KEYS if key.context in PANES or key.context == "panes" for one in key.keys.split(",")}
    assert {{"[": "[", "]": "]"}.get(key, key) for key in table if is_text(key)} <= set(found)


async def at_chart(driver: PilotDriver, key: str = "f3") -> None:
    await driver.say(*wire_scenarios.flow_done())
    await driver.press(key)
    driver.app.answer_hold_s = 3600.0


@pytest.mark.parametrize("pane", ["f2", "f3"])
@pytest.mark.parametrize("sentence", ["tell me why", "he said so", "export it", "x"])
async def test_a_sentence_in_a_pane_opens_nothing_and_that_is_said(start: Start, pane: str, sentence: str) -> None:
    async with start() as driver:
        await at_chart(driver, pane)
        for letter in sentence:
            await driver.press("space" if letter == " " else letter)
            if letter == "i":
                break
        assert driver.app.screen is driver.app.main_screen
        if "i" not in sentence and len(sentence) > 1:
            text = app_text(driver.app)
            assert "letters are keys here" in text
            await driver.press("enter")
            assert driver.app.screen is driver.app.main_screen


async def test_a_key_that_opens_something_acts_with_enter_or_after_its_wait(start: Start) -> None:
    async with start() as driver:
        await at_chart(driver)
        await driver.press("full_stop", "enter")
        await driver.pilot.pause()
        await driver.pilot.pause()
        assert type(driver.app.screen).__name__ == "ChoiceDialog"
        await driver.press("escape")
        driver.app.answer_hold_s = 0.001
        await driver.press("full_stop")
        while driver.app.main_screen.pane_letters.holds:
            await driver.pilot.pause()
        await driver.pilot.pause()
        assert type(driver.app.screen).__name__ == "ChoiceDialog"


async def test_escape_takes_a_held_key_back(start: Start) -> None:
    async with start() as driver:
        await at_chart(driver)
        await driver.press("h", "escape")
        assert not driver.app.main_screen.pane_letters.holds
        assert (driver.app.screen, driver.app.main_screen.focused_pane) == (driver.app.main_screen, "flow")


async def test_keys_that_move_act_at_once_and_again_after_a_sentence_and_a_pause(start: Start) -> None:
    async with start() as driver:
        await at_chart(driver)
        chart = driver.app.main_screen.flow_pane.chart
        before = chart.view
        await driver.press("u", "o")
        assert (chart.view, "“uo” has no effect" in app_text(driver.app)) == (before, True)
        driver.clock.now += 1
        await driver.press("o")
        assert chart.view == "outline"


@pytest.mark.parametrize("character", ["\u3000", "\u00a0", "\u200d"])
@pytest.mark.parametrize("pane", ["f2", "f3"])
async def test_a_character_that_is_not_printable_is_a_letter_of_the_pane(
    start: Start, pane: str, character: str
) -> None:
    async with start() as driver:
        await at_chart(driver, pane)
        focused = driver.app.focused
        for letter in ("ü", character, "ü", "x"):
            await type_character(driver, letter)
            assert f"{sanitize(letter)} does nothing here" in app_text(driver.app) or "letters are keys" in app_text(
                driver.app
            )
        await driver.press("enter")
        assert driver.composer == ""
        assert driver.app.focused is focused


async def test_a_character_that_is_not_printable_is_a_letter_of_a_screen(start: Start) -> None:
    async with start() as driver:
        await at_chart(driver)
        await driver.press("f1")
        screen = driver.app.screen
        assert screen is not driver.app.main_screen
        await type_character(driver, "\u3000")
        assert driver.composer == ""
        assert "does nothing here" in app_text(driver.app)
        assert driver.app.screen is screen


async def type_character(driver: PilotDriver, letter: str) -> None:
    driver.app.post_message(unprintable_as_paste(events.Key(letter, letter)))
    for _ in range(4):
        await driver.pilot.pause()
