"""Why a key of the flow pane is disabled."""

from dataclasses import dataclass
from typing import Literal

from kimi_tui.ui.tui.i18n.catalog import _

Showing = Literal["list", "run", "chart", "overlay"]


@dataclass(frozen=True, slots=True)
class Shown:
    """What the pane shows. `active`: a run is active, `past`: a past moment is shown."""

    what: Showing
    active: bool = False
    past: bool = False
    can_start: bool = False


def why_not(action: str, shown: Shown) -> str:
    """Why an action is disabled now; `action` is a binding's action without its parameters."""
    if shown.past:
        return _("this is the past; F8, then End goes back to now")
    if shown.active and shown.what != "run":
        return _("l goes back to the run")
    match action:
        case "steer" if shown.what == "overlay":
            return _("this is an earlier run; l goes back")
        case "steer" if shown.can_start:
            return _("no flow is running; s starts one")
        case "steer":
            return _("no flow is running")
        case "start" if shown.active:
            return _("the flow is running already")
        case "start":
            return _("there is nothing that could be started")
        case "list" if shown.active:
            return _("the flows are listed when the run has ended")
        case "list":
            return _("there is no run to go back to")
        case "export":
            return _("only a chart can be exported; v shows one")
        case "resume":
            return _("no run was cut off")
        case "view":
            return _("the chart is shown already")
        case "chart" | "menu":
            return _("no chart is shown; v shows one")
        case _:
            return ""
