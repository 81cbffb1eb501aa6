"""The list of sessions, on sessions that are on disk."""

import fcntl
from pathlib import Path

import pytest
from textual.widgets import Input

from kimi_tui.session.session import list_sessions
from kimi_tui.session.state import read_state
from kimi_tui.ui.tui.screens.session_list_model import SessionEntry, SessionList
from kimi_tui.ui.tui.screens.sessions import Sessions
from kimi_tui.ui.tui.state.items import NoticeItem, UserItem
from kimi_tui.ui.tui.transcript.view import Transcript
from kimi_tui.ui.tui.widgets.pick_list import ItemList
from tests.ui.tui.screens.conftest import Shown, ShowScreen
from tests.ui.tui.screens.stored_sessions import NOW, store_sessions


@pytest.fixture(autouse=True)
def some_sessions(work_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    store_sessions(work_dir, tmp_path / "other")


def sessions(work_dir: Path, renamed: list[str] | None = None) -> Sessions:
    return Sessions(
        SessionList(work_dir, "s"), now=lambda: NOW, rename_open=(renamed if renamed is not None else []).append
    )


def titles(shown: Shown) -> list[str]:
    return [pick.label for pick in shown.app.screen.query_one("#list", ItemList).picks if pick.key]


async def test_the_sessions_of_this_folder_are_listed_newest_first_archived_last(
    show: ShowScreen, work_dir: Path
) -> None:
    async with show(lambda: sessions(work_dir)) as shown:
        assert titles(shown) == [
            "New session",
            "Fix the flaky test and release",
            "Explain the parser of the D2 charts",
            "读取文件时出错，请修复",
            "Why is the layout slow?",
            "(no title)",
            "Set up the repository",
        ]


async def test_ctrl_a_lists_those_of_all_folders(show: ShowScreen, work_dir: Path) -> None:
    async with show(lambda: sessions(work_dir)) as shown:
        await shown.press("ctrl+a")
        assert "Write the notes of the week" in titles(shown)
        await shown.press("ctrl+a")
        assert "Write the notes of the week" not in titles(shown)


async def test_typing_searches_titles(show: ShowScreen, work_dir: Path) -> None:
    async with show(lambda: sessions(work_dir)) as shown:
        await shown.press(*"parser")
        assert titles(shown) == ["Explain the parser of the D2 charts"]


async def test_typing_searches_what_was_said_and_shows_the_words(show: ShowScreen, work_dir: Path) -> None:
    async with show(lambda: sessions(work_dir)) as shown:
        await shown.press(*"counted")
        picks = shown.app.screen.query_one("#list", ItemList).picks
        assert [(pick.label, pick.detail) for pick in picks if pick.key] == [
            ("Why is the layout slow?", "Crossings are counted twice.")
        ]


async def test_the_preview_shows_the_last_turns_of_the_session_under_the_cursor(
    show: ShowScreen, work_dir: Path
) -> None:
    async with show(lambda: sessions(work_dir)) as shown:
        await shown.press("down", "down")
        said = [item.text for item in shown.app.screen.query_one(Transcript).store.items if isinstance(item, UserItem)]
        assert said == ["explain the parser", "and errors?"]


async def test_the_preview_of_a_new_session_says_what_it_is(show: ShowScreen, work_dir: Path) -> None:
    async with show(lambda: sessions(work_dir)) as shown:
        [note] = shown.app.screen.query_one(Transcript).store.items
        assert isinstance(note, NoticeItem)
        assert work_dir.name in note.text
        await shown.press("z", "z", "z")
        assert not shown.app.screen.query_one(Transcript).store.items


async def test_enter_gives_back_the_session(show: ShowScreen, work_dir: Path) -> None:
    async with show(lambda: sessions(work_dir)) as shown:
        await shown.press("down", "down", "enter")
        assert [kept.id for kept in shown.results if isinstance(kept, SessionEntry)] == ["parser"]


async def test_enter_on_the_first_row_asks_for_a_new_session(show: ShowScreen, work_dir: Path) -> None:
    async with show(lambda: sessions(work_dir)) as shown:
        await shown.press("enter")
        assert shown.results == ["new"]


async def test_escape_leaves_and_changes_nothing(show: ShowScreen, work_dir: Path) -> None:
    async with show(lambda: sessions(work_dir)) as shown:
        await shown.press("down", "escape")
        assert shown.results == [None]


async def test_a_click_selects_and_a_second_one_opens(show: ShowScreen, work_dir: Path) -> None:
    async with show(lambda: sessions(work_dir)) as shown:
        await shown.pilot.click("#list", offset=(4, 3))
        await shown.settle()
        assert shown.results == []
        await shown.press("down")
        assert shown.app.screen.query_one("#list", ItemList).key == "parser"
        await shown.pilot.click("#list", offset=(4, 4))
        await shown.settle()
        assert [kept.id for kept in shown.results if isinstance(kept, SessionEntry)] == ["parser"]


async def test_a_session_is_renamed(show: ShowScreen, work_dir: Path) -> None:
    async with show(lambda: sessions(work_dir)) as shown:
        await shown.press("down", "down", "ctrl+r")
        shown.app.screen.query_one(Input).value = "Parsers\x1b[2J and such"
        await shown.press("enter")
        assert "Parsers\x1b[2J and such" in [info.title for info in list_sessions(work_dir)]
        assert titles(shown)[2].startswith("Parsers")


async def test_the_session_on_screen_is_renamed_by_the_engine(show: ShowScreen, work_dir: Path) -> None:
    renamed: list[str] = []
    async with show(lambda: sessions(work_dir, renamed)) as shown:
        await shown.press("down", "ctrl+r")
        shown.app.screen.query_one(Input).value = "Mine"
        await shown.press("enter")
        assert renamed == ["Mine"]
        assert titles(shown)[1] == "Mine"


async def test_a_fork_is_a_session_of_its_own_with_all_that_was_said(show: ShowScreen, work_dir: Path) -> None:
    async with show(lambda: sessions(work_dir)) as shown:
        await shown.press("down", "down", "ctrl+b")
        forks = [info for info in list_sessions(work_dir) if info.title.startswith("Fork: ")]
        assert [info.title for info in forks] == ["Fork: Explain the parser of the D2 charts"]
        assert shown.app.screen.query_one("#list", ItemList).key == forks[0].id
        original = next(info for info in list_sessions(work_dir) if info.id == "parser")
        assert (forks[0].dir / "wire.jsonl").read_bytes() == (original.dir / "wire.jsonl").read_bytes()


async def test_a_session_is_archived_and_brought_back(show: ShowScreen, work_dir: Path) -> None:
    async with show(lambda: sessions(work_dir)) as shown:
        await shown.press("down", "down", "ctrl+x")
        assert titles(shown)[-2:] == ["Explain the parser of the D2 charts", "Set up the repository"]
        await shown.press("ctrl+x")
        assert titles(shown)[2] == "Explain the parser of the D2 charts"


async def test_a_session_that_another_process_holds_is_left_alone(show: ShowScreen, work_dir: Path) -> None:
    folder = next(info.dir for info in list_sessions(work_dir) if info.id == "parser")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        async with show(lambda: sessions(work_dir)) as shown:
            await shown.press("down", "down", "ctrl+x")
            assert "another window" in str(shown.app.screen.query_one("#frame").border_subtitle)
            await shown.press("enter")
            assert shown.results == []
            picks = shown.app.screen.query_one("#list", ItemList)
            assert picks.selected is not None
            assert picks.selected.right == "in another window"
    assert not read_state(folder / "state.json").archived
