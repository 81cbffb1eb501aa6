"""Run control by the flow pane's keys; a command that is not possible now returns the reason.

Changes that the chart shows are not reported.
"""

from kimi_tui.errors import KimiTuiError
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.ui.tui.engine_protocol import Engine
from kimi_tui.ui.tui.i18n.catalog import _


def control_run(engine: Engine, action: str, node_id: str = "") -> str | None:
    """Execute the command; returns a message for the user, or None."""
    runner = engine.runner
    if runner is None:
        return _("no flow is running")
    try:
        match action.partition(":")[::2]:
            case ("toggle", _):
                if runner.paused is None and not runner.pausing:
                    runner.pause()
                else:
                    runner.continue_run()
            case ("step", _):
                runner.step()
            case ("breakpoint", _):
                runner.toggle_breakpoint(node_id or runner.node_id)
            case ("ask", _):
                return _ask(runner, node_id or runner.node_id)
            case ("ask_always", _):
                always = runner.state.ask != "always"
                runner.ask_at_decisions("always" if always else "never")
                return _("you are asked at each decision") if always else _("the model decides by itself")
            case ("again", _):
                runner.run_again(None)
            case ("jump", _):
                runner.jump(node_id)
            case ("stop", _):
                engine.stop_flow()
            case ("choose", label):
                runner.choose(label, node_id=node_id or None)
                return None
            case _:
                return None
    except KimiTuiError as error:
        return str(error)
    return None


def _ask(runner: FlowRunner, node_id: str) -> str:
    """Toggle whether the user decides at this node."""
    now = runner.state.ask
    decisions = {node for node, edges in runner.flow.outgoing.items() if len(edges) > 1}
    if node_id not in decisions:
        return _("this node is not a decision; there is nothing to ask")
    nodes = decisions if now == "always" else set[str]() if now == "never" else set(now)
    nodes ^= {node_id}
    runner.ask_at_decisions(frozenset(nodes) if nodes else "never")
    return _("you are asked at this decision") if node_id in nodes else _("the model decides here by itself")


def edit_and_run(engine: Engine, node_id: str, text: str) -> str | None:
    """Replace a node's prompt; if the run is paused, rerun the node with it now."""
    runner = engine.runner
    if runner is None:
        return _("no flow is running")
    try:
        runner.edit_prompt(node_id, text or None)
        if runner.paused is None:
            return _("its next turn uses the edited prompt")
        if node_id == runner.node_id:
            runner.run_again()
        else:
            runner.jump(node_id)
    except KimiTuiError as error:
        return str(error)
    return None
