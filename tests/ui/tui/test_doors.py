"""The further screens on a real engine with a scripted model: what is chosen there is done."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from kimi_tui import config as configuration
from kimi_tui import trust
from kimi_tui.session.session import list_sessions
from kimi_tui.soul.assemble import Plan
from kimi_tui.soul.engine import Engine
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.host import PlanHost
from kimi_tui.ui.tui.manners import Manners
from kimi_tui.ui.tui.screens.first_start import FirstStart
from kimi_tui.ui.tui.screens.home import Home
from kimi_tui.ui.tui.screens.models import ModelPicker
from kimi_tui.ui.tui.screens.rewind import Rewind
from kimi_tui.ui.tui.screens.session_shelf import SessionShelf
from kimi_tui.ui.tui.screens.sessions import Sessions
from kimi_tui.ui.tui.screens.trust import TrustQuestion
from kimi_tui.ui.tui.transcript.items import NoticeItem, SeamItem, UserItem

SCRIPT = ["text: one", "text: two", "text: three"]


class House:
    """An app on a plan; `plan` may be changed before it is opened."""

    def __init__(self, app: KimiTui, pilot: Pilot[int], host: PlanHost) -> None:
        self.app, self.pilot, self.host = app, pilot, host

    @property
    def engine(self) -> Engine:
        engine = self.app.engine
        assert isinstance(engine, Engine)
        return engine

    def said(self) -> list[str]:
        return [item.text for item in self.app.stage.state.conversation.items if isinstance(item, UserItem)]

    async def until(self, true: Callable[[], object]) -> None:
        """Until it is so; the test's time limit ends a wait in vain."""
        while not true():
            await self.pilot.pause()

    async def on(self, screen: type[Screen[object]]) -> None:
        await self.until(lambda: isinstance(self.app.screen, screen) and self.app.screen.is_mounted)
        await self.pilot.pause()

    async def submit(self, text: str) -> None:
        turns = self.app.stage.state.turn.turns
        self.app.submit(text)
        await self.until(lambda: self.app.stage.state.turn.turns > turns and not self.engine.busy)
        await self.pilot.pause()


Open = Callable[..., AbstractAsyncContextManager[House]]


@pytest.fixture
def open_house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
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
    async def opening(*, model: bool = True, session: str | None = None) -> AsyncIterator[House]:
        if model:
            (home / "config.yaml").write_text(
                f"default_model: moon\nproviders:\n  s: {{type: scripted, scripts: {script}}}\n"
                "models:\n  moon: {provider: s, model: moon-2}\n  small: {provider: s, model: small}\n",
                "utf-8",
            )

        def make_plan(work_dir: Path | None, standing: trust.Standing | None) -> Plan:
            folder = work_dir or work
            return Plan(
                work_dir=folder,
                config=configuration.load().config,
                session_id=session,
                yolo=True,
                standing=standing or trust.standing_of(folder),
            )

        host = PlanHost(make_plan)
        app = KimiTui(host.make, host=host, frame=0.0, manners=Manners(motion=False))
        async with app.run_test(size=(120, 40)) as pilot:
            yield House(app, pilot, host)

    return opening


async def test_another_session_is_opened_and_the_first_can_be_opened_again(open_house: Open, tmp_path: Path) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        await house.submit("hello")
        first = house.engine
        house.app.doors.takes("/new")
        await house.until(lambda: house.app.engine not in (None, first))
        assert house.said() == []
        await house.submit("again")
        assert house.said() == ["again"]
        house.app.doors.open("sessions")
        await house.on(Sessions)
        kept = next(kept for kept in SessionShelf(tmp_path / "proj").rows(everywhere=False) if kept.title == "hello")
        assert isinstance(house.app.screen, Sessions)
        house.app.screen.dismiss(kept)
        await house.until(lambda: house.app.engine is not None and house.engine.session_id == first.session_id)
        await house.pilot.pause()
        assert house.said() == ["hello"]


async def test_a_session_that_another_engine_holds_is_refused_and_the_open_one_stays(
    open_house: Open, tmp_path: Path
) -> None:
    async with open_house() as other:
        await other.until(lambda: other.app.engine)
        await other.submit("mine")
        held = other.engine.session_id
        async with open_house() as house:
            await house.until(lambda: house.app.engine)
            here = house.engine
            house.app.doors.open("sessions")
            await house.on(Sessions)
            rows = SessionShelf(tmp_path / "proj").rows(everywhere=False)
            assert isinstance(house.app.screen, Sessions)
            house.app.screen.dismiss(next(kept for kept in rows if kept.id == held))
            await house.on(Home)
            await house.until(lambda: house.app._notifications)
            assert house.app.engine is here


async def test_the_model_that_is_chosen_answers_from_then_on(open_house: Open, tmp_path: Path) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        house.app.doors.takes("/model")
        await house.on(ModelPicker)
        await house.pilot.press("down")
        await house.pilot.press("ctrl+s")
        await house.until(lambda: house.engine.model_name == "small")
        assert configuration.load(tmp_path / "home" / "config.yaml").config.default_model == "small"
        await house.until(lambda: house.app.home.header.facts.model == "small")


async def test_without_a_model_the_first_start_asks_for_one(open_house: Open, tmp_path: Path) -> None:
    async with open_house(model=False) as house:
        await house.on(FirstStart)
        await house.pilot.press("escape")
        await house.on(Home)
        assert not (tmp_path / "home" / "config.yaml").exists()


async def test_two_escapes_while_nothing_runs_offer_to_go_back(open_house: Open) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        await house.submit("first")
        await house.submit("second")
        await house.pilot.press("escape")
        await house.pilot.press("escape")
        await house.on(Rewind)
        await house.pilot.press("enter")
        await house.until(lambda: isinstance(house.app.stage.state.conversation.items[-1], SeamItem))
        assert house.said() == ["first"]
        assert house.app.home.composer.text == "second"


async def test_a_folder_that_brings_skills_is_asked_about_before_they_count_and_only_once(
    open_house: Open, tmp_path: Path
) -> None:
    folder = tmp_path / "proj" / ".kimi" / "skills"
    folder.mkdir(parents=True)
    (folder / "own.md").write_text("---\nname: own\ndescription: Of the project\n---\nDo.\n", "utf-8")
    async with open_house() as house:
        await house.on(TrustQuestion)
        assert house.app.engine is None
        assert isinstance(house.app.screen, TrustQuestion)
        house.app.screen.dismiss(False)
        await house.until(lambda: house.app.engine)
        assert house.engine.skills.get("own") is None
    assert trust.standing_of(tmp_path / "proj").said is False
    trust.remember(tmp_path / "proj", True)
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        assert house.engine.skills.get("own") is not None


async def test_a_no_to_a_folder_stays_in_sight_and_can_be_taken_back(open_house: Open, tmp_path: Path) -> None:
    skill = tmp_path / "proj" / ".kimi-tui" / "skills" / "own"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: own\ndescription: ours\n---\nDo it.\n")
    async with open_house() as house:
        await house.on(TrustQuestion)
        house.app.screen.dismiss(None)
        await house.until(lambda: house.app.engine and len(house.app.stage.state.conversation))
        note = house.app.stage.state.conversation[0]
        assert isinstance(note, NoticeItem)
        assert "not trusted, so this is left out: skills. /trust asks again" in note.text
        assert house.app.doors.takes("/trust")
        await house.on(TrustQuestion)
        house.app.screen.dismiss(True)
        await house.until(lambda: house.app.engine and house.engine.skills.get("own"))
    assert trust.standing_of(tmp_path / "proj").said is True


async def test_trust_says_so_where_there_is_nothing_to_trust(open_house: Open) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        house.app.doors.takes("/trust")
        await house.until(lambda: house.app._notifications)
        assert any("brings nothing along" in note.message for note in house.app._notifications)


async def test_a_command_that_has_arguments_goes_to_the_engine(open_house: Open) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        assert not house.app.doors.takes("/model small")
        assert not house.app.doors.takes("/nothing")
        assert not house.app.doors.takes("model")


async def test_every_door_opens_and_closes(open_house: Open) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        for door in house.app.doors.doors():
            if door.name in ("new", "trust"):
                continue
            assert house.app.doors.takes(f"/{door.name}")
            await house.until(lambda: not isinstance(house.app.screen, Home) and house.app.screen.is_mounted)
            await house.pilot.pause()
            await house.pilot.press("escape")
            await house.on(Home)


async def test_an_empty_session_leaves_nothing_behind_when_another_is_opened(open_house: Open, tmp_path: Path) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        first = house.engine
        house.app.doors.open("new")
        await house.until(lambda: house.app.engine not in (None, first))
        assert not first.session.dir.exists()
    assert list_sessions(tmp_path / "proj") == []
