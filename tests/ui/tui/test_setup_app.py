"""The setup on its own: what an editor opens in a terminal, and what its exit status says."""

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from kimi_tui.config.loader import load_config
from kimi_tui.config.model_selection import choose_model
from kimi_tui.errors import ConfigError
from kimi_tui.ui.tui.screens.custom_server import OTHER
from kimi_tui.ui.tui.screens.first_start import SetupWizard
from kimi_tui.ui.tui.setup_app import SetupApp
from kimi_tui.ui.tui.startup.early_config import EarlyConfig
from kimi_tui.ui.tui.widgets.pick_list import ItemList
from kimi_tui.ui.tui.widgets.pick_prompt import PickPrompt
from kimi_tui.ui.tui.widgets.text_prompt import TextPrompt
from tests.llm.servers import Server, status


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "config.yaml"


async def until(pilot: Pilot[int], true: Callable[[], object]) -> None:
    """Until it is so; the test's time limit ends a wait in vain."""
    while not true():
        await pilot.pause()


async def choose_another_server(app: SetupApp, server: Server) -> None:
    """Choose a server by its address that has one model and needs no key."""
    server.add(*[status(200, {"data": [{"id": "one"}]})] * 2)
    async with app.run_test(size=(100, 40)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, SetupWizard) and app.screen.is_current)
        await pilot.press("enter")
        await until(pilot, lambda: any(item.key == OTHER for item in app.screen.query_one(ItemList).picks))
        assert "demo" not in [item.key for item in app.screen.query_one(ItemList).picks]
        app.screen.query_one(ItemList).select(OTHER)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TextPrompt))
        app.screen.query_one(Input).value = server.url
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TextPrompt) and app.screen.query_one(Input).password)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, PickPrompt))
        await pilot.press("enter")
        await until(pilot, lambda: app.return_value is not None)


async def test_a_model_that_is_chosen_is_saved_and_the_exit_status_is_0(file: Path) -> None:
    app = SetupApp(file, EarlyConfig())
    async with Server() as server:
        await choose_another_server(app, server)
    assert (app.return_value, app.error) == (0, None)
    assert choose_model(load_config(file).config, environ={}).model.model == "one"


async def test_a_setup_that_is_cancelled_saves_nothing_and_its_exit_status_is_1(file: Path) -> None:
    app = SetupApp(file, EarlyConfig())
    async with app.run_test(size=(100, 40)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, SetupWizard))
        await pilot.press("escape")
        await until(pilot, lambda: app.return_value is not None)
    assert app.return_value == 1
    assert not file.exists()


async def test_a_configuration_that_cannot_be_saved_ends_the_setup_with_the_cause(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("models: [", "utf-8")
    app = SetupApp(file, EarlyConfig())
    async with Server() as server:
        await choose_another_server(app, server)
    assert isinstance(app.error, ConfigError)
    assert app.return_value == app.error.exit_code != 0
    assert file.read_text("utf-8") == "models: ["
