"""Budgets of flow runs: caps on cost, tokens and working time, and how they are written."""

import re
from dataclasses import dataclass

from kimi_tui.formats import parse_duration
from kimi_tui.i18n import tr

MAX_COST = 1_000_000.0
MAX_TOKENS = 10**12
MAX_SECONDS = 365 * 86_400.0

_COST = re.compile(r"(?:\$\s*(\d{1,9}(?:\.\d{1,6})?)|(\d{1,9}(?:\.\d{1,6})?)\s*usd)\Z", re.ASCII)
_PLAIN_COST = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\Z", re.ASCII)
_TOKENS = re.compile(r"(\d{1,13}(?:\.\d{1,6})?)\s*([km]?)(\s*tokens?)?\Z", re.ASCII)
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}
_UNITS = ((86_400, "d"), (3600, "h"), (60, "m"))


@dataclass(frozen=True, slots=True)
class Budget:
    """The caps of a run (None: no cap): `cost` in US dollars, `tokens`, and `seconds` of working time."""

    cost: float | None = None
    tokens: int | None = None
    seconds: float | None = None

    def __bool__(self) -> bool:
        return self != Budget()

    def __str__(self) -> str:
        """The budget as it is written: `2 usd, 500k tokens, 1h`."""
        parts = [
            f"{self.cost:.6f}".rstrip("0").rstrip(".") + " usd" if self.cost is not None else "",
            f"{format_tokens(self.tokens)} tokens" if self.tokens is not None else "",
            format_time(self.seconds) if self.seconds is not None else "",
        ]
        return ", ".join(filter(None, parts))

    def changed(self, given: "Budget") -> "Budget":
        """Return a copy of this budget with the caps that `given` sets."""
        return Budget(
            self.cost if given.cost is None else given.cost,
            self.tokens if given.tokens is None else given.tokens,
            self.seconds if given.seconds is None else given.seconds,
        )


def smallest(*budgets: Budget) -> Budget:
    """Return a budget with the smallest cap of each quantity."""
    return Budget(
        min((one.cost for one in budgets if one.cost is not None), default=None),
        min((one.tokens for one in budgets if one.tokens is not None), default=None),
        min((one.seconds for one in budgets if one.seconds is not None), default=None),
    )


def read_budget(text: str) -> Budget:
    """Parse caps such as `2 usd, 500k tokens, 1h`, in any order. Raises ValueError with the expected format."""
    budget = Budget()
    for part in text.split(","):
        given = _cap(part.strip().lower())
        if given is None:
            raise ValueError(tr("write a budget like `2 usd, 500k tokens, 1h`"))
        for name in ("cost", "tokens", "seconds"):
            if getattr(given, name) is not None and getattr(budget, name) is not None:
                raise ValueError(tr("a budget can have only one cap each for cost, tokens and time"))
        budget = budget.changed(given)
    return budget


def read_cost(text: str) -> float:
    """Parse an amount of US dollars: `2`, `2.50 usd`, `$2`. Raises ValueError."""
    text = text.strip().lower()
    found = _COST.match(text) or _PLAIN_COST.match(text)
    value = float(next(group for group in found.groups() if group is not None)) if found else 0.0
    if not 0 < value <= MAX_COST:
        raise ValueError(tr("write an amount like `2` or `0.50`, at most a million"))
    return value


def read_tokens(text: str) -> int:
    """Parse a number of tokens: `500000`, `500k`, `1.5m tokens`. Raises ValueError."""
    found = _TOKENS.match(text.strip().lower())
    value = round(float(found[1]) * _TIMES[found[2]]) if found else 0
    if not 0 < value <= MAX_TOKENS:
        raise ValueError(tr("write a number of tokens like `500000`, `500k` or `1.5m`"))
    return value


def read_time(text: str) -> float:
    """Parse a time in seconds: `90s`, `1h 30m`. Raises ValueError."""
    seconds = parse_duration(text)
    if seconds is None or not 0 < seconds <= MAX_SECONDS:
        raise ValueError(tr("write a time like `90s`, `10m`, `2h` or `3d`, at most a year"))
    return seconds


def format_tokens(count: int) -> str:
    """Format a token limit without rounding: 500k, 1.5m, 1234."""
    if count % 1000:
        return str(count)
    if count < 1_000_000:
        return f"{count // 1000}k"
    return f"{count / 1_000_000:.3f}".rstrip("0").rstrip(".") + "m"


def format_time(seconds: float) -> str:
    """Format a time in the form that `read_time` accepts: `1h 30m`."""
    left, parts = seconds, list[str]()
    for size, unit in _UNITS:
        if left >= size:
            parts.append(f"{int(left // size)}{unit}")
            left %= size
    if left or not parts:
        parts.append(f"{left:.3f}".rstrip("0").rstrip(".") + "s")
    return " ".join(parts)


def _cap(text: str) -> Budget | None:
    """One cap of a budget; None if the text is not one."""
    count = _TOKENS.match(text)
    try:
        if _COST.match(text):
            return Budget(cost=read_cost(text))
        if count and count[3]:
            return Budget(tokens=read_tokens(text))
        return Budget(seconds=read_time(text))
    except ValueError:
        return None
