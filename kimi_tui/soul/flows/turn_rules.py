"""Applies what a flow's node sets for its turn to the agent that takes the turn."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from kimi_tui.flow.run.turn_protocol import TurnResult, TurnRules
from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.tools.submit_result import SubmitResult


async def take_under_rules(
    rules: TurnRules, toolset: Toolset, take_turn: Callable[[], Awaitable[TurnResult]]
) -> TurnResult:
    """Take a turn of the agent with this toolset under the rules. Raises what `take_turn` raises."""
    submit = SubmitResult(rules.result) if rules.result is not None else None
    with toolset.with_tool(submit):
        result = await take_turn()
    return result if submit is None or result.stop != "finished" else replace(result, result=submit.given)
