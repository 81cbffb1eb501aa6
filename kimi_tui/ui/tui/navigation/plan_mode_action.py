"""Toggles plan mode."""

from typing import TYPE_CHECKING

from kimi_tui.ui.tui.i18n.catalog import _

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app_protocols import EngineHost


def toggle_plan_mode(host: "EngineHost") -> None:
    """Toggle plan mode."""
    if (engine := host.live_engine) is not None:
        plan_mode = engine.services.plan_mode
        plan_mode.on = not plan_mode.on
        text = _("plan mode: nothing is changed until you approve a plan")
        host.show_toast(text if plan_mode.on else _("plan mode is off"))
