"""Pictures of the further screens, each looked at before it was kept, and what holds for all of them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kimi_tui.ui.tui.accessibility import DisplayOptions
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame
from tests.ui.tui.fake_engine import Clock, FakeEngine, make_app
from tests.ui.tui.screen_text import app_strips
from tests.ui.tui.screens.conftest import Shown, ShowScreen
from tests.ui.tui.screens.screen_cases import SCREENS
from tests.ui.tui.test_screen import MEDIUM, SMALL, WIDE, ready

PICTURES = [
    *((screen_case, WIDE, "kimi-dark") for screen_case in SCREENS),
    *(
        (screen_case, SMALL, "kimi-light")
        for screen_case in ("sessions", "first-start", "trust", "settings", "rewind", "models")
    ),
    ("skills", MEDIUM, "kimi"),
    ("mcp", SMALL, "high-contrast"),
]


@pytest.fixture
def home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The home of the pictures: `~` in each of them, a folder of its own for each test."""
    (tmp_path / "proj").mkdir()
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    return tmp_path


@pytest.mark.parametrize(
    ("screen_case", "size", "theme"),
    PICTURES,
    ids=[f"{screen_case}-{size[0]}x{size[1]}-{theme}" for screen_case, size, theme in PICTURES],
)
def test_the_screen_looks_as_it_was_drawn(
    screen_case: str, size: tuple[int, int], theme: str, home_folder: Path, snap_compare: Callable[..., bool]
) -> None:
    app, _ = make_app(FakeEngine(home_folder / "proj"), theme=theme)

    async def run(pilot: Pilot[int]) -> None:
        await ready(pilot)
        app.push_screen(SCREENS[screen_case](home_folder / "proj", home_folder))
        await Shown(app, pilot).settle()

    assert snap_compare(app, terminal_size=size, run_before=run)


@pytest.mark.parametrize("screen_case", SCREENS)
async def test_escape_leaves_and_the_keys_of_the_conversation_do_not_act_behind(
    screen_case: str, show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    async with show(lambda: SCREENS[screen_case](work_dir, tmp_path), size=SMALL) as shown:
        shown.app.main_screen.composer.text = "a draft"
        await shown.press("f3", "f11", "ctrl+t", "f7")
        assert isinstance(shown.app.screen, ModalFrame)
        if screen_case == "trust":
            return
        await shown.press("escape")
        assert isinstance(shown.app.screen, MainScreen)
        assert shown.results == [None]
        assert shown.app.main_screen.composer.text == "a draft"
        assert shown.app.main_screen.zoomed is None


@pytest.mark.parametrize(
    "display_options", [DisplayOptions(ascii=True), DisplayOptions(plain=True)], ids=["ascii", "plain"]
)
@pytest.mark.parametrize("screen_case", ["sessions", "settings", "skills", "rewind"])
async def test_every_sign_is_of_ascii_where_that_is_asked_for(
    screen_case: str, display_options: DisplayOptions, work_dir: Path, tmp_path: Path
) -> None:
    async def make() -> FakeEngine:
        return FakeEngine(work_dir)

    app = KimiTui(make, clock=Clock(), monotonic=Clock(), frame=0.0, display_options=display_options)
    async with app.run_test(size=MEDIUM) as pilot:
        await ready(pilot)
        app.push_screen(SCREENS[screen_case](work_dir, tmp_path))
        await Shown(app, pilot).settle()
        text = "".join(segment.text for strip in app_strips(app) for segment in strip)
        odd = {char for char in text if not char.isascii() and not "\u3000" <= char <= "\uffef"}
        assert odd == set()
        assert ("|" in text) is not display_options.plain
