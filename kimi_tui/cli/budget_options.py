"""The options for the budget of flow runs."""

import argparse
from collections.abc import Callable
from typing import Any

from kimi_tui.config.budget import Budget, read_cost, read_time, read_tokens


def add_budget_options(top: argparse.ArgumentParser, *, unless_said: bool = False) -> None:
    """Add the options for the budget of flow runs. `unless_said`: after a command, where the options may precede it."""
    default = argparse.SUPPRESS if unless_said else None
    budget = top.add_argument_group(
        "budget of each flow run", "Of several budgets (these, the flow's own, flows.budget) the smallest cap is used."
    )
    budget.add_argument(
        "--max-cost", metavar="USD", type=_cost, default=default, help="stop at this cost, by the model's prices"
    )
    budget.add_argument(
        "--max-tokens", metavar="N", type=_tokens, default=default, help="stop at this many tokens: 500000, 500k, 1.5m"
    )
    budget.add_argument(
        "--max-time", metavar="TIME", type=_time, default=default, help="stop after this working time: 90s, 10m, 2h"
    )


def budget_of(options: argparse.Namespace) -> Budget:
    """Return the budget of flow runs from the command line."""
    return Budget(options.max_cost, options.max_tokens, options.max_time)


def _cap(read: Callable[[str], float | int], text: str) -> Any:
    try:
        return read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _cost(text: str) -> float:
    return _cap(read_cost, text)


def _tokens(text: str) -> int:
    return _cap(read_tokens, text)


def _time(text: str) -> float:
    return _cap(read_time, text)
