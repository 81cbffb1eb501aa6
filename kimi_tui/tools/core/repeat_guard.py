"""Detects repeated tool calls: first reminds the model, finally stops the turn.

A streak counts the consecutive steps that held an equal call (same tool, same arguments).
"""

from kimi_tui.wire.parts import ToolReturnValue

REMIND_AT = (3, 5, 8)
STOP_AT = 12


class RepeatGuard:
    """Counts, for each call of a step, the consecutive steps that contained it."""

    def __init__(self) -> None:
        self._before: dict[str, int] = {}
        self._now: dict[str, int] = {}

    def begin_turn(self) -> None:
        self._before, self._now = {}, {}

    def begin_step(self) -> None:
        self._before, self._now = self._now, {}

    def count(self, call_key: str) -> int:
        """Return the streak of this call, this step included; equal calls within a step count once."""
        self._now[call_key] = streak = self._before.get(call_key, 0) + 1
        return streak


def with_reminder(result: ToolReturnValue, streak: int) -> ToolReturnValue:
    """Return the result with the addition for a streak of that length: a stronger reminder, or the end of the turn."""
    text = _reminder(streak)
    if text is None:
        return result
    message = f"{result.message} {text}".strip()
    # defence: stop-repeated-call
    extras = {**(result.extras or {}), "stop": "tool_call_repeat"} if streak >= STOP_AT else result.extras
    return result.model_copy(update={"message": message, "extras": extras})


def _reminder(streak: int) -> str | None:
    if streak >= STOP_AT:
        return f"This very call has come {streak} steps in a row. The turn is stopped here."
    first, second, third = REMIND_AT
    if streak == first:
        return f"Note: you have made this very call {streak} times in a row. Use its result, or do something else."
    if streak == second:
        return (
            f"Warning: this very call has come {streak} times in a row and its result will not change by asking again. "
            "Say what you expected, and try another way."
        )
    if streak == third:
        return (
            f"Warning: this very call has come {streak} times in a row. After {STOP_AT} the turn is stopped. "
            "Do something else now, or tell the user what keeps you from going on."
        )
    return None
