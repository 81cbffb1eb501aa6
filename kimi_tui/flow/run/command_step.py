"""Runs the command of a node and selects the next edge by its exit status."""

from collections.abc import Sequence

from kimi_tui.errors import KimiTuiError
from kimi_tui.flow.model.command_template import CommandTemplateError, read_command
from kimi_tui.flow.model.graph import Flow, FlowEdge, FlowNode
from kimi_tui.flow.model.status_branches import status_branch
from kimi_tui.flow.run.node_values import value_lookup
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.turn_protocol import CommandCall, CommandEnd, CommandRunner, TurnResult
from kimi_tui.i18n import tr

DEFAULT_SECONDS = 600.0
"""The time that a command may take if its node has no `timeout`."""


async def run_node_command(
    commands: CommandRunner | None, flow: Flow, node: FlowNode, state: RunState, *, move: int, attempt: int
) -> CommandEnd:
    """Run the command of a node once. Raises what the runner raises."""
    if commands is None:
        return CommandEnd("rejected", detail=tr("commands cannot run here"))
    look_up = value_lookup(flow, state)
    try:
        command = read_command(node.settings.run or "").bind(lambda variable: look_up(variable) or "")
    except CommandTemplateError as error:
        return CommandEnd("rejected", detail=error.cause)
    seconds = DEFAULT_SECONDS if node.settings.timeout is None else node.settings.timeout
    return await commands.run_command(
        CommandCall(command, state.run_id, node.id, move, attempt, seconds, state.imported)
    )


def edge_for_status(end: CommandEnd, outgoing: Sequence[FlowEdge]) -> FlowEdge | None:
    """Return the edge for the end of a command; None if the run stays, because the command failed or did not run."""
    if end.stop not in ("finished", "failed"):
        return None
    if len(outgoing) == 1 and outgoing[0].label is None:
        return outgoing[0] if end.succeeded else None
    label = status_branch(end.status, [edge.label for edge in outgoing])
    return next((edge for edge in outgoing if edge.label == label), None) if label is not None else None


def turn_result(end: CommandEnd) -> TurnResult:
    """Convert a command's result to a turn's result; a nonzero status is a failure."""
    match end.stop:
        case "finished" if end.succeeded:
            return TurnResult("finished", end.output)
        case "finished":
            return TurnResult("failed", tr("the command ended with status {status}", status=end.status))
        case "failed":
            return TurnResult("failed", end.detail or tr("the command ended without a status"))
        case "rejected" | "cancelled":
            return TurnResult(end.stop, end.detail or "", parked=end.parked)


def failure(error: KimiTuiError) -> CommandEnd:
    """The result for a command that could not be run."""
    return CommandEnd("rejected", detail=str(error))


def command_values(end: CommandEnd) -> dict[str, str]:
    """Return the fields of a node with a command; as in Bash, without trailing line breaks."""
    output = end.output.rstrip("\n")
    return {"text": output, "output": output, "status": "" if end.status is None else str(end.status)}
