"""A taker of turns that follows a script, and a run with all that a test wants to look at."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

from kimi_tui.flow.model.graph import Flow, FlowEdge, FlowNode, NodeKind
from kimi_tui.flow.run.journal import Journal, load_runs
from kimi_tui.flow.run.run_meter import BudgetSetup
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.turn_protocol import NO_RULES, FlowOutcome, TurnResult, TurnRules
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.flow_events import (
    FlowBegin,
    FlowControls,
    FlowDecision,
    FlowEnd,
    FlowNodeBegin,
    FlowNodeEnd,
    FlowPaused,
    FlowResumed,
)
from kimi_tui.wire.parts import UserInput

Reply = str | TurnResult | BaseException | Callable[[], "Reply"]


def flow_of(*lines: str) -> Flow:
    """A flow from lines such as `A -> B` and `C -> D: yes`; ids that are BEGIN and END are the two ends."""
    edges: list[FlowEdge] = []
    for line in lines:
        path, _, label = line.partition(":")
        src, dst = (side.strip() for side in path.split("->"))
        edges.append(FlowEdge(src, dst, label.strip() or None))
    ids = list(dict.fromkeys(end for edge in edges for end in (edge.src, edge.dst)))
    outgoing = {node_id: tuple(edge for edge in edges if edge.src == node_id) for node_id in ids}

    def kind(node_id: str) -> NodeKind:
        if node_id in ("BEGIN", "END"):
            return NodeKind(node_id.lower())
        return NodeKind.DECISION if len(outgoing[node_id]) > 1 else NodeKind.TASK

    nodes = {node_id: FlowNode(node_id, f"Do {node_id}", kind(node_id)) for node_id in ids}
    return Flow(nodes, outgoing, "BEGIN", "END")


LOOP = ("BEGIN -> A", "A -> D", "D -> END: yes", "D -> A: no")


class Script:
    """Takes turns by a list of replies; the last reply is given again and again."""

    def __init__(self, replies: Iterable[Reply]) -> None:
        self.replies = list(replies)
        self.prompts: list[UserInput] = []
        self.rules: list[TurnRules] = []

    async def take_turn(self, prompt: UserInput, rules: TurnRules = NO_RULES) -> TurnResult:
        self.prompts.append(prompt)
        self.rules.append(rules)
        await asyncio.sleep(0)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        while callable(reply):
            reply = reply()
        if isinstance(reply, BaseException):
            raise reply
        return TurnResult("finished", reply, steps=1) if isinstance(reply, str) else reply


class RunnerHarness:
    """One run: its runner, the messages it sent, and its script."""

    def __init__(
        self,
        flow: Flow,
        replies: Iterable[Reply] = ("ok",),
        *,
        path: Path | None = None,
        interactive: bool = True,
        args: str = "",
        max_moves: int | None = None,
        resume: RunState | None = None,
        text: str = "",
        budget: BudgetSetup | None = None,
        on_message: Callable[["RunnerHarness", WireMessage], None] | None = None,
        journal: Journal | None = None,
        is_alive: Callable[[], bool] = lambda: True,
    ) -> None:
        self.script = Script(replies)
        self.sent: list[WireMessage] = []
        self.path = path
        self.journal = journal if journal is not None or path is None else Journal(path)
        self._is_alive = is_alive
        self.on_message = on_message
        self._task: asyncio.Task[FlowOutcome] | None = None
        self.runner = FlowRunner(
            flow,
            name="test",
            taker=self.script,
            send=self._take,
            interactive=interactive,
            journal=self.journal,
            args=args,
            text=text,
            max_moves=max_moves,
            resume=resume,
            budget=budget,
        )

    def _take(self, message: WireMessage) -> None:
        if not self._is_alive():
            return
        self.sent.append(message)
        if self.on_message is not None:
            self.on_message(self, message)

    async def run(self) -> FlowOutcome:
        return await self.runner.run()

    async def until_paused(self) -> None:
        """Let the run go until it pauses or ends."""
        if self._task is None:
            self._task = asyncio.create_task(self.runner.run())
        for _ in range(10_000):
            await asyncio.sleep(0)
            if self._task.done() or (self.runner.paused is not None and self.runner._command is None):
                return
        raise AssertionError("the run neither paused nor ended")

    async def outcome(self) -> FlowOutcome:
        assert self._task is not None
        async with asyncio.timeout(5):
            return await self._task

    async def cancel(self) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.wait([self._task])

    @property
    def way(self) -> list[str]:
        """The nodes entered, in order; an attempt after the first as `A#2`."""
        return [
            message.node_id + (f"#{message.attempt}" if message.attempt > 1 else "")
            for message in self.sent
            if isinstance(message, FlowNodeBegin)
        ]

    @property
    def told(self) -> list[str]:
        """Every message in a few words."""
        return [words(message) for message in self.sent]

    def journalled(self) -> RunState:
        assert self.path is not None
        return load_runs(self.path)[-1]


def words(message: WireMessage) -> str:
    match message:
        case FlowBegin():
            return "begin" + (f" at {message.resumed_at}" if message.resumed_at else "")
        case FlowNodeBegin():
            return f"> {message.node_id} {message.move}.{message.attempt}"
        case FlowNodeEnd():
            return f"< {message.node_id} {message.move} {message.status}"
        case FlowDecision():
            return f"{message.node_id}={message.choice} -> {message.dst} by {message.by}"
        case FlowPaused():
            return f"paused at {message.node_id}: {message.reason}"
        case FlowResumed():
            return f"resumed at {message.node_id}"
        case FlowControls():
            return "controls"
        case FlowEnd():
            return f"end {message.status} {message.moves}"
        case _:
            return type(message).__name__
