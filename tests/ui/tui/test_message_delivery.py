"""Messages on their way: those that wait for a step, those that come back, those that were large."""

import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual import events
from textual.pilot import Pilot

from kimi_tui.errors import ModelNotSetError, ProviderError, UsageError
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.composer.prompt_mark import PromptMark
from kimi_tui.wire.events import ApprovalResponse, SteerInput, StepBegin, StepInterrupted, TurnBegin, TurnEnd
from tests.ui.tui.app_harness import Open
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.screen_text import app_text, notices
from tests.ui.tui.test_screen import ready
from tests.ui.tui.wire_scenarios import approval


@asynccontextmanager
async def opened(
    folder: Path, engine: FakeEngine | None = None
) -> AsyncIterator[tuple[KimiTui, Pilot[int], FakeEngine]]:
    engine = engine or FakeEngine(folder)
    app, _ = make_app(engine)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        yield app, pilot, engine


async def send(pilot: Pilot[int], text: str, key: str = "enter") -> None:
    app = pilot.app
    assert isinstance(app, KimiTui)
    app.main_screen.composer.text = text
    app.main_screen.composer.prompt.burst_gap_s = 0.0
    await pilot.press(key)
    await settled(pilot)


async def begin_turn(pilot: Pilot[int], engine: FakeEngine) -> None:
    await send(pilot, "one")
    engine.say(TurnBegin(user_input="one"), StepBegin(n=1))


async def settled(pilot: Pilot[int]) -> None:
    for _ in range(4):
        await pilot.pause()


async def test_what_steers_is_seen_to_wait_until_it_has_gone_in(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await begin_turn(pilot, engine)
        await send(pilot, "mind the tests", "ctrl+s")
        assert "will be sent with the next step  mind the tests" in app_text(app)
        engine.say(SteerInput(user_input="mind the tests"))
        await settled(pilot)
        assert "will be sent with" not in app_text(app)
        assert "you (while running)  mind the tests" in app_text(app)


async def test_what_did_not_go_in_before_an_interrupt_comes_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await begin_turn(pilot, engine)
        await send(pilot, "mind the tests", "ctrl+s")
        engine.say(StepInterrupted())
        await settled(pilot)
        assert "will be sent with" not in app_text(app)
        assert app.main_screen.composer.text == "mind the tests"


async def test_an_interrupt_begins_nothing_of_the_queue_and_gives_all_of_it_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await begin_turn(pilot, engine)
        await send(pilot, "two")
        await send(pilot, "three")
        app.main_screen.composer.text = "and four"
        await pilot.press("escape")
        await settled(pilot)
        assert engine.cancelled == 1
        assert app.main_screen.composer.queued.texts == ()
        assert app.main_screen.composer.text == "two\n\nthree\n\nand four"


async def test_an_interrupt_joins_no_shell_line_with_a_message(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await begin_turn(pilot, engine)
        for text in ("!make", "mend it > there", "!make clean"):
            await send(pilot, text)
        await pilot.press("escape")
        await settled(pilot)
        composer = app.main_screen.composer
        assert composer.text == "mend it > there"
        assert notices(app) == ["! commands and messages are not joined; ↑ recalls the rest"]
        seen = []
        for _ in range(2):
            await pilot.press("up")
            await settled(pilot)
            seen.append(composer.text)
        assert seen == ["!make clean", "!make"]


async def test_an_interrupt_joins_no_message_with_a_command_that_is_being_written(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await begin_turn(pilot, engine)
        await send(pilot, "and then")
        app.main_screen.composer.text = "!make"
        await pilot.press("escape")
        await settled(pilot)
        assert app.main_screen.composer.text == "!make"
        await pilot.press("up")
        await settled(pilot)
        assert app.main_screen.composer.text == "and then"


async def test_an_interrupt_brings_back_the_only_shell_line_of_the_queue(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await begin_turn(pilot, engine)
        await send(pilot, "!make")
        await pilot.press("escape")
        await settled(pilot)
        assert app.main_screen.composer.text == "!make"
        assert notices(app) == []


async def test_a_command_that_is_written_to_steer_is_a_command_and_not_for_the_model(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await begin_turn(pilot, engine)
        await send(pilot, "/yolo", "ctrl+s")
        assert (engine.steered, engine.prompts[-1]) == ([], "/yolo")
        await send(pilot, "/theme", "ctrl+s")
        await settled(pilot)
        assert (engine.steered, app.on_main_screen) == ([], False)


async def test_an_interrupt_brings_back_what_was_steered_and_then_what_was_queued(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await begin_turn(pilot, engine)
        for text, key in (("queued", "enter"), ("steered", "ctrl+s"), ("also queued", "enter"), ("too", "ctrl+s")):
            await send(pilot, text, key)
        await pilot.press(*"now", "left", "escape")
        engine.say(StepInterrupted())
        await settled(pilot)
        assert app.main_screen.composer.text == "steered\n\ntoo\n\nqueued\n\nalso queued\n\nnow"
        await pilot.press("l")
        assert app.main_screen.composer.text.endswith("nolw")
        assert app.main_screen.composer.queued.steered == app.main_screen.composer.queued.texts == ()


async def test_nothing_of_the_queue_follows_a_turn_that_has_failed(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await begin_turn(pilot, engine)
        await send(pilot, "two")
        await send(pilot, "steered", "ctrl+s")
        app.main_screen.composer.text = "three"
        engine.fail_turn(ProviderError("the service is down"))
        engine.say(StepInterrupted())
        await settled(pilot)
        assert engine.prompts == ["one"]
        assert app.main_screen.composer.text == "steered\n\ntwo\n\nthree"


async def test_what_comes_back_does_not_disturb_a_search_in_earlier_messages(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await begin_turn(pilot, engine)
        await send(pilot, "two")
        app.main_screen.composer.text = "draft"
        await pilot.press("ctrl+r", "o", "n")
        engine.fail_turn(ProviderError("the service is down"))
        await settled(pilot)
        assert app.main_screen.composer.text == "on"
        await pilot.press("escape")
        assert app.main_screen.composer.text == "two\n\ndraft"


async def test_a_refused_message_stands_before_what_is_written_and_what_was_queued_behind_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await send(pilot, "one")
        await send(pilot, "two")
        app.main_screen.composer.text = "three"
        engine.fail_turn(UsageError("not now"))
        await settled(pilot)
        assert app.main_screen.composer.text == "one\n\ntwo\n\nthree"


async def test_the_oldest_of_the_queue_waits_for_the_step_when_it_is_said_now(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await begin_turn(pilot, engine)
        await send(pilot, "two")
        await send(pilot, "", "ctrl+s")
        assert app.main_screen.composer.queued.texts == ()
        assert app.main_screen.composer.queued.steered == ("two",)


async def test_up_brings_a_large_paste_back_as_a_chip_that_is_sent_whole_again(tmp_path: Path) -> None:
    paste = "\n".join(f"line {n}" for n in range(400))
    async with opened(tmp_path) as (app, pilot, engine):
        composer = app.main_screen.composer
        composer.text = "what is this? "
        composer.prompt.paste(paste)
        await pilot.press("enter")
        await settled(pilot)
        engine.end_turn()
        await settled(pilot)
        await pilot.press("up")
        assert composer.text == "what is this? [pasted 400 lines #1]"
        composer.prompt.burst_gap_s = 0.0
        await pilot.press("enter")
        await settled(pilot)
        assert engine.prompts == [f"what is this? {paste}"] * 2


async def test_a_large_message_of_another_session_comes_back_as_one_chip(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, _):
        app.main_screen.composer.history.add("\n".join(f"line {n}" for n in range(400)))
        await pilot.press("up")
        assert app.main_screen.composer.text == "[pasted 400 lines #1]"


async def test_without_a_model_the_header_says_what_to_do_and_the_message_comes_back(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path, model_name="no model")
    engine.error = ModelNotSetError("no model is set")
    async with opened(tmp_path, engine) as (app, pilot, _):
        first = app_text(app).splitlines()[0]
        assert "no model · /model" in first
        assert "ready" not in first
        await send(pilot, "hello")
        assert app.main_screen.composer.text == "hello"
        app.main_screen.facts = dataclasses.replace(app.main_screen.facts, model="moon-2")
        await settled(pilot)
        assert "ready" in app_text(app).splitlines()[0]


async def test_a_message_that_the_service_refused_comes_back_to_be_edited(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    engine.error = ProviderError("the service's content filter stopped the answer")
    engine.error.taken_back = True
    async with opened(tmp_path, engine) as (app, pilot, _):
        await send(pilot, "hello")
        assert app.main_screen.composer.text == "hello"


async def test_a_command_that_was_refused_does_not_stay_where_the_next_is_typed(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    engine.error = UsageError("wait for the turn to end before /clear")
    async with opened(tmp_path, engine) as (app, pilot, _):
        await send(pilot, "/clear all of it")
        assert engine.prompts == ["/clear all of it"]
        assert app.main_screen.composer.text == ""
        await pilot.press("up")
        assert app.main_screen.composer.text == "/clear all of it"


async def test_a_message_that_begins_with_a_path_waits_for_the_turn_as_any_other(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await begin_turn(pilot, engine)
        await send(pilot, "/api/users returns 500")
        assert app.main_screen.composer.queued.texts == ("/api/users returns 500",)
        assert engine.prompts == ["one"]


async def test_esc_before_the_turn_has_begun_interrupts_and_gives_the_message_back(
    open_app: Open, tmp_path: Path
) -> None:
    hook = "hooks:\n  - {event: UserPromptSubmit, command: touch begun; sleep 1000}\n"
    async with open_app(also=hook) as harness:
        await harness.until(lambda: harness.app.engine)
        await send(harness.pilot, "look at the tests")
        await harness.until((tmp_path / "proj" / "begun").exists)
        await send(harness.pilot, "and then rest")
        await harness.pilot.press("escape")
        await harness.until(lambda: not harness.engine.busy)
        await settled(harness.pilot)
        assert harness.app.main_screen.composer.text == "look at the tests\n\nand then rest"
        assert harness.user_messages() == []


async def test_after_a_command_that_failed_the_hints_are_those_of_an_idle_engine(open_app: Open) -> None:
    async with open_app() as harness:
        await harness.until(lambda: harness.app.engine)
        await harness.submit("/import none")
        await settled(harness.pilot)
        text = app_text(harness.app)
        assert "Not possible" in text
        assert "Enter send" in text
        assert "Esc interrupt" not in text


async def test_esc_before_a_turn_within_a_paused_flow_interrupts_that_turn_only(open_app: Open, tmp_path: Path) -> None:
    hook = "hooks:\n  - {event: UserPromptSubmit, command: touch begun; sleep 1000}\n"
    skill = tmp_path / ".agents" / "skills" / "rel" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    chart = "flowchart TD\n  B([BEGIN]) --> A[Look] --> E([END])"
    skill.write_text(f"---\nname: rel\ndescription: x\ntype: flow\n---\n```mermaid\n{chart}\n```\n", "utf-8")
    async with open_app(also=hook) as harness:
        await harness.until(lambda: harness.app.engine)
        await send(harness.pilot, "/flow break A")
        await send(harness.pilot, "/flow:rel")
        await harness.until(lambda: harness.engine.runner and harness.engine.runner.paused)
        await send(harness.pilot, "look here first")
        await harness.until((tmp_path / "proj" / "begun").exists)
        await harness.pilot.press("escape")
        await harness.until(lambda: not harness.engine.turn_lock.locked)
        await settled(harness.pilot)
        assert harness.app.main_screen.composer.text == "look here first"
        assert harness.engine.runner is not None
        assert harness.engine.runner.paused is not None
        harness.engine.stop_flow()
        await harness.until(lambda: harness.engine.runner is None)


async def test_a_sign_turns_before_the_message_while_the_model_works(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine, motion=True)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        mark = app.main_screen.query_one(PromptMark)
        engine.say(TurnBegin(user_input="one"), StepBegin(n=1))
        await settled(pilot)
        assert mark.is_spinning
        engine.say(*approval())
        await settled(pilot)
        assert not mark.is_spinning  # it waits for the user
        assert "›" in mark.render_line(0).text
        engine.say(ApprovalResponse(request_id="ask", response="approve"))
        await settled(pilot)
        assert mark.is_spinning
        mark.next_frame()
        assert "›" not in mark.render_line(0).text
        engine.say(TurnEnd())
        await settled(pilot)
        assert not mark.is_spinning


async def test_no_sign_turns_with_reduced_motion(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        engine.say(TurnBegin(user_input="one"), StepBegin(n=1))
        await settled(pilot)
        assert not app.main_screen.query_one(PromptMark).is_spinning


async def test_letters_that_come_with_the_key_that_takes_a_message_back_follow_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await begin_turn(pilot, engine)
        await send(pilot, "two")
        composer = app.main_screen.composer
        assert composer.queued.texts == ("two",)
        for key in (events.Key("up", None), events.Key("x", "x"), events.Key("y", "y")):
            composer.prompt.post_message(key)
        await settled(pilot)
        assert (composer.text, composer.queued.texts) == ("twoxy", ())


async def test_letters_that_come_with_the_key_that_recalls_a_message_follow_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, _engine):
        composer = app.main_screen.composer
        composer.history.add("earlier")
        for key in (events.Key("up", None), events.Key("x", "x")):
            composer.prompt.post_message(key)
        await settled(pilot)
        assert composer.text == "earlierx"
        await pilot.press("down")
        assert composer.text == ""


async def test_letters_typed_before_a_message_is_back_follow_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, engine):
        await begin_turn(pilot, engine)
        await send(pilot, "two")
        composer = app.main_screen.composer
        composer.text = "xy"
        app.prompts.take_back()
        await settled(pilot)
        assert composer.text == "twoxy"
