"""Read-only slash commands that show status."""

from typing import TYPE_CHECKING

from kimi_tui import __version__, documentation, paths
from kimi_tui.errors import UsageError
from kimi_tui.i18n import UserText, tr, tr_n
from kimi_tui.mcp.server_state import ServerState
from kimi_tui.soul.commands.command import Command, CommandInfo
from kimi_tui.soul.usage_stats import cost_of

if TYPE_CHECKING:
    from kimi_tui.soul.engine import Engine


async def _help(engine: "Engine", args: str) -> None:
    def line(info: CommandInfo) -> str:
        also = tr("aliases: {names}", names=", ".join(f"/{alias}" for alias in info.aliases))
        return " · ".join([f"- `/{info.name}` · {info.description}", *([also] if info.aliases else [])])

    if args.strip():
        engine.reply(documentation.page(args))
        return
    commands = engine.commands()
    command_names = {info.name for info in commands}
    frontend_commands = [info for info in engine.frontend_commands if info.name not in command_names]
    pages = tr(
        "Documentation pages, for `/help TOPIC`: {names}",
        names=", ".join(f"`{topic}`" for topic in documentation.topics()),
    )
    engine.reply("\n".join([*(line(info) for info in (*commands, *frontend_commands)), "", pages]))


async def _version(engine: "Engine", args: str) -> None:
    engine.reply(f"kimi-tui {__version__}")


async def _usage(engine: "Engine", args: str) -> None:
    figures, context_size = engine.figures, engine.soul.model.max_context_size
    tokens, used = engine.context.token_count, figures.usage
    lines = [
        _row(tr("Model: {name}", name=engine.model_name), engine.model_note),
        _row(
            tr(
                "Context: {tokens:,} of {most:,} tokens ({share:.1%})",
                tokens=tokens,
                most=context_size,
                share=tokens / context_size,
            ),
            tr_n("{count} message", "{count} messages", len(engine.context.history)),
        ),
        _row(
            tr("Since start: {facts}", facts=_steps(figures.steps)),
            tr("{tokens:,} tokens in ({cached:,} from the cache)", tokens=used.input, cached=used.input_cache_read),
            tr("{tokens:,} out", tokens=used.output),
            _price(figures.cost(engine.prices)),
        ),
        *_by_model(engine),
        _row(tr("Session: {id}", id=engine.session_id), f"“{engine.title}”" if engine.title else ""),
        _row(tr("Folder: {folder}", folder=paths.shown(engine.work_dir))),
        _row(engine.services.sandbox.summary),
    ]
    modes = [
        label
        for label, on in (
            ("yolo", engine.approvals.yolo),
            (tr("away"), not engine.approvals.attended),
            (tr("plan mode"), engine.services.plan_mode.on),
        )
        if on
    ]
    engine.reply("\n".join([*lines, *([_row(tr("Enabled:"), *modes)] if modes else [])]))


def _row(*facts: UserText) -> str:
    """Join facts to one line; empty ones are left out."""
    return "- " + " · ".join(filter(None, facts))


def _by_model(engine: "Engine") -> list[str]:
    """List usage per model, if several models were used."""
    by_model = engine.figures.by_model
    if len(by_model) < 2:
        return []
    return [
        "  "
        + _row(
            name or tr("no name"),
            _steps(used.steps),
            tr("{tokens:,} in", tokens=used.usage.input),
            tr("{tokens:,} out", tokens=used.usage.output),
            _price(cost_of(used.usage, engine.prices(name))),
        )
        for name, used in by_model.items()
    ]


def _steps(count: int) -> str:
    return tr_n("{count} step", "{count} steps", count)


def _price(cost: float | None) -> str:
    return "" if cost is None else tr("about {cost:.4f} at the model's price", cost=cost)


async def _agents(engine: "Engine", args: str) -> None:
    subcommand, _, agent_id = args.partition(" ")
    if subcommand == "stop":
        agent_id = agent_id.strip()
        if engine.running_subagents.stop(agent_id):
            engine.reply(tr("{agent} is being stopped.", agent=agent_id))
        else:
            engine.reply(tr("No subagent {agent!r} is running.", agent=agent_id))
        return
    names = engine.soul.agent.subagents.names()
    lines = [_row(name, description) for name, description in names.items()]
    lines += [
        _row(tr("running"), key, one.name, one.description) for key, one in engine.running_subagents.agents.items()
    ]
    engine.reply("\n".join(lines) or tr("The agent {agent} has no subagents.", agent=engine.soul.agent.name))


async def _hooks(engine: "Engine", args: str) -> None:
    lines = [
        _row(hook.event, hook.matcher, f"`{hook.command}`", tr("timeout {seconds:g} s", seconds=hook.timeout))
        for hook in engine.hooks.configured
    ]
    lines += [_row(subscription.event, subscription.matcher, tr("a client")) for subscription in engine.hooks.clients]
    engine.reply("\n".join(lines) or tr("No hooks are configured."))


async def _mcp(engine: "Engine", args: str) -> None:
    subcommand, _, name = args.partition(" ")
    if subcommand == "restart" and name.strip():
        states = (await engine.mcp.restart(name.strip()),)
    elif not subcommand:
        states = engine.mcp.states()
    else:
        raise UsageError(tr("/mcp shows the servers; /mcp restart NAME restarts one"))
    engine.reply("\n".join(map(_server_line, states)) or tr("No MCP servers are configured."))


def _server_line(state: ServerState) -> str:
    tools = tr_n("{count} tool", "{count} tools", len(state.tools)) if state.status == "connected" else ""
    return _row(state.name, state.status, tools, *state.notes, state.cause)


async def _skills(engine: "Engine", args: str) -> None:
    lines = [_row(f"`/skill:{skill.name}`", skill.description) for skill in engine.skills.skills]
    problems = [
        _row(f"{paths.shown(problem.path)}{f':{problem.line}' if problem.line else ''}", problem.severity, problem.text)
        for problem in engine.skills.problems()
    ]
    problem_lines = ["", tr("Problems:"), *problems] if problems else []
    engine.reply("\n".join([*(lines or [tr("No skills found.")]), *problem_lines]))


async def _task(engine: "Engine", args: str) -> None:
    background = engine.services.background
    subcommand, _, task_id = args.partition(" ")
    if subcommand == "stop":
        task_id = task_id.strip()
        if await background.stop(task_id, tr("stopped by the user")):
            engine.reply(tr("{task} was stopped.", task=task_id))
        else:
            engine.reply(tr("No background task {task!r} is running.", task=task_id))
        return
    lines = [_row(task.id, task.ending, task.description) for task in background.tasks]
    engine.reply("\n".join(lines) or tr("No background tasks."))


COMMANDS: tuple["Command[Engine]", ...] = (
    Command(
        CommandInfo("help", "List the commands, or show a page of the documentation", ("h", "?")),
        _help,
        while_running=True,
    ),
    Command(CommandInfo("version", "Show the version"), _version, while_running=True),
    Command(CommandInfo("usage", "Model, context and tokens", ("status",)), _usage, while_running=True),
    Command(CommandInfo("agents", "List subagents; stop ID stops a running one"), _agents, while_running=True),
    Command(CommandInfo("hooks", "List the hooks"), _hooks, while_running=True),
    Command(CommandInfo("mcp", "MCP servers and their status; restart NAME restarts one"), _mcp, while_running=True),
    Command(CommandInfo("skills", "List skills and their problems"), _skills, while_running=True),
    Command(CommandInfo("task", "List background tasks; stop ID stops one"), _task, while_running=True),
)
