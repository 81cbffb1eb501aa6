"""Shows the open session's tokens and cost, by model."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui.ui.tui.i18n.catalog import _

if TYPE_CHECKING:
    from kimi_tui.soul.usage_stats import UsageStats
    from kimi_tui.ui.tui.app_protocols import ScreenHost


async def show_usage(host: "ScreenHost") -> None:
    from kimi_tui.soul.usage_stats import cost_of
    from kimi_tui.ui.tui.screens.usage import Usage, UsageFacts, UsageRow

    if (engine := host.live_engine) is None:
        return
    prices, current = engine.prices, engine.figures
    session = await asyncio.to_thread(_session_usage, engine.session.dir / "wire.jsonl")
    by_model = [
        UsageRow(f"  {name or '?'}", stats.steps, stats.usage, cost_of(stats.usage, prices(name)))
        for name, stats in session.by_model.items()
    ]
    facts = UsageFacts(
        engine.model_name,
        engine.model_note,
        engine.context.token_count,
        engine.max_context_tokens,
        len(engine.context.history),
        (
            UsageRow(_("this run"), current.steps, current.usage, current.cost(prices)),
            UsageRow(_("the whole session"), session.steps, session.usage, session.cost(prices)),
            *(by_model if len(by_model) > 1 else ()),
        ),
        priced=prices("") is not None or session.cost(prices) is not None,
    )
    await host.push_screen_wait(Usage(facts))


def _session_usage(recording: Path) -> "UsageStats":
    """Usage of the whole session."""
    from kimi_tui.soul.usage_stats import UsageStats
    from kimi_tui.wire.recorder import read_recorded

    figures = UsageStats()
    for record in read_recorded(recording):
        figures(record.message)
    return figures
