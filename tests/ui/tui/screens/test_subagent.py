"""Subagents on the screen, with a real engine behind it: their cards, what they ask, and the whole of what they say."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.soul.assemble import build_engine
from kimi_tui.soul.engine import Engine
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
from kimi_tui.ui.tui.screens.subagent import SubagentScreen, subagent_items
from kimi_tui.ui.tui.session.wire_bridge import WireBatch
from kimi_tui.ui.tui.state.items import ErrorItem, SubagentItem, ToolItem, UserItem
from tests.soul.scripted_engine import plan, tool_call
from tests.soul.subagents.test_pool import NESTED
from tests.ui.three_subagents import ENDED, PROMPT, replies_with, three_subagents
from tests.ui.tui.fake_engine import NOW, Clock
from tests.ui.tui.screen_text import app_rows
from tests.ui.tui.test_screen import Snap, ready


class SubagentDriver:
    """A running app on a real engine."""

    def __init__(self, app: KimiTui, pilot: Pilot[int]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def engine(self) -> Engine:
        assert isinstance(self.app.engine, Engine)
        return self.app.engine

    @property
    def cards(self) -> list[SubagentItem]:
        return subagent_items(self.app.presenter.state)

    @property
    def states(self) -> list[str]:
        return [card.state for card in self.cards]

    @property
    def view(self) -> SubagentScreen:
        assert isinstance(self.app.screen, SubagentScreen)
        return self.app.screen

    async def until(self, condition: Callable[[], object]) -> None:
        while not condition():
            await asyncio.sleep(0.01)
            await self.pilot.pause()
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.pilot.pause()

    @property
    def text(self) -> str:
        return "\n".join(app_rows(self.app))

    async def send_three(self) -> None:
        """Until two of the three ask."""
        self.app.submit(PROMPT)
        await self.until(lambda: len(self.app.presenter.state.approvals) == 2 and self.states[2:] == ["failed"])

    def approve_all(self) -> None:
        for request in self.engine.approvals.pending:
            self.engine.approvals.settle(request.id, "approve")


def app_on(tmp_path: Path, *replies: str) -> KimiTui:
    clock = Clock(NOW)
    made = plan(tmp_path, *replies)
    # The header names what holds commands, which depends on the machine.
    made = replace(made, permissions=replace(made.permissions, sandbox=SandboxConfig(mode="off")))
    return KimiTui(lambda: build_engine(made), clock=clock, monotonic=clock, frame=0.0, motion=False)


@asynccontextmanager
async def driver_on(tmp_path: Path, *replies: str) -> AsyncIterator[SubagentDriver]:
    app = app_on(tmp_path, *replies)
    async with app.run_test(size=(140, 42)) as pilot:
        await ready(pilot)
        yield SubagentDriver(app, pilot)


@pytest.mark.parametrize("size", [(140, 42), (80, 24)])
def test_three_cards_two_of_which_wait_for_the_person(
    snap_compare: Snap, tmp_path: Path, home: Path, size: tuple[int, int]
) -> None:
    app = app_on(tmp_path, *replies_with(tool_call("Shell", "s", command="make check")))

    async def run(pilot: Pilot[int]) -> None:
        await ready(pilot)
        driver = SubagentDriver(app, pilot)
        await driver.send_three()
        write = next(one for one in driver.engine.approvals.pending if one.sender == "WriteFile")
        shown = app.presenter.state.approvals
        shown[write.id] = shown.pop(write.id)  # the subagents ask in any order
        app.presenter.show_approvals(write.id)
        dialog = app.main_screen.query_one(ApprovalDialog)
        await driver.until(lambda: "session" in dialog.enabled_options)  # the body has been painted

    assert snap_compare(app, terminal_size=size, run_before=run)


async def test_the_dialog_says_which_subagent_asks_and_the_cards_how_each_ended(tmp_path: Path) -> None:
    replies, sleeps = three_subagents()
    async with driver_on(tmp_path, *replies) as driver:
        await driver.send_three()
        assert driver.states == ["waiting", "waiting", "failed"]
        driver.app.presenter.show_approvals(
            next(one for one in driver.engine.approvals.pending if one.sender == "WriteFile").id
        )
        await driver.pilot.pause()
        assert "Write of coder (make the file)" in driver.text
        assert "waiting for you" in driver.text
        driver.approve_all()
        await driver.until(lambda: driver.states == ["ok", "running", "failed"] and sleeps())
        driver.engine.running_subagents.stop(driver.cards[1].agent_id)
        await driver.until(lambda: ENDED in driver.text)
        assert driver.states == ["ok", "interrupted", "failed"]
        assert (driver.engine.work_dir / "made.txt").exists()
        assert "The subagent failed: the key was refused" in driver.text


async def test_a_card_opens_the_whole_conversation_by_keyboard_and_mouse_and_one_is_stopped_from_there(
    tmp_path: Path,
) -> None:
    replies, sleeps = three_subagents()
    async with driver_on(tmp_path, *replies) as driver:
        await driver.send_three()
        driver.approve_all()
        await driver.until(lambda: driver.states[:2] == ["ok", "running"] and sleeps())
        driver.app.main_screen.transcript.focus()
        await driver.press("k", "k", "enter")
        assert "watch the build · 2 of 3" in driver.text
        kinds = [type(item) for item in driver.view.state.conversation.items]
        assert (UserItem, ToolItem) == (kinds[0], kinds[-1])
        assert "I wait for the build." in driver.text
        await driver.press("ctrl+x")
        await driver.until(lambda: driver.states[1] == "interrupted" and "interrupted" in driver.text)
        assert not sleeps()
        await driver.press("right")
        assert isinstance(driver.view.state.conversation.items[-1], ErrorItem)
        assert "the key was refused" in driver.text
        await driver.press("escape")
        y = next(number for number, row in enumerate(app_rows(driver.app)) if "agent coder  make the file" in row)
        await driver.pilot.click(offset=(12, y))
        await driver.pilot.pause()
        assert "I made made.txt" in driver.text


async def test_a_conversation_that_is_looked_into_goes_on_and_a_resumed_one_can_be_looked_into(tmp_path: Path) -> None:
    wait = "until [ -e go ]; do sleep 0.02; done"
    replies = (
        "when: ^result: Task\ntext: ended",
        f"when: ^user: {PROMPT}$\n"
        + tool_call("Task", "t1", description="look", subagent_name="coder", prompt="looks"),
        f"when: ^user: looks$\nwhen: ^result: Shell\ntext: {'found ' * 50}",
        "when: ^user: looks$\n" + tool_call("Shell", "s", command=wait),
    )
    async with driver_on(tmp_path, *replies) as driver:
        driver.app.submit(PROMPT)
        await driver.until(lambda: driver.app.presenter.state.approvals)
        driver.approve_all()
        await driver.until(lambda: driver.states == ["running"])
        driver.app.main_screen.transcript.focus()
        await driver.press("k", "enter")
        assert "running" in driver.text
        (driver.engine.work_dir / "go").touch()
        await driver.until(lambda: "found found" in driver.text and "done" in driver.text)
        session_id = driver.engine.session_id
    again = plan(tmp_path, session_id=session_id)
    app = KimiTui(lambda: build_engine(again), frame=0.0, motion=False)
    async with app.run_test(size=(140, 42)) as pilot:
        await ready(pilot)
        driver = SubagentDriver(app, pilot)
        app.main_screen.transcript.focus()
        await driver.press("k", "k", "k", "enter")
        assert "found found" in driver.text


async def test_messages_that_come_while_the_screen_of_a_subagent_is_made_are_on_it(tmp_path: Path) -> None:
    """It has no widgets yet: the search for one ended the program."""
    async with driver_on(tmp_path, *replies_with(tool_call("Shell", "s", command="make check"))) as driver:
        await driver.send_three()
        app = driver.app
        item_of = app.main_screen.transcript.item
        card = next(id_ for id_ in app.presenter.transcript_sync.ids if isinstance(item_of(id_), SubagentItem))
        app.subagent_screens.open(card)
        app.on_wire_batch(WireBatch(()))
        app.append_tool_output("call", "text")
        await driver.until(lambda: isinstance(app.screen, SubagentScreen))
        assert "1 of 3" in driver.text


async def test_a_subagent_of_a_subagent_is_a_card_in_the_one_that_sent_it_and_opens_from_there(tmp_path: Path) -> None:
    for name, text in NESTED.items():
        (tmp_path / name).write_text(text)

    def send(name: str) -> str:
        return tool_call("Task", f"to-{name}", description=f"for {name}", subagent_name=name, prompt=f"hello {name}")

    replies = (
        "when: ^result: Task\nwhen: ^user: go$\ntext: ended",
        "when: ^user: go$\n" + send("middle"),
        "when: ^user: hello middle$\n" + send("leaf"),
        "when: ^user: hello leaf$\ntext: I touch it.\n" + tool_call("Shell", "s", command="touch made"),
    )
    made = replace(plan(tmp_path, *replies), agent_file=tmp_path / "agent.yaml")
    app = KimiTui(lambda: build_engine(made), frame=0.0, motion=False)
    async with app.run_test(size=(140, 42)) as pilot:
        await ready(pilot)
        driver = SubagentDriver(app, pilot)
        app.submit("go")
        await driver.until(lambda: app.presenter.state.approvals)
        assert driver.states == ["waiting"]
        assert "Shell of leaf (for leaf) asks" in driver.text
        app.main_screen.transcript.focus()
        await driver.press("k", "enter")
        assert "agent middle" in driver.text
        await driver.press("k", "enter")
        assert "agent leaf" in driver.text
        assert "I touch it." in driver.text
        await driver.press("escape")
        assert "agent middle" in driver.text
        driver.engine.cancel()
        await driver.until(lambda: driver.states == ["interrupted"])
