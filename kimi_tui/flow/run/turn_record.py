"""The journal's record of a turn, and the values that the turn sets for later nodes."""

from kimi_tui.flow.run.command_step import command_values
from kimi_tui.flow.run.journal_records import TurnFinished
from kimi_tui.flow.run.next_step import NextStep
from kimi_tui.flow.run.node_result import recorded, result_values
from kimi_tui.flow.run.node_values import kept_values
from kimi_tui.flow.run.pause_rules import pause_detail
from kimi_tui.flow.run.turn_protocol import CommandEnd, TurnResult, TurnRules


def turn_values(
    result: TurnResult, end: CommandEnd | None, *, rules: TurnRules, fields: frozenset[str] | None
) -> dict[str, str] | None:
    """Return the values of the `fields` that the chart uses; None if the turn sets none. `end` is that of a command."""
    if result.stop in ("rejected", "cancelled"):
        return None
    values = {"text": result.message} if end is None else command_values(end)
    if rules.result is not None and result.result is not None:
        values |= result_values(rules.result, result.result)
    return kept_values(values, fields)


def turn_finished(
    result: TurnResult,
    end: CommandEnd | None,
    *,
    run_id: str,
    node_id: str,
    move: int,
    step: NextStep,
    values: dict[str, str] | None,
    duration_s: float,
) -> TurnFinished:
    """Return the record of a turn of the model, or of a command with its `end`, and of the step that follows."""
    detail = pause_detail(result) if end is None else result.message if result.stop != "finished" else None
    return TurnFinished(
        run=run_id,
        node=node_id,
        move=move,
        stop=result.stop,
        detail=detail,
        duration_s=round(duration_s, 3),
        steps=result.steps,
        usage=result.usage,
        choice=step.choice,
        to=step.to,
        by=step.by,
        passed=step.passed,
        status=None if end is None else end.status,
        values=values,
        result=None if result.result is None else recorded(result.result),
        over_budget=result.over_budget or None,
        parked=None if not result.parked else dict(result.parked),
    )
