"""Slash commands that steer flows."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from kimi_tui.config.budget import read_budget
from kimi_tui.errors import UsageError
from kimi_tui.flow.run.branch_choice import match_choice
from kimi_tui.flow.run.resume_request import COMMAND_NAME, read_resume_request
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.i18n import tr
from kimi_tui.soul.commands.command import Command, CommandInfo

if TYPE_CHECKING:
    from kimi_tui.soul.engine import Engine


async def _flow(engine: "Engine", args: str) -> None:
    subcommand, _, arguments = args.partition(" ")
    arguments = arguments.strip()
    if subcommand in ("", "list"):
        flows = engine.skills.flows()
        lines = [f"- `/flow:{skill.name}` · {skill.description}" for skill in flows]
        engine.reply("\n".join(lines) or tr("No flows found."))
        return
    if subcommand == "stop":
        engine.stop_flow(arguments or None)
        return
    control = _CONTROLS.get(subcommand)
    if control is None:
        raise UsageError(f"/flow {subcommand}: {_HELP}; {RESUME_HELP}")
    if engine.runner is not None:
        control(engine.runner, arguments)
    elif subcommand in _IN_ADVANCE and arguments and (subcommand != "choose" or " at " in arguments):
        engine.flows.order(lambda runner: control(runner, arguments))
        engine.reply(tr("Applies to the next flow: {order}", order=f"{subcommand} {arguments}"))
    else:
        raise UsageError(tr("no flow is running; {command} needs one", command=f"/flow {subcommand}"))


def _choose(runner: FlowRunner, text: str) -> None:
    label, at, node_id = text.rpartition(" at ")
    if not at or match_choice(text, runner.branches) is not None:
        runner.choose(text)
    else:
        runner.choose(label.strip(), node_id=node_id.strip())


def _ask(runner: FlowRunner, text: str) -> None:
    match text:
        case "" | "always":
            runner.ask_at_decisions("always")
        case "never":
            runner.ask_at_decisions("never")
        case _:
            runner.ask_at_decisions(frozenset(text.split()))


def _edit(runner: FlowRunner, text: str) -> None:
    node_id, _, prompt = text.partition(" ")
    runner.edit_prompt(node_id, prompt.strip() or None)


def _budget(runner: FlowRunner, text: str) -> None:
    try:
        runner.raise_budget(read_budget(text))
    except ValueError as error:
        raise UsageError(tr("/flow budget: {cause}", cause=error)) from error


_CONTROLS: dict[str, Callable[[FlowRunner, str], object]] = {
    "pause": lambda runner, _: runner.pause(),
    "continue": lambda runner, _: runner.continue_run(),
    "go": lambda runner, _: runner.continue_run(),
    "step": lambda runner, _: runner.step(),
    "break": lambda runner, node: runner.toggle_breakpoint(node or runner.node_id),
    "choose": _choose,
    "ask": _ask,
    "again": lambda runner, node: runner.run_again(node or None),
    "edit": _edit,
    "jump": lambda runner, node: runner.jump(node),
    "skip": lambda runner, _: runner.skip(),
    "budget": _budget,
}
_IN_ADVANCE = frozenset({"break", "choose", "ask", "edit", "budget"})
_HELP = (
    "list | pause | continue | step | break [NODE] | choose BRANCH [at NODE] | ask always|never|NODE... | "
    "again [NODE] | edit NODE TEXT | jump NODE | skip | budget CAPS | stop"
)
RESUME_HELP = tr(
    "/flow-resume [RUN [new] [NODE=BRANCH ...]] resumes an interrupted run (`new`: with the current chart)"
)


async def _resume(engine: "Engine", args: str) -> TurnResult:
    request = read_resume_request(args)
    outcome = await engine.flows.resume(request.run_id, new_chart=request.new_chart, choices=request.choices)
    return outcome.turn_result


COMMANDS: tuple["Command[Engine]", ...] = (
    Command(CommandInfo("flow", "List flows, or control the running one"), _flow, while_running=True),
    Command(CommandInfo(COMMAND_NAME, "Resume an interrupted flow run"), _resume, turn=False),
)
