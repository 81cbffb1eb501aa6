"""Pictures of the flow pane in each of its states; each was looked at before it was kept."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kimi_tui.ui.tui.accessibility import DisplayOptions
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.flow_pane.broken_flow import BrokenFlow
from kimi_tui.wire.codec import WireMessage
from tests.ui.tui import wire_scenarios
from tests.ui.tui.flow_pane import flow_scenarios
from tests.ui.tui.test_screen import MEDIUM, SMALL, WIDE, play

Snap = Callable[..., bool]

STATES: dict[str, tuple[list[WireMessage], tuple[int, int], str, str]] = {
    "running": (flow_scenarios.nested(), WIDE, "kimi-dark", ""),
    "approval": (flow_scenarios.approving(), WIDE, "kimi-dark", ""),
    "question": (flow_scenarios.asking(), WIDE, "kimi-dark", ""),
    "menu": (flow_scenarios.nested(), WIDE, "kimi-dark", "f3 full_stop"),
    "retrying": (flow_scenarios.retrying(), WIDE, "kimi-dark", ""),
    "paused": (flow_scenarios.steered(), WIDE, "kimi-dark", ""),
    "breakpoint": (flow_scenarios.at_breakpoint(), WIDE, "kimi-dark", ""),
    "confirm": (flow_scenarios.suggested(), WIDE, "kimi-light", ""),
    "failed": (flow_scenarios.failed(), WIDE, "kimi-dark", ""),
    "chinese": (flow_scenarios.chinese_flow(), WIDE, "kimi-dark", ""),
    "zoomed": (flow_scenarios.nested(), WIDE, "kimi-dark", "f3 f11"),
    "left-right": (flow_scenarios.nested(), WIDE, "kimi-light", "f3 f11 d"),
    "outline": (flow_scenarios.nested(), WIDE, "kimi-dark", "f3 o"),
    "forty-nodes": (flow_scenarios.large(), WIDE, "kimi-dark", "f3 f11"),
    "two-hundred-nodes": (flow_scenarios.large_200(), WIDE, "kimi-dark", "f3 f11"),
    "medium-opened": (flow_scenarios.nested(), MEDIUM, "kimi-dark", "f3"),
    "small-zoomed": (flow_scenarios.nested(), SMALL, "kimi-light", "f3 f11"),
    "node": (flow_scenarios.nested(), WIDE, "kimi-dark", "f3 up up up up up enter"),
    "start": ([], WIDE, "kimi-dark", "f3 enter"),
    "export": (wire_scenarios.flow_done(), WIDE, "kimi-dark", "f3 e"),
    "past": (wire_scenarios.flow_done(), WIDE, "kimi-dark", "f8 up up up up"),
    "high-contrast": (flow_scenarios.at_breakpoint(), WIDE, "high-contrast", ""),
    "colour-blind": (flow_scenarios.nested(), WIDE, "colour-blind", ""),
}


@pytest.mark.parametrize("state", STATES)
def test_the_flow_pane_looks_as_it_was_drawn(state: str, snap_compare: Snap) -> None:
    messages, size, theme, keys = STATES[state]
    app, run = play(messages, theme=theme)
    assert snap_compare(app, terminal_size=size, run_before=then(app, run, keys.split()))


def test_ascii_lines_look_as_they_were_drawn(snap_compare: Snap) -> None:
    app, run = play(flow_scenarios.nested())
    app.display_options = DisplayOptions(ascii=True, motion=False)
    assert snap_compare(app, terminal_size=WIDE, run_before=then(app, run, []))


def test_a_terminal_without_colour_looks_as_it_was_drawn(snap_compare: Snap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app, run = play(flow_scenarios.nested())
    assert snap_compare(app, terminal_size=WIDE, run_before=then(app, run, []))


def test_a_broken_chart_looks_as_it_was_drawn(snap_compare: Snap) -> None:
    app, run = play([])
    source = "---\nname: plan\ntype: flow\n---\n```mermaid\nflowchart TD\n    D -->|no P\n    W --> E([END])\n```\n"
    broken = BrokenFlow("plan", "", Path("SKILL.md"), "this edge label is never closed; end it with `|`", 7, 11, source)

    async def save(pilot: Pilot[int]) -> None:
        await run(pilot)
        app.main_screen.flow_pane.show_flows([broken])

    assert snap_compare(app, terminal_size=WIDE, run_before=then(app, save, []))


def then(
    app: KimiTui, run: Callable[[Pilot[int]], Awaitable[None]], keys: list[str]
) -> Callable[[Pilot[int]], Awaitable[None]]:
    """Play the scene, press the keys, and wait for what is laid out aside."""

    async def settle(pilot: Pilot[int]) -> None:
        for _ in range(3):
            await pilot.pause()
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "layout"])
        await pilot.pause()

    async def all_of_it(pilot: Pilot[int]) -> None:
        await run(pilot)
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)

    return all_of_it
