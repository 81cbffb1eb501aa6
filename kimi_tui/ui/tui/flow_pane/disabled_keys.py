"""Explains why a key of the flow pane is disabled."""

from dataclasses import dataclass
from typing import Literal

from kimi_tui.ui.tui.i18n.catalog import _

Showing = Literal["list", "run", "chart", "overlay"]


@dataclass(frozen=True, slots=True)
class Shown:
    """The content of the pane. `active`: a run is active, `past`: a past moment is shown."""

    what: Showing
    active: bool = False
    past: bool = False
    can_start: bool = False


def why_not(action: str, shown: Shown) -> str:
    """Return the reason why an action is disabled; `action` is a binding's action without its parameters."""
    if shown.past:
        return _("replay: press F8, then End to return to now")
    if shown.active and shown.what != "run":
        return _("press l to return to the run")
    match action:
        case "steer" if shown.what == "overlay":
            return _("this is an earlier run; press l to return")
        case "steer" if shown.can_start:
            return _("no flow is running; press s to start one")
        case "steer":
            return _("no flow is running")
        case "start" if shown.active:
            return _("the flow is already running")
        case "start":
            return _("nothing to start")
        case "list" if shown.active:
            return _("the flow list is not available during a run")
        case "list":
            return _("there is no run to return to")
        case "export":
            return _("only a chart can be exported; press v to show one")
        case "resume":
            return _("no run was interrupted")
        case "view":
            return _("the chart is already shown")
        case "chart" | "menu":
            return _("no chart is shown; press v to show one")
        case _:
            return ""
