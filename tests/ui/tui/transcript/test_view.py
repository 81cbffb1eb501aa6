from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot

from kimi_tui.ui.tui.transcript.items import AssistantItem, Item, NoticeItem, ThinkItem, ToolItem, UserItem
from kimi_tui.ui.tui.transcript.view import Transcript

PROSE = "Some words that fill a line or two, and then a few more of them. " * 3


class Watched(Transcript):
    """Notes which regions it asks to be repainted."""

    def __init__(self) -> None:
        super().__init__(clock=lambda: 10.0, motion=False)
        self.asked: list[Region] = []

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False):
        if repaint and self.is_mounted:
            self.asked.extend(regions or [self.size.region])
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)


class Home(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.heard: list[object] = []

    def compose(self) -> ComposeResult:
        yield Watched()

    def on_transcript_item_clicked(self, event: Transcript.ItemClicked) -> None:
        self.heard.append((event.item_id, event.action))

    def on_transcript_follow_changed(self, event: Transcript.FollowChanged) -> None:
        self.heard.append((event.following, event.unseen))


@asynccontextmanager
async def showing(*items: Item, size: tuple[int, int] = (60, 16)) -> AsyncIterator[tuple[Pilot[None], Watched]]:
    app = Home()
    async with app.run_test(size=size) as pilot:
        view = app.query_one(Watched)
        view.focus()
        view.replace_all(items)
        await pilot.pause()
        yield pilot, view


def rows(view: Transcript) -> list[str]:
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


def turns(count: int) -> list[Item]:
    return [item for turn in range(count) for item in (UserItem(f"question {turn}"), AssistantItem(PROSE, done=True))]


async def test_items_stand_one_below_the_other():
    async with showing(UserItem("hello"), AssistantItem("*hi*", done=True), ToolItem("Shell", "ls", "ok")) as (_, view):
        assert rows(view)[:5] == ["  ▌you  hello", "", "  hi", "", "  ✓ Shell  ls"]


async def test_streamed_text_appears_and_repaints_only_its_rows():
    async with showing(*turns(10)) as (pilot, view):
        item_id = view.append(AssistantItem())
        view.stream(item_id, "One")
        await pilot.pause()
        view.asked.clear()
        view.stream(item_id, " more word")
        await pilot.pause()
        assert any(row == "  One more word" for row in rows(view))
        assert [region.height for region in view.asked] == [1]


async def test_who_scrolled_up_is_told_how_much_is_new_and_comes_back_with_end():
    async with showing(*turns(10)) as (pilot, view):
        await pilot.press("pageup")
        before = rows(view)
        view.append(NoticeItem("one"))
        view.append(NoticeItem("two"))
        await pilot.pause()
        assert rows(view) == before
        app = pilot.app
        assert isinstance(app, Home)
        assert app.heard[-1] == (False, 2)
        await pilot.press("end")
        await pilot.pause()
        assert app.heard[-1] == (True, 0)
        assert rows(view)[-1] == "  · two"


async def test_a_mouse_wheel_up_ends_following():
    async with showing(*turns(10)) as (pilot, view):
        await pilot._post_mouse_events([events.MouseScrollUp], view, (5, 5))
        await pilot.pause()
        assert not view.follow


async def test_a_click_on_a_card_opens_it_and_its_first_line_stays():
    tool = ToolItem("Shell", "ls", "ok", output="a\nb")
    async with showing(*turns(3), tool, NoticeItem("after")) as (pilot, view):
        y = next(y for y, row in enumerate(rows(view)) if "Shell" in row)
        await pilot.click(Watched, offset=(4, y))
        await pilot.pause()
        assert rows(view)[y - 1 : y + 1] != ["", ""]
        opened = [row for row in rows(view) if row.strip() in ("│ a", "│ b")]
        assert len(opened) == 2
        app = pilot.app
        assert isinstance(app, Home)
        assert (7, "toggle") in app.heard


async def test_the_keyboard_finds_a_card_and_opens_it():
    tool = ToolItem("Shell", "ls", "ok", output="a\nb")
    async with showing(tool, AssistantItem("text", done=True)) as (pilot, view):
        await pilot.press("alt+up")
        assert rows(view)[0].startswith("› ✓ Shell")
        await pilot.press("enter")
        assert rows(view)[1].strip() == "│ a"
        await pilot.press("enter")
        assert rows(view)[1] == ""


async def test_all_cards_open_and_fold_together():
    async with showing(ToolItem("A", state="ok", output="x"), ThinkItem("y", done=True)) as (pilot, view):
        view.toggle_all()
        await pilot.pause()
        assert [row.strip() for row in rows(view)[:4]] == ["✓ A" + " " * 52 + "▾", "│ x", "✻ thought ▾", "│ y"]
        view.toggle_all()
        assert rows(view)[2] == ""


async def test_selected_text_has_no_margin_no_bullets_and_no_wrapping():
    source = (
        "A sentence that is long enough to be wrapped in a narrow window, twice even.\n\n- one\n- two\n\n```\ncode\n```"
    )
    async with showing(UserItem("hi"), AssistantItem(source, done=True), size=(40, 20)) as (pilot, view):
        view.text_select_all()
        await pilot.pause()
        assert view.selected_text() == (
            "hi\n\nA sentence that is long enough to be wrapped in a narrow window, twice even.\n\none\ntwo\n\ncode"
        )
        assert pilot.app.screen.get_selected_text() == view.selected_text()


async def test_a_part_selected_with_the_mouse_is_what_is_copied():
    async with showing(UserItem("hi"), AssistantItem("first line\n\nsecond line", done=True)) as (pilot, view):
        await pilot.mouse_down(Watched, offset=(8, 2))
        await pilot.hover(Watched, offset=(7, 4))
        await pilot.mouse_up(Watched, offset=(7, 4))
        await pilot.pause()
        assert view.selected_text() == "line\n\nsecond"


async def test_find_marks_the_places_and_goes_from_one_to_the_next():
    hidden = ToolItem("Shell", "ls", "ok", output="a needle in the output")
    async with showing(UserItem("a needle"), hidden, *turns(20)) as (pilot, view):
        assert len(view.find("NEEDLE")) == 2
        first = view.find_next()
        assert first is not None
        assert any("a needle" in row for row in rows(view))
        second = view.find_next()
        assert second is not None
        assert any("a needle in the output" in row for row in rows(view))
        assert view.find_next() == first
        assert view.find_previous() == second
        assert view.find("") == []
        await pilot.pause()


async def test_other_colours_repaint_what_was_drawn():
    async with showing(UserItem("hi")) as (pilot, view):
        before = [segment.style for segment in view.render_line(0)]
        pilot.app.theme = "textual-light"
        await pilot.pause()
        await pilot.pause()
        assert [segment.style for segment in view.render_line(0)] != before


async def test_an_update_takes_the_place_of_the_item():
    async with showing(UserItem("go")) as (pilot, view):
        tool = view.append(ToolItem("Shell", "make", "running"))
        await pilot.pause()
        assert rows(view)[2].startswith("  ◐ Shell")
        view.update(tool, ToolItem("Shell", "make", "ok", duration_s=2.0))
        await pilot.pause()
        assert rows(view)[2].startswith("  ✓ Shell")
        view.truncate(tool)
        await pilot.pause()
        assert rows(view)[2] == ""
        assert view.append(NoticeItem("next")) > tool


async def test_a_stream_that_ends_is_the_document():
    async with showing() as (pilot, view):
        item_id = view.append(AssistantItem())
        for piece in ("# He", "ading\n\n- a", "\n- b\n\n", "end"):
            view.stream(item_id, piece)
            await pilot.pause()
        view.finish(item_id)
        await pilot.pause()
        assert view.item(item_id) == AssistantItem("# Heading\n\n- a\n- b\n\nend", done=True)
        assert [row.strip() for row in rows(view)[:6]] == ["Heading", "", "• a", "• b", "", "end"]


async def test_a_resize_keeps_the_item_at_the_top():
    async with showing(*turns(30)) as (pilot, view):
        view.jump_to(21)
        await pilot.pause()
        top = next(row for row in rows(view) if row)
        await pilot.resize_terminal(44, 20)
        await pilot.pause()
        assert next(row for row in rows(view) if row) == top


async def test_the_plain_text_is_the_whole_conversation():
    async with showing(UserItem("hi"), AssistantItem("**yes**", done=True)) as (_, view):
        assert view.plain_text() == "hi\n\nyes"


@pytest.mark.parametrize("count", [10, 2000])
async def test_the_work_of_a_flush_does_not_depend_on_the_length_of_the_conversation(count: int):
    async with showing(*turns(count)) as (pilot, view):
        drawn = len(view._roll._drawn)
        item_id = view.append(AssistantItem())
        for _ in range(30):
            view.stream(item_id, "a word and another ")
            await pilot.pause()
        assert len(view._roll._drawn) <= drawn + 2


async def test_rows_that_look_the_same_are_found_at_their_own_place() -> None:
    async with showing(*(NoticeItem("the same") for _ in range(60)), size=(40, 10)) as (pilot, view):
        view.action_scroll_home()
        await pilot.pause()
        step = view._roll.heights[1]
        before, shown = view.screen.get_style_at(6, 2 * step).meta["offset"], rows(view)
        view._move(step)
        await pilot.pause()
        assert rows(view) == shown
        assert view.screen.get_style_at(6, 2 * step).meta["offset"] > before
