"""Runs subagents: each has its own context; events are wrapped on the one Wire; approvals go to the root."""

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from kimi_tui.context.context import Context
from kimi_tui.errors import KimiTuiError
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.interaction.approvals import Source, asking_for
from kimi_tui.jsonl import JsonlWriter
from kimi_tui.llm.provider import ModelInfo, Provider
from kimi_tui.soul.agent import Agent
from kimi_tui.soul.hooks.dispatcher import HookDispatcher
from kimi_tui.soul.notices import error_notice
from kimi_tui.soul.soul import Limits, Soul
from kimi_tui.soul.subagents.labor_market import LaborMarket, Send, SubagentType
from kimi_tui.soul.subagents.running import MAX_RUNNING, RunningSubagent, RunningSubagents
from kimi_tui.tools.task import SubagentStoppedError
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.codec import WireMessage, encode
from kimi_tui.wire.events import SubagentEvent

MAX_DEPTH = 5
"""How deep subagents may be nested: the models decide, and each has the steps of a whole turn."""
_depth: ContextVar[int] = ContextVar("_depth", default=0)
_SHORT_REPORT = 200
_CONTINUE = (
    "Your report is too short to be of use to the one who sent you. Say more: what you did or found, in which files, "
    "and how it was checked."
)


async def _worked(soul: Soul, prompt: str) -> TurnResult:
    """Run the turn. Raises SubagentStoppedError if the user stopped this subagent."""
    result = await soul.take_turn(prompt)
    if result.stop == "finished" and len(result.message) < _SHORT_REPORT:
        result = await soul.take_turn(_CONTINUE)
    if result.stop == "cancelled":
        raise SubagentStoppedError("The user stopped the subagent before it was done.")
    return result


class SubagentRefusedError(KimiTuiError):
    """A hook, or the depth or number of subagents, prevented one from starting."""


@dataclass(frozen=True, slots=True)
class SubagentContext:
    """The shared state of all subagents of a session. `model` returns the configured model of a name, or the
    session's.
    """

    folder: Path
    model: Callable[[str | None], Awaitable[tuple[Provider | None, ModelInfo]]]
    drain: Callable[[], Awaitable[None]]
    limits: Limits
    hooks: HookDispatcher
    running: RunningSubagents


class SubagentPool:
    """The subagents of one agent; the Task and CreateSubagent tools use it as their `Subagents`."""

    def __init__(
        self, market: LaborMarket, context: SubagentContext, send: Send, like_me: Callable[[str, Send], Agent]
    ) -> None:
        """Set up the pool. `send` receives the Wire messages of the parent agent."""
        self.market = market
        self._context = context
        self._send = send
        self._like_me = like_me

    def names(self) -> Mapping[str, str]:
        return {name: worker.description for name, worker in self.market.workers.items()}

    def configured(self) -> Mapping[str, str]:
        return {name: worker.description for name, worker in self.market.fixed.items()}

    def edits_nothing(self, name: str) -> bool:
        worker = self.market.workers.get(name)
        return worker is not None and worker.edits_nothing

    def register(self, name: str, system_prompt: str) -> None:
        """Add a subagent. Raises ValueError if the name is taken."""
        self.market.hire(
            name, system_prompt, SubagentType("made in this session", lambda send: self._like_me(system_prompt, send))
        )

    async def run(self, name: str, prompt: str, *, description: str, tool_call_id: str) -> str:
        """Run one task in a new context and return its report. A very short report gets one request for a longer one.

        Raises LookupError for an unknown name, and the error that ended the subagent's turn.
        """
        with self._context.running.place() as free:
            if not free:
                raise SubagentRefusedError(
                    f"{MAX_RUNNING} subagents are at work already; do the task yourself, or send one when they are done"
                )
            return await self._run(name, prompt, description=description, tool_call_id=tool_call_id)

    async def _run(self, name: str, prompt: str, *, description: str, tool_call_id: str) -> str:
        worker = self.market.workers[name]
        depth = _depth.get() + 1
        if depth > MAX_DEPTH:  # defence: bound-depth-of-subagents
            raise SubagentRefusedError(f"subagents are already nested {MAX_DEPTH} deep; do the task yourself")
        hooks = self._context.hooks
        verdict = await hooks.ask("SubagentStart", name, subagent=name, description=description, prompt=prompt)
        if verdict.blocked:
            raise SubagentRefusedError(f"a hook blocked it: {verdict.reason or 'no reason given'}")
        agent_id = f"a{uuid4().hex[:8]}"
        hook_fields = {"subagent": name, "agent_id": agent_id}
        wire = Wire()

        def wrap(message: WireMessage) -> None:
            event = SubagentEvent(
                parent_tool_call_id=tool_call_id, agent_id=agent_id, subagent_type=name, event=encode(message)
            )
            self._send(event)

        wire.listen(wrap, merged=True)
        agent = worker.make(wire.send)
        context = Context(JsonlWriter(self._context.folder / agent_id / "context.jsonl"))
        context.set_system_prompt(agent.system_prompt)
        provider, model = await self._context.model(agent.model)
        soul = Soul(
            agent,
            model=model,
            context=context,
            send=wire.send,
            drain=self._context.drain,
            limits=self._context.limits,
            hooks=hooks,
            rejection_ends_turn=False,
        )
        soul.provider = provider
        depth_before = _depth.set(depth)
        asking = asking_for.set(Source(agent_id=agent_id, subagent_type=name, description=description))
        try:
            with self._context.running.track(
                agent_id, RunningSubagent(name, description, tool_call_id, soul.stop_turn)
            ):
                result = await _worked(soul, prompt)
            await hooks.ask("SubagentStop", name, **hook_fields, status="finished", message=result.message)
            return result.message
        except SubagentStoppedError:
            await hooks.ask("SubagentStop", name, **hook_fields, status="stopped", message="")
            raise
        except KimiTuiError as error:
            wire.send(error_notice(error))
            await hooks.ask("SubagentStop", name, **hook_fields, status="failed", message=str(error))
            raise
        finally:
            asking_for.reset(asking)
            _depth.reset(depth_before)
            wire.flush()
            context.close()
