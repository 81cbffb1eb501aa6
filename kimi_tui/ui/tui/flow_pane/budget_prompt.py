"""Asks whether to raise the budget of a run that has used it up, or to stop the run."""

from dataclasses import dataclass

from kimi_tui.config.budget import Budget, read_budget
from kimi_tui.errors import KimiTuiError
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.flow.run.spending import raised_budget, spending_text
from kimi_tui.ui.tui.dialogs.option_list import Option
from kimi_tui.ui.tui.engine_protocol import Engine
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.i18n.translate import translate_lines


@dataclass(frozen=True, slots=True)
class BudgetPrompt:
    """The question and its answers: raise (to `proposed`), other, stop."""

    text: str
    proposed: Budget
    options: tuple[Option, ...]


def budget_prompt(run: RunView, now: float) -> BudgetPrompt:
    spent, budget = run.spent(now)
    proposed = raised_budget(spent, budget)
    words = _("The flow {flow} has used up its budget: {facts}.", flow=run.name, facts=spending(run, now))
    words += "\n" + _("No new request or node starts. The results so far are kept.")
    if spent.estimated:
        words += " " + _("The service did not report all of the usage; some of it is estimated.")
    options = (
        Option("raise", "r", _("Raise it to {budget} and continue", budget=str(proposed))),
        Option("other", "o", _("Another budget …")),
        Option("stop", "x", _("Stop the run")),
    )
    return BudgetPrompt(words, proposed, options)


def spending(run: RunView, now: float) -> str:
    """Return the used share of each cap, on one line."""
    return " · ".join(translate_lines(part) for part in spending_text(*run.spent(now)).split(" · "))


def raise_budget(engine: Engine, text: str) -> str | None:
    """Set the caps and continue the run; returns a message for the user, or None."""
    runner = engine.runner
    if runner is None:
        return _("no flow is running")
    try:
        runner.raise_budget(read_budget(text))
    except (KimiTuiError, ValueError) as error:
        return translate_lines(str(error))
    return None
