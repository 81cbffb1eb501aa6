"""Small screens, and screens that change their size."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
from kimi_tui.ui.tui.dialogs.branch_choice import BranchDialog
from kimi_tui.ui.tui.dialogs.docked_dialog import DockedDialog
from kimi_tui.ui.tui.dialogs.question import QuestionDialog
from kimi_tui.ui.tui.main_screen.column_width_store import ColumnWidthStore
from kimi_tui.ui.tui.main_screen.status_line import StatusLine
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.display import DiffBlock, ShellBlock
from kimi_tui.wire.events import ApprovalResponse
from kimi_tui.wire.requests import ApprovalRequest, Question, QuestionOption, QuestionRequest
from tests.ui.tui import wire_scenarios
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.fuzz_driver import QUESTION
from tests.ui.tui.screen_text import app_rows
from tests.ui.tui.test_screen import ready

BEFORE = "".join(f"line {n}\n" for n in range(20))
EDIT = ApprovalRequest(
    id="ask",
    tool_call_id="e",
    sender="StrReplaceFile",
    action="edit file",
    description="Edit",
    display=(DiffBlock(path="busy.py", old_text=BEFORE, new_text=BEFORE.replace("line 9\n", "line nine\n")),),
    scope="edits of busy.py",
)

LONG = EDIT.model_copy(update={"display": (ShellBlock(command="\n".join(f"echo {n}" for n in range(90))),)})
SMALL = EDIT.model_copy(update={"display": (ShellBlock(command="make release"),)})
PLAN = QuestionRequest(
    id="q",
    tool_call_id="q",
    questions=(
        Question(
            question="Carry out this plan?",
            body="".join(f"- step {n}\n" for n in range(30)),
            options=(QuestionOption(label="Yes"), QuestionOption(label="No")),
        ),
    ),
)


@asynccontextmanager
async def showing(
    folder: Path, size: tuple[int, int], *messages: WireMessage
) -> AsyncIterator[tuple[KimiTui, Pilot[int], FakeEngine]]:
    engine = FakeEngine(folder)
    app, _ = make_app(engine)
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        await say(pilot, engine, *messages)
        yield app, pilot, engine


async def say(pilot: Pilot[int], engine: FakeEngine, *messages: WireMessage) -> None:
    engine.say(*messages)
    for _ in range(4):
        await pilot.pause()


async def test_in_little_room_an_edit_shows_what_changes_before_what_stands_around_it(tmp_path: Path) -> None:
    async with showing(tmp_path, (60, 18), EDIT) as (app, _, _):
        shown = "\n".join(app_rows(app))
        assert "- line 9" in shown
        assert "+ line nine" in shown
        assert "scroll to the end" not in shown
        assert "edits of busy.py" in shown


async def test_the_broad_answer_is_given_free_when_the_window_grows_to_show_everything(tmp_path: Path) -> None:
    change = DiffBlock(path="a.py", old_text="", new_text="".join(f"line {n}\n" for n in range(9)))
    ask = EDIT.model_copy(update={"display": (change,)})
    async with showing(tmp_path, (60, 18), ask) as (app, pilot, _):
        assert "scroll to the end first" in "\n".join(app_rows(app))
        await pilot.resize_terminal(100, 40)
        for _ in range(4):
            await pilot.pause()
        shown = "\n".join(app_rows(app))
        assert "line 8" in shown
        assert "scroll to the end first" not in shown
        assert "edits of busy.py" in shown


@pytest.mark.parametrize("size", [(80, 24), (100, 27), (60, 18)])
async def test_in_a_low_terminal_what_leaves_no_room_for_the_conversation_stands_alone(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    for messages in ([LONG], [PLAN]):
        async with showing(tmp_path, size, *wire_scenarios.flow_at_decision(), *messages) as (app, pilot, _):
            home = app.main_screen
            assert home.current_dialog is not None
            assert home.current_dialog.has_focus
            assert not home.query_one("#conversation").is_on_screen
            assert home.current_dialog.region.bottom == home.composer.region.y
            assert not home.query_one(StatusLine).is_on_screen
            await pilot.press("f2")
            assert home.current_dialog.has_focus


@pytest.mark.parametrize("size", [(80, 24), (100, 27)])
async def test_in_a_low_terminal_a_small_dialog_leaves_the_conversation_readable(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    for messages in ([SMALL], [QUESTION], wire_scenarios.flow_asks()):
        async with showing(tmp_path, size, *wire_scenarios.flow_at_decision(), *messages) as (app, _, _):
            home = app.main_screen
            dialog = home.current_dialog
            assert dialog is not None
            assert dialog.has_focus
            assert home.query_one("#conversation").size.height >= 5
            assert dialog.region.bottom == home.composer.region.y


@pytest.mark.parametrize("size", [(80, 24), (140, 42)])
async def test_the_frame_of_a_dialog_is_as_tall_as_what_it_holds(tmp_path: Path, size: tuple[int, int]) -> None:
    medium = SMALL.model_copy(update={"display": (ShellBlock(command="\n".join(f"echo {n}" for n in range(7))),)})
    for ask in (SMALL, medium, EDIT):
        async with showing(tmp_path, size, ask) as (app, _, _):
            dialog = app.main_screen.query_one(ApprovalDialog)
            last = max(one.region.bottom for one in dialog.children if one.is_on_screen)
            assert dialog.region.bottom == last + 1


async def test_the_last_words_are_in_the_branch_dialog_only_where_the_conversation_is_hidden(tmp_path: Path) -> None:
    async with showing(tmp_path, (80, 24), *wire_scenarios.flow_asks()) as (app, pilot, _):
        assert "\n".join(app_rows(app)).count("but one was skipped") == 1
        assert app.main_screen.query_one("#conversation").is_on_screen
        await pilot.resize_terminal(60, 12)
        for _ in range(4):
            await pilot.pause()
        assert not app.main_screen.query_one("#conversation").is_on_screen
        assert "\n".join(app_rows(app)).count("but one was skipped") == 1


async def test_a_long_plan_in_a_question_is_scrolled_by_keys(tmp_path: Path) -> None:
    async with showing(tmp_path, (80, 24), PLAN) as (app, pilot, _):
        assert "step 29" not in "\n".join(app_rows(app))
        assert "PgDn" in app_rows(app)[-1]
        await pilot.press("end")
        await pilot.pause()
        assert "step 29" in "\n".join(app_rows(app))
        assert app.main_screen.query_one(QuestionDialog).is_open


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (140, 42), (60, 18)])
async def test_of_several_that_ask_one_is_seen_and_the_others_after_it(tmp_path: Path, size: tuple[int, int]) -> None:
    async with showing(tmp_path, size, *wire_scenarios.flow_asks(), QUESTION, EDIT) as (app, pilot, engine):
        home = app.main_screen
        for asks, answer in ((home.query_one(ApprovalDialog), ApprovalResponse(request_id="ask", response="reject")),
                             (home.query_one(QuestionDialog), wire_scenarios.result("q", "done")),
                             (home.query_one(BranchDialog), None)):  # fmt: skip
            shown = [one for one in home.query(DockedDialog) if one.is_on_screen]
            assert shown == [asks] == [home.current_dialog]
            assert asks.has_focus
            if answer is not None:
                await say(pilot, engine, answer)


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
async def test_a_pane_makes_way_for_an_approval_that_takes_the_focus(tmp_path: Path, size: tuple[int, int]) -> None:
    async with showing(tmp_path, size, *wire_scenarios.flow_at_decision()) as (app, pilot, engine):
        await pilot.press("f4")
        assert app.main_screen.zoomed == "todo"
        await say(pilot, engine, EDIT)
        assert app.main_screen.zoomed is None
        assert app.main_screen.query_one(ApprovalDialog).has_focus


async def test_who_reads_the_conversation_as_it_makes_way_is_at_what_asks(tmp_path: Path) -> None:
    async with showing(tmp_path, (80, 24), *wire_scenarios.streaming()) as (app, pilot, engine):
        await pilot.press("f2", "k")
        await say(pilot, engine, LONG)
        assert app.main_screen.query_one(ApprovalDialog).has_focus
        assert not app.main_screen.query_one("#conversation").is_on_screen


async def test_every_answer_is_on_the_screen_however_much_is_asked(tmp_path: Path) -> None:
    for size in ((80, 24), (100, 30), (60, 18), (140, 42)):
        async with showing(tmp_path, size, LONG) as (app, pilot, engine):
            app.main_screen.composer.text = "\n".join("draft" * 9 for _ in range(9))
            await say(pilot, engine)
            shown = "\n".join(app_rows(app))
            assert "Yes, this once" in shown
            assert "No, and say why" in shown


async def test_the_focus_stays_in_no_pane_that_a_smaller_window_hides(tmp_path: Path) -> None:
    async with showing(tmp_path, (140, 42), *wire_scenarios.flow_at_decision()) as (app, pilot, _):
        await pilot.press("f3")
        assert app.main_screen.focused_pane == "flow"
        await pilot.resize_terminal(100, 42)
        for _ in range(4):
            await pilot.pause()
        assert not app.main_screen.query_one("#right").display
        assert app.main_screen.composer.prompt.has_focus


async def test_the_border_is_where_it_was_left_at_the_next_start(tmp_path: Path) -> None:
    for start in range(3):
        app, _ = make_app(engine := FakeEngine(tmp_path))
        async with app.run_test(size=(140, 42)) as pilot:
            await ready(pilot)
            engine.say(*wire_scenarios.flow_at_decision())
            await pilot.pause()
            await pilot.pause()
            if start == 0:
                width = app.main_screen.query_one("#right").size.width
                await pilot.press("f9", "f9", "f10")
                await pilot.pause()
                assert app.main_screen.query_one("#right").size.width == width + 4
            elif start == 1:
                assert app.main_screen.query_one("#right").size.width == width + 4
                await pilot.click("#divider", offset=(0, 8), times=2)
                await pilot.pause()
            else:
                assert app.main_screen.query_one("#right").size.width == width


def test_a_file_of_columns_that_is_broken_says_nothing(tmp_path: Path) -> None:
    for text in ("", "[]", '{"kitty": "wide"}', '{"kitty": 7}'):
        (tmp_path / "c.json").write_text(text)
        assert ColumnWidthStore(tmp_path / "c.json", "kitty").load() is None
    ColumnWidthStore(tmp_path / "c.json", "kitty").save(0.4)
    ColumnWidthStore(tmp_path / "c.json", "tmux").save(0.3)
    assert ColumnWidthStore(tmp_path / "c.json", "kitty").load() == 0.4
