"""Every word can be read in every theme: 4.5 to 1 against its ground, 7 to 1 where high contrast is promised.

Measured on what is painted, letters and digits. Exempt, for no word hangs on them: rules, bars, dots and arrows, and
what lies dimmed behind a card. The theme of sixteen colours is the terminal's: its colours are not ours to measure.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from rich.color import Color
from rich.style import Style
from textual.geometry import Region
from textual.pilot import Pilot

from kimi_tui.paths import bundled
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.themes.palette import palette_from_theme
from kimi_tui.ui.tui.themes.theme import find_themes
from kimi_tui.ui.tui.themes.theme_loader import load_theme
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import TurnEnd
from tests.ui.tui import wire_scenarios
from tests.ui.tui.flow_pane import flow_scenarios
from tests.ui.tui.screen_text import app_strips
from tests.ui.tui.screens.conftest import Shown
from tests.ui.tui.screens.screen_cases import SCREENS
from tests.ui.tui.test_screen import play

THEMES = [file.stem for file in find_themes((bundled("themes"),)) if not load_theme(file).theme.ansi]
TIGHTEST = ("kimi-light", "high-contrast")  # the others have more room than these; every one would take long
INKS = (
    "base", "muted", "accent", "secondary", "success", "warning", "error", "heading", "link", "code", "keyword",
    "string", "number", "comment", "function", "name_type",
)  # fmt: skip
GROUNDS = (
    "base", "code_bg", "user_bg", "decision_bg", "diff_add", "diff_add_word", "diff_remove", "diff_remove_word",
    "selection", "found", "found_here",
)  # fmt: skip
ALL_THERE_IS: list[WireMessage] = [
    *wire_scenarios.error(), *wire_scenarios.streaming(), TurnEnd(), *wire_scenarios.chinese(), TurnEnd(),
    *wire_scenarios.approval(),
]  # fmt: skip


def needed(theme: str) -> float:
    return 7.0 if theme == "high-contrast" else 4.5


def contrast(style: Style) -> float:
    """By the formula of WCAG 2."""
    assert style.color is not None, style
    assert style.bgcolor is not None, style
    light, dark = sorted((_luminance(style.color), _luminance(style.bgcolor)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    shares = [value / 255 for value in colour.get_truecolor()]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def unreadable(app: KimiTui, theme: str, within: Region) -> Iterator[str]:
    """The pieces with a letter or a digit in that part of the screen that fall short."""
    for y, strip in enumerate(app_strips(app)):
        if within.y <= y < within.bottom:
            for text, style, _ in strip.crop(within.x, within.right):
                if style is not None and any(sign.isalnum() for sign in text) and contrast(style) < needed(theme):
                    yield f"{theme}: {contrast(style):.2f} {text.strip()!r} {style}"


async def in_themes(
    app: KimiTui, pilot: Pilot[int], *, themes: Iterable[str] = THEMES, within: Region | None = None
) -> list[str]:
    found: list[str] = []
    for theme in themes:
        app.theme_registry.activate(theme)
        await pilot.pause()
        await pilot.pause()
        found += unreadable(app, theme, within or app.screen.region)
    return found


@pytest.mark.parametrize("theme", THEMES)
def test_every_ink_can_be_read_on_every_ground(theme: str) -> None:
    found = load_theme(bundled("themes") / f"{theme}.yaml").theme
    palette = palette_from_theme({**found.to_color_system().generate(), **found.variables})
    poor = [
        f"{ink} on {ground}: {contrast(style):.2f}"
        for ground in GROUNDS
        for ink in INKS
        if contrast(style := palette.base + getattr(palette, ink) + getattr(palette, ground)) < needed(theme)
    ]
    assert poor == []


@pytest.mark.parametrize("theme", THEMES)
def test_rules_and_bars_can_be_seen(theme: str) -> None:
    found = load_theme(bundled("themes") / f"{theme}.yaml").theme
    palette = palette_from_theme({**found.to_color_system().generate(), **found.variables})
    assert contrast(palette.base + palette.faint) >= 3


@pytest.mark.parametrize(
    ("messages", "keys"),
    [
        (ALL_THERE_IS, ""),
        (flow_scenarios.nested(), "f3"),
        (wire_scenarios.flow_asks(), ""),
        (flow_scenarios.failed(), "f3 up up"),
    ],
    ids=["all-that-is-said", "flow", "flow-asks", "flow-failed"],
)
async def test_every_word_of_the_conversation_can_be_read(messages: list[WireMessage], keys: str) -> None:
    app, run = play(messages)
    async with app.run_test(size=(140, 110)) as pilot:
        await run(pilot)
        await pilot.press("ctrl+o", *keys.split())
        assert await in_themes(app, pilot) == []


async def test_every_word_of_the_further_screens_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))
    work_dir = tmp_path / "proj"
    work_dir.mkdir()
    app, run = play([])
    poor: list[str] = []
    async with app.run_test(size=(120, 60)) as pilot:
        await run(pilot)
        for screen_case in SCREENS.values():
            screen = screen_case(work_dir, tmp_path)
            await app.push_screen(screen)
            await Shown(app, pilot).settle()
            poor += await in_themes(app, pilot, themes=TIGHTEST, within=screen.query_one("#frame").region)
            await app.pop_screen()
    assert poor == []


@pytest.mark.parametrize("key", ["f1", "ctrl+p", "slash"])
async def test_every_word_of_what_a_key_opens_can_be_read(key: str) -> None:
    app, run = play([])
    async with app.run_test(size=(120, 60)) as pilot:
        await run(pilot)
        poor: list[str] = []
        for theme in TIGHTEST:
            app.theme_registry.activate(theme)
            await pilot.press(key)
            for _ in range(4):
                await pilot.pause()
            frames = [*app.screen.query("#frame, KeyList")]
            for within in [one.region for one in frames] or [app.screen.region]:
                poor += unreadable(app, theme, within)
            await pilot.press("backspace" if key == "slash" else "escape")
    assert poor == []
