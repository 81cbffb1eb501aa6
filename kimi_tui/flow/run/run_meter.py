"""Meters a run: records what each reply used, and lets no request pass when the budget is used up.

With a user, requests wait until the budget is raised; without one, they fail with BudgetReachedError.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from kimi_tui.config.budget import Budget
from kimi_tui.errors import BudgetError, BudgetReachedError, FlowControlError
from kimi_tui.flow.run.event_emitter import spending_event
from kimi_tui.flow.run.journal_records import BudgetSet, Record, ReplyReceived
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.spending import (
    NOTICE_AT,
    QUANTITIES,
    Prices,
    Quantity,
    Spent,
    reached,
    share,
    spending_text,
    spent_text,
)
from kimi_tui.i18n import UserText, tr
from kimi_tui.wire.flow_events import FlowSpending
from kimi_tui.wire.parts import TokenUsage


def _no_prices(_model: str) -> Prices | None:
    return None


def _no_notice(_title: UserText, _body: UserText) -> None:
    return None


@dataclass(frozen=True, slots=True)
class BudgetSetup:
    """The budget of a run, None for the recorded one, and the dependencies of the meter.

    `prices` are those of a configured model; `stop_clock` stops the run's clock within its block; `notify` tells the
    user.
    """

    budget: Budget | None = None
    prices: Callable[[str], Prices | None] = _no_prices
    stop_clock: Callable[[], AbstractContextManager[None]] = nullcontext
    notify: Callable[[UserText, UserText], None] = _no_notice


@dataclass(slots=True)
class RunMeter:
    """The meter of one run. `write` journals a record and applies it; `send` gets the figures after each change."""

    state: RunState
    setup: BudgetSetup
    clock: Callable[[], float]
    interactive: bool
    write: Callable[[Record], None]
    send: Callable[[FlowSpending], None]
    _turn_since: float | None = None
    _waiting: int = 0
    _ended: bool = False
    _reported_reached: bool = False
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _notified: set[Quantity] = field(default_factory=set[Quantity])

    @property
    def held(self) -> bool:
        """Whether requests of the running turn wait for a higher budget."""
        return self._waiting > 0

    @property
    def spent(self) -> Spent:
        """The run's usage so far."""
        return replace(self.state.spent, seconds=self.state.work_s + max(self.state.turn_s, self._turn_s()))

    @property
    def reached(self) -> Quantity | None:
        """The quantity whose cap is used up; None while the run may continue."""
        return reached(self.spent, self.state.budget)

    @property
    def reached_text(self) -> UserText:
        """The message that the budget is used up, with the amount spent."""
        quantity = self.reached or "tokens"
        return tr("the budget is used up: {facts}", facts=spent_text(self.spent, self.state.budget, quantity))

    def begin(self) -> None:
        """Record the budget at the run's start. Raises BudgetError."""
        budget = self.state.budget if self.setup.budget is None else self.setup.budget
        self._check_prices(budget)
        if budget.cost is not None:
            self._price_earlier_replies()
        if budget != self.state.budget:
            self._write_budget(budget)
        if self.state.budget:
            self._notified = {one for one in QUANTITIES if share(self.spent, budget, one) >= NOTICE_AT}
            self._send_spending()

    def change_at_start(self, given: Budget) -> None:
        """Change the caps that `begin` records."""
        before = self.state.budget if self.setup.budget is None else self.setup.budget
        self.setup = replace(self.setup, budget=before.changed(given))

    def begin_turn(self) -> None:
        self._turn_since = self.clock()

    def end_turn(self) -> float:
        """The working time of the turn, in seconds."""
        seconds, self._turn_since = self._turn_s(), None
        return seconds

    def end(self) -> None:
        """Refuse every request from now on."""
        self._ended = True
        self._changed.set()

    def reopen(self) -> None:
        """Admit requests again, for turns about background work of an ended run; no user can raise its budget then."""
        self._ended = self.interactive = False

    async def admit(self, model: str) -> None:
        """Wait until a request may be sent. Raises BudgetReachedError, and BudgetError for a model without prices."""
        if self._ended:
            raise BudgetReachedError(tr("the flow run has ended"))
        if self.state.budget.cost is not None and self.setup.prices(model) is None:
            raise BudgetError(without_prices(model))
        if self.may_continue():
            return
        if not self.interactive:
            raise BudgetReachedError(self.reached_text)
        await self._hold()

    def may_continue(self) -> bool:
        """Whether another request or node may start. The user is notified when a cap is nearly or entirely used."""
        self._notify()
        if self.reached is None:
            return True
        if not self._reported_reached:
            self._reported_reached = True
            self._send_spending()
            self.setup.notify(
                tr("The flow's budget is used up"),
                tr("{facts}; no new request or node starts. Replies in progress still count, at most one per agent",
                    facts=spending_text(self.spent, self.state.budget)),
            )  # fmt: skip
        return False

    def record(self, model: str, usage: TokenUsage, *, estimated: bool) -> None:
        """Journal the usage of a reply."""
        prices = self.setup.prices(model)
        self.write(
            ReplyReceived(
                run=self.state.run_id,
                node=self.state.node_id,
                model=model,
                usage=usage,
                cost=None if prices is None else round(prices.cost(usage), 9),
                at_most=prices is not None and prices.is_upper_bound(usage),
                estimated=estimated,
                turn_s=round(self._turn_s(), 3),
            )
        )
        self._send_spending()
        self._notify()

    def raise_caps(self, given: Budget) -> None:
        """Set the caps that `given` has. Raises FlowControlError if one is used up already, BudgetError."""
        budget = self.state.budget.changed(given)
        self._check_prices(budget)
        if given.cost is not None:
            self._price_earlier_replies()
        if (over := reached(self.spent, given)) is not None:
            raise FlowControlError(
                tr("this cap is already used up: {facts}", facts=spent_text(self.spent, given, over))
            )
        self._write_budget(budget)
        self._notified = {one for one in QUANTITIES if share(self.spent, budget, one) >= NOTICE_AT}
        self._send_spending()
        if self.reached is None:
            self._reported_reached = False
            self._changed.set()

    def _notify(self) -> None:
        """Tell the user, once for each cap, that most of it is used."""
        spent, budget = self.spent, self.state.budget
        for quantity in QUANTITIES:
            used = share(spent, budget, quantity)
            if used < NOTICE_AT or quantity in self._notified:
                continue
            self._notified.add(quantity)
            if used < 1:
                self.setup.notify(
                    tr("The flow has used {percent}% of its budget", percent=int(used * 100)),
                    spent_text(spent, budget, quantity),
                )

    async def _hold(self) -> None:
        self._waiting += 1
        try:
            if self._waiting == 1:
                self._send_spending()
            with self.setup.stop_clock():
                while self.reached is not None and not self._ended:
                    self._changed.clear()
                    await self._changed.wait()
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._send_spending()
        if self._ended:
            raise BudgetReachedError(tr("the flow run has ended"))

    def _turn_s(self) -> float:
        return 0.0 if self._turn_since is None else max(0.0, self.clock() - self._turn_since)

    def _check_prices(self, budget: Budget) -> None:
        if budget.cost is not None:
            for model in self.state.spent.unpriced:
                if self.setup.prices(model) is None:
                    raise BudgetError(without_prices(model))

    def _price_earlier_replies(self) -> None:
        """Add the cost of replies from before there were prices."""
        state = self.state
        for model, usage in state.spent.unpriced.items():
            prices = self.setup.prices(model)
            if prices is not None:
                at_most = state.spent.at_most or prices.is_upper_bound(usage)
                state.spent = replace(state.spent, cost=state.spent.cost + prices.cost(usage), at_most=at_most)
        state.spent = replace(state.spent, unpriced={})

    def _write_budget(self, budget: Budget) -> None:
        self.write(BudgetSet(run=self.state.run_id, cost=budget.cost, tokens=budget.tokens, seconds=budget.seconds))

    def _send_spending(self) -> None:
        state, spent = self.state, self.spent
        if not state.budget:
            return
        self.send(spending_event(state, spent, held=self.held))


def without_prices(model: str) -> UserText:
    """Return the reason why a cap on the cost cannot be enforced."""
    return tr(
        "the budget caps the cost, but the model {name} has no prices: set input_price and output_price",
        name=model or "?",
    )
