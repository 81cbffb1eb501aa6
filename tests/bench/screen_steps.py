"""What the screen's steps cost in a long conversation, against a short one: processor milliseconds, and their ratio.

    python tests/bench/screen_steps.py [MESSAGES]

A focus change, a resize, a tick of the clock, a letter, a batch of a reply that streams; each the median of many,
short and long in turns. No terminal: what is written to it does not depend on what is not seen.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kimi_tui.ui.tui.app import KimiTui  # noqa: E402
from kimi_tui.ui.tui.state.items import AssistantItem, Item, UserItem  # noqa: E402
from kimi_tui.wire.events import StepBegin, TurnBegin  # noqa: E402
from kimi_tui.wire.parts import TextPart  # noqa: E402
from tests.ui.tui.fake_engine import FakeEngine, make_app  # noqa: E402

SHORT, REPEATS = 10, 15
REPLY = "Some words of **Markdown** that fill a line or two, with `code` and a [link](https://a.example).\n\n" * 8
Step = Callable[[], Awaitable[None]]


class Session:
    """A screen with so many messages, and a turn that runs."""

    def __init__(self, app: KimiTui, engine: FakeEngine, pilot: Pilot[int], messages: int) -> None:
        self.app, self.engine, self.pilot = app, engine, pilot
        items: list[Item] = [
            UserItem(f"question {number}") if number % 2 == 0 else AssistantItem(REPLY, done=True)
            for number in range(messages)
        ]
        for item in items:
            app.presenter.state.conversation.append(item)
        app.presenter.state.conversation.take_deltas()
        app.presenter.transcript_sync.start(items)
        engine.say(TurnBegin(user_input="go"), StepBegin(n=1), TextPart(text="It begins. "))

    async def focus(self) -> None:
        home = self.app.main_screen
        (home.transcript if home.composer.prompt.has_focus else home.composer.prompt).focus()
        await self.pilot.pause()

    async def resize(self) -> None:
        width, height = self.app.size
        await self.pilot.resize_terminal(220 - width, height)
        await self.pilot.pause()

    async def tick(self) -> None:
        self.app.presenter.tick()
        self.app.main_screen.transcript.tick()
        await self.pilot.pause()

    async def letter(self) -> None:
        self.app.main_screen.composer.prompt.focus()
        await self.pilot.press("a" if len(self.app.main_screen.composer.text) < 40 else "backspace")

    async def batch(self) -> None:
        self.engine.say(TextPart(text="And a few more words of it. "))
        await self.pilot.pause()
        await self.pilot.pause()


async def took(step: Step) -> float:
    before = time.process_time()
    await step()
    return (time.process_time() - before) * 1000


async def measure(messages: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        engines = [FakeEngine(Path(folder)) for _ in range(2)]
        apps = [make_app(engine)[0] for engine in engines]
        async with apps[0].run_test(size=(120, 40)) as first, apps[1].run_test(size=(120, 40)) as second:
            for pilot in (first, second):
                await pilot.pause()
                await pilot.app.workers.wait_for_complete([one for one in pilot.app.workers if one.group == "engine"])
                await pilot.pause()
            both = [
                Session(app, engine, pilot, size)
                for app, engine, pilot, size in zip(apps, engines, (first, second), (SHORT, messages), strict=True)
            ]
            print(f"{'step':<8} {SHORT:>8} {messages:>8}   ratio")
            for name in ("focus", "resize", "tick", "letter", "batch"):
                figures: list[list[float]] = [[], []]
                for _ in range(REPEATS):
                    for session, found in zip(both, figures, strict=True):
                        found.append(await took(getattr(session, name)))
                short, long = (statistics.median(found) for found in figures)
                print(f"{name:<8} {short:>8.2f} {long:>8.2f} {long / short:>7.2f}")


if __name__ == "__main__":
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
