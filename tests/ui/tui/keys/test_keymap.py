"""Other keys for the actions of the screen."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.keys.bindings import KEYS, display_keys
from kimi_tui.ui.tui.keys.keymap import config_lines, format_problems, read_keys
from kimi_tui.ui.tui.navigation.command_palette import CommandPalette, palette_entries
from kimi_tui.ui.tui.screens.help import Help
from kimi_tui.ui.tui.state.items import NoticeItem
from kimi_tui.ui.tui.widgets.line_scroll_view import LineScrollView
from tests.ui.tui import wire_scenarios
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.screen_text import app_rows
from tests.ui.tui.test_screen import ready

FIXED = {"commands", "files", "shell", "take", "option"}


@asynccontextmanager
async def keyed(tmp_path: Path, **table: str) -> AsyncIterator[tuple[KimiTui, Pilot[int], FakeEngine]]:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test(size=(140, 42)) as pilot:
        await ready(pilot)
        app.use_keys(table, None)
        yield app, pilot, engine


@pytest.mark.parametrize("key", [key for key in KEYS if key.id not in FIXED], ids=lambda key: key.id)
def test_every_action_takes_other_keys(key) -> None:
    count = len(key.keys.split(","))
    keys = [f"alt+f{number}" for number in range(1, count + 1)]
    keymap = read_keys({key.id: ", ".join(keys)})
    assert not keymap.problems
    assert all(keymap.resolve(one, key.context) not in (None, "") for one in keys)
    assert all(keymap.resolve(one, key.context) == "" for one in key.keys.split(",") if one)


def test_keys_are_written_as_people_write_them() -> None:
    for text, keys in {
        "Ctrl+X": "ctrl+x", "control+alt+x": "alt+ctrl+x", "PgUp": "pageup", "Esc": "escape", "F12": "f12",
        "ctrl++": "ctrl+plus", "alt+/": "alt+slash", "f1, f2": "f1,f2", "none": "",
    }.items():  # fmt: skip
        keymap = read_keys({"play": text, "help": "none", "conversation": "none", "interrupt": "none"})
        assert (keymap.overrides.get("play"), text) == (keys, text)


def test_a_function_key_with_shift_is_shown_as_such_whatever_the_terminal_sends() -> None:
    assert display_keys("f10,f21,shift+f9") == "F10 Shift+F9"
    assert display_keys("f12,ctrl+f13") == "F12 Ctrl+Shift+F1"


async def test_the_list_of_keys_loses_no_meaning_in_a_narrow_terminal(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(60, 120)) as pilot:
        await ready(pilot)
        app.push_screen(Help("flow", app.keymap))
        await pilot.pause()
        region = app.screen.query_one("#keys").region
        text = " ".join(" ".join(row[region.x : region.right].split()) for row in app_rows(app))
        for key in KEYS:
            if key.context in ("flow", "everywhere") and key.keys:
                assert set(key.description.split()) <= set(text.split()), key.description


def test_what_is_wrong_is_told_with_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(
        "theme: kimi-dark\nkeys:\n  # mine\n  zomm: f12\n  zoom: ctrl-x\n  todo: f3\n  send: g\n  walk: h, j\n"
        "  help: f12\nyolo: true\n"
    )
    table = {"zomm": "f12", "zoom": "ctrl-x", "todo": "f3", "send": "g", "walk": "h, j", "help": "f12"}
    keymap = read_keys(table)
    assert format_problems(keymap.problems, file) == [
        f"{file}:4: keys.zomm: unknown action",
        f"{file}:5: keys.zoom: 'ctrl-x' is not a key; write keys like ctrl+x, alt+enter, f5, pageup or z",
        f"{file}:7: keys.send: g is a character you type; use it with ctrl or alt, or use a function key",
        f"{file}:8: keys.walk: expected 4 keys, in this order: up, down, left, right",
        f"{file}:6: keys.todo: f3 is already bound to flow",
    ]
    assert keymap.overrides == {"help": "f12"}


def test_lines_are_found_in_toml_and_in_one_row_too(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('theme = "x"\n[keys]\nzoom = "f12"\n[models]\nhelp = 1\n')
    (tmp_path / "b.yaml").write_text("keys: {zoom: f12, help: f9}\n")
    assert config_lines(tmp_path / "a.toml") == {"zoom": 3}
    assert {name: line for name, line in config_lines(tmp_path / "b.yaml").items() if name != "keys"} == {
        "zoom": 1,
        "help": 1,
    }


def test_two_actions_can_change_their_keys_with_each_other() -> None:
    keymap = read_keys({"flow": "f4", "todo": "f3"})
    assert (keymap.problems, keymap.resolve("f3", "composer"), keymap.resolve("f4", "flow")) == ((), "f4", "f3")
    assert keymap.resolve("ctrl+t", "composer") == ""


async def test_another_key_works_and_the_old_one_does_not(tmp_path: Path) -> None:
    async with keyed(tmp_path, zoom="f12", theme="ctrl+y", send="ctrl+e") as (app, pilot, engine):
        await pilot.press("f11")
        assert app.main_screen.zoomed is None
        await pilot.press("f12")
        assert app.main_screen.zoomed == "conversation"
        await pilot.press(*"hi", "enter")
        assert engine.prompts == []
        await pilot.press("ctrl+e")
        await pilot.pause()
        assert engine.prompts == ["hi"]
        await pilot.press("ctrl+y")
        await pilot.pause()
        assert app.screen is not app.main_screen


async def test_letters_of_a_pane_mean_what_was_said_only_there(tmp_path: Path) -> None:
    async with keyed(tmp_path, card="d, u") as (app, pilot, engine):
        engine.say(*wire_scenarios.tool_running())
        await pilot.pause()
        await pilot.pause()
        await pilot.press(*"du")
        assert app.main_screen.composer.text == "du"
        app.main_screen.composer.text = ""
        await pilot.press("f2", "u")
        assert app.main_screen.composer.text == ""
        assert app.main_screen.transcript.has_focus


async def test_help_hints_and_palette_name_the_keys_of_now(tmp_path: Path) -> None:
    async with keyed(tmp_path, zoom="f12", help="ctrl+y", scroll="w, s, a, d") as (app, pilot, engine):
        engine.say(*wire_scenarios.tool_running())
        await pilot.pause()
        await pilot.press("f2")
        await pilot.pause()
        last = app_rows(app)[-1]
        assert "F12 zoom" in last
        assert "Ctrl+Y help" in last
        await pilot.press("ctrl+y")
        await pilot.pause()
        assert isinstance(app.screen, Help)
        assert "w s a d" in "\n".join(app_rows(app))
        app.screen.query_one(LineScrollView).scroll_end(animate=False)
        await pilot.press("escape")
        assert any(entry.help == "F12" for entry in palette_entries(app))


async def test_the_welcome_text_names_the_keys_of_now_and_a_click_presses_them(tmp_path: Path) -> None:
    async with keyed(tmp_path, palette="f12", flow="none") as (app, pilot, _):
        await pilot.pause()
        rows = app_rows(app)
        [row] = [row for row in rows if "all actions" in row]
        assert "F12" in row
        assert "Ctrl+P" not in row
        assert not any("choose a flow" in row for row in rows)
        await pilot.click(offset=(row.index("all actions"), rows.index(row)))
        await pilot.pause()
        assert isinstance(app.screen, CommandPalette)


async def test_keys_that_cannot_be_used_are_said_in_the_conversation(tmp_path: Path) -> None:
    async with keyed(tmp_path, zomm="f12") as (app, pilot, _):
        await pilot.pause()
        note = app.presenter.state.conversation[0]
        assert isinstance(note, NoticeItem)
        assert "keys.zomm: unknown action" in str(note)


def test_a_key_that_another_action_of_the_place_has_too_stays_with_it() -> None:
    keymap = read_keys({"find": "ctrl+k"})
    assert (keymap.resolve("ctrl+f", "approval"), keymap.resolve("ctrl+f", "composer")) == (None, "")


async def test_letters_in_one_read_with_a_key_of_ones_own_that_opens_a_screen_are_not_in_the_message(
    tmp_path: Path,
) -> None:
    async with keyed(tmp_path, theme="f12") as (app, pilot, _engine):
        for name, letter in (("d", "d"), ("f12", None), ("x", "x"), ("w", "w")):
            app.post_message(events.Key(name, letter))
        for _round in range(8):
            await pilot.pause()
        assert app.screen is not app.main_screen
        assert app.main_screen.composer.text == "d"
