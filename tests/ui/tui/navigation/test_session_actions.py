"""Another session on the screen, on a real engine."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from kimi_tui.session.session import list_sessions
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.navigation.session_actions import new_session, restart_session
from kimi_tui.ui.tui.screens.session_list_model import SessionList
from kimi_tui.ui.tui.screens.sessions import Sessions
from tests.ui.tui.app_harness import Open
from tests.ui.tui.screen_text import notices


async def test_another_session_is_opened_and_the_first_can_be_opened_again(open_app: Open, tmp_path: Path) -> None:
    async with open_app() as harness:
        await harness.until(lambda: harness.app.engine)
        await harness.submit("hello")
        first = harness.engine
        harness.app.screen_router.handle_slash("/new")
        await harness.until(lambda: harness.app.engine not in (None, first))
        assert harness.user_messages() == []
        await harness.submit("again")
        assert harness.user_messages() == ["again"]
        harness.app.screen_router.open("sessions")
        await harness.on(Sessions)
        kept = next(kept for kept in SessionList(tmp_path / "proj").rows(everywhere=False) if kept.title == "hello")
        assert isinstance(harness.app.screen, Sessions)
        harness.app.screen.dismiss(kept)
        await harness.until(lambda: harness.app.engine is not None and harness.engine.session_id == first.session_id)
        await harness.pilot.pause()
        assert harness.user_messages() == ["hello"]


async def test_a_session_that_another_engine_holds_is_refused_and_the_open_one_stays(
    open_app: Open, tmp_path: Path
) -> None:
    async with open_app() as other:
        await other.until(lambda: other.app.engine)
        await other.submit("mine")
        held = other.engine.session_id
        async with open_app() as harness:
            await harness.until(lambda: harness.app.engine)
            here = harness.engine
            harness.app.screen_router.open("sessions")
            await harness.on(Sessions)
            rows = SessionList(tmp_path / "proj").rows(everywhere=False)
            assert isinstance(harness.app.screen, Sessions)
            harness.app.screen.dismiss(next(kept for kept in rows if kept.id == held))
            await harness.on(MainScreen)
            await harness.until(lambda: notices(harness.app))
            assert harness.app.engine is here


async def test_yolo_of_an_option_that_was_turned_off_stays_off_in_the_next_engine(open_app: Open) -> None:
    async with open_app() as harness:
        await harness.until(lambda: harness.app.engine)
        assert harness.engine.approvals.yolo
        await harness.submit("hello")
        await harness.submit("/yolo")
        for away in (False, True):
            if away:
                harness.engine.set_attended(True)
            first = harness.engine
            await restart_session(harness.app)
            await harness.until(lambda first=first: harness.app.engine not in (None, first))
            assert harness.engine.session_id == first.session_id
            assert not harness.engine.approvals.yolo
        await harness.submit("/yolo")
        await new_session(harness.app)
        assert harness.engine.approvals.yolo
        harness.engine.set_attended(True)
        await new_session(harness.app)
        assert harness.engine.approvals.yolo


async def test_an_empty_session_leaves_nothing_behind_when_another_is_opened(open_app: Open, tmp_path: Path) -> None:
    async with open_app() as harness:
        await harness.until(lambda: harness.app.engine)
        first = harness.engine
        harness.app.screen_router.open("new")
        await harness.until(lambda: harness.app.engine not in (None, first))
        assert not first.session.dir.exists()
    assert list_sessions(tmp_path / "proj") == []


async def test_a_message_that_is_sent_while_another_session_opens_goes_to_that_session(open_app: Open) -> None:
    async with open_app() as harness:
        app = harness.app
        await harness.until(lambda: app.engine)
        await harness.submit("hello")
        first = harness.engine
        app.screen_router.handle_slash("/new")
        await ticks_until(lambda: app.session_controller.starting)
        app.submit("for the new one")
        assert app.engine is first
        await harness.until(lambda: app.engine not in (None, first) and harness.user_messages())
        assert harness.user_messages() == ["for the new one"]
        assert [message.text for message in first.context.history if message.role == "user"] == ["hello"]


async def test_a_message_that_is_sent_while_a_session_fails_to_open_goes_to_the_open_one(
    open_app: Open, tmp_path: Path
) -> None:
    async with open_app() as other:
        await other.until(lambda: other.app.engine)
        async with open_app() as harness:
            app = harness.app
            await harness.until(lambda: app.engine)
            here = harness.engine
            harness.engine_factory.select_session(other.engine.session_id, tmp_path / "proj")
            opening = asyncio.create_task(app.switch_session())
            await ticks_until(lambda: app.session_controller.starting)
            app.submit("to the open one")
            assert not await opening
            await harness.until(harness.user_messages)
            assert app.engine is here
            assert harness.user_messages() == ["to the open one"]


async def test_another_screen_that_opens_meanwhile_does_not_leave_the_app_without_a_session(open_app: Open) -> None:
    async with open_app() as harness:
        app = harness.app
        await harness.until(lambda: app.engine)
        await harness.submit("hello")
        app.screen_router.open("new")
        await ticks_until(lambda: app.engine is None)
        app.screen_router.open("log")
        async with asyncio.timeout(10):
            await harness.until(lambda: app.engine)
        await harness.pilot.press("escape")
        await harness.submit("again")
        assert harness.user_messages() == ["again"]


async def ticks_until(condition: Callable[[], object]) -> None:
    """Until it is so, looking at every turn of the loop."""
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0)
