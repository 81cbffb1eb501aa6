"""In terminals without room for two columns nothing lies over something else, and keys are those of what is seen."""

import itertools
import random
from pathlib import Path

import pytest
from textual.widget import Widget
from textual.widgets._toast import ToastRack

from kimi_tui.ui.tui.dialogs.choice_dialog import ChoiceDialog
from kimi_tui.ui.tui.dialogs.option_list import Option
from kimi_tui.ui.tui.keys.bindings import PANES
from kimi_tui.ui.tui.main_screen.footer import KeyFooter
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.widgets.text_prompt import TextPrompt
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.screen_text import app_rows, app_text
from tests.ui.tui.screens.screen_cases import SCREENS
from tests.ui.tui.test_screen import ready
from tests.ui.tui.typist import STATES, Typing, Typist

KEYS = ("f2", "f3", "f4", "f5", "f6", "f7", "f11", "ctrl+o", "escape", "i", "down")


def is_counted(widget: Widget) -> bool:
    """Whether it is a pane of its own: no scroll bar, no passing word, nothing that holds others."""
    holds = any(isinstance(child, Widget) and child.display for child in widget.children)
    passing = any(isinstance(one, ToastRack) for one in widget.ancestors_with_self)
    return not (holds or passing or widget.has_class("-textual-system"))


def covered(home: MainScreen) -> list[str]:
    """Widgets of which a part is cut off, or lies below another; passing words apart."""
    shown = {
        widget: (region, clip)
        for widget, (region, clip) in home._compositor.visible_widgets.items()
        if region and widget.is_attached and is_counted(widget)
    }
    cut = [f"{one} is cut" for one, (region, clip) in shown.items() if region.intersection(clip) != region]
    pairs = itertools.combinations(shown.items(), 2)
    over = [f"{one} and {two}" for (one, (first, _)), (two, (second, _)) in pairs if first.intersection(second)]
    return cut + over


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
@pytest.mark.parametrize("state", STATES)
async def test_nothing_is_half_covered_and_no_key_of_what_is_not_seen_is_named(
    state: str, size: tuple[int, int], tmp_path: Path
) -> None:
    chance = random.Random(f"{state}{size}")
    app, clock = make_app(engine := FakeEngine(tmp_path), kind=Typist)
    assert isinstance(app, Typist)
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        typing = Typing(3, app, pilot, engine, clock)
        await typing.begin(state)
        done: list[str] = []
        for _ in range(3):
            for _ in range(3):
                await pilot.pause()
            home = app.main_screen
            assert covered(home) == [], done
            if app.screen is home:
                assert home.focused is not None, done
                assert home.focused.is_on_screen, (home.focused, done)
                if home.key_context in PANES:
                    bound = home.active_bindings
                    named = [
                        key for key, _meaning in home.query_one(KeyFooter).hints if len(key) == 1 and key.isalpha()
                    ]
                    assert [key for key in named if key not in bound or not bound[key].enabled] == [], done
            done.append(key := chance.choice(KEYS))
            await pilot.press(key)


@pytest.mark.parametrize("size", [(80, 24), (80, 40), (120, 24)])
async def test_a_card_without_room_around_it_stands_alone(size: tuple[int, int], tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        assert (footer := "Enter send · Shift+Enter") in app_text(app)
        await pilot.press("f1")
        await pilot.pause()
        await pilot.pause()
        assert app.screen is not app.main_screen
        frame = app.screen.children[0].region
        outside = [row for at, row in enumerate(app_rows(app)) if at not in range(frame.y, frame.bottom)]
        assert [row for row in outside if row.strip()] == []
        assert footer not in app_text(app)
        await pilot.resize_terminal(140, 42)
        await pilot.pause()
        await pilot.pause()
        assert footer in app_text(app)


@pytest.mark.parametrize("size", [(80, 24), (80, 40), (120, 24)])
@pytest.mark.parametrize("name", ["palette", "mcp", "settings", "rewind"])
async def test_in_a_small_terminal_a_card_takes_whole_rows_down_to_the_last(
    name: str, size: tuple[int, int], tmp_path: Path
) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        app.push_screen(SCREENS[name](tmp_path, tmp_path))
        for _ in range(4):
            await pilot.pause()
        frame = app.screen.query_one("#frame").region
        assert (frame.x, frame.width, frame.bottom) == (0, *size)


@pytest.mark.parametrize(("size", "seen"), [((80, 24), False), ((120, 30), False), ((140, 42), True)])
async def test_the_welcome_text_is_a_part_of_the_theme_preview_where_it_is_not_covered(
    size: tuple[int, int], seen: bool, tmp_path: Path
) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        app.push_screen(SCREENS["theme"](tmp_path, tmp_path))
        for _ in range(4):
            await pilot.pause()
        assert ("all actions" in app_text(app)) is seen


async def test_the_settings_are_as_high_as_their_rows(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(200, 60)) as pilot:
        await ready(pilot)
        app.push_screen(SCREENS["settings"](tmp_path, tmp_path))
        for _ in range(4):
            await pilot.pause()
        assert app.screen.query_one("#frame").region.height < 50


async def test_a_card_on_top_of_another_is_alone(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(140, 42)) as pilot:
        await ready(pilot)
        await pilot.press("ctrl+p")
        await pilot.pause()
        assert "all actions" in app_text(app)
        app.push_screen(TextPrompt("a name"))
        for _ in range(3):
            await pilot.pause()
        assert "a name" in app_text(app)
        assert "all actions" not in app_text(app)
        await pilot.press("escape")
        for _ in range(3):
            await pilot.pause()
        assert "all actions" in app_text(app)


async def test_the_keys_of_a_long_choice_stay_in_sight_in_a_low_terminal(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        app.push_screen(ChoiceDialog("many", "", [Option(f"o{at}", chr(97 + at), f"Option {at}.") for at in range(24)]))
        for _ in range(3):
            await pilot.pause()
        assert "Esc close" in app_text(app)
        await pilot.press("up", "up")
        await pilot.pause()
        assert "Option 22." in app_text(app)


@pytest.mark.parametrize("kind", ["choice", "text"])
async def test_in_a_small_terminal_a_card_takes_the_lowest_rows_and_the_screen_stays_above_it(
    kind: str, tmp_path: Path
) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        app.push_screen(ChoiceDialog("few", "", [Option("o", "o", "One.")]) if kind == "choice" else TextPrompt("few"))
        for _ in range(3):
            await pilot.pause()
        frame = app.screen.children[0].region
        assert (frame.x, frame.width, frame.bottom) == (0, 80, 24)
        assert "kimi-tui" in app_rows(app)[0]
