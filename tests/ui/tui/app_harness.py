"""An app on a real engine with a scripted model, in a home and a folder of its own."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from kimi_tui.config.loader import load_config
from kimi_tui.permission import trust
from kimi_tui.soul.assemble import EngineConfig
from kimi_tui.soul.engine import Engine
from kimi_tui.ui.tui.accessibility import DisplayOptions
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.session.engine_factory import ConfigEngineFactory
from kimi_tui.ui.tui.state.items import UserItem

SCRIPT = ["text: one", "text: two", "text: three"]


class AppHarness:
    """An app on a plan; `plan` may be changed before it is opened."""

    def __init__(self, app: KimiTui, pilot: Pilot[int], engine_factory: ConfigEngineFactory) -> None:
        self.app, self.pilot, self.engine_factory = app, pilot, engine_factory

    @property
    def engine(self) -> Engine:
        engine = self.app.engine
        assert isinstance(engine, Engine)
        return engine

    def user_messages(self) -> list[str]:
        return [item.text for item in self.app.presenter.state.conversation.items if isinstance(item, UserItem)]

    async def until(self, true: Callable[[], object]) -> None:
        """Until it is so; the test's time limit ends a wait in vain."""
        while not true():
            await self.pilot.pause()

    async def on(self, screen: type[Screen[object]]) -> None:
        await self.until(lambda: isinstance(self.app.screen, screen) and self.app.screen.is_mounted)
        await self.pilot.pause()

    async def submit(self, text: str) -> None:
        turns = self.app.presenter.state.turn.turns
        self.app.submit(text)
        await self.until(lambda: self.app.presenter.state.turn.turns > turns and not self.engine.busy)
        await self.pilot.pause()


Open = Callable[..., AbstractAsyncContextManager[AppHarness]]


@pytest.fixture
def open_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    home, work = tmp_path / "home", tmp_path / "proj"
    monkeypatch.setenv("KIMI_TUI_HOME", str(home))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("KIMI_API_KEY", "OPENAI_API_KEY", "KIMI_BASE_URL", "OPENAI_BASE_URL", trust.TRUST_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    home.mkdir()
    work.mkdir()
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT), "utf-8")

    @asynccontextmanager
    async def opening(*, model: bool = True, also: str = "") -> AsyncIterator[AppHarness]:
        if model:
            (home / "config.yaml").write_text(
                f"default_model: moon\nproviders:\n  s: {{type: scripted, scripts: {script}}}\n"
                "models:\n  moon: {provider: s, model: moon-2}\n  small: {provider: s, model: small}\n" + also,
                "utf-8",
            )

        def make_plan(work_dir: Path | None, standing: trust.TrustState | None) -> EngineConfig:
            folder = work_dir or work
            return EngineConfig(
                work_dir=folder,
                config=load_config().config,
                yolo=True,
                trust=replace(standing or trust.trust_state(folder), can_ask=True),
            )

        engine_factory = ConfigEngineFactory(make_plan)
        app = KimiTui(
            engine_factory.make, engine_factory=engine_factory, frame=0.0, display_options=DisplayOptions(motion=False)
        )
        app.answer_hold_s = 0.0
        async with app.run_test(size=(120, 40)) as pilot:
            yield AppHarness(app, pilot, engine_factory)

    return opening
