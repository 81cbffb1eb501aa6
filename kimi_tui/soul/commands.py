"""Slash commands that every face has. A line is one where a name follows the slash directly."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kimi_tui.errors import UsageError
from kimi_tui.flow.runner import Ask

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
    """`while_running`: it may be given while a turn or a flow runs, and takes effect at once."""

    info: CommandInfo
    handler: Handler
    while_running: bool = False


def parse_line(text: str) -> tuple[str, str] | None:
    """The name and the arguments of a slash line, or None where the text is not one."""
    match = _LINE.fullmatch(text.strip())
    return None if match is None else (match[1], (match[2] or "").strip())


async def _clear(engine: "Engine", args: str) -> None:
    engine.context.clear()
    engine.say("The conversation starts anew; the old one is kept in the session's folder.")


async def _yolo(engine: "Engine", args: str) -> None:
    engine.approvals.yolo = not engine.approvals.yolo
    engine.say("Every tool call is approved from now on." if engine.approvals.yolo else "Tool calls ask again.")


async def _flow(engine: "Engine", args: str) -> None:
    word, _, rest = args.partition(" ")
    rest = rest.strip()
    runner = engine.runner
    match word:
        case "" | "list":
            flows = engine.skills.flows()
            engine.say("\n".join(f"- `/flow:{skill.name}` {skill.description}" for skill in flows) or "No flows found.")
        case "resume":
            await engine.resume_flow(rest or None)
        case _ if runner is None:
            raise UsageError(f"no flow is running; /flow {word} needs one" if word in CONTROLS else _CONTROL_HELP)
        case "pause":
            runner.pause()
        case "continue" | "go":
            runner.go_on()
        case "step":
            runner.step()
        case "break":
            runner.toggle_breakpoint(rest or runner.node_id)
        case "choose":
            label, _, node_id = rest.partition(" at ")
            runner.choose(label.strip(), node_id=node_id.strip() or None)
        case "ask":
            runner.ask_at_decisions(_ask_mode(rest))
        case "again":
            runner.run_again(rest or None)
        case "edit":
            node_id, _, text = rest.partition(" ")
            runner.edit_prompt(node_id, text or None)
        case "jump":
            runner.jump(rest)
        case "skip":
            runner.skip()
        case "stop":
            engine.stop_flow(rest or None)
        case _:
            raise UsageError(_CONTROL_HELP)


def _ask_mode(text: str) -> Ask:
    match text:
        case "" | "always":
            return "always"
        case "never":
            return "never"
        case _:
            return frozenset(text.split())


CONTROLS = frozenset(
    {"pause", "continue", "go", "step", "break", "choose", "ask", "again", "edit", "jump", "skip", "stop"}
)
_CONTROL_HELP = (
    "/flow list | resume | pause | continue | step | break [NODE] | choose BRANCH [at NODE] | ask always|never|NODE... | "
    "again [NODE] | edit NODE TEXT | jump NODE | skip | stop"
)

COMMANDS: tuple[Command, ...] = (
    Command(CommandInfo("clear", "Forget the conversation and begin anew", ("reset",)), _clear),
    Command(CommandInfo("yolo", "Approve every tool call, or ask again"), _yolo, while_running=True),
    Command(CommandInfo("flow", "List flows, or steer the one that runs: " + _CONTROL_HELP[6:]), _flow, while_running=True),
)


def find(name: str) -> Command | None:
    return next((command for command in COMMANDS if name == command.info.name or name in command.info.aliases), None)
