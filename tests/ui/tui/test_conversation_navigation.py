"""Navigation in the conversation while it grows, and in long messages."""

import contextlib
from pathlib import Path

import pytest

from kimi_tui.ui.tui.transcript.new_messages_badge import NewMessagesBadge
from kimi_tui.wire.events import StepBegin, TurnBegin, TurnEnd
from kimi_tui.wire.parts import TextPart
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.screen_text import app_text
from tests.ui.tui.test_screen import ready

LONG = "\n\n".join(f"paragraph {n}" for n in range(80))


async def test_what_comes_below_while_one_reads_above_is_told_and_one_click_away(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        engine.say(TurnBegin(user_input="go"), StepBegin(n=1), TextPart(text=LONG))
        await pilot.pause()
        await pilot.pause()
        await pilot.press("f2", "pageup", "pageup")
        assert not app.main_screen.query_one(NewMessagesBadge).display
        engine.say(TextPart(text="\n\nmore"), TurnEnd(), TurnBegin(user_input="again"))
        await pilot.pause()
        await pilot.pause()
        await pilot.pause()
        assert "↓ 2 new · Ctrl+End" in app_text(app)
        await pilot.click(NewMessagesBadge)
        await pilot.pause()
        assert app.main_screen.transcript.follow
        assert not app.main_screen.query_one(NewMessagesBadge).display


async def test_a_long_message_is_folded_to_its_first_lines_and_opens(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test(size=(100, 40)) as pilot:
        await ready(pilot)
        engine.say(TurnBegin(user_input="\n".join(f"line {n}" for n in range(24))))
        await pilot.pause()
        await pilot.pause()
        assert "… 16 more lines ▸" in app_text(app)
        assert "line 8" not in app_text(app)
        await pilot.press("f2", "k", "enter")
        assert "line 23" in app_text(app)


async def test_the_conversation_scrolls_from_the_composer(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        engine.say(TurnBegin(user_input="go"), StepBegin(n=1), TextPart(text=LONG), TurnEnd())
        await pilot.pause()
        await pilot.pause()
        view, prompt = app.main_screen.transcript, app.main_screen.composer.prompt
        await pilot.press("a", "pageup", "pageup")
        assert prompt.has_focus
        assert not view.follow
        above = view.scroll_y
        await pilot.press("pagedown")
        assert view.scroll_y > above
        await pilot.press("end")
        assert not view.follow
        await pilot.press("ctrl+end")
        assert view.follow
        await pilot.press("backspace", "pageup", "end")
        assert view.follow


async def test_after_the_search_is_closed_n_goes_on_and_escape_ends_it(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        engine.say(TurnBegin(user_input="go"), StepBegin(n=1), TextPart(text=LONG), TurnEnd())
        await pilot.pause()
        await pilot.pause()
        await pilot.press("ctrl+f", *"paragraph 1")
        await pilot.pause()
        await pilot.pause()
        assert "11 of 11" in app_text(app)
        await pilot.press("enter")
        await pilot.pause()
        assert "1 of 11" in app_text(app)
        await pilot.press("escape", "n", "n")
        await pilot.pause()
        assert "n N next, previous match · Esc end search" in app_text(app)
        view = app.main_screen.transcript
        assert view.has_focus
        assert view.found == (3, 11)
        await pilot.press("escape")
        assert view.found == (0, 0)
        assert app.main_screen.composer.prompt.has_focus


async def test_a_message_clears_the_marks_of_a_search_and_the_search_can_go_on(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        engine.say(TurnBegin(user_input="go"), StepBegin(n=1), TextPart(text=LONG), TurnEnd())
        await pilot.pause()
        await pilot.pause()
        await pilot.press("ctrl+f", *"paragraph 1")
        await pilot.pause()
        view, prompt = app.main_screen.transcript, app.main_screen.composer.prompt
        assert view.found[1] == 11
        prompt.focus()
        prompt.burst_gap_s = 0.0
        await pilot.press("o", "k", "enter")
        await pilot.pause()
        assert engine.prompts == ["ok"]
        assert view.found == (0, 0)
        assert not app.main_screen.is_searching
        await pilot.press("ctrl+f")
        await pilot.pause()
        assert view.found[1] == 11


async def test_the_editor_reads_the_conversation_where_the_focus_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen.md"
    monkeypatch.setenv("VISUAL", f'sh -c \'cp "$0" {seen}; echo other >"$0"\'')
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    monkeypatch.setattr(app, "suspend", contextlib.nullcontext)  # there is no terminal to give up
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        engine.say(TurnBegin(user_input="go"), StepBegin(n=1), TextPart(text="**yes**"), TurnEnd())
        await pilot.pause()
        await pilot.press("f2", "ctrl+g")
        assert seen.read_text() == "> go\n\n**yes**\n"
        await pilot.press("k", "ctrl+g")
        assert seen.read_text() == "**yes**"
        assert app.main_screen.transcript.has_focus
        assert app.main_screen.composer.text == ""
