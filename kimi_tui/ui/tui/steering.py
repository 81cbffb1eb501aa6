"""What the flow pane's keys do to the run under way; where one makes no sense, the reason."""

from kimi_tui.errors import KimiTuiError
from kimi_tui.ui.tui.engine import Engine


def steer(engine: Engine, action: str, node_id: str = "") -> str | None:
    """Do it; what there is to tell the person, or None."""
    runner = engine.runner
    if runner is None:
        return "no flow is running"
    try:
        match action.partition(":")[::2]:
            case ("toggle", _):
                if runner.paused is None:
                    runner.pause()
                    return "the flow pauses when this turn is over; esc interrupts it now"
                runner.go_on()
            case ("step", _):
                runner.step()
            case ("breakpoint", _):
                on = runner.toggle_breakpoint(node_id or runner.node_id)
                return "breakpoint set" if on else "breakpoint taken away"
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
