"""Applies the rules of a node's turn (its tools, typed result and timeout) to the agent."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from kimi_tui.errors import UsageError
from kimi_tui.flow.run.node_result import RESULT_TOOL
from kimi_tui.flow.run.turn_protocol import TurnResult, TurnRules
from kimi_tui.i18n import tr
from kimi_tui.tools.core.toolset import Toolset, allowed_tools
from kimi_tui.tools.submit_result import SubmitResult

_SHORTEST_SLEEP = 0.1
"""Minimum seconds between two readings of the clock, which stops during a pending request."""


async def take_under_rules(
    rules: TurnRules,
    toolset: Toolset,
    take_turn: Callable[[], Awaitable[TurnResult]],
    *,
    clock: Callable[[], float],
    stop: Callable[[], None],
) -> TurnResult:
    """Run a turn of the agent with this toolset under the rules. `stop` interrupts it; `clock` is its working time.

    Raises UsageError for a tool that does not exist, and what `take_turn` raises.
    """
    submit = SubmitResult(rules.result) if rules.result is not None else None
    token = allowed_tools.set(_allowed(rules, toolset))
    try:
        with toolset.with_tool(submit):
            result = await _within(rules.seconds, take_turn, clock, stop)
    finally:
        allowed_tools.reset(token)
    return result if submit is None or result.stop != "finished" else replace(result, result=submit.given)


def _allowed(rules: TurnRules, toolset: Toolset) -> frozenset[str] | None:
    """The own names of the tools that may run; never more than those that may run already."""
    already = allowed_tools.get()
    if not rules.tools:
        return already
    names = set[str]()
    for name in rules.tools:
        own = toolset.own_name(name)
        if own is None:
            raise UsageError(tr("the agent has no tool {tool}", tool=name))
        names.add(own)
    if already is not None:
        names &= already
    return frozenset(names | {RESULT_TOOL}) if rules.result is not None else frozenset(names)


async def _within(
    seconds: float | None,
    take_turn: Callable[[], Awaitable[TurnResult]],
    clock: Callable[[], float],
    stop: Callable[[], None],
) -> TurnResult:
    """Take the turn; one that works for longer is stopped, and has failed."""
    if seconds is None:
        return await take_turn()
    started_at, overdue = clock(), False

    async def watch() -> None:
        nonlocal overdue
        while (left := seconds - (clock() - started_at)) > 0:  # noqa: ASYNC110 - a waiting request stops the clock
            await asyncio.sleep(max(left, _SHORTEST_SLEEP))
        overdue = True
        stop()

    watching = asyncio.create_task(watch())
    try:
        result = await take_turn()
    finally:
        watching.cancel()
    if overdue and result.stop == "cancelled":
        return TurnResult("failed", tr("the turn took longer than {seconds} s", seconds=f"{seconds:g}"), result.steps)
    return result
