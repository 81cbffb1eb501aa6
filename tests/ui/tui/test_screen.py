"""Pictures of the screen in its main states; each was looked at before it was kept."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.wire.codec import WireMessage
from tests.ui.tui import wire_scenarios
from tests.ui.tui.fake_engine import NOW, Clock, FakeEngine, make_app

Snap = Callable[..., bool]
WIDE, MEDIUM, SMALL, TINY = (140, 42), (100, 30), (80, 24), (60, 18)
WORK_DIR = Path("/home/me/proj")


def play(
    messages: list[WireMessage], *, theme: str = "kimi-dark"
) -> tuple[KimiTui, Callable[[Pilot[int]], Awaitable[None]]]:
    """An app, and what feeds it the messages, 0.7 seconds apart."""
    engine = FakeEngine(WORK_DIR)
    app, clock = make_app(engine, theme=theme, clock=Clock(NOW))

    async def run(pilot: Pilot[int]) -> None:
        await ready(pilot)
        for message in messages:
            engine.say(message)
            clock.now += 0.7
        await pilot.pause()
        await pilot.pause()
        app.presenter.tick()
        await pilot.pause()

    return app, run


async def ready(pilot: Pilot[int]) -> None:
    """Until the engine has been made."""
    app = pilot.app
    assert isinstance(app, KimiTui)
    await pilot.pause()
    if starting := [worker for worker in app.workers if worker.group == "engine"]:  # none would mean all
        await app.workers.wait_for_complete(starting)
    app.answer_hold_s = 0.0  # tests do not wait
    await pilot.pause()


STATES: dict[str, tuple[list[WireMessage], tuple[int, int], str]] = {
    "empty": ([], WIDE, "kimi-dark"),
    "streaming": (wire_scenarios.streaming(), WIDE, "kimi-dark"),
    "tool-running": (wire_scenarios.tool_running(), WIDE, "kimi-dark"),
    "approval": (wire_scenarios.approval(), WIDE, "kimi-dark"),
    "flow-decision": (wire_scenarios.flow_at_decision(), WIDE, "kimi-dark"),
    "flow-asks": (wire_scenarios.flow_asks(), WIDE, "kimi-dark"),
    "flow-done": (wire_scenarios.flow_done(), WIDE, "kimi-dark"),
    "error": (wire_scenarios.error(), WIDE, "kimi-dark"),
    "chinese": (wire_scenarios.chinese(), WIDE, "kimi-dark"),
    "light": (wire_scenarios.flow_at_decision(), WIDE, "kimi-light"),
    "high-contrast": (wire_scenarios.approval(), WIDE, "high-contrast"),
    "colour-blind": (wire_scenarios.flow_done(), WIDE, "colour-blind"),
    "ansi-16": (wire_scenarios.flow_asks(), WIDE, "ansi-16"),
    "kimi": (wire_scenarios.tool_running(), WIDE, "kimi"),
    "medium": (wire_scenarios.flow_at_decision(), MEDIUM, "kimi-dark"),
    "medium-approval": (wire_scenarios.approval(), MEDIUM, "kimi"),
    "small-approval": (wire_scenarios.approval(), SMALL, "kimi-dark"),
    "small-chinese": (wire_scenarios.chinese(), SMALL, "kimi-light"),
    "tiny-approval": (wire_scenarios.approval(), TINY, "kimi-dark"),
}


@pytest.mark.parametrize("state", STATES)
def test_the_screen_looks_as_it_was_drawn(state: str, snap_compare: Snap) -> None:
    messages, size, theme = STATES[state]
    app, run = play(messages, theme=theme)
    assert snap_compare(app, terminal_size=size, run_before=run)
