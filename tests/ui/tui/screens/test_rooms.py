"""Pictures of the further screens, each looked at before it was kept, and what holds for all of them."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kimi_tui.ui.tui.accessibility import DisplayOptions
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame
from tests.ui.tui.painted import app_strips
from tests.ui.tui.screens.conftest import Shown, ShowScreen
from tests.ui.tui.screens.rooms import ROOMS
from tests.ui.tui.stand_in import Clock, StandIn, make_app
from tests.ui.tui.test_screen import MEDIUM, SMALL, WIDE, ready

PICTURES = [
    *((room, WIDE, "kimi-dark") for room in ROOMS),
    *((room, SMALL, "kimi-light") for room in ("sessions", "first-start", "trust", "settings", "rewind", "models")),
    ("skills", MEDIUM, "kimi"),
    ("mcp", SMALL, "high-contrast"),
]


@pytest.fixture
def fixed_root(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of one name on every machine and in every run: paths are in the pictures."""
    root = Path("/tmp/kimi-tui-rooms")
    shutil.rmtree(root, ignore_errors=True)
    (root / "proj").mkdir(parents=True)
    monkeypatch.setenv("KIMI_TUI_HOME", str(root / "home"))
    monkeypatch.setenv("HOME", str(root))
    monkeypatch.setenv("TZ", "UTC")
    yield root
    shutil.rmtree(root, ignore_errors=True)


@pytest.mark.xdist_group("rooms")
@pytest.mark.parametrize(
    ("room", "size", "theme"), PICTURES, ids=[f"{room}-{size[0]}x{size[1]}-{theme}" for room, size, theme in PICTURES]
)
def test_the_screen_looks_as_it_was_drawn(
    room: str, size: tuple[int, int], theme: str, fixed_root: Path, snap_compare: Callable[..., bool]
) -> None:
    app, _ = make_app(StandIn(fixed_root / "proj"), theme=theme)

    async def run(pilot: Pilot[int]) -> None:
        await ready(pilot)
        app.push_screen(ROOMS[room](fixed_root / "proj", fixed_root))
        await Shown(app, pilot).settle()

    assert snap_compare(app, terminal_size=size, run_before=run)


@pytest.mark.parametrize("room", ROOMS)
async def test_escape_leaves_and_the_keys_of_the_conversation_do_not_act_behind(
    room: str, show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    async with show(lambda: ROOMS[room](work_dir, tmp_path), size=SMALL) as shown:
        shown.app.home.composer.text = "a draft"
        await shown.press("f3", "f11", "ctrl+t", "f7")
        assert isinstance(shown.app.screen, ModalFrame)
        if room == "trust":
            return
        await shown.press("escape")
        assert isinstance(shown.app.screen, MainScreen)
        assert shown.results == [None]
        assert shown.app.home.composer.text == "a draft"
        assert shown.app.home.zoomed is None


@pytest.mark.parametrize("manners", [DisplayOptions(ascii=True), DisplayOptions(plain=True)], ids=["ascii", "plain"])
@pytest.mark.parametrize("room", ["sessions", "settings", "skills", "rewind"])
async def test_every_sign_is_of_ascii_where_that_is_asked_for(
    room: str, manners: DisplayOptions, work_dir: Path, tmp_path: Path
) -> None:
    async def make() -> StandIn:
        return StandIn(work_dir)

    app = KimiTui(make, clock=Clock(), steady=Clock(), frame=0.0, manners=manners)
    async with app.run_test(size=MEDIUM) as pilot:
        await ready(pilot)
        app.push_screen(ROOMS[room](work_dir, tmp_path))
        await Shown(app, pilot).settle()
        text = "".join(segment.text for strip in app_strips(app) for segment in strip)
        odd = {char for char in text if not char.isascii() and not "\u3000" <= char <= "\uffef"}
        assert odd == set()
        assert ("|" in text) is not manners.plain
