"""The app under keys and mouse, with a stand-in for the engine."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kimi_tui.approval import Scope
from kimi_tui.errors import ModelNotSetError
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.dialogs.options import OptionRows
from kimi_tui.ui.tui.dialogs.start_flow import StartFlow
from kimi_tui.ui.tui.screens.help import Help
from kimi_tui.ui.tui.transcript.items import ErrorItem, NoticeItem, UserItem
from kimi_tui.wire.events import Notification, StepBegin, TurnBegin, TurnEnd
from kimi_tui.wire.parts import TextPart
from kimi_tui.wire.requests import Question, QuestionOption
from tests.ui.tui import scenes
from tests.ui.tui.stand_in import Clock, StandIn, make_app
from tests.ui.tui.test_screen import ready

Start = Callable[..., AbstractAsyncContextManager["Stage"]]


class Stage:
    """A running app and what a test needs of it."""

    def __init__(self, app: KimiTui, pilot: Pilot[int], engine: StandIn, clock: Clock) -> None:
        self.app, self.pilot, self.engine, self.clock = app, pilot, engine, clock

    @property
    def composer(self) -> str:
        return self.app.home.composer.text

    async def say(self, *messages: object) -> None:
        self.engine.say(*messages)  # type: ignore[arg-type]
        await self.pilot.pause()
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type at a person's pace: a burst of keys would count as a paste."""
        prompt = self.app.home.composer.prompt
        for letter in text:
            prompt._last_key = 0.0
            await self.pilot.press("space" if letter == " " else "slash" if letter == "/" else letter)

    async def press(self, *keys: str) -> None:
        prompt = self.app.home.composer.prompt
        for key in keys:
            prompt._last_key = 0.0
            await self.pilot.press(key)
        await self.pilot.pause()

    verdicts: list[tuple[str, str | None]]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    @asynccontextmanager
    async def starting(
        size: tuple[int, int] = (140, 42), engine: StandIn | None = None, prompt: str | None = None
    ) -> AsyncIterator[Stage]:
        engine = engine or StandIn(tmp_path)
        app, clock = make_app(engine, prompt=prompt)
        async with app.run_test(size=size) as pilot:
            await ready(pilot)
            stage = Stage(app, pilot, engine, clock)
            stage.verdicts = []
            settle = engine.approvals.settle

            def settling(request_id: str, response: str, feedback: str | None = None, **more: object) -> bool:
                stage.verdicts.append((response, feedback))
                return settle(request_id, response, feedback, **more)  # type: ignore[arg-type]

            engine.approvals.settle = settling  # type: ignore[method-assign]
            yield stage

    return starting


async def test_enter_sends_what_is_written(start: Start) -> None:
    async with start() as stage:
        await stage.type("hello you")
        await stage.press("enter")
        assert stage.engine.prompts == ["hello you"]
        assert stage.composer == ""


async def test_ctrl_j_breaks_the_line_and_does_not_send(start: Start) -> None:
    async with start() as stage:
        await stage.type("one")
        await stage.press("ctrl+j")
        await stage.type("two")
        assert (stage.composer, stage.engine.prompts) == ("one\ntwo", [])


async def test_while_a_turn_runs_enter_queues_and_the_queue_is_sent_after_it(start: Start) -> None:
    async with start() as stage:
        await stage.type("one")
        await stage.press("enter")
        await stage.type("two")
        await stage.press("enter")
        assert stage.engine.prompts == ["one"]
        assert stage.app.home.composer.queued.texts == ("two",)
        stage.engine.end_turn()
        await stage.pilot.pause()
        await stage.pilot.pause()
        assert stage.engine.prompts == ["one", "two"]
        assert stage.app.home.composer.queued.texts == ()


async def test_up_in_an_empty_composer_takes_back_the_last_of_the_queue(start: Start) -> None:
    async with start() as stage:
        for text in ("one", "two", "three"):
            await stage.type(text)
            await stage.press("enter")
        await stage.press("up")
        assert stage.composer == "three"
        assert stage.app.home.composer.queued.texts == ("two",)


async def test_ctrl_s_steers_the_running_turn(start: Start) -> None:
    async with start() as stage:
        await stage.type("one")
        await stage.press("enter")
        await stage.type("mind the tests")
        await stage.press("ctrl+s")
        assert stage.engine.steered == ["mind the tests"]


async def test_escape_interrupts_a_turn(start: Start) -> None:
    async with start() as stage:
        await stage.type("one")
        await stage.press("enter")
        await stage.say(TurnBegin(user_input="one"), StepBegin(n=1))
        await stage.press("escape")
        assert stage.engine.cancelled == 1


async def test_up_brings_back_what_was_sent_and_down_the_draft(start: Start) -> None:
    async with start() as stage:
        await stage.type("one")
        await stage.press("enter")
        stage.engine.end_turn()
        await stage.pilot.pause()
        await stage.type("draft")
        await stage.press("up")
        assert stage.composer == "one"
        await stage.press("down")
        assert stage.composer == "draft"


async def test_a_slash_offers_commands_and_tab_completes_one(start: Start) -> None:
    async with start() as stage:
        await stage.type("/fp")
        menu = stage.app.home.composer.menu
        assert [choice.label for choice in menu.choices] == ["/flow:plan"]
        await stage.press("tab")
        assert (stage.composer, menu.is_open) == ("/flow:plan ", False)


async def test_enter_on_a_command_of_the_menu_runs_it(start: Start) -> None:
    async with start() as stage:
        await stage.type("/yo")
        await stage.press("enter")
        assert stage.engine.prompts == ["/yolo"]


async def test_an_at_sign_offers_files_that_are_not_ignored(start: Start, tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    for name in ("src/reader.py", "src/reader.pyc", ".gitignore"):
        (work / name).write_text("*.pyc\n")
    async with start(engine=StandIn(work)) as stage:
        files = stage.app.home.composer.files
        assert files is not None
        files.read()
        await stage.type("see @reader")
        assert [choice.label for choice in stage.app.home.composer.menu.choices] == ["src/reader.py"]
        await stage.press("enter")
        assert stage.composer == "see @src/reader.py "


async def test_a_large_paste_is_a_chip_and_is_sent_whole(start: Start) -> None:
    text = "\n".join(f"line {n}" for n in range(40))
    async with start() as stage:
        stage.app.home.composer.prompt.paste(text)
        await stage.pilot.pause()
        assert stage.composer == "[pasted 40 lines #1]"
        await stage.press("enter")
        assert stage.engine.prompts == [text]


async def test_an_enter_within_a_burst_of_keys_is_a_line_break(start: Start) -> None:
    async with start() as stage:
        prompt = stage.app.home.composer.prompt
        for key in ("a", "b", "c", "d", "e", "enter", "f"):
            prompt._last_key, prompt._quick = float("inf"), prompt._quick
            await stage.pilot.press(key)
        assert (stage.composer, stage.engine.prompts) == ("abcde\nf", [])


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


async def test_a_prompt_of_the_command_line_is_sent_once_the_engine_is_there(start: Start) -> None:
    async with start(prompt="/flow:plan") as stage:
        assert stage.engine.prompts == ["/flow:plan"]


# Approvals


async def test_no_key_approves_before_the_dialog_has_stood_still(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        for _ in range(20):
            stage.clock.now += 0.1
            await stage.press("y")
        assert stage.verdicts == []
        stage.clock.now += 0.6
        await stage.press("y")
        assert stage.verdicts == [("approve", None)]


@pytest.mark.parametrize(
    ("key", "verdict"), [("1", "approve"), ("a", "approve_for_session"), ("2", "approve_for_session"), ("n", "reject")]
)
async def test_keys_answer_an_approval(start: Start, key: str, verdict: str) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.press(key)
        assert stage.verdicts == [(verdict, None)]


async def test_enter_on_nothing_does_not_approve(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.press("enter", "enter")
        assert stage.verdicts == []


async def test_a_rejection_can_say_why(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.press("f", "n", "o", "t", "enter")
        assert stage.verdicts == [("reject", "not")]


async def test_escape_takes_back_the_wish_to_say_why(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.press("f", "escape")
        stage.clock.now += 1
        await stage.press("y")
        assert stage.verdicts == [("approve", None)]


async def test_without_a_scope_there_is_no_broad_answer(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval(scope=None))
        stage.clock.now += 1
        await stage.press("a")
        assert stage.verdicts == []
        assert [option.id for option in stage.app.home.approval.query_one(OptionRows).options] == [
            "once",
            "no",
            "why",
            "edit",
        ]


async def test_the_broad_answer_is_withheld_until_the_whole_text_was_seen(start: Start) -> None:
    command = "\n".join(f"echo {n}" for n in range(100))
    async with start() as stage:
        await stage.say(*scenes.approval(command))
        stage.clock.now += 1
        await stage.press("a")
        assert stage.verdicts == []
        for _ in range(16):
            await stage.press("pagedown")
            await stage.pilot.pause()
        stage.clock.now += 1
        await stage.press("a")
        assert stage.verdicts == [("approve_for_session", None)]


async def test_hidden_characters_of_a_command_are_spelled_out(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval("ls \x1b[8m\u202e; rm -rf /"))
        shown = "\n".join(strip.text for strip in stage.app.screen._compositor.render_strips())
        assert "‹U+202E›" in shown
        assert "␛" in shown
        assert "rm -rf /" in shown


async def test_a_dialog_does_not_take_the_focus_from_somebody_who_writes(start: Start) -> None:
    async with start() as stage:
        await stage.type("I am writing")
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.type("y")
        assert (stage.composer, stage.verdicts) == ("I am writingy", [])
        await stage.press("f5")
        stage.clock.now += 1
        await stage.press("y")
        assert stage.verdicts == [("approve", None)]


async def test_a_letter_that_answers_nothing_goes_into_the_message(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.press("h")
        await stage.type("ey")
        assert (stage.composer, stage.verdicts) == ("hey", [])


async def test_a_click_that_gives_the_window_its_focus_answers_nothing(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        await stage.pilot.click(OptionRows, offset=(4, 0))
        await stage.pilot.pause()
        assert stage.verdicts == []


async def test_digits_in_a_reason_answer_nothing(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.press("f", "1", "2", "y")
        assert stage.verdicts == []
        await stage.press("enter")
        assert stage.verdicts == [("reject", "12y")]


async def test_an_approval_is_answered_by_a_click(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.approval())
        stage.clock.now += 1
        await stage.pilot.click(OptionRows, offset=(4, 2))
        await stage.pilot.pause()
        assert stage.verdicts == [("reject", None)]


async def test_the_next_of_several_approvals_is_shown_and_guarded_anew(start: Start) -> None:
    async with start() as stage:

        async def ask(name: str) -> bool:
            verdict = await stage.engine.approvals.ask(
                tool_call_id=name, sender="Shell", action="run command", description=name, scope=Scope((name,), name)
            )
            return verdict.approved

        first, second = asyncio.create_task(ask("one")), asyncio.create_task(ask("two"))
        await stage.pilot.pause()
        await stage.pilot.pause()
        assert "1 of 2" in str(stage.app.home.approval.border_title)
        stage.clock.now += 1
        await stage.press("y", "y", "y")
        assert await first
        assert not second.done()
        stage.clock.now += 1
        await stage.press("n")
        assert not await second


async def test_questions_are_asked_one_after_the_other_and_answered_together(start: Start) -> None:
    which = Question(question="Which?", options=(QuestionOption(label="red"), QuestionOption(label="blue")))
    many = which.model_copy(update={"question": "Many?", "multi_select": True})
    async with start() as stage:
        asking = asyncio.create_task(stage.engine.questions.ask((which, many, which), tool_call_id="q"))
        await stage.pilot.pause()
        await stage.pilot.pause()
        assert stage.app.home.question.has_focus
        await stage.press("1")
        for keys in (("2",), ("1", "2", "d"), ("o", "g", "o", "l", "d", "enter")):
            stage.clock.now += 1
            await stage.press(*keys)
        assert (await asking).by_question == {"Which?": "gold", "Many?": "red, blue"}
        assert stage.app.home.composer.prompt.has_focus


async def test_escape_dismisses_a_question(start: Start) -> None:
    which = Question(question="Which?", options=(QuestionOption(label="red"), QuestionOption(label="blue")))
    async with start() as stage:
        asking = asyncio.create_task(stage.engine.questions.ask((which,), tool_call_id="q"))
        await stage.pilot.pause()
        await stage.pilot.pause()
        await stage.press("escape")
        assert (await asking).dismissed


async def test_a_running_tool_shows_what_it_prints(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.tool_running())
        stage.app.stage.progress("3", "ruff: ok\npyright: 0 errors")
        await stage.pilot.pause()
        shown = "\n".join(strip.text for strip in stage.app.screen._compositor.render_strips())
        assert "pyright: 0 errors" in shown


# Panes and flows


async def test_f_keys_go_to_the_panes_and_escape_back_to_the_message(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_at_decision())
        for key, pane in (("f2", "talk"), ("f3", "flow"), ("f4", "todo")):
            await stage.press(key)
            assert stage.app.home.focused_pane == pane
        await stage.say(TurnEnd())
        await stage.press("escape")
        assert stage.app.home.composer.prompt.has_focus


async def test_a_letter_typed_in_the_conversation_begins_a_message(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.streaming())
        await stage.press("f2", "w", "h", "y")
        assert stage.composer == "why"


async def test_enter_on_a_listed_flow_shows_its_chart_and_starts_it_with_arguments(start: Start) -> None:
    async with start() as stage:
        await stage.press("f3", "enter")
        assert isinstance(stage.app.screen, StartFlow)
        await stage.press("v", "2", "enter")
        assert stage.engine.prompts == ["/flow:plan v2"]


async def test_a_click_on_a_listed_flow_shows_its_chart_and_escape_leaves_it(start: Start) -> None:
    async with start() as stage:
        await stage.pilot.click("#flows", offset=(4, 0))
        await stage.pilot.pause()
        assert isinstance(stage.app.screen, StartFlow)
        await stage.press("escape")
        assert stage.engine.prompts == []


async def test_a_flow_that_asks_offers_its_branches(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_asks())
        assert stage.app.home.branch.has_focus
        assert stage.app.home.branch.labels == ("no", "yes")


async def test_arrows_walk_along_the_chart_and_enter_opens_the_node(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_at_decision())
        chart = stage.app.home.flow.chart
        await stage.press("f3")
        assert chart.selected == "green"
        await stage.press("down")
        assert chart.selected == "tag"
        await stage.press("up", "up")
        assert chart.selected == "fix"
        await stage.press("enter")
        assert type(stage.app.screen).__name__ == "NodeDetails"
        await stage.press("t")
        assert stage.app.home.focused_pane == "talk"


async def test_only_rows_that_changed_are_drawn_again_when_a_flow_goes_on(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_at_decision())
        chart = stage.app.home.flow.chart
        before = list(chart._strips)
        await stage.say(TextPart(text="hm"))
        assert all(old is new or old == new for old, new in zip(before, chart._strips, strict=True))


async def test_zoom_gives_a_pane_the_whole_screen_and_gives_it_back(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_at_decision())
        await stage.press("f3", "f11")
        assert stage.app.home.flow.size.width == 140
        assert not stage.app.home.talk.is_on_screen
        await stage.press("f11")
        assert stage.app.home.flow.size.width < 70


async def test_in_a_medium_terminal_the_right_side_is_a_drawer(start: Start) -> None:
    async with start((100, 30)) as stage:
        await stage.say(*scenes.flow_at_decision())
        home = stage.app.home
        assert (home.right.display, home.strip.display) == (False, True)
        await stage.press("f7")
        assert home.right.display
        await stage.press("f7")
        assert not home.right.display


async def test_the_border_between_the_columns_can_be_dragged(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_at_decision())
        home = stage.app.home
        width = home.right.size.width
        await stage.pilot.mouse_down("#divider", offset=(0, 5))
        await stage.pilot.hover("#divider", offset=(-10, 5))
        await stage.pilot.mouse_up("#divider", offset=(-10, 5))
        await stage.pilot.pause()
        assert home.right.size.width > width


async def test_f1_lists_the_keys_that_act_here(start: Start) -> None:
    async with start() as stage:
        await stage.press("f1")
        assert isinstance(stage.app.screen, Help)
        await stage.press("escape")
        assert not isinstance(stage.app.screen, Help)


# What goes wrong


async def test_an_engine_that_cannot_be_made_is_told_with_its_cause(tmp_path: Path) -> None:
    async def make() -> StandIn:
        raise ModelNotSetError("no model is set; try --demo")

    app = KimiTui(make, motion=False)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        assert app.stage.state.conversation.items == (
            ErrorItem("The session could not start", "no model is set; try --demo"),
        )


async def test_a_fault_of_ours_in_a_turn_is_told_and_the_screen_stays(start: Start) -> None:
    async with start() as stage:
        stage.engine.error = RuntimeError("boom")  # type: ignore[assignment]
        await stage.type("x")
        await stage.press("enter")
        assert any(
            isinstance(item, ErrorItem) and "boom" in item.cause for item in stage.app.stage.state.conversation.items
        )


async def test_a_resumed_session_shows_what_was_said(start: Start, tmp_path: Path) -> None:
    record = scenes.timed(scenes.flow_done(), 1_000.0)
    async with start(engine=StandIn(tmp_path, record=record)) as stage:
        items = stage.app.stage.state.conversation.items
        assert items[0] == UserItem("/flow:release")
        assert stage.app.stage.state.flow.run is not None
        assert not stage.app.stage.counts
        assert stage.app.home.transcript.item(stage.app.stage.feed.ids[0]) == items[0]


async def test_markup_in_names_is_shown_as_it_is(start: Start) -> None:
    told = Notification(
        id="1", category="system", type="x", source_kind="system", source_id="s", title="[red]x[/]", body="[/b]",
        severity="info", created_at=0.0,
    )  # fmt: skip
    flow = scenes.RELEASE.model_copy(update={"name": "[bold]re[/lease"})
    async with start() as stage:
        await stage.say(TurnBegin(user_input="[x]"), flow, told)
        assert NoticeItem("[red]x[/] · [/b]") in stage.app.stage.state.conversation.items
        shown = "\n".join(strip.text for strip in stage.app.screen._compositor.render_strips())
        assert "[bold]re[/lease" in shown
