"""Changes of an edit taken one by one, and what a user says with the answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input

from kimi_tui.interaction.approvals import ApprovalResult, ProposedAction, Source, asking_for
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
from kimi_tui.ui.tui.dialogs.approval_fullscreen import ApprovalFullscreen
from kimi_tui.ui.tui.dialogs.hunk_picker import HunkPicker
from kimi_tui.ui.tui.dialogs.option_list import OptionList
from kimi_tui.wire.display import BriefBlock, DiffBlock
from tests.ui.tui.fake_engine import Clock, FakeEngine, make_app
from tests.ui.tui.test_screen import ready

CHANGES = tuple(
    DiffBlock(path="a.py", old_text=f"old {at}", new_text=f"new {at}", old_start=at, new_start=at) for at in (3, 30, 60)
)


class Asked:
    """An app that asks for an edit of three changes, past the half second in which no key counts."""

    def __init__(self, app: KimiTui, pilot: Pilot[int], clock: Clock, engine: FakeEngine) -> None:
        self.app, self.pilot, self.clock, self.engine = app, pilot, clock, engine
        self.answers: list[asyncio.Task[ApprovalResult]] = []

    async def ask(self, call_id: str = "1", hunks: int = 3) -> None:
        approvals = self.engine.approvals
        asked = approvals.ask(
            ProposedAction(
                sender="WriteFile",
                action="edit file",
                description="Edit file `a.py`",
                display=(*CHANGES, BriefBlock(text="Needs approval: a rule says so")),
                hunks=hunks,
            ),
            tool_call_id=call_id,
        )
        self.answers.append(asyncio.create_task(asked))
        for _ in range(3):
            await self.pilot.pause()

    async def press(self, *keys: str, late: bool = True) -> None:
        """Keys, each half a second and more after the one before (`late`)."""
        for key in keys:
            self.clock.now += 1 if late else 0
            await self.pilot.press(key)
            await self.pilot.pause()
        await self.pilot.pause()

    @property
    def choosing(self) -> HunkPicker:
        assert isinstance(self.app.screen, HunkPicker)
        return self.app.screen


@asynccontextmanager
async def asking(tmp_path: Path, *, hunks: int = 3, size: tuple[int, int] = (100, 30)) -> AsyncIterator[Asked]:
    engine = FakeEngine(tmp_path)
    app, clock = make_app(engine)
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        one = Asked(app, pilot, clock, engine)
        await one.ask(hunks=hunks)
        app.main_screen.query_one(ApprovalDialog).focus()
        clock.now += 1
        yield one
        engine.approvals.reject_all()
        await asyncio.gather(*one.answers)


async def test_the_changes_that_stay_ticked_are_the_answer(tmp_path: Path) -> None:
    async with asking(tmp_path) as one:
        await one.press("h", "down", "space", "enter")
        assert await one.answers[0] == ApprovalResult(True, selected_hunks=frozenset({0, 2}))


async def test_yes_and_no_go_on_to_the_next_change(tmp_path: Path) -> None:
    async with asking(tmp_path) as one:
        await one.press("h", "n", "n", "y", "enter")
        assert await one.answers[0] == ApprovalResult(True, selected_hunks=frozenset({2}))


async def test_a_click_on_the_head_of_a_change_takes_or_leaves_it(tmp_path: Path) -> None:
    async with asking(tmp_path) as one:
        await one.press("h")
        changes = one.choosing.list
        one.clock.now += 1
        await one.pilot.click(changes, offset=(4, changes.heads[1]))
        await one.pilot.pause()
        assert changes.taken == [True, False, True]
        await one.pilot.click(changes, offset=(4, changes.heads[1] + 1))
        assert changes.taken == [True, False, True]


async def test_no_key_counts_there_before_half_a_second_has_gone(tmp_path: Path) -> None:
    async with asking(tmp_path) as one:
        await one.press("h")
        await one.press("space", "enter", late=False)
        assert one.choosing.list.taken == [True, True, True]
        assert not one.answers[0].done()


async def test_nothing_ticked_is_no_answer_and_escape_leads_back(tmp_path: Path) -> None:
    async with asking(tmp_path) as one:
        await one.press("h", "a", "enter")
        assert one.choosing.list.taken == [False] * 3
        await one.press("escape")
        assert one.app.main_screen.query_one(ApprovalDialog).has_focus
        assert not one.answers[0].done()


async def test_changes_that_a_tiny_window_does_not_show_are_not_taken(tmp_path: Path) -> None:
    async with asking(tmp_path, size=(12, 3)) as one:
        await one.press("h")
        assert one.choosing.list.taken == [True, True, True]
        await one.press("enter")
        assert not one.answers[0].done()
        assert isinstance(one.app.screen, HunkPicker)


async def test_the_whole_screen_leads_to_the_choice_too(tmp_path: Path) -> None:
    async with asking(tmp_path) as one:
        await one.press("ctrl+f")
        assert isinstance(one.app.screen, ApprovalFullscreen)
        await one.press("h", "n", "enter")
        assert await one.answers[0] == ApprovalResult(True, selected_hunks=frozenset({1, 2}))


async def test_what_cannot_be_taken_in_part_is_not_offered(tmp_path: Path) -> None:
    async with asking(tmp_path, hunks=0) as one:
        options = one.app.main_screen.query_one(ApprovalDialog).query_one(OptionList).options
        assert "hunks" not in [option.id for option in options]
        await one.press("h")
        assert one.app.screen is one.app.main_screen


async def test_an_edit_of_a_subagent_is_chosen_from_in_the_same_way(tmp_path: Path) -> None:
    async with asking(tmp_path) as one:
        token = asking_for.set(Source("sub", "coder", "writes tests"))
        await one.ask("2")
        asking_for.reset(token)
        await one.press("right", "h", "space", "enter")
        assert await one.answers[1] == ApprovalResult(True, selected_hunks=frozenset({1, 2}))
        assert not one.answers[0].done()


async def test_a_comment_goes_with_a_yes(tmp_path: Path) -> None:
    async with asking(tmp_path) as one:
        await one.press("tab", *"yes", "space", *"but", "enter", "y")
        assert await one.answers[0] == ApprovalResult(True, "yes but")


async def test_a_comment_goes_with_a_no_and_with_some_of_the_changes(tmp_path: Path) -> None:
    async with asking(tmp_path) as one:
        await one.press("tab", *"no", "tab", "n")
        assert await one.answers[0] == ApprovalResult(False, "no")
        await one.ask("2")
        await one.press("tab", *"later", "enter", "h", "n", "enter")
        assert await one.answers[1] == ApprovalResult(True, "later", selected_hunks=frozenset({1, 2}))


async def test_the_answer_is_not_taken_right_after_the_comment(tmp_path: Path) -> None:
    async with asking(tmp_path) as one:
        await one.press("tab", *"hm", "enter")
        await one.press("y", late=False)
        assert not one.answers[0].done()


async def test_escape_takes_the_comment_back(tmp_path: Path) -> None:
    async with asking(tmp_path) as one:
        await one.press("tab", *"hm", "escape", "y")
        assert await one.answers[0] == ApprovalResult(True)


async def test_another_request_does_not_take_the_words_out_of_ones_hands(tmp_path: Path) -> None:
    for key in ("tab", "f"):
        async with asking(tmp_path) as one:
            await one.press(key, *"half")
            await one.ask("2")
            await one.press(*"way")
            assert one.app.main_screen.query_one(ApprovalDialog).query_one(Input).value == "halfway"
            assert not one.answers[0].done()


async def test_a_comment_is_for_one_request_only(tmp_path: Path) -> None:
    async with asking(tmp_path) as one:
        await one.ask("2")
        await one.press("tab", *"hm", "enter", "right", "y")
        assert await one.answers[1] == ApprovalResult(True)
