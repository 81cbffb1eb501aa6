"""One message, pane or row that cannot be drawn is shown as plain text or passed over; it ends nothing."""

import logging
from pathlib import Path
from typing import cast

import pytest
from rich.style import Style
from textual.app import App, ComposeResult
from textual.strip import Strip

from kimi_tui.ui.tui.flow_pane.chart_surface import ChartSurface
from kimi_tui.ui.tui.flow_pane.surface_view import SurfaceView
from kimi_tui.ui.tui.state.items import AssistantItem, UserItem
from kimi_tui.ui.tui.text.styled_line import Line
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.transcript.streaming_markdown import StreamingMarkdown
from kimi_tui.ui.tui.widgets.line_scroll_view import LineScrollView
from kimi_tui.ui.tui.widgets.line_widget import LineWidget
from kimi_tui.ui.tui.widgets.pick_list import ItemList, ListItem
from kimi_tui.wire.display import DiffBlock
from kimi_tui.wire.events import StepBegin, TurnBegin, TurnEnd
from kimi_tui.wire.parts import FunctionBody, TextPart, ToolCall, ToolResult, ToolReturnValue
from kimi_tui.wire.requests import ApprovalRequest
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.screen_text import app_text
from tests.ui.tui.test_screen import ready
from tests.ui.tui.transcript.test_view import rows, showing

NO_NAME = cast(str, 7)
NO_CHANGE = DiffBlock.model_construct(path="a.py", old_text=None, new_text=7)


class Shouting(str):
    """Text that fails whoever looks through it."""

    __slots__ = ()

    def isascii(self) -> bool:
        raise RuntimeError("not even its letters are plain")


async def test_line_ends_of_every_kind_do_not_end_the_screen(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        engine.say(TurnBegin(user_input="go"), StepBegin(n=1))
        for piece in ("50%\r", "75%\r\r100%\n", "- a\u2028- b\x85\x1c\x1d", "\x1e```\r\nx\r", "\n```\n\nthe end"):
            engine.say(TextPart(text=piece))
            await pilot.pause()
        engine.say(TurnEnd())
        await pilot.pause()
        await pilot.pause()
        assert "50% 75%" in app_text(app)
        assert "the end" in app_text(app)


async def test_a_message_that_cannot_be_drawn_is_shown_as_plain_text(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        odd = UserItem("two files", chips=(NO_NAME,))
        async with showing(AssistantItem("before", done=True), odd, AssistantItem("after", done=True)) as (_, view):
            text = "\n".join(rows(view))
            assert "before" in text
            assert "two files" in text
            assert "after" in text
    assert [record.exc_info is not None for record in caplog.records] == [True]


def test_text_that_fails_while_it_streams_is_shown_as_it_is() -> None:
    doc = StreamingMarkdown(30, Palette(base=cast(Style, NO_NAME)))
    for piece in ("first\n\n", "- one\n- two\n\n# Ti", "tle\n\nmore", " and more\n", "the *end*"):
        doc.feed(piece)
    doc.finish()
    lines = ["first", "", "- one", "- two", "", "# Title", "", "more and more", "the *end*"]
    assert [line.text for line in doc.lines] == lines
    assert [line.text for line in doc.redrawn(40, Palette()).lines][:3] == ["first", "", "• one"]


async def test_a_message_that_cannot_be_folded_in_leaves_those_after_it(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        call = ToolCall(id="1", function=FunctionBody(name="Shell", arguments="{}"))
        odd = ToolResult.model_construct(tool_call_id="1", return_value=cast(ToolReturnValue, None))
        engine.say(TurnBegin(user_input="go"), StepBegin(n=1), call, odd, TextPart(text="it goes on"), TurnEnd())
        await pilot.pause()
        await pilot.pause()
        assert "a message could not be displayed" in app_text(app)
        assert "it goes on" in app_text(app)


async def test_a_change_that_cannot_be_drawn_leaves_its_question(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        asked = ApprovalRequest.model_construct(
            id="a", tool_call_id="1", sender="WriteFile", action="edit", description="change a.py", display=(NO_CHANGE,)
        )
        engine.say(TurnBegin(user_input="go"), StepBegin(n=1), asked)
        await pilot.pause()
        await pilot.pause()
        assert "this cannot be drawn" in app_text(app)
        assert app.is_running


class BrokenSheet(LineWidget):
    def lines(self, width: int, palette: Palette) -> list[Line]:
        raise ValueError("no lines")


class BrokenScroll(LineScrollView):
    def lines(self, width: int, palette: Palette) -> list[Line]:
        raise ValueError("no lines")


class Panes(App[None]):
    def compose(self) -> ComposeResult:
        yield BrokenSheet()
        yield BrokenScroll()
        yield ItemList()
        yield SurfaceView()


async def test_a_pane_that_cannot_be_drawn_says_so_and_stays() -> None:
    app = Panes()
    async with app.run_test(size=(60, 20)) as pilot:
        app.query_one(ItemList).show([ListItem("a", cast(str, Shouting("first"))), ListItem("b", "second")])
        app.query_one(SurfaceView).set_surface(cast(ChartSurface, Holes()), with_map=False)
        await pilot.pause()
        text = app_text(app)
        assert text.count("this cannot be drawn") == 2
        assert "second" in text
        assert isinstance(app.query_one(SurfaceView).render_line(0), Strip)


class Holes:
    """A chart without rows where its height says that there are some."""

    width = height = 5
