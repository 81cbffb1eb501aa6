"""The approval on the whole screen, and the command edited before it runs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import TextArea

from kimi_tui.interaction.approvals import ApprovalResult, ProposedAction, Scope
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
from kimi_tui.ui.tui.dialogs.approval_body import ApprovalBody
from kimi_tui.ui.tui.dialogs.approval_fullscreen import ApprovalFullscreen
from kimi_tui.ui.tui.dialogs.edit_command import EditCommand
from kimi_tui.ui.tui.dialogs.option_list import OptionList
from kimi_tui.wire.display import DiffBlock, DisplayBlock, ShellBlock
from tests.ui.tui.fake_engine import Clock, FakeEngine, make_app
from tests.ui.tui.screen_text import app_rows
from tests.ui.tui.test_screen import ready

LONG = DiffBlock(path="a.py", old_text="", new_text="\n".join(f"line {n}" for n in range(40)))


@asynccontextmanager
async def asking(
    tmp_path: Path, block: DisplayBlock, sender: str = "Shell", size: tuple[int, int] = (100, 30)
) -> AsyncIterator[tuple[KimiTui, Pilot[int], Clock, "asyncio.Task[ApprovalResult]"]]:
    """An app with a request that waits, past the half second in which no key counts."""
    engine = FakeEngine(tmp_path)
    app, clock = make_app(engine)
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        asked = asyncio.create_task(
            engine.approvals.ask(
                ProposedAction(
                    sender=sender,
                    action="do it",
                    description="it",
                    display=(block,),
                    scope=Scope(("k",), "all of them"),
                ),
                tool_call_id="1",
                editable=sender == "Shell",
            )
        )
        for _ in range(3):
            await pilot.pause()
        app.main_screen.query_one(ApprovalDialog).focus()
        clock.now += 1
        yield app, pilot, clock, asked
        engine.approvals.reject_all()
        await asked


async def test_what_the_person_wrote_in_place_of_the_command_is_the_answer(tmp_path: Path) -> None:
    async with asking(tmp_path, ShellBlock(command="rm -rf build")) as (app, pilot, _, asked):
        await pilot.press("e")
        await pilot.pause()
        assert isinstance(app.screen, EditCommand)
        app.screen.query_one(TextArea).text = "ls build"
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert await asked == ApprovalResult(True, edited="ls build")


@pytest.mark.parametrize(("key", "kept"), [("f", "why"), ("tab", "why"), ("e", "rm -rf buildwhy")])
async def test_what_is_written_in_a_dialog_is_in_the_message_when_the_program_ends(
    tmp_path: Path, key: str, kept: str
) -> None:
    async with asking(tmp_path, ShellBlock(command="rm -rf build")) as (app, pilot, _, _asked):
        await pilot.press(key)
        await pilot.pause()
        await pilot.press(*"why")
        app.exit(0)
        assert app.main_screen.composer.text == kept


@pytest.mark.parametrize("size", [(80, 24), (50, 14)])
async def test_the_editor_of_a_long_command_shows_its_keys_in_a_low_terminal(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    command = "\n".join(f"echo {n}" for n in range(40))
    async with asking(tmp_path, ShellBlock(command=command), size=size) as (app, pilot, _, _asked):
        await pilot.press("e")
        await pilot.pause()
        await pilot.pause()
        shown = "\n".join(app_rows(app))
        assert "echo 39" in shown
        assert "Ctrl+S run · Esc close" in shown


async def test_leaving_the_editor_answers_nothing(tmp_path: Path) -> None:
    async with asking(tmp_path, ShellBlock(command="rm -rf build")) as (app, pilot, _, asked):
        await pilot.press("e")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert app.main_screen.query_one(ApprovalDialog).has_focus
        await pilot.press("y")  # too early: the dialog has just come back
        assert not asked.done()


async def test_a_command_with_hidden_characters_is_not_offered_for_editing(tmp_path: Path) -> None:
    async with asking(tmp_path, ShellBlock(command="ls \u202e; rm")) as (app, pilot, _, asked):
        options = app.main_screen.query_one(ApprovalDialog).query_one(OptionList).options
        assert "edit" not in [option.id for option in options]
        await pilot.press("e")
        assert not isinstance(app.screen, EditCommand)
        assert not asked.done()


@pytest.mark.parametrize(("block", "scrolls"), [(LONG, True), (ShellBlock(command="ls"), False)])
async def test_the_whole_screen_names_keys_to_scroll_only_where_something_scrolls(
    tmp_path: Path, block: DisplayBlock, scrolls: bool
) -> None:
    async with asking(tmp_path, block) as (app, pilot, _, _asked):
        await pilot.press("ctrl+f")
        await pilot.pause()
        last = app_rows(app)[-1]
        assert ("PgDn scroll" in last, "Ctrl+F Esc back" in last) == (scrolls, True)


async def test_the_whole_screen_takes_an_answer_only_after_half_a_second(tmp_path: Path) -> None:
    async with asking(tmp_path, LONG, "WriteFile") as (app, pilot, clock, asked):
        await pilot.press("ctrl+f")
        await pilot.pause()
        assert isinstance(app.screen, ApprovalFullscreen)
        await pilot.press("y")
        assert not asked.done()
        clock.now += 1
        await pilot.press("y")
        await pilot.pause()
        assert await asked == ApprovalResult(True)


async def test_the_broad_yes_is_withheld_on_the_whole_screen_until_all_was_read(tmp_path: Path) -> None:
    async with asking(tmp_path, LONG, "WriteFile") as (app, pilot, clock, asked):
        await pilot.press("ctrl+f")
        await pilot.pause()
        clock.now += 1
        await pilot.press("a")
        assert not asked.done()
        screen = app.screen
        for _ in range(6):
            await pilot.press("pagedown")
            await pilot.pause()
        assert screen.query_one(ApprovalBody).all_seen
        await pilot.press("a")
        await pilot.pause()
        assert (await asked).approved
        assert app.engine is not None
        assert app.engine.approvals.granted == {"k"}


async def test_ctrl_f_and_escape_lead_back_to_the_dialog(tmp_path: Path) -> None:
    async with asking(tmp_path, LONG, "WriteFile") as (app, pilot, _, asked):
        for key in ("ctrl+f", "escape"):
            await pilot.press("ctrl+f")
            await pilot.pause()
            assert isinstance(app.screen, ApprovalFullscreen)
            await pilot.press(key)
            await pilot.pause()
            assert app.main_screen.query_one(ApprovalDialog).has_focus
        assert not asked.done()


async def test_a_request_that_was_answered_elsewhere_takes_its_screen_along(tmp_path: Path) -> None:
    async with asking(tmp_path, LONG, "WriteFile") as (app, pilot, _, asked):
        await pilot.press("ctrl+f")
        await pilot.pause()
        assert app.engine is not None
        app.engine.approvals.yolo = True
        await asked
        for _ in range(3):
            await pilot.pause()
        assert app.screen is app.main_screen


@pytest.mark.parametrize("key", ["y", "n"])
async def test_a_full_screen_without_room_for_the_text_approves_nothing(tmp_path: Path, key: str) -> None:
    async with asking(tmp_path, ShellBlock(command="rm -rf build"), size=(12, 3)) as (app, pilot, clock, asked):
        await pilot.press("ctrl+f")
        await pilot.pause()
        assert isinstance(app.screen, ApprovalFullscreen)
        clock.now += 1
        await pilot.press(key)
        await pilot.press("enter")
        await pilot.pause()
        if key == "y":
            assert not asked.done()
        else:
            assert await asked == ApprovalResult(False)
