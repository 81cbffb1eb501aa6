import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot

from kimi_tui.ui.tui.state.items import AssistantItem, Item, NoticeItem, SubagentItem, ThinkItem, ToolItem, UserItem
from kimi_tui.ui.tui.transcript.search import TranscriptSearch
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
        self.received: list[object] = []

    def compose(self) -> ComposeResult:
        yield Watched()

    def on_transcript_item_clicked(self, event: Transcript.ItemClicked) -> None:
        self.received.append((event.item_id, event.action))

    def on_transcript_copied(self, event: Transcript.Copied) -> None:
        self.received.append(event.text)

    def on_transcript_follow_changed(self, event: Transcript.FollowChanged) -> None:
        self.received.append((event.following, event.unseen))


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
        assert app.received[-1] == (False, 2)
        await pilot.press("end")
        await pilot.pause()
        assert app.received[-1] == (True, 0)
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
        assert (7, "toggle") in app.received


async def test_v_shows_the_source_of_the_charts_and_draws_them_again():
    chart = AssistantItem("```mermaid\nflowchart TD\n A --> B\n```", done=True)
    streaming = AssistantItem("```d2\nx -> y\n```\n")
    async with showing(chart, streaming) as (pilot, view):
        assert {"  ┌───────────┐", "  │     A     │", "  │     x     │"} < {row[2:] for row in rows(view)}
        assert ("v", "charts as source") in view.hints()
        await pilot.press("v")
        assert ("v", "charts drawn") in view.hints()
        assert {"    flowchart TD", "     A --> B", "    x -> y"} <= set(rows(view))
        await pilot.press("v")
        assert any("│     A     │" in row for row in rows(view))


async def test_the_source_of_a_chart_that_is_shorter_than_its_drawing_leaves_no_blank_rows_at_the_end():
    steps = "\n".join(f" A{number} --> A{number + 1}" for number in range(9))
    chart = AssistantItem(f"{PROSE}\n\n```mermaid\nflowchart TD\n{steps}\n```\n\n{PROSE}\n\nlast words", done=True)
    async with showing(chart) as (pilot, view):
        assert list(dict(view.hints()))[1] == "v"
        for _ in range(2):
            assert view.follow
            assert [row.strip() for row in rows(view)][-2:] in (["last words", ""], ["", "last words"])
            await pilot.press("v")


async def test_the_key_of_charts_is_named_only_where_there_is_a_chart():
    async with showing(AssistantItem("```python\nx = 1\n```\nno mermaid", done=True)) as (_pilot, view):
        assert "v" not in dict(view.hints())


async def test_the_key_that_follows_the_end_is_named_only_while_the_view_does_not_follow():
    async with showing(AssistantItem(PROSE * 20, done=True)) as (pilot, view):
        assert "End" not in dict(view.hints())
        await pilot.press("pageup")
        assert dict(view.hints())["End"] == "follow"
        await pilot.press("end")
        assert "End" not in dict(view.hints())


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


async def test_find_marks_nothing_that_it_does_not_count():
    async with showing(UserItem("two agents"), SubagentItem("coder", "look")) as (pilot, view):
        finder = TranscriptSearch(view.store)
        finder.find("agent")
        assert finder.place == (0, 1)
        assert [len(finder.marks(index, 0)) for index in range(2)] == [1, 0]
        await pilot.pause()


async def test_an_item_that_find_has_opened_is_folded_when_the_search_leaves_it():
    hidden = ToolItem("Shell", "ls", "ok", output="a needle in the output")
    async with showing(UserItem("a needle"), hidden, *turns(20)) as (pilot, view):
        view.find("needle")
        view.find_next()
        place = view.find_next()
        assert place is not None
        assert view.store.is_open(place.item_id)
        view.find_next()
        assert not view.store.is_open(place.item_id)
        view.find_next()
        assert view.store.is_open(place.item_id)
        view.find("")
        assert not view.store.is_open(place.item_id)
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


async def test_the_conversation_can_be_had_as_markdown():
    tool = ToolItem("Shell", "ls", "ok", output="a\nb")
    async with showing(UserItem("hi\nyou"), tool, AssistantItem("**yes**", done=True)) as (_, view):
        assert view.markdown() == "> hi\n> you\n\n**Shell** ls\n\n```\na\nb\n```\n\n**yes**\n"


async def test_for_the_scrollback_it_keeps_its_colours_and_loses_its_ground():
    async with showing(UserItem("hi"), AssistantItem("**yes**\n\n`code`", done=True)) as (_, view):
        lines = list(view.ansi_lines())
        assert [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in lines] == ["▌you  hi", "", "yes", "", "code"]
        assert "\x1b[1" in lines[2]
        ground = view.background_colors[1].rgb
        assert ";".join(map(str, ground)) not in lines[2]


@pytest.mark.parametrize(
    ("column", "word"),
    [(4, "see"), (9, "src/a.py:12"), (14, "src/a.py:12"), (17, ","), (21, "--long-option"), (38, "用中文")],
)
async def test_a_double_click_takes_the_word(column: int, word: str):
    async with showing(AssistantItem("see src/a.py:12, --long-option or 用中文。", done=True)) as (pilot, view):
        await pilot.click(Watched, offset=(column, 0), times=2)
        await pilot.pause()
        assert view.selected_text() == word


async def test_a_double_click_takes_a_word_that_two_rows_share_and_a_third_click_the_line():
    url = "https://example.com/a/very/long/address/that/takes/two/rows"
    async with showing(AssistantItem(f"go to {url} now\n\nand back", done=True), size=(40, 16)) as (pilot, view):
        row = next(y for y, text in enumerate(rows(view)) if "two/rows" in text)
        await pilot.click(Watched, offset=(4, row), times=2)
        await pilot.pause()
        assert view.selected_text() == url
        await pilot.click(Watched, offset=(4, row), times=3)
        await pilot.pause()
        assert view.selected_text() == f"go to {url} now"


async def test_what_is_selected_is_marked_without_its_margin():
    async with showing(AssistantItem("- one\n- two", done=True)) as (pilot, view):
        view.text_select_all()
        await pilot.pause()
        marked = [text for text, style, _ in view.render_line(1) if style and style.bgcolor == _selection(view)]
        assert marked == ["two"]


def _selection(view: Transcript) -> object:
    return view.store.palette.selection.bgcolor


async def test_looking_for_something_goes_to_the_nearest_place_from_what_is_seen():
    async with showing(*turns(40)) as (_, view):
        view.follow = False
        view.jump_to(view.store.id_at(40))
        view.search_from_here()
        view.search_for("question")
        assert view.found == (21, 40)
        view.find_previous()
        assert view.found == (20, 40)


async def test_a_place_that_a_wrapped_line_breaks_is_found_and_marked_in_both_rows():
    async with showing(AssistantItem("word " * 5 + "a needle here", done=True), size=(36, 10)) as (_, view):
        view.search_from_here()
        view.search_for("a needle")
        assert view.found == (1, 1)
        here = view.store.palette.found_here.bgcolor
        marked = [text for y in (0, 1) for text, style, _ in view.render_line(y) if style and style.bgcolor == here]
        assert marked == ["a", "needle"]


async def test_j_and_k_go_from_block_to_block_and_y_copies_the_one_at_the_cursor():
    tool = ToolItem("Shell", "ls", "ok", output="out")
    async with showing(UserItem("hi"), tool, AssistantItem("**yes**", done=True)) as (pilot, _):
        for key in "ykykyky":
            await pilot.press(key)
        await pilot.pause()
        app = pilot.app
        assert isinstance(app, Home)
        assert [text for text in app.received if isinstance(text, str)] == [
            "**yes**",
            "**yes**",
            "out",
            "hi",
        ]


async def test_brackets_go_to_the_messages_of_the_person():
    async with showing(*turns(30)) as (pilot, view):
        for times, turn in ((1, 29), (2, 27)):
            await pilot.press(*["left_square_bracket"] * times)
            await pilot.pause()
            assert [row.split()[-1] for row in rows(view) if row.startswith("›")] == [str(turn)]
        await pilot.press("right_square_bracket")
        await pilot.pause()
        assert [row.split()[-1] for row in rows(view) if row.startswith("›")] == ["28"]


async def test_rows_that_were_scrolled_past_are_let_go() -> None:
    async with showing(*(AssistantItem(PROSE * 4, done=True) for _ in range(100)), size=(60, 16)) as (_, view):
        view.action_scroll_home()
        for _ in range(80):
            view.action_page_down()
        kept = sum(row is not None for drawn in view.store.cache.values() for row in drawn.rows)
        assert 16 <= kept <= 300


async def test_what_goes_to_the_screen_has_no_places_in_it() -> None:
    """Rich and Textual keep each style that they ever saw, and each place would be one."""
    async with showing(*turns(3)) as (_, view):
        strips = view.render_lines(view.size.region)
        assert not [segment for strip in strips for segment in strip if segment.style and segment.style.meta]
        assert any(segment.style and segment.style.meta for segment in view.render_line(0))


@pytest.mark.parametrize("count", [10, 2000])
async def test_the_work_of_a_flush_does_not_depend_on_the_length_of_the_conversation(count: int):
    async with showing(*turns(count)) as (pilot, view):
        drawn = len(view.store.cache)
        item_id = view.append(AssistantItem())
        for _ in range(30):
            view.stream(item_id, "a word and another ")
            await pilot.pause()
        assert len(view.store.cache) <= drawn + 2


async def test_rows_that_look_the_same_are_found_at_their_own_place() -> None:
    async with showing(*(NoticeItem("the same") for _ in range(60)), size=(40, 10)) as (pilot, view):
        view.action_scroll_home()
        await pilot.pause()
        step = view.store.heights[1]
        (_, before), shown = view.screen.get_widget_and_offset_at(6, 2 * step), rows(view)
        for _ in range(step):
            view.action_scroll_down()
        await pilot.pause()
        assert rows(view) == shown
        _, after = view.screen.get_widget_and_offset_at(6, 2 * step)
        assert before is not None
        assert after is not None
        assert after.y > before.y
