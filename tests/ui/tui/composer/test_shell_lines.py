"""`!`, Shift+Tab and Ctrl+G at the composer."""

import os
import stat
from pathlib import Path

import pytest

from kimi_tui.ui.tui.composer.paste_chips import PasteChips
from kimi_tui.ui.tui.navigation.external_editor import edit_in_editor, editor_command
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.screen_text import app_text, notices
from tests.ui.tui.test_screen import ready


async def test_a_line_that_begins_with_an_exclamation_mark_goes_to_the_shell(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test() as pilot:
        await ready(pilot)
        composer = app.main_screen.composer
        composer.text = "! make check"
        await pilot.pause()
        assert composer.has_class("-shell")
        await pilot.press("enter")
        await pilot.pause()
        assert (engine.shell_lines, engine.prompts) == (["make check"], [])
        assert not composer.has_class("-shell")


async def test_a_shell_line_queues_behind_a_running_turn(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test() as pilot:
        await ready(pilot)
        app.submit("work")
        await pilot.pause()
        app.main_screen.composer.text = "!ls"
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert (engine.shell_lines, engine.steered) == ([], [])
        engine.end_turn()
        await pilot.pause()
        await pilot.pause()
        assert engine.shell_lines == ["ls"]


async def test_a_queued_shell_line_is_not_sent_to_the_model_by_ctrl_s(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test() as pilot:
        await ready(pilot)
        app.submit("work")
        await pilot.pause()
        app.submit("!ls")
        app.submit("and then")
        await pilot.pause()
        assert "Ctrl+S sends the first now" not in app_text(app)
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert (engine.shell_lines, engine.steered) == ([], [])
        assert notices(app) == ["a shell command waits for the end of the turn"]
        engine.end_turn()
        for _ in range(3):
            await pilot.pause()
        assert (engine.shell_lines, engine.prompts[-1]) == (["ls"], "and then")


async def test_an_exclamation_mark_alone_is_nothing_to_run(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test() as pilot:
        await ready(pilot)
        app.main_screen.composer.text = "!"
        await pilot.press("enter")
        await pilot.pause()
        assert (engine.shell_lines, app.main_screen.composer.text) == ([], "!")


async def test_shift_tab_in_another_pane_goes_back_in_the_focus(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        app.main_screen.transcript.focus()
        await pilot.press("shift+tab")
        assert not app.main_screen.transcript.has_focus


def test_the_editor_is_the_configured_one_then_visual_then_editor() -> None:
    environ = {"VISUAL": "emacs -nw", "EDITOR": "ed"}
    assert editor_command("code --wait", environ) == ["code", "--wait"]
    assert editor_command("", environ) == ["emacs", "-nw"]
    assert editor_command("", {"EDITOR": "ed"}) == ["ed"]


def test_what_the_editor_wrote_comes_back_and_a_failure_is_told(tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho " and more" >> "$1"\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    assert edit_in_editor("draft", [str(editor)]) == "draft and more"
    with pytest.raises(OSError, match="status 1"):
        edit_in_editor("draft", ["false"])
    with pytest.raises(OSError, match="No such file"):
        edit_in_editor("draft", [str(tmp_path / "nothing")])


def test_an_editor_that_commands_could_have_put_on_path_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "of-the-project"
    editor.write_text(f"#!/bin/sh\ntouch {tmp_path}/PWNED\n")
    editor.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(OSError, match="No such file"):
        edit_in_editor("draft", ["of-the-project"])
    assert not (tmp_path / "PWNED").exists()


def test_chips_are_whole_in_the_editor_and_chips_again_after_it() -> None:
    pastes = PasteChips()
    text = "\n".join(f"line {n}" for n in range(20))
    chip = pastes.collapse(text)
    assert pastes.recollapse(f"before {pastes.expand(chip)} after") == f"before {chip} after"
    assert pastes.recollapse("all is changed") == "all is changed"
