"""An engine for tests of the screen: a real Wire and real approvals, and turns that last until the test ends them."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kimi_tui.errors import KimiTuiError
from kimi_tui.flow import build_flow, read_mermaid
from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.interaction.approvals import Approvals
from kimi_tui.interaction.questions import Questions
from kimi_tui.soul.session_replay import Replay
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.engine_protocol import ResumableFlows
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.parts import UserInput
from kimi_tui.wire.recorder import Recorded

NOW = 1_000_000.0


@dataclass(frozen=True)
class Info:
    name: str
    description: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Skill:
    name: str
    description: str
    flow: Flow | None


CHART = """flowchart TD
    B([BEGIN]) --> P[Draft a plan]
    P --> D{Plan approved?}
    D -->|yes| W[Write the code]
    D -->|no| P
    W --> E([END])
"""


class FakeSkills:
    """The flows there are."""

    def __init__(self, flows: Sequence[Skill]) -> None:
        self._flows = self._all = flows
        self._listeners: list[Callable[[object], None]] = []

    def flows(self) -> Sequence[Skill]:
        return self._flows

    def listen(self, listener: Callable[[object], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def change(self) -> None:
        """The skills were edited: all of them are gone, or there again."""
        self._flows = () if self._flows else self._all
        for listener in self._listeners:
            listener(None)


@dataclass
class FakeEngine:
    """`prompts` is what was asked; `end_turn` lets the turn under way end.

    The last `recent` messages of the record are shown first, the others once `sdk_loaded` is set.
    """

    work_dir: Path
    record: Sequence[tuple[float, WireMessage]] = ()
    recent: int | None = None
    skills: FakeSkills = field(
        default_factory=lambda: FakeSkills((Skill("plan", "Plans, then writes.", build_flow(read_mermaid(CHART))),))
    )
    model_name: str = "moon-2"
    secrets: Sequence[str] = ()
    model_note: str = ""
    accepts_images: bool = True
    session_id: str = "s"
    title: str = ""
    heading: str = ""
    live: None = None
    flows: ResumableFlows | None = None

    def __post_init__(self) -> None:
        self.wire = Wire()
        self.approvals = Approvals(self.wire)
        self.questions = Questions(self.wire)
        self.progress = ToolProgress()
        self.runner: FlowRunner | None = None
        self.prompts: list[UserInput] = []
        self.steered: list[UserInput] = []
        self.shell_lines: list[str] = []
        self.cancelled = 0
        self.closed = False
        self.sdk_loaded = asyncio.Event()
        self.earlier: Iterator[Recorded] | None = None
        self.error: KimiTuiError | None = None
        self._end: asyncio.Event | None = None

    @property
    def busy(self) -> bool:
        return self._end is not None

    def commands(self) -> Sequence[Info]:
        return (
            Info("clear", "Clear the conversation", ("reset",)),
            Info("yolo", "Approve everything"),
            Info("flow:plan", "Plans, then writes."),
            Info("skill:review", "Reviews a change"),
        )

    def resources(self) -> Sequence[str]:
        return ("lib:book://one",)

    async def loaded(self) -> None:
        if self.recent is not None:
            await self.sdk_loaded.wait()

    async def prompt(self, user_input: UserInput) -> TurnResult:
        self.prompts.append(user_input)
        if self.error is not None:
            raise self.error
        self._end = asyncio.Event()
        try:
            await self._end.wait()
        finally:
            self._end = None
        if self.error is not None:
            raise self.error
        return TurnResult("finished")

    async def run_shell_line(self, command: str) -> None:
        self.shell_lines.append(command)

    def end_turn(self) -> None:
        assert self._end is not None
        self._end.set()

    def fail_turn(self, error: KimiTuiError) -> None:
        """The turn under way ends by this, and every one after it."""
        self.error = error
        self.end_turn()

    def cancel(self) -> None:
        self.cancelled += 1
        if self._end is not None:
            self._end.set()

    def steer(self, user_input: UserInput) -> bool:
        if self._end is None:
            return False
        self.steered.append(user_input)
        return True

    def stop_flow(self, reason: str | None = None) -> None:
        self.cancel()

    def replay(self) -> Replay:
        recorded = [Recorded(at, message) for at, message in self.record]
        cut = len(recorded) - self.recent if self.recent is not None else 0
        return Replay(recorded[cut:], (self.earlier or iter(recorded[:cut])) if cut else None)

    async def aclose(self) -> None:
        self.closed = True

    def say(self, *messages: WireMessage) -> None:
        for message in messages:
            self.wire.send(message)


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self, now: float = NOW) -> None:
        self.now = now
        self.key_age = 0.0

    def __call__(self) -> float:
        return self.now


def make_app(
    engine: FakeEngine,
    *,
    theme: str = "kimi-dark",
    clock: Clock | None = None,
    prompt: str | None = None,
    kind: type[KimiTui] = KimiTui,
    motion: bool = False,
) -> tuple[KimiTui, Clock]:
    """An app that stands still but for what the test does; the clock is also the one of the guard."""
    clock = clock or Clock()

    async def make() -> FakeEngine:
        return engine

    app = kind(
        make,
        theme=theme,
        clock=clock,
        monotonic=clock,
        key_age=lambda _event: clock.key_age,
        frame=0.0,
        motion=motion,
        prompt=prompt,
    )
    return app, clock
