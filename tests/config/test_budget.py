"""Budgets as they are written: read, combined and printed."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.config.budget import Budget, read_budget, read_cost, read_time, read_tokens, smallest
from kimi_tui.config.loader import load_config
from kimi_tui.errors import ConfigError

BUDGETS = st.builds(
    Budget,
    st.none() | st.integers(1, 10**9).map(lambda count: count / 1000),
    st.none() | st.integers(1, 10**12),
    st.none() | st.integers(1, 365 * 86_400_000).map(lambda count: count / 1000),
)


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("2 usd, 500k tokens, 1h", Budget(2.0, 500_000, 3600.0)),
        ("1h 30m", Budget(seconds=5400.0)),
        ("1.5M tokens , $0.50", Budget(0.5, 1_500_000)),
        ("1 token", Budget(tokens=1)),
        ("2.25usd", Budget(2.25)),
    ],
)
def test_a_budget_is_read_in_any_order(text: str, budget: Budget) -> None:
    assert read_budget(text) == budget


@pytest.mark.parametrize(
    "text",
    ["", "lots", "500k", "2", "2 eur", "-2 usd", "0 usd", "0 tokens", "0s", "1h,", "1e9 usd", "nan usd", "2 usd, 3 usd",
     "1h, 2h", "9999999999999999 tokens", "${ARGS} tokens", "٣ tokens"],
)  # fmt: skip
def test_what_is_no_budget_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(ValueError, match=r"write a budget like|only one cap each"):
        read_budget(text)


@given(BUDGETS)
def test_a_printed_budget_is_the_same_when_it_is_read(budget: Budget) -> None:
    if budget:
        again = read_budget(str(budget))
        assert (again.cost, again.tokens, again.seconds) == (
            pytest.approx(budget.cost), budget.tokens, pytest.approx(budget.seconds),
        )  # fmt: skip


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    for read in (read_budget, read_cost, read_tokens, read_time):
        with suppress(ValueError):
            assert read(text)


def test_the_smallest_cap_of_each_quantity_wins() -> None:
    some, other = Budget(2.0, 500, None), Budget(None, 100, 60.0)
    assert smallest(some, other, Budget()) == Budget(2.0, 100, 60.0)
    assert some.changed(Budget(tokens=900)) == Budget(2.0, 900, None)


def test_a_wrong_budget_in_the_configuration_is_named() -> None:
    with pytest.raises(ConfigError, match=r"flows\.budget: .*write a budget like"):
        load_config(None, text='{"flows": {"budget": "lots"}}')
    assert load_config(None, text='{"flows": {"budget": "2 usd"}}').config.flows.caps == Budget(2.0)
