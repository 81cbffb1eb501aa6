"""Slash commands that only tell something."""

from typing import TYPE_CHECKING

from kimi_tui import __version__, paths
from kimi_tui.errors import UsageError
from kimi_tui.mcp.server_state import ServerState
from kimi_tui.soul.command import Command, CommandInfo
from kimi_tui.soul.figures import cost_of

if TYPE_CHECKING:
    from kimi_tui.soul.engine import Engine


async def _help(engine: "Engine", args: str) -> None:
    def line(info: CommandInfo) -> str:
        also = f" (also {', '.join(f'/{alias}' for alias in info.aliases)})" if info.aliases else ""
        return f"- `/{info.name}` {info.description}{also}"

    engine.say("\n".join(line(info) for info in engine.commands()))


async def _version(engine: "Engine", args: str) -> None:
    engine.say(f"kimi-tui {__version__}")


async def _usage(engine: "Engine", args: str) -> None:
    figures, most = engine.figures, engine.soul.model.max_context_size
    tokens, used = engine.context.token_count, figures.usage
    lines = [
        f"- Model: {engine.model_name}{f' ({engine.model_note})' if engine.model_note else ''}",
        f"- Context: {tokens:,} of {most:,} tokens ({tokens / most:.1%}), {len(engine.context.history)} messages",
        f"- Since this start: {_steps(figures.steps)}, {used.input:,} tokens in ({used.input_cache_read:,} from the "
        f"cache), {used.output:,} out{_price(figures.cost(engine.prices))}",
        *_by_model(engine),
        f"- Session: {engine.session_id}{f' “{engine.title}”' if engine.title else ''}",
        f"- Folder: {paths.shown(engine.work_dir)}",
    ]
    modes = [
        word
        for word, on in (
            ("yolo", engine.approvals.yolo),
            ("away", not engine.approvals.attended),
            ("plan mode", engine.services.plan_mode.on),
        )
        if on
    ]
    engine.say("\n".join([*lines, *([f"- On: {', '.join(modes)}"] if modes else [])]))


def _by_model(engine: "Engine") -> list[str]:
    """Where several models worked, what each did."""
    by_model = engine.figures.by_model
    if len(by_model) < 2:
        return []
    return [
        f"  - {name or 'no name'}: {_steps(used.steps)}, {used.usage.input:,} in, {used.usage.output:,} out"
        f"{_price(cost_of(used.usage, engine.prices(name)))}"
        for name, used in by_model.items()
    ]


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count:,} steps"


def _price(cost: float | None) -> str:
    return "" if cost is None else f", about {cost:.4f} in the model's price"


async def _agents(engine: "Engine", args: str) -> None:
    word, _, agent_id = args.partition(" ")
    if word == "stop":
        stopped = engine.roster.stop(agent_id.strip())
        engine.say(f"{agent_id} is being stopped." if stopped else f"No subagent {agent_id!r} is at work.")
        return
    names = engine.soul.agent.crew.names()
    lines = [f"- {name}: {what}" for name, what in names.items()]
    lines += [f"- at work: {key} ({one.name}) {one.description}" for key, one in engine.roster.at_work.items()]
    engine.say("\n".join(lines) or f"The agent {engine.soul.agent.name} has no subagents.")


async def _hooks(engine: "Engine", args: str) -> None:
    lines = [
        f"- {hook.event}{f' on {hook.matcher}' if hook.matcher else ''}: `{hook.command}` ({hook.timeout} s)"
        for hook in engine.hooks.configured
    ]
    lines += [f"- {one.event}{f' on {one.matcher}' if one.matcher else ''}: a client" for one in engine.hooks.clients]
    engine.say("\n".join(lines) or "No hooks are configured.")


async def _mcp(engine: "Engine", args: str) -> None:
    word, _, name = args.partition(" ")
    if word == "restart" and name.strip():
        states = (await engine.mcp.restart(name.strip()),)
    elif not word:
        states = engine.mcp.states()
    else:
        raise UsageError("/mcp tells how the servers are; /mcp restart NAME starts one again")
    engine.say("\n".join(map(_server_line, states)) or "No MCP servers are configured.")


def _server_line(state: ServerState) -> str:
    facts = [state.status, *([f"{len(state.tools)} tools"] if state.status == "connected" else []), *state.notes]
    return f"- {state.name}: {', '.join(facts)}{f': {state.cause}' if state.cause else ''}"


async def _skills(engine: "Engine", args: str) -> None:
    lines = [f"- `/skill:{skill.name}` {skill.description}" for skill in engine.skills.skills]
    problems = [
        f"- {paths.shown(problem.path)}{f':{problem.line}' if problem.line else ''}: {problem.severity}: {problem.text}"
        for problem in engine.skills.problems()
    ]
    engine.say("\n".join([*(lines or ["There are no skills."]), *(["", "Problems:", *problems] if problems else [])]))


async def _task(engine: "Engine", args: str) -> None:
    background = engine.services.background
    word, _, task_id = args.partition(" ")
    if word == "stop":
        stopped = await background.stop(task_id.strip(), "stopped by the person")
        engine.say(f"{task_id.strip()} was stopped." if stopped else f"No task {task_id.strip()!r} is running.")
        return
    engine.say("\n".join(f"- {task.line}" for task in background.tasks) or "There are no background tasks.")


COMMANDS: tuple[Command, ...] = (
    Command(CommandInfo("help", "What can be said", ("h", "?")), _help, while_running=True),
    Command(CommandInfo("version", "Which version this is"), _version, while_running=True),
    Command(CommandInfo("usage", "Model, context and tokens", ("status",)), _usage, while_running=True),
    Command(CommandInfo("agents", "List the subagents; stop ID ends one that is at work"), _agents, while_running=True),
    Command(CommandInfo("hooks", "List the hooks"), _hooks, while_running=True),
    Command(CommandInfo("mcp", "How the MCP servers are; restart NAME starts one again"), _mcp, while_running=True),
    Command(CommandInfo("skills", "List the skills, and what is wrong with them"), _skills, while_running=True),
    Command(CommandInfo("task", "List background tasks; stop ID ends one"), _task, while_running=True),
)
