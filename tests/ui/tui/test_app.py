"""The app with a stand-in for the engine: what is shown of a session, and what goes wrong."""

from functools import partial
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Static
from textual.worker import WorkerFailed

from kimi_tui.errors import ModelNotSetError
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.state.items import ErrorItem, NoticeItem, UserItem
from kimi_tui.wire.events import Notification, TurnBegin
from tests.ui.tui import wire_scenarios
from tests.ui.tui.fake_engine import FakeEngine
from tests.ui.tui.pilot_driver import Start
from tests.ui.tui.screen_text import app_text
from tests.ui.tui.test_screen import ready


async def test_a_prompt_of_the_command_line_is_sent_once_the_engine_is_there(start: Start) -> None:
    async with start(prompt="/flow:plan") as driver:
        assert driver.engine.prompts == ["/flow:plan"]


async def test_a_running_tool_shows_what_it_prints(start: Start) -> None:
    async with start() as driver:
        await driver.say(*wire_scenarios.tool_running())
        driver.app.presenter.append_tool_output("3", "ruff: ok\npyright: 0 errors")
        await driver.pilot.pause()
        shown = app_text(driver.app)
        assert "pyright: 0 errors" in shown


async def test_an_engine_that_cannot_be_made_is_told_with_its_cause(tmp_path: Path) -> None:
    async def make() -> FakeEngine:
        raise ModelNotSetError("no model is set; try --demo")

    app = KimiTui(make, motion=False)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        assert app.presenter.state.conversation.items == (
            ErrorItem("The session could not start", "no model is set; try --demo"),
        )


async def test_a_fault_of_ours_in_a_turn_is_told_and_the_screen_stays(start: Start) -> None:
    async with start() as driver:
        driver.engine.error = RuntimeError("boom")  # type: ignore[assignment]
        await driver.type("x")
        await driver.press("enter")
        assert any(
            isinstance(item, ErrorItem) and "boom" in item.cause
            for item in driver.app.presenter.state.conversation.items
        )


async def test_a_screen_that_opens_while_the_app_leaves_is_no_crash(start: Start) -> None:
    async with start() as driver:
        driver.app.action_help()
        driver.app.exit(143, return_code=143)
    assert driver.app.return_value == 143
    assert driver.app.return_code == 143


async def test_a_worker_that_misses_a_widget_while_the_app_leaves_is_no_crash(start: Start) -> None:
    """The panes of the first screen are mounted by one."""
    async with start() as driver:

        async def leave() -> None:
            driver.app.exit(143, return_code=143)
            await Static().mount(Static())

        with pytest.raises(WorkerFailed, match="before Static"):
            await driver.app.run_worker(leave).wait()
    assert driver.app.return_code == 143


async def test_a_timer_that_misses_a_widget_while_the_app_leaves_is_no_crash(start: Start) -> None:
    async with start() as driver:
        app = driver.app
        timer = app.set_timer(60, lambda: None)
        app.post_message(events.Timer(timer, 0.0, callback=partial(app.main_screen.query_one, "#gone")))
        app.exit(143, return_code=143)
    assert driver.app.return_code == 143


@pytest.mark.parametrize("number", ["1", "99999", "1" * 50])
def test_the_size_is_that_of_the_terminal_whatever_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    async def make() -> FakeEngine:
        return FakeEngine(tmp_path)

    monkeypatch.setenv("COLUMNS", number)
    monkeypatch.setenv("LINES", number)
    sizes = {KimiTui(make).console.size}
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("LINES", raising=False)
    assert sizes == {KimiTui(make).console.size}


async def test_a_resumed_session_shows_what_was_said(start: Start, tmp_path: Path) -> None:
    record = wire_scenarios.timed(wire_scenarios.flow_done(), 1_000.0)
    async with start(engine=FakeEngine(tmp_path, record=record)) as driver:
        items = driver.app.presenter.state.conversation.items
        assert items[0] == UserItem("/flow:release")
        assert driver.app.presenter.state.flow.run is not None
        assert not driver.app.presenter.needs_ticks
        assert driver.app.main_screen.transcript.item(driver.app.presenter.transcript_sync.ids[0]) == items[0]


async def test_markup_in_names_is_shown_as_it_is(start: Start) -> None:
    told = Notification(
        id="1", category="system", type="x", source_kind="system", source_id="s", title="[red]x[/]", body="[/b]",
        severity="info", created_at=0.0,
    )  # fmt: skip
    flow = wire_scenarios.RELEASE.model_copy(update={"name": "[bold]re[/lease"})
    async with start() as driver:
        await driver.say(TurnBegin(user_input="[x]"), flow, told)
        assert NoticeItem("[red]x[/] · [/b]") in driver.app.presenter.state.conversation.items
        shown = app_text(driver.app)
        assert "[bold]re[/lease" in shown
