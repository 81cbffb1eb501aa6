"""Slash commands that every face has. A line is one where a name follows the slash directly."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kimi_tui.errors import UsageError
from kimi_tui.flow.runner import FlowRunner

if TYPE_CHECKING:
    from kimi_tui.soul.engine import Engine

_LINE = re.compile(r"/([A-Za-z0-9_-]+(?::[A-Za-z0-9_.-]+)*)(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CommandInfo:
    """A command as a face lists it, without its slash."""

    name: str
    description: str
    aliases: tuple[str, ...] = ()


Handler = Callable[["Engine", str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Command:
    """`while_running`: it may be given while a turn or a flow runs, and takes effect at once.

    `turn`: what it says is a turn of the conversation; one that takes turns itself has none of its own.
    """

    info: CommandInfo
    handler: Handler
    while_running: bool = False
    turn: bool = True


def parse_line(text: str) -> tuple[str, str] | None:
    """The name and the arguments of a slash line, or None where the text is not one."""
    match = _LINE.fullmatch(text.strip())
    return None if match is None else (match[1], (match[2] or "").strip())


async def _clear(engine: "Engine", args: str) -> None:
    engine.context.clear()
    engine.say("The conversation starts anew; the old one is kept in the session's folder.")


async def _compact(engine: "Engine", args: str) -> None:
    await engine.models.ready()
    match await engine.soul.compact(args):
        case "done":
            engine.say(f"The conversation was compacted; it is now about {engine.context.token_count:,} tokens.")
        case "nothing":
            engine.say("There is nothing to compact yet.")
        case "failed":
            pass


async def _yolo(engine: "Engine", args: str) -> None:
    engine.approvals.yolo = not engine.approvals.yolo
    engine.say("Every tool call is approved from now on." if engine.approvals.yolo else "Tool calls ask again.")


async def _flow(engine: "Engine", args: str) -> None:
    word, _, rest = args.partition(" ")
    rest = rest.strip()
    if word in ("", "list"):
        flows = engine.skills.flows()
        engine.say("\n".join(f"- `/flow:{skill.name}` {skill.description}" for skill in flows) or "No flows found.")
        return
    if word == "stop":
        engine.stop_flow(rest or None)
        return
    control = CONTROLS.get(word)
    if control is None:
        raise UsageError(f"/flow {word}: {CONTROL_HELP}")
    if engine.runner is None:
        raise UsageError(f"no flow is running; /flow {word} needs one")
    control(engine.runner, rest)


def _choose(runner: FlowRunner, text: str) -> None:
    label, _, node_id = text.partition(" at ")
    runner.choose(label.strip(), node_id=node_id.strip() or None)


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


CONTROLS: dict[str, Callable[[FlowRunner, str], object]] = {
    "pause": lambda runner, _: runner.pause(),
    "continue": lambda runner, _: runner.go_on(),
    "go": lambda runner, _: runner.go_on(),
    "step": lambda runner, _: runner.step(),
    "break": lambda runner, node: runner.toggle_breakpoint(node or runner.node_id),
    "choose": _choose,
    "ask": _ask,
    "again": lambda runner, node: runner.run_again(node or None),
    "edit": _edit,
    "jump": lambda runner, node: runner.jump(node),
    "skip": lambda runner, _: runner.skip(),
}
CONTROL_HELP = (
    "list | pause | continue | step | break [NODE] | choose BRANCH [at NODE] | ask always|never|NODE... | "
    "again [NODE] | edit NODE TEXT | jump NODE | skip | stop; /flow-resume goes on with a run that was cut off"
)


async def _resume(engine: "Engine", args: str) -> None:
    await engine.resume_flow(args or None)


COMMANDS: tuple[Command, ...] = (
    Command(CommandInfo("clear", "Forget the conversation and begin anew", ("reset",)), _clear),
    Command(CommandInfo("compact", "Summarise the conversation to make room; a focus may be named"), _compact),
    Command(CommandInfo("yolo", "Approve every tool call, or ask again"), _yolo, while_running=True),
    Command(CommandInfo("flow", "List flows, or steer the one that runs"), _flow, while_running=True),
    Command(CommandInfo("flow-resume", "Go on with a flow run that was cut off"), _resume, turn=False),
)


def find(name: str) -> Command | None:
    return next((command for command in COMMANDS if name == command.info.name or name in command.info.aliases), None)
