"""Resolves a slash line to a command or skill, and runs it."""

import contextlib
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING

from kimi_tui.errors import UsageError
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.i18n import tr
from kimi_tui.skill.library import SkillLibrary
from kimi_tui.skill.skill import Skill, SkillKind, skill_prompt
from kimi_tui.soul.commands.command import Command, TurnRunningError
from kimi_tui.soul.commands.registry import find
from kimi_tui.wire.events import TurnBegin, TurnEnd

if TYPE_CHECKING:
    from kimi_tui.soul.engine import Engine


async def run_command(engine: "Engine", name: str, args: str, *, shown: str) -> TurnResult:
    """Run a command or skill. Raises UsageError for an unknown name, TurnRunningError if a turn has to end first."""
    kind, _, name_in_kind = name.partition(":")
    command = find(name)
    if command is not None and command.while_running and engine.busy:
        await command.handler(engine, args)
        return TurnResult("finished")
    if (
        command is None
        and not (kind in ("flow", "skill", "mcp") and name_in_kind)
        and not (kind == "begin" and _starts_session(engine))
    ):
        raise UsageError(_unknown(engine, name))
    if engine.busy:
        raise TurnRunningError(engine.busy_reason(f"/{name}"))
    match kind:
        case "flow" if name_in_kind:
            return (
                await engine.flows.run(_skill(engine.skills, name_in_kind, flow=True), args, shown=shown)
            ).turn_result
        case "skill" if name_in_kind:
            return await engine.take_turn(skill_prompt(_skill(engine.skills, name_in_kind), args), shown_as=shown)
        case "mcp" if name_in_kind:
            prompt = partial(engine.mcp.prompt, name, args)  # defence: prompt-within-its-turn
            return await engine.take_turn(prompt, shown_as=shown)
        case _ if command is not None:
            return await _run(engine, command, args, shown) or TurnResult("finished")
        case _:
            return (await engine.flows.run_prompt_flow(args, shown=shown)).turn_result


def _starts_session(engine: "Engine") -> bool:
    return engine.flows.prompt_flow is not None


def _unknown(engine: "Engine", name: str) -> str:
    names = sorted(engine.command_names())
    if name in names:  # it opens a screen, given alone
        return tr("{command} takes no arguments", command=f"/{name}")
    names += [f"flow:{skill.name}" for skill in engine.skills.skills if skill.declared_kind is SkillKind.FLOW]
    similar = get_close_matches(name, names, n=1)
    if similar:
        return tr("unknown command {command}; did you mean {near}?", command=f"/{name}", near=f"/{similar[0]}")
    return tr("unknown command {command}; /help lists all commands", command=f"/{name}")


async def _run(engine: "Engine", command: "Command[Engine]", args: str, shown: str) -> TurnResult | None:
    if not command.turn:
        return await command.handler(engine, args)
    alone = contextlib.nullcontext() if command.while_running else engine.turn_lock.command()
    async with alone:  # defence: command-alone
        engine.wire.send(TurnBegin(user_input=shown))
        result = await command.handler(engine, args)
        engine.wire.send(TurnEnd())
    return result


def _skill(skills: SkillLibrary, name: str, *, flow: bool = False) -> Skill:
    found = skills.get(name)
    if found is None:
        skill_names = [skill.name for skill in (skills.flows() if flow else skills.skills)]
        known_names = ", ".join(skill_names) or tr("none")
        raise UsageError(
            tr("no flow named {name!r}. Available: {facts}", name=name, facts=known_names)
            if flow
            else tr("no skill named {name!r}. Available: {facts}", name=name, facts=known_names)
        )
    return found
