"""The app with a real flow runner behind it, whose turns end when a test says so."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from textual.pilot import Pilot

from kimi_tui.flow.run.journal import Journal
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.turn_protocol import NO_RULES, TurnResult, TurnRules
from kimi_tui.skill.guidance import guidance_of_chart
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import StepBegin, TurnBegin, TurnEnd
from kimi_tui.wire.parts import TextPart, UserInput
from tests.ui.tui.fake_engine import Clock, FakeEngine, make_app
from tests.ui.tui.flow_pane.flow_scenarios import flow_of_text
from tests.ui.tui.screen_text import app_strips
from tests.ui.tui.test_screen import ready

FIX = """flowchart TD
    B([BEGIN]) --> look[Look at the test]
    look --> fix[Fix it]
    fix --> green{Green?}
    green -->|yes| tag[Tag it]
    green -->|no| fix
    tag --> E([END])
"""


class FlowDriver:
    """A running app, and what a test needs of it."""

    def __init__(self, app: KimiTui, pilot: Pilot[int], engine: FakeEngine, clock: Clock) -> None:
        self.app, self.pilot, self.engine, self.clock = app, pilot, engine, clock
        self.prompts: list[UserInput] = []
        self.replies: asyncio.Queue[str] = asyncio.Queue()
        self._task: asyncio.Task[object] | None = None

    @property
    def pane(self):
        return self.app.main_screen.flow_pane

    @property
    def runner(self) -> FlowRunner:
        assert self.engine.runner is not None
        return self.engine.runner

    async def take_turn(self, prompt: UserInput, rules: TurnRules = NO_RULES) -> TurnResult:
        self.prompts.append(prompt)
        self.engine.say(TurnBegin(user_input=prompt), StepBegin(n=1))
        reply = await self.replies.get()
        self.engine.say(TextPart(text=reply), TurnEnd())
        return TurnResult("finished", reply, 1, result=None if rules.result is None else rules.result.example())

    async def run(self, text: str = FIX, **options: object) -> None:
        """Begin a run of this chart; it is at its first node's turn then."""
        flow = flow_of_text(text)
        flow = replace(flow, guidance=guidance_of_chart(flow, text).guidance)
        self.engine.runner = FlowRunner(
            flow, name="release", taker=self, send=self.engine.wire.send, interactive=True, text=text,
            journal=Journal(self.engine.work_dir / "flow.jsonl"), run_id="run", **options,  # type: ignore[arg-type]
        )  # fmt: skip
        self._task = asyncio.create_task(self.runner.run())
        await self.settle()

    async def reply(self, *replies: str) -> None:
        """End turns with these words, one after the other."""
        for text in replies:
            self.replies.put_nowait(text)
            await self.settle()

    async def say(self, *messages: WireMessage) -> None:
        for message in messages:
            self.engine.say(message)
            self.clock.now += 0.7
        await self.settle()

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.app.main_screen.composer.prompt.burst_gap_s = 0.0
            await self.pilot.press(key)
        await self.settle()

    async def settle(self) -> None:
        for _ in range(3):
            await self.pilot.pause()
        for group in ("layout", "flow"):
            workers = [worker for worker in self.app.workers if worker.group == group]
            await self.app.workers.wait_for_complete(workers)
        await self.pilot.pause()

    def shown(self) -> str:
        """What is on the screen."""
        return "\n".join(strip.text.rstrip() for strip in app_strips(self.app))

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self.engine.runner = None


@asynccontextmanager
async def open_flow(
    work_dir: Path, *, size: tuple[int, int] = (140, 42), engine: FakeEngine | None = None
) -> AsyncIterator[FlowDriver]:
    engine = engine or FakeEngine(work_dir)
    app, clock = make_app(engine)
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        driver = FlowDriver(app, pilot, engine, clock)
        yield driver
        await driver.close()
