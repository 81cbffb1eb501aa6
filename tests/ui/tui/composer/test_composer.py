"""The composer under keys: what is written, completed, queued, sent and taken back."""

from pathlib import Path
from time import monotonic

import pytest
from textual import events

from kimi_tui.skill.library import SkillLibrary
from kimi_tui.skill.roots import SkillRoots
from kimi_tui.ui.tui.composer.paste_chips import PasteChips
from kimi_tui.ui.tui.main_screen.footer import KeyFooter
from kimi_tui.ui.tui.terminal.key_sequences import unprintable_as_paste
from kimi_tui.ui.tui.themes.palette import Palette
from tests.ui.tui.fake_engine import CHART, FakeEngine
from tests.ui.tui.pilot_driver import Start


async def test_enter_sends_what_is_written(start: Start) -> None:
    async with start() as driver:
        await driver.type("hello you")
        await driver.press("enter")
        assert driver.engine.prompts == ["hello you"]
        assert driver.composer == ""


async def test_keys_that_come_together_act_in_their_order(start: Start) -> None:
    async with start() as driver:
        letters = [(char, char) for char in "teh"] + [("backspace", None)] * 2 + [(char, char) for char in "he"]
        for key, character in [*letters, ("left", None), ("x", "x")]:
            driver.app.post_message(events.Key(key, character))
        await driver.pilot.pause()
        await driver.pilot.pause()
        assert driver.composer == "thxe"


async def test_a_key_of_the_app_waits_for_those_before_it(start: Start) -> None:
    async with start() as driver:
        await driver.type("copy me")
        for key in ["shift+left"] * 7 + ["ctrl+c"]:
            driver.app.post_message(events.Key(key, None))
        await driver.pilot.pause()
        await driver.pilot.pause()
        assert driver.app.clipboard == "copy me"


async def test_ctrl_j_breaks_the_line_and_does_not_send(start: Start) -> None:
    async with start() as driver:
        await driver.type("one")
        await driver.press("ctrl+j")
        await driver.type("two")
        assert (driver.composer, driver.engine.prompts) == ("one\ntwo", [])


async def test_while_a_turn_runs_enter_queues_and_the_queue_is_sent_after_it(start: Start) -> None:
    async with start() as driver:
        await driver.type("one")
        await driver.press("enter")
        await driver.type("two")
        await driver.press("enter")
        assert driver.engine.prompts == ["one"]
        assert driver.app.main_screen.composer.queued.texts == ("two",)
        driver.engine.end_turn()
        await driver.pilot.pause()
        await driver.pilot.pause()
        assert driver.engine.prompts == ["one", "two"]
        assert driver.app.main_screen.composer.queued.texts == ()


async def test_up_in_an_empty_composer_takes_back_the_last_of_the_queue(start: Start) -> None:
    async with start() as driver:
        for text in ("one", "two", "three"):
            await driver.type(text)
            await driver.press("enter")
        await driver.press("up")
        assert driver.composer == "three"
        assert driver.app.main_screen.composer.queued.texts == ("two",)


async def test_ctrl_s_steers_the_running_turn(start: Start) -> None:
    async with start() as driver:
        await driver.type("one")
        await driver.press("enter")
        await driver.type("mind the tests")
        await driver.press("ctrl+s")
        assert driver.engine.steered == ["mind the tests"]


async def test_up_brings_back_what_was_sent_and_down_the_draft(start: Start) -> None:
    async with start() as driver:
        await driver.type("one")
        await driver.press("enter")
        driver.engine.end_turn()
        await driver.pilot.pause()
        await driver.type("draft")
        await driver.press("up")
        assert driver.composer == "one"
        await driver.press("down")
        assert driver.composer == "draft"


async def test_a_slash_offers_commands_and_tab_completes_one(start: Start) -> None:
    async with start() as driver:
        await driver.type("/fp")
        menu = driver.app.main_screen.composer.menu
        assert [choice.label for choice in menu.choices] == ["/flow:plan"]
        assert menu.lines(100, Palette())[-1].text.strip().startswith("Draft a plan → Plan approved? →")
        await driver.press("tab")
        assert (driver.composer, menu.is_open) == ("/flow:plan ", False)


@pytest.mark.parametrize(
    ("typed", "sent", "left"),
    [
        ("/flow:pl", [], "/flow:plan "),  # a flow acts: it is put there, and runs when one says so
        ("/fp", [], "/flow:plan "),
        ("/skill:rev", [], "/skill:review "),
        ("/yl", [], "/yolo "),  # not how it begins
        ("/res", [], "/clear "),  # the beginning of another name of it
        ("/", [], "/flow:plan "),
        ("/reset", ["/reset"], ""),
        ("/flow:plan", ["/flow:plan"], ""),
        ("/fow:plan", ["/fow:plan"], ""),  # no kind of name there is: whoever answers says so
        ("/flo:plan", ["/flo:plan"], ""),
    ],
)
async def test_enter_runs_nothing_that_was_neither_written_nor_chosen(
    start: Start, typed: str, sent: list[str], left: str
) -> None:
    async with start() as driver:
        await driver.type(typed)
        await driver.press("enter")
        assert (driver.engine.prompts, driver.composer) == (sent, left)
        if left:
            await driver.press("enter")
            assert driver.engine.prompts == [left.strip()]


async def test_enter_runs_what_was_chosen_with_an_arrow(start: Start) -> None:
    async with start() as driver:
        await driver.type("/plan")
        await driver.press("down", "enter")
        assert driver.engine.prompts == ["/flow:plan"]


async def test_a_flow_with_a_mistake_in_its_chart_is_offered_with_it_and_is_sent_as_written(
    start: Start, tmp_path: Path
) -> None:
    for name, chart in (("release", "flowchart TD\n  A --> ((x"), ("release-checklist", CHART)):
        file = tmp_path / "skills" / name / "SKILL.md"
        file.parent.mkdir(parents=True)
        head = f"---\nname: {name}\ndescription: d\ntype: flow\n---\n"
        file.write_text(f"{head}```mermaid\n{chart}\n```\n", "utf-8")
    skills = SkillLibrary.load(SkillRoots(tmp_path, skills_dirs=(tmp_path / "skills",), bundled=tmp_path / "none"))
    async with start(engine=FakeEngine(tmp_path, skills=skills)) as driver:  # type: ignore[arg-type]
        await driver.type("/flow:release")
        first = driver.app.main_screen.composer.menu.choices[0]
        assert first.label == "/flow:release"
        assert first.description.startswith("cannot run: SKILL.md:8:9: expected a node here")
        await driver.press("enter")
        assert driver.engine.prompts == ["/flow:release"]


async def test_enter_on_a_command_of_the_menu_runs_it(start: Start) -> None:
    async with start() as driver:
        await driver.type("/yo")
        await driver.press("enter")
        assert driver.engine.prompts == ["/yolo"]


async def test_an_at_sign_offers_files_that_are_not_ignored(start: Start, tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    for name in ("src/reader.py", "src/reader.pyc", ".gitignore"):
        (work / name).write_text("*.pyc\n")
    async with start(engine=FakeEngine(work)) as driver:
        files = driver.app.main_screen.composer.files
        assert files is not None
        files.read()
        await driver.type("see @reader")
        assert [choice.label for choice in driver.app.main_screen.composer.menu.choices] == ["src/reader.py"]
        await driver.press("enter")
        assert driver.composer == "see @src/reader.py "


async def test_a_large_paste_is_a_chip_and_is_sent_whole(start: Start) -> None:
    text = "\n".join(f"line {n}" for n in range(40))
    async with start() as driver:
        driver.app.main_screen.composer.prompt.paste(text)
        await driver.pilot.pause()
        assert driver.composer == "[pasted 40 lines #1]"
        await driver.press("enter")
        assert driver.engine.prompts == [text]


@pytest.mark.parametrize("keys", [("shift+home", "ctrl+x"), ("ctrl+x",), ("shift+home", "ctrl+c", "delete")])
async def test_a_text_that_is_cut_or_copied_has_its_pastes_after_another_message(
    start: Start, keys: tuple[str, ...]
) -> None:
    first, other = ("\n".join(f"{word} {n}" for n in range(40)) for word in ("first", "other"))
    async with start() as driver:
        prompt = driver.app.main_screen.composer.prompt
        prompt.paste(first)
        await driver.type(" end")
        await driver.press(*keys)
        assert (driver.composer, driver.app.clipboard) == ("", f"{first} end")
        prompt.paste(other)
        await driver.press("enter")
        driver.engine.end_turn()
        prompt.paste(driver.app.clipboard)
        await driver.press("enter")
        assert driver.engine.prompts == [other, f"{first} end"]


async def test_a_line_is_cut_with_its_line_break(start: Start) -> None:
    async with start() as driver:
        driver.app.main_screen.composer.prompt.paste("one\ntwo\nthree")
        await driver.press("up", "ctrl+x")
        assert (driver.composer, driver.app.clipboard) == ("one\nthree", "two\n")


def test_a_line_break_at_the_end_of_a_paste_is_no_line_more() -> None:
    assert PasteChips().collapse("line\n" * 500) == "[pasted 500 lines #1]"
    assert PasteChips().collapse("line\n" * 14) == "line\n" * 14
    assert PasteChips().collapse("x" * 2000 + "\n") == "[pasted 2,001 characters #1]"


@pytest.mark.parametrize(
    ("bursts", "sent", "left"),
    [
        (["hello\r"], ["hello"], ""),  # a slow link
        (["hell", "o\r"], ["hello"], ""),
        (["hello", "\r"], ["hello"], ""),
        (["hello", "\rand"], ["hello"], "and"),
        (["abcde\rf"], [], "abcde\nf"),
        (["{\rfg\r}"], [], "{\nfg\n}"),
        (["one\rtwo\r"], [], "one\ntwo\n"),
        (["one\r\rtwo\r"], [], "one\n\ntwo\n"),
        (["one\rtwo\r", "\r"], ["one\ntwo"], ""),
        (["look:", " one\rtwo", "\r"], ["look: one\ntwo"], ""),
    ],
)
async def test_an_enter_that_ends_a_burst_of_one_line_sends_and_those_of_a_paste_break_the_line(
    start: Start, bursts: list[str], sent: list[str], left: str
) -> None:
    async with start() as driver:
        prompt, now = driver.app.main_screen.composer.prompt, monotonic()
        for came, burst in enumerate(bursts):
            for letter in burst:
                event = events.Key({"\r": "enter", " ": "space"}.get(letter, letter), letter)
                event.time = now + 100 + came
                driver.app.post_message(event)
            await driver.pilot.pause()
            while prompt.held_enter is not None:
                await driver.pilot.pause()
        await driver.pilot.pause()
        assert (driver.engine.prompts, driver.composer) == (sent, left)


async def test_lines_typed_before_the_first_frame_are_sent_as_one_message(start: Start) -> None:
    before = monotonic()
    async with start() as driver:
        prompt = driver.app.main_screen.composer.prompt
        for letter in "one\rtwo\r":
            event = events.Key({"\r": "enter"}.get(letter, letter), letter)
            event.time = before
            driver.app.post_message(event)
        await driver.pilot.pause()
        while prompt.held_enter is not None:
            await driver.pilot.pause()
        await driver.pilot.pause()
        assert (driver.engine.prompts, driver.composer) == (["one\ntwo"], "")


async def test_the_search_in_earlier_messages_begins_empty_and_escape_brings_the_draft_back(start: Start) -> None:
    async with start() as driver:
        for text in ("one fish", "two birds"):
            await driver.type(text)
            await driver.press("enter")
        await driver.type("a draft")
        await driver.press("ctrl+r")
        composer = driver.app.main_screen.composer
        assert [choice.label for choice in composer.menu.choices] == ["two birds", "one fish"]
        await driver.press(*"fis")
        assert [choice.label for choice in composer.menu.choices] == ["one fish"]
        await driver.press(*"zzz", "enter")
        assert "nothing found" in str(composer.border_title)
        assert composer.text == "fiszzz"
        await driver.press("escape")
        assert (driver.composer, str(composer.border_title)) == ("a draft", " message ")
        await driver.press("ctrl+r", "ctrl+r", "enter")
        assert driver.composer == "one fish"


async def test_a_draft_that_an_earlier_message_replaces_is_recalled_by_up(start: Start) -> None:
    async with start() as driver:
        await driver.type("one fish")
        await driver.press("enter")
        driver.engine.end_turn()
        await driver.pilot.pause()
        await driver.type("a draft")
        await driver.press("ctrl+r", "enter")
        assert driver.composer == "one fish"
        await driver.press("up")
        assert driver.composer == "a draft"


async def test_a_draft_that_a_command_of_the_palette_replaces_is_recalled_by_up(start: Start) -> None:
    async with start() as driver:
        await driver.type("a draft")
        await driver.press("ctrl+p", *"flow:plan", "enter")
        await driver.pilot.pause()
        assert driver.composer == "/flow:plan "
        await driver.press("up")
        assert driver.composer == "a draft"


@pytest.mark.parametrize("key", ["ctrl+s", "ctrl+d"])
async def test_the_search_in_earlier_messages_neither_sends_its_words_nor_quits(start: Start, key: str) -> None:
    async with start() as driver:
        await driver.type("one fish")
        await driver.press("enter")
        await driver.type("a draft")
        await driver.press("ctrl+r")
        await driver.type("" if key == "ctrl+d" else "fis")
        await driver.press(key)
        assert (driver.engine.prompts, driver.engine.steered) == (["one fish"], [])
        assert driver.app.is_running
        await driver.press("escape")
        assert driver.composer == "a draft"


async def test_the_editor_opens_the_draft_also_from_the_search_in_earlier_messages(start: Start) -> None:
    async with start() as driver:
        await driver.type("one fish")
        await driver.press("enter")
        driver.engine.end_turn()
        await driver.type("a draft")
        await driver.press("ctrl+r")
        await driver.type("fis")
        await driver.press("ctrl+g")
        assert driver.composer == "a draft"


async def test_up_twice_in_one_read_takes_back_one_queued_message(start: Start) -> None:
    async with start() as driver:
        for text in ("one", "two", "three"):
            await driver.type(text)
            await driver.press("enter")
        for key, character in [("up", None), ("up", None), ("x", "x")]:
            driver.app.post_message(events.Key(key, character))
        await driver.press()
        await driver.press()
        assert driver.composer == "threex"
        assert driver.app.main_screen.composer.queued.texts == ("two",)


async def test_up_twice_in_one_read_goes_two_messages_back(start: Start) -> None:
    async with start() as driver:
        for text in ("one", "two"):
            await driver.type(text)
            await driver.press("enter")
            driver.engine.end_turn()
            await driver.pilot.pause()
        for _ in range(2):
            driver.app.post_message(events.Key("up", None))
        await driver.press()
        await driver.press()
        assert driver.composer == "one"


async def test_a_line_separator_that_is_typed_breaks_the_line(start: Start) -> None:
    async with start() as driver:
        await driver.type("one")
        driver.app.post_message(unprintable_as_paste(events.Key("line_separator", "\u2028")))
        await driver.pilot.pause()
        await driver.type("two")
        assert driver.composer == "one\ntwo"


@pytest.mark.parametrize(
    ("times", "column", "selected"), [(2, 8, "beta-gamma"), (2, 22, "/usr/bin"), (3, 2, "see beta-gamma in /usr/bin.")]
)
async def test_clicks_in_the_message_take_a_word_or_a_line(
    start: Start, times: int, column: int, selected: str
) -> None:
    async with start() as driver:
        driver.app.main_screen.composer.text = "see beta-gamma in /usr/bin.\nand more"
        await driver.pilot.pause()
        await driver.pilot.click(driver.app.main_screen.composer.prompt, offset=(column, 0), times=times)
        await driver.pilot.pause()
        assert driver.app.main_screen.composer.prompt.selected_text == selected


def test_half_a_surrogate_pair_of_a_paste_becomes_a_replacement():
    assert PasteChips().collapse("a\ud800b \ud83d\ude00") == "a\ufffdb 😀"


async def test_the_footer_says_what_enter_does_while_a_menu_or_the_search_takes_it(start: Start) -> None:
    async with start() as driver:
        hints = driver.app.main_screen.query_one(KeyFooter)
        await driver.type("one fish")
        await driver.press("enter")
        await driver.pilot.pause()
        assert "F3" not in dict(hints.hints)  # the welcome text names it
        driver.engine.end_turn()
        await driver.pilot.pause()
        await driver.pilot.pause()
        assert dict(hints.hints)["Enter"] == "send"
        await driver.press("ctrl+r")
        await driver.pilot.pause()
        assert [key for key, _ in hints.hints] == ["Enter", "↑ ↓", "Esc", "F1"]
        assert dict(hints.hints)["Enter"] == "insert"
        await driver.press(*"zzz")
        await driver.pilot.pause()
        assert "Enter" not in dict(hints.hints)
        await driver.press("escape")
        await driver.pilot.pause()
        assert dict(hints.hints)["Enter"] == "send"
        await driver.press("/")
        await driver.pilot.pause()
        assert dict(hints.hints)["Enter"] == "insert"
        await driver.press("down")
        await driver.pilot.pause()
        assert (dict(hints.hints)["Enter"], dict(hints.hints)["Tab"]) == ("send", "insert")
        await driver.press("escape")
        await driver.pilot.pause()
        assert "Tab" not in dict(hints.hints)


async def test_a_draft_behind_an_earlier_message_is_not_lost_when_that_is_sent(start: Start) -> None:
    async with start() as driver:
        composer = driver.app.main_screen.composer
        composer.remember("sent")
        await driver.type("unsent")
        await driver.press("up", "enter")
        assert driver.engine.prompts == ["sent"]
        assert composer.history.entries == ["sent", "unsent", "sent"]


async def test_what_was_made_of_earlier_messages_stays_while_others_are_shown_and_is_not_lost(start: Start) -> None:
    async with start() as driver:
        composer = driver.app.main_screen.composer
        for text in ("first", "second"):
            composer.remember(text)
        await driver.press("up")
        await driver.type(" more")
        await driver.press("up", "down")
        assert driver.composer == "second more"
        await driver.press("up")
        assert driver.composer == "first"
        composer.remember_left()
        assert composer.history.entries == ["first", "second", "second more"]
