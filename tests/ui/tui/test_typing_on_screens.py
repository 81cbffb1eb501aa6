"""A sentence typed or pasted where single keys count is in the message whole, or did nothing and the screen says so."""

from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events
from textual.screen import Screen
from textual.widgets import Input, TextArea

from kimi_tui.flow import build_flow, read_mermaid
from kimi_tui.flow.render.run_export import view_of_chart
from kimi_tui.permission.trust import TrustItem
from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
from kimi_tui.ui.tui.dialogs.choice_dialog import ChoiceDialog
from kimi_tui.ui.tui.dialogs.option_list import Option
from kimi_tui.ui.tui.dialogs.question import QuestionDialog
from kimi_tui.ui.tui.flow_pane.node_details import NodeActions, NodeDetails
from kimi_tui.ui.tui.flow_pane.run_styles import LiveContext
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.replay.run_table import Runs
from kimi_tui.ui.tui.screens.trust import TrustQuestion
from kimi_tui.ui.tui.terminal.key_sequences import unprintable_as_paste
from kimi_tui.ui.tui.widgets.key_guard import KeyGuard
from kimi_tui.wire.events import ApprovalResponse
from tests.ui.tui import wire_scenarios
from tests.ui.tui.fake_engine import CHART, FakeEngine, make_app
from tests.ui.tui.fuzz_driver import EDIT, QUESTION
from tests.ui.tui.pilot_driver import PilotDriver, Start, start
from tests.ui.tui.screen_text import app_text, notices
from tests.ui.tui.screens.conftest import Shown
from tests.ui.tui.screens.screen_cases import SCREENS
from tests.ui.tui.test_screen import ready
from tests.ui.tui.typist import _KEYS

__all__ = ["start"]
SENTENCES = ("yes please", "try the other way", "n, not so", "y\u3000好", "n👩\u200d👧")
OPTIONS = (Option("go", "y", "Go on"), Option("try", "t", "Try"), Option("no", "n", "No"))


async def type_slowly(driver: PilotDriver, text: str) -> None:
    for letter in text:
        if letter.isprintable():
            await driver.pilot.press(_KEYS.get(letter, letter))
        else:
            await type_at_once(driver, letter)


async def type_at_once(driver: PilotDriver, text: str) -> None:
    """As a terminal sends a paste without brackets."""
    for letter in text:
        driver.app.post_message(unprintable_as_paste(events.Key(_KEYS.get(letter, letter), letter)))
    for _ in range(6):
        await driver.pilot.pause()


async def paste(driver: PilotDriver, text: str) -> None:
    driver.app.post_message(events.Paste(text))
    for _ in range(4):
        await driver.pilot.pause()


WAYS = (type_slowly, type_at_once, paste)


@pytest.mark.parametrize("way", WAYS)
async def test_a_sentence_typed_into_an_approval_on_the_full_screen_approves_nothing_and_is_in_the_message(
    start: Start, way: Callable[..., object]
) -> None:
    async with start() as driver:
        driver.app.answer_hold_s = 3600.0
        await driver.say(*wire_scenarios.approval())
        for sentence in SENTENCES:
            driver.app.main_screen.composer.text = ""
            driver.app.main_screen.query_one(ApprovalDialog).focus()
            await driver.press("ctrl+f")
            driver.clock.now += 5
            await way(driver, sentence)  # type: ignore[misc]
            await driver.pilot.pause()
            assert driver.composer == sentence
            assert driver.verdicts == []
            assert isinstance(driver.app.screen, MainScreen)


@pytest.mark.parametrize("way", WAYS)
async def test_a_sentence_typed_at_the_question_of_trust_trusts_nothing_and_is_in_the_message(
    start: Start, way: Callable[..., object], tmp_path: Path
) -> None:
    async with start((80, 24)) as driver:
        driver.app.answer_hold_s = 3600.0
        for wait in (0.0, 5.0):
            for sentence in SENTENCES:
                driver.app.main_screen.composer.text = ""
                answers: list[object] = []
                screen = TrustQuestion(tmp_path, (), clock=driver.clock)
                driver.app.push_screen(screen, answers.append)
                await Shown(driver.app, driver.pilot).settle()
                driver.clock.now += wait
                await way(driver, sentence)  # type: ignore[misc]
                await driver.pilot.pause()
                assert driver.composer == sentence
                assert "into the message" in app_text(driver.app)
                assert answers == []
                screen.dismiss(None)
                await driver.pilot.pause()


async def test_a_stray_enter_at_the_question_of_trust_decides_nothing(start: Start, tmp_path: Path) -> None:
    async with start((80, 24)) as driver:
        answers: list[object] = []
        driver.app.push_screen(TrustQuestion(tmp_path, (), clock=driver.clock), answers.append)
        await Shown(driver.app, driver.pilot).settle()
        driver.clock.now += 5
        await driver.press("enter")
        assert answers == [None]


@pytest.mark.parametrize(("size", "trusted"), [((80, 24), [True]), ((30, 8), [])])
async def test_a_folder_is_trusted_only_where_its_items_and_the_answer_are_on_screen(
    start: Start, tmp_path: Path, size: tuple[int, int], trusted: list[bool]
) -> None:
    async with start(size) as driver:
        answers: list[object] = []
        items = (TrustItem(tmp_path / ".mcp.json", "MCP servers"),)
        driver.app.push_screen(TrustQuestion(tmp_path, items, clock=driver.clock), answers.append)
        await Shown(driver.app, driver.pilot).settle()
        driver.clock.now += 5
        await driver.press("y")
        assert answers == trusted
        assert any("too small" in note for note in notices(driver.app)) is not bool(trusted)


@pytest.mark.parametrize("way", WAYS)
async def test_a_sentence_typed_at_a_question_that_opened_by_itself_is_in_the_message(
    start: Start, way: Callable[..., object]
) -> None:
    async with start((80, 24)) as driver:
        driver.app.answer_hold_s = 3600.0
        for sentence in SENTENCES:
            driver.app.main_screen.composer.text = ""
            answers: list[str | None] = []
            dialog = ChoiceDialog("cut off", "A flow was cut off.", OPTIONS, typed=driver.app.main_screen.write)
            dialog.guard = KeyGuard(lambda: 0.0, quiet_s=0.0)
            driver.app.push_screen(dialog, answers.append)
            await driver.pilot.pause()
            await way(driver, sentence)  # type: ignore[misc]
            await driver.pilot.pause()
            assert (driver.composer, answers) == (sentence, [None])


LETTER_SCREENS: dict[str, Callable[[Path], Screen[object]]] = {
    "rewind": lambda root: SCREENS["rewind"](root, root),
    "menu": lambda root: ChoiceDialog("menu", "", OPTIONS),
    "node": lambda root: NodeDetails(
        view_of_chart(build_flow(read_mermaid(CHART))), "P", NodeActions(turns=("a",), running=True), now=LiveContext()
    ),
    "runs": lambda root: Runs(()),
    "help": lambda root: SCREENS["usage"](root, root),
    "tasks": lambda root: SCREENS["tasks"](root, root),
    "theme": lambda root: SCREENS["theme"](root, root),
}


@pytest.mark.parametrize("name", LETTER_SCREENS)
async def test_a_sentence_typed_at_a_screen_of_keys_does_nothing_and_the_screen_says_so(
    start: Start, name: str, tmp_path: Path
) -> None:
    async with start((80, 24)) as driver:
        driver.app.answer_hold_s = 3600.0
        for way in (type_slowly, type_at_once):
            for sentence in ("try it first", "feel free", "y\u3000好"):
                answers: list[object] = []
                driver.app.push_screen(screen := LETTER_SCREENS[name](tmp_path), answers.append)
                await Shown(driver.app, driver.pilot).settle()
                await way(driver, sentence)
                assert answers == []
                assert driver.app.screen is screen
                assert driver.composer == ""
                text = app_text(driver.app)
                assert "has no effect" in text or "does nothing here" in text
                await driver.press("enter")
                assert (answers, driver.app.screen) == ([], screen)
                driver.app.screen.dismiss(None)
                await driver.pilot.pause()


@pytest.mark.parametrize("name", SCREENS)
async def test_a_paste_on_any_screen_is_in_its_field_or_in_the_message(start: Start, name: str, tmp_path: Path) -> None:
    (work := tmp_path / "proj").mkdir()
    async with start((80, 24)) as driver:
        driver.app.push_screen(SCREENS[name](work, tmp_path))
        await Shown(driver.app, driver.pilot).settle()
        await paste(driver, "pasted, y")
        fields = [one.value for one in driver.app.screen.query(Input)]
        assert "pasted, y" in (*fields, driver.composer)


@pytest.mark.parametrize(("key", "field"), [("f", "words"), ("tab", "words"), ("e", "")])
async def test_what_is_written_about_a_request_that_is_settled_elsewhere_goes_into_the_message(
    start: Start, key: str, field: str
) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 5
        await driver.press(key)
        await type_slowly(driver, "because o")
        await driver.say(ApprovalResponse(request_id="ask", response="approve"))
        for _ in range(4):
            await driver.pilot.pause()
        await type_slowly(driver, "f it")
        assert driver.composer.endswith("because of it")
        assert isinstance(driver.app.focused, TextArea)


async def test_words_that_were_sent_with_an_answer_do_not_come_back(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.approval())
        driver.clock.now += 5
        await driver.press("f")
        await type_slowly(driver, "no")
        await driver.press("enter")
        await driver.say(ApprovalResponse(request_id="ask", response="reject", feedback="no"))
        assert driver.verdicts == [("reject", "no")]
        assert driver.composer == ""


async def test_a_request_does_not_take_the_place_of_an_answer_that_is_being_written(start: Start) -> None:
    async with start() as driver:
        await driver.say(QUESTION)
        driver.clock.now += 5
        await driver.press("o")
        await type_slowly(driver, "because o")
        await driver.say(EDIT)
        await type_slowly(driver, "f it")
        home = driver.app.main_screen
        assert home.query_one(QuestionDialog).query_one(Input).value == "because of it"
        assert home.current_dialog is home.query_one(QuestionDialog)
        await driver.press("escape")
        home.composer.prompt.focus()
        await driver.pilot.pause()
        assert home.current_dialog is home.query_one(ApprovalDialog)


async def test_the_note_is_seen_where_notifications_and_tooltips_are_on_as_in_a_terminal(tmp_path: Path) -> None:
    app, clock = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await ready(pilot)
        app.push_screen(TrustQuestion(tmp_path, (), clock=clock))
        await Shown(app, pilot).settle()
        await pilot.press("x")
        await pilot.pause()
        assert "your text goes into the message" in app_text(app)
        assert app.main_screen.composer.text == "x"
