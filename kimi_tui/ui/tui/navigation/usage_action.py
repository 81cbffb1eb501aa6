"""What the open session took: tokens and cost, by model."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui.ui.tui.i18n.catalog import _

if TYPE_CHECKING:
    from kimi_tui.soul.usage_stats import Figures
    from kimi_tui.ui.tui.app import KimiTui


async def show_usage(app: "KimiTui") -> None:
    from kimi_tui.soul.usage_stats import cost_of
    from kimi_tui.ui.tui.screens.usage import Spent, Usage, UsageFacts

    if (engine := app.seat.soul_engine) is None:
        return
    prices, now = engine.prices, engine.figures
    session = await asyncio.to_thread(_figures_of, engine.session.dir / "wire.jsonl")
    by_model = [
        Spent(f"  {name or '?'}", used.steps, used.usage, cost_of(used.usage, prices(name)))
        for name, used in session.by_model.items()
    ]
    facts = UsageFacts(
        engine.model_name,
        engine.model_note,
        engine.context.token_count,
        engine.soul.model.max_context_size,
        len(engine.context.history),
        (
            Spent(_("since this start"), now.steps, now.usage, now.cost(prices)),
            Spent(_("the whole session"), session.steps, session.usage, session.cost(prices)),
            *(by_model if len(by_model) > 1 else ()),
        ),
        priced=None not in prices("") or session.cost(prices) is not None,
    )
    await app.push_screen_wait(Usage(facts))


def _figures_of(recording: Path) -> "Figures":
    """What a whole session took."""
    from kimi_tui.soul.usage_stats import Figures
    from kimi_tui.wire.recorder import read_recorded

    figures = Figures()
    for one in read_recorded(recording):
        figures(one.message)
    return figures
