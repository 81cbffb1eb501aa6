"""The start: what the first frame loads, and that nothing typed while the rest is loaded is lost."""

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from textual import events

from kimi_tui.config.schema import Config
from kimi_tui.errors import ConfigError
from kimi_tui.paths import bundled
from kimi_tui.permission.trust import TrustState, trust_state
from kimi_tui.soul.assemble import EngineConfig
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.screens.help import Help
from kimi_tui.ui.tui.session.engine_factory import ConfigEngineFactory
from kimi_tui.ui.tui.themes.theme import find_themes
from kimi_tui.ui.tui.themes.theme_loader import load_theme
from kimi_tui.ui.tui.themes.theme_parser import read_theme
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.screen_text import notices
from tests.ui.tui.test_screen import ready

HEAVY = (
    "pydantic", "pydantic_core", "openai", "httpx", "mcp", "anthropic", "markdown_it", "pygments", "watchfiles",
    "ruamel", "yaml", "pathspec", "kimi_tui.wire", "kimi_tui.soul", "kimi_tui.flow", "kimi_tui.config",
    "kimi_tui.ui.tui.transcript", "kimi_tui.ui.tui.dialogs", "kimi_tui.ui.tui.flow",
)  # fmt: skip

FIRST_FRAME = f"""
import sys
before, count = len(sys.modules), []
import asyncio
import kimi_tui.cli.main, kimi_tui.cli.modes.tui, kimi_tui.ui.tui.main
from kimi_tui.ui.tui.app import KimiTui

seen = []
class Looked(KimiTui):
    def _on_first_frame(self):
        seen.extend(name for name in {HEAVY!r} if name in sys.modules)
        count.append(len(sys.modules) - before)
        self.exit(0)

async def make():
    raise AssertionError
asyncio.run(Looked(make).run_async(headless=True))
print(*count, *seen)
"""
MAX_MODULES = 500


def test_the_first_frame_loads_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_FRAME], capture_output=True, text=True, timeout=60)
    count, *heavy = done.stdout.split()
    assert (done.returncode, heavy) == (0, []), done.stderr
    assert int(count) <= MAX_MODULES


@pytest.mark.parametrize("path", find_themes((bundled("themes"),)), ids=lambda path: path.stem)
def test_a_bundled_theme_is_read_in_the_plain_way_and_comes_out_the_same(path: Path) -> None:
    assert load_theme(path) == read_theme(path)


@pytest.mark.parametrize(
    "text", ["dark: yes", 'dark: "true"', "title: null", "name: on", "colours: 3", "dark: true  # by night", "  x: y"]
)
def test_a_theme_out_of_the_plain_is_left_to_the_reader_of_all_yaml(text: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    kept = (bundled("themes") / "kimi-dark.yaml").read_text("utf-8").splitlines()
    key = text.partition(":")[0]
    file.write_text("\n".join([*(line for line in kept if not line.startswith(f"{key}:")), text]), "utf-8")
    told: list[object] = []
    for read in (load_theme, read_theme):
        try:
            told.append(read(file))
        except ConfigError as error:
            told.append(str(error))
    assert told[0] == told[1]


async def test_what_is_typed_and_sent_before_the_engine_is_there_is_sent_to_it(tmp_path: Path) -> None:
    engine, may = FakeEngine(tmp_path), asyncio.Event()

    async def make() -> FakeEngine:
        await may.wait()
        return engine

    app = KimiTui(make, motion=False)
    async with app.run_test(size=(120, 40)) as pilot:
        for key in ("h", "i", "enter"):
            app.main_screen.composer.prompt.burst_gap_s = 0.0
            await pilot.press(key)
        assert (engine.prompts, app.main_screen.composer.queued.texts) == ([], ("hi",))
        may.set()
        await ready(pilot)
        assert engine.prompts == ["hi"]


async def test_the_flow_list_stays_closed_from_a_message_sent_early_until_a_command_ended(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine, prompt="/some-command")

    def is_open() -> bool:
        return bool(app.main_screen.query_one("#right").display)

    async with app.run_test(size=(160, 40)) as pilot:
        await ready(pilot)
        assert engine.prompts == ["/some-command"]
        assert not is_open()
        await pilot.resize_terminal(170, 40)
        await pilot.pause()
        assert not is_open()
        engine.end_turn()
        await pilot.pause()
        assert is_open()


async def test_the_flow_list_is_open_at_the_start_where_no_message_was_sent(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(160, 40)) as pilot:
        await ready(pilot)
        assert app.main_screen.query_one("#right").display


async def test_up_takes_back_what_waits_for_the_engine_and_no_key_is_named_that_does_nothing(tmp_path: Path) -> None:
    engine, may = FakeEngine(tmp_path), asyncio.Event()

    async def make() -> FakeEngine:
        await may.wait()
        return engine

    app = KimiTui(make, motion=False)
    async with app.run_test(size=(120, 40)) as pilot:
        for key in ("h", "i", "enter", "o", "enter"):
            app.main_screen.composer.prompt.burst_gap_s = 0.0
            await pilot.press(key)
        lines = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "edits the last" in lines
        assert "ctrl+s" not in lines
        await pilot.press("up", "k")
        assert (app.main_screen.composer.text, app.main_screen.composer.queued.texts) == ("ok", ("hi",))
        may.set()
        await ready(pilot)
        assert (engine.prompts, app.main_screen.composer.text) == (["hi"], "ok")


@pytest.mark.parametrize("enter", ["enter", "ctrl+j"])
async def test_a_line_and_its_enter_typed_while_nobody_read_yet_are_sent(enter: str, tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)

    async def make() -> FakeEngine:
        return engine

    app = KimiTui(make, motion=False)
    async with app.run_test(size=(120, 40)):
        for key in (*"fix", "space", *"this", enter):
            app.post_message(events.Key(key, " " if key == "space" else key if len(key) == 1 else "\r"))
        async with asyncio.timeout(10):
            while not engine.prompts:
                await asyncio.sleep(0.01)
        assert (engine.prompts, app.main_screen.composer.text) == (["fix this"], "")


async def test_a_key_that_is_no_writing_waits_for_the_panes(tmp_path: Path) -> None:
    async def make() -> FakeEngine:
        return FakeEngine(tmp_path)

    class Slow(KimiTui):
        may = asyncio.Event()

        async def _mount_panes(self) -> None:
            await self.may.wait()
            await super()._mount_panes()

    app = Slow(make, motion=False)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("a", "b", "f1")
        assert (app.main_screen.composer.text, app.screen) == ("ab", app.main_screen)
        app.may.set()
        await ready(pilot)
        assert isinstance(app.screen, Help)


@pytest.mark.parametrize(("key", "shown"), [("ctrl+g", "SetupWizard"), ("ctrl+l", "Sessions")])
async def test_a_key_that_needs_the_configuration_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, shown: str
) -> None:
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("EDITOR", "true")
    may = threading.Event()

    def make_config(work_dir: Path | None, standing: TrustState | None) -> EngineConfig:
        assert may.wait(20)
        return EngineConfig(work_dir=work_dir or tmp_path, config=Config(), trust=standing or trust_state(tmp_path))

    factory = ConfigEngineFactory(make_config)
    app = KimiTui(factory.make, engine_factory=factory, motion=False)
    async with app.run_test(size=(120, 40)) as pilot:
        async with asyncio.timeout(10):
            while not app.panes_mounted:
                await pilot.pause()
        await pilot.press("d", key)
        before = app.screen
        may.set()
        async with asyncio.timeout(10):
            while app.engine is None or shown not in {type(screen).__name__ for screen in app.screen_stack}:
                await pilot.pause()
        assert (before, app.main_screen.composer.text) == (app.main_screen, "d")


async def test_a_screen_asked_for_before_the_engine_is_there_opens_once_it_is(tmp_path: Path) -> None:
    may = asyncio.Event()

    async def make() -> FakeEngine:
        await may.wait()
        return FakeEngine(tmp_path)

    app = KimiTui(make, motion=False)
    async with app.run_test(size=(120, 40)) as pilot:
        for key in ("/", "l", "o", "g", "escape", "enter"):
            app.main_screen.composer.prompt.burst_gap_s = 0.0
            await pilot.press("slash" if key == "/" else key)
        before = app.screen
        may.set()
        async with asyncio.timeout(5):
            while app.screen is app.main_screen:
                await pilot.pause()
        assert (before, type(app.screen).__name__) == (app.main_screen, "LogView")


async def test_a_pane_asked_for_before_the_engine_is_there_is_not_said_to_be_empty(tmp_path: Path) -> None:
    may = asyncio.Event()

    async def make() -> FakeEngine:
        await may.wait()
        return FakeEngine(tmp_path)

    app = KimiTui(make, motion=False)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f3")
        async with asyncio.timeout(5):
            while not notices(app):
                await pilot.pause()
        assert notices(app) == ["the session is still starting"]
        may.set()
