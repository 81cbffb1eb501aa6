"""The flow pane's context menu: all available actions, for the mouse and as a reminder of the keys."""

from dataclasses import dataclass
from typing import Literal

from kimi_tui.ui.tui.dialogs.option_list import Option
from kimi_tui.ui.tui.flow_pane.node_details import NodeActions
from kimi_tui.ui.tui.i18n.catalog import _


@dataclass(frozen=True, slots=True)
class MenuContext:
    """The state that the menu depends on. `controls` are those of the node under the cursor."""

    showing: Literal["list", "run", "chart", "overlay"]
    controls: NodeActions
    paused: bool = False
    has_map: bool = False


def menu_options(state: MenuContext) -> list[Option]:
    """Return the available actions, each with its key."""
    out: list[Option] = []
    if state.controls.running:
        out += _of_the_run(state)
    out.append(Option("open", "enter", _("Node details: prompt, turns, usage")))
    if not state.controls.running:
        out += [Option("start", "s", _("Start the flow")), Option("list", "l", _("Flows"))]
    if state.showing in ("run", "chart"):
        out.append(Option("export", "e", _("Export it")))
    out.append(Option("runs", "h", _("Earlier runs")))
    if state.showing == "run":
        out.append(Option("time", "F8", _("Replay")))
    legend = [Option("legend", "?", _("What the lines mean"))] if state.showing == "run" else []
    return [*out, *_of_the_view(has_map=state.has_map), *legend]


def _of_the_run(state: MenuContext) -> list[Option]:
    node = state.controls
    out = [
        Option("toggle", "space", _("Continue") if state.paused else _("Pause after this turn")),
        Option("step", "n", _("Run one step, then pause")),
        Option("breakpoint", "b", _("Remove the breakpoint") if node.at_breakpoint else _("Breakpoint here")),
    ]
    if node.branches:
        out.append(Option("choose", "c", _("Choose a branch of this node")))
        out.append(Option("ask", "a", _("Let the model choose here") if node.asks else _("Ask me at this decision")))
    out.append(Option("ask_always", "A", _("Ask me at each decision (toggle)")))
    if node.here:
        out.append(Option("again", "r", _("Rerun")))
    else:
        out.append(Option("jump", "j", _("Continue from here")))
    if node.has_prompt:
        out.append(Option("edit", "p", _("Edit the prompt and run it")))
    out.append(Option("stop", "x", _("Stop the run")))
    return out


def _of_the_view(*, has_map: bool) -> list[Option]:
    out = [
        Option("nearer", "+", _("Larger boxes")),
        Option("farther", "-", _("Smaller boxes")),
        Option("outline", "o", _("Outline (toggle)")),
        Option("turn", "d", _("Direction: down or right")),
        Option("home", "home", _("Follow the current node")),
    ]
    return [*out, Option("map", "m", _("Minimap (toggle)"))] if has_map else out
