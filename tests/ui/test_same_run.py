"""A steered flow plays the same on the screen, in print and over the Wire, and its log folds to one picture.

Two decisions, a loop, a reply without a choice, a branch that the user took, a breakpoint.
"""

import asyncio
import json
import os
from dataclasses import replace

from textual import events

from kimi_tui.flow.run.run_view import RunView, fold_run_views
from kimi_tui.soul.assemble import build_engine
from kimi_tui.soul.commands.registry import takes_effect_at_once
from kimi_tui.ui.print.runner import Output, answer_lines
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.wire.flow_events import FlowEnd, FlowPaused
from kimi_tui.wire.recorder import read_recorded
from tests.soul.scripted_engine import plan
from tests.ui.print.test_print import STEERED, STEERED_REPLIES
from tests.ui.tui.test_screen import ready
from tests.ui.wire_server.served_engine import served

ORDERS = ("/flow break Tag", "/flow choose tag at Ready", "/flow:steered")
GO_ON = "/flow continue"


def received(engine, kind):
    """Set when the Wire has said a message of that kind."""
    said = asyncio.Event()
    engine.wire.listen(lambda message: said.set() if isinstance(message, kind) else None)
    return said


async def by_print(made):
    read_end, write_end = os.pipe()
    engine = await build_engine(replace(made, interactive=False, steerable=True))
    paused = received(engine, FlowPaused)

    def say(*prompts):
        for prompt in prompts:
            os.write(write_end, json.dumps({"role": "user", "content": prompt}).encode() + b"\n")

    async def steer():
        say(*ORDERS)
        await paused.wait()
        say(GO_ON)
        os.close(write_end)

    try:
        with os.fdopen(read_end, "rb") as lines:
            steering = asyncio.create_task(steer())
            status = await answer_lines(engine, lines, Output(json=True), at_once=takes_effect_at_once)
            await steering
    finally:
        await engine.aclose()
    assert status == 0
    return engine.session.dir


async def by_wire(made):
    async with served(made) as (client, engine):
        paused = received(engine, FlowPaused)
        await client.initialize(capabilities={"supports_flow": True})
        for order in ORDERS[:2]:
            await client.call("prompt", user_input=order)
        run = asyncio.create_task(client.call("prompt", user_input=ORDERS[2]))
        await paused.wait()
        await client.call("prompt", user_input=GO_ON)
        assert await run == {"status": "finished"}
        assert client.payloads("FlowPaused")[0]["reason"] == "breakpoint"
        return engine.session.dir


async def by_screen(made):
    async def make():
        return await build_engine(made)

    app = KimiTui(make, frame=0.0, motion=False)
    async with app.run_test(size=(140, 42)) as pilot:
        await ready(pilot)
        engine = app.engine
        paused, ended = received(engine, FlowPaused), received(engine, FlowEnd)

        async def say(prompt):
            app.main_screen.composer.prompt.post_message(events.Paste(prompt))
            await pilot.pause()
            await pilot.press("enter")
            await pilot.pause()

        for order in ORDERS:
            await say(order)
        await paused.wait()
        await pilot.pause()
        await say(GO_ON)
        await ended.wait()
        await pilot.pause()
        folder = engine.session.dir
        await engine.aclose()
    return folder


def picture(folder) -> RunView:
    (one,) = fold_run_views((row.timestamp, row.message) for row in read_recorded(folder / "wire.jsonl"))
    return one


def essence(told: RunView):
    """The picture without times and ids."""
    nodes = {name: (node.visits, told.node_state(name), node.steps) for name, node in told.nodes.items()}
    edges = [(edge.src, edge.dst, edge.taken) for edge in told.edges]
    return nodes, edges, [(one.node_id, one.choice, one.by) for one in told.decisions], told.status, told.moves


async def test_a_steered_run_is_the_same_whichever_face_steers_it(tmp_path, capsys):
    pictures = {}
    for number, face in enumerate((by_print, by_wire, by_screen)):
        skill = tmp_path / str(number) / "work" / ".kimi-tui" / "skills" / "steered"
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(STEERED)
        folder = await face(plan(tmp_path / str(number), *STEERED_REPLIES))
        pictures[face.__name__] = essence(picture(folder))
    nodes, _, taken, status, moves = pictures["by_print"]
    assert nodes["Fix"][0] == nodes["Green"][0] == 2
    assert taken == [("Green", "no", "model"), ("Green", "yes", "model"), ("Ready", "tag", "user")]
    assert (status, moves) == ("finished", 6)
    assert pictures["by_wire"] == pictures["by_print"]
    assert pictures["by_screen"] == pictures["by_print"]
