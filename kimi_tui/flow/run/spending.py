"""What a run has used: the sum of its replies, in tokens, cost and working time."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from kimi_tui.config.budget import Budget, format_time
from kimi_tui.i18n import UserText, tr
from kimi_tui.wire.parts import TokenUsage

Quantity = Literal["cost", "tokens", "seconds"]
QUANTITIES: tuple[Quantity, ...] = ("cost", "tokens", "seconds")
NOTICE_AT = 0.8
"""The share of a cap at which the user gets a notice."""


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars per million tokens; without `cache`, cache reads cost as much as other input."""

    input: float
    output: float
    cache: float | None = None

    def cost(self, usage: TokenUsage) -> float:
        of_cache = self.input if self.cache is None else self.cache
        uncached = usage.input_other + usage.input_cache_creation
        return (uncached * self.input + usage.input_cache_read * of_cache + usage.output * self.output) / 1e6

    def is_upper_bound(self, usage: TokenUsage) -> bool:
        """Whether the real cost may be lower because the price of cache reads is unknown."""
        return self.cache is None and usage.input_cache_read > 0


def make_prices(
    input_price: float | None, output_price: float | None, cache_price: float | None = None
) -> Prices | None:
    """The prices of a model; None unless those of input and output are known."""
    if input_price is None or output_price is None:
        return None
    known = [input_price, output_price, *([] if cache_price is None else [cache_price])]
    return Prices(input_price, output_price, cache_price) if all(map(_is_price, known)) else None


def _is_price(price: float) -> bool:
    return math.isfinite(price) and price >= 0


@dataclass(frozen=True, slots=True)
class Spent:
    """The sums of a run. `at_most`: the cost may be lower; `estimated` counts replies whose usage was not reported.

    `unpriced` is the usage, by model, that `cost` does not contain. `seconds` are those of working time.
    """

    replies: int = 0
    estimated: int = 0
    usage: TokenUsage = field(default_factory=TokenUsage)
    cost: float = 0.0
    at_most: bool = False
    unpriced: Mapping[str, TokenUsage] = field(default_factory=dict[str, TokenUsage])
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Input without cache reads, and output."""
        return budgeted_tokens(self.usage)

    def add(
        self, model: str, usage: TokenUsage, cost: float | None, *, at_most: bool = False, estimated: bool = False
    ) -> "Spent":
        unpriced = self.unpriced
        if cost is None:
            unpriced = {**unpriced, model: unpriced.get(model, TokenUsage()) + usage}
        return replace(
            self,
            replies=self.replies + 1,
            estimated=self.estimated + estimated,
            usage=self.usage + usage,
            cost=self.cost + (cost or 0.0),
            at_most=self.at_most or at_most,
            unpriced=unpriced,
        )

    def of(self, quantity: Quantity) -> float:
        match quantity:
            case "cost":
                return self.cost
            case "tokens":
                return self.tokens
            case "seconds":
                return self.seconds


def budgeted_tokens(usage: TokenUsage) -> int:
    """Return the tokens that count against a budget: input without cache reads, and output."""
    return usage.input_other + usage.input_cache_creation + usage.output


def share(spent: Spent, budget: Budget, quantity: Quantity) -> float:
    """Return the used share of a cap, 1 for all of it; 0 without a cap."""
    cap = getattr(budget, quantity)
    if cap is None:
        return 0.0
    return spent.of(quantity) / cap if cap > 0 else math.inf


def fullest(spent: Spent, budget: Budget) -> Quantity | None:
    """Return the quantity with the largest used share; None without a cap."""
    capped: list[Quantity] = [quantity for quantity in QUANTITIES if getattr(budget, quantity) is not None]
    return max(capped, key=lambda quantity: share(spent, budget, quantity), default=None)


def reached(spent: Spent, budget: Budget) -> Quantity | None:
    """Return the quantity whose cap is used up; None if there is none."""
    quantity = fullest(spent, budget)
    return quantity if quantity is not None and share(spent, budget, quantity) >= 1 else None


def format_cost(cost: float) -> str:
    """Format an amount in few digits: 12.40, 0.42, 0.0031."""
    return f"{cost:.2f}" if cost >= 0.1 or cost == 0 else f"{cost:.4f}"


def spent_text(spent: Spent, budget: Budget, quantity: Quantity) -> UserText:
    """Format the used amount of a cap, both in the same unit: `412,300 of 500,000 tokens`, `1m 12s of 1h`."""
    match quantity:
        case "cost":
            form = tr("at most {spent} of {cap} usd") if spent.at_most else tr("{spent} of {cap} usd")
            return form.format(spent=format_cost(spent.cost), cap=format_cost(budget.cost or 0.0))
        case "tokens":
            cap = f"{budget.tokens or 0:,}"
            return tr("{spent} of {cap} tokens", spent=f"{spent.tokens:,}", cap=cap)
        case "seconds":
            cap = format_time(budget.seconds or 0.0)
            used = format_time(round(spent.seconds, 1 if spent.seconds < 9.95 else None))
            return tr("{spent} of {cap} working time", spent=used, cap=cap)


def spending_text(spent: Spent, budget: Budget) -> UserText:
    """Format the used amount of each cap, on one line."""
    return " · ".join(spent_text(spent, budget, one) for one in QUANTITIES if getattr(budget, one) is not None)


def raised_budget(spent: Spent, budget: Budget) -> Budget:
    """Propose higher caps: those that are used up, doubled until they suffice."""
    caps: dict[Quantity, float] = {}
    for quantity in QUANTITIES:
        cap = getattr(budget, quantity)
        if cap is None or spent.of(quantity) < cap:
            continue
        while cap <= spent.of(quantity):
            cap = max(cap, 1 if quantity == "tokens" else 0.01) * 2
        caps[quantity] = cap
    tokens = caps.get("tokens")
    return Budget(caps.get("cost"), None if tokens is None else int(tokens), caps.get("seconds"))
