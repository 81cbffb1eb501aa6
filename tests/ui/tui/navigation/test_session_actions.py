"""Another session on the screen, on a real engine."""

from pathlib import Path

from kimi_tui.session.session import list_sessions
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.screens.session_list_model import SessionList
from kimi_tui.ui.tui.screens.sessions import Sessions
from tests.ui.tui.house import Open
from tests.ui.tui.painted import notices


async def test_another_session_is_opened_and_the_first_can_be_opened_again(open_house: Open, tmp_path: Path) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        await house.submit("hello")
        first = house.engine
        house.app.doors.handle_slash("/new")
        await house.until(lambda: house.app.engine not in (None, first))
        assert house.said() == []
        await house.submit("again")
        assert house.said() == ["again"]
        house.app.doors.open("sessions")
        await house.on(Sessions)
        kept = next(kept for kept in SessionList(tmp_path / "proj").rows(everywhere=False) if kept.title == "hello")
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
            rows = SessionList(tmp_path / "proj").rows(everywhere=False)
            assert isinstance(house.app.screen, Sessions)
            house.app.screen.dismiss(next(kept for kept in rows if kept.id == held))
            await house.on(MainScreen)
            await house.until(lambda: notices(house.app))
            assert house.app.engine is here


async def test_an_empty_session_leaves_nothing_behind_when_another_is_opened(open_house: Open, tmp_path: Path) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        first = house.engine
        house.app.doors.open("new")
        await house.until(lambda: house.app.engine not in (None, first))
        assert not first.session.dir.exists()
    assert list_sessions(tmp_path / "proj") == []
