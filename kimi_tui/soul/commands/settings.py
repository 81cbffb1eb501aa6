"""Slash commands that change settings: approvals, plan mode, model."""

from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui import paths
from kimi_tui.errors import UsageError
from kimi_tui.i18n import tr, tr_n
from kimi_tui.paths import is_folder, real_path
from kimi_tui.regular_file import is_regular_or_absent, read_start
from kimi_tui.soul.commands.command import Command, CommandInfo
from kimi_tui.wire.events import PlanDisplay

if TYPE_CHECKING:
    from kimi_tui.soul.engine import Engine


_MAX_PLAN = 1 << 20
_NO_USER = tr("No user is present: tool calls are approved, protected actions are denied.")


async def _yolo(engine: "Engine", args: str) -> None:
    if engine.headless:
        engine.reply(_NO_USER)
        return
    yolo = not engine.approvals.yolo
    if not yolo:  # while the user is away, the state keeps what it was before
        engine.session.state.approval.yolo = False
    engine.approvals.yolo = yolo
    engine.reply(
        tr("All tool calls are now approved automatically.") if yolo else tr("Tool calls need approval again.")
    )


async def _afk(engine: "Engine", args: str) -> None:
    if engine.headless:
        engine.reply(_NO_USER)
        return
    away = engine.approvals.attended
    engine.set_attended(away)
    engine.reply(
        tr("Away mode on: tool calls are approved, questions are dismissed, protected actions are denied.")
        if away
        else tr("Away mode off: tool calls and questions need your answer again.")
    )


async def _plan(engine: "Engine", args: str) -> None:
    plan_mode = engine.services.plan_mode
    match args:
        case "" | "on" | "off":
            plan_mode.on = not plan_mode.on if not args else args == "on"
            engine.reply(
                tr("Plan mode is on: nothing is changed until you approve a plan.")
                if plan_mode.on
                else tr("Plan mode is off.")
            )
        case "view":
            plans = _plans(engine)
            if not plans:
                raise UsageError(tr("this session has no plan yet"))
            engine.wire.send(PlanDisplay(content=_text(plans[-1]), file_path=str(plans[-1])))
        case "clear":
            plans = _plans(engine)
            for file in plans:
                file.unlink(missing_ok=True)
            engine.reply(tr_n("{count} plan cleared.", "{count} plans cleared.", len(plans)))
        case _:
            raise UsageError(tr("/plan accepts on, off, view or clear"))


def _plans(engine: "Engine") -> list[Path]:
    """List the plans, oldest first."""
    plans = (file for file in (engine.session.dir / "plans").glob("*.md") if is_regular_or_absent(file))
    return sorted(plans, key=lambda file: file.lstat().st_mtime_ns)


def _text(plan: Path) -> str:
    try:
        return read_start(plan, _MAX_PLAN).decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{paths.shown(plan)}: {error.strerror}") from error


async def _add_dir(engine: "Engine", args: str) -> None:
    workspace = engine.services.workspace
    if not args:
        engine.reply("\n".join(f"- {paths.shown(folder)}" for folder in workspace.folders))
        return
    folder = _folder(args, engine.work_dir)
    # defence: folders-added-between-commands
    if real_path(folder) not in workspace.folders and engine.services.sandbox.busy:
        raise UsageError(
            tr("a command of the agent runs: what is in the folder would be undone as its work; add it when none runs")
        )
    workspace.add_dir(folder)
    engine.session.add_dir(real_path(folder))
    engine.reply(tr("Added {folder} to the workspace.", folder=paths.shown(real_path(folder))))


def _folder(text: str, work_dir: Path) -> Path:
    folder = work_dir / Path(text).expanduser()
    if not is_folder(folder):
        raise UsageError(tr("{folder} is not a folder", folder=folder))
    return folder


async def _model(engine: "Engine", args: str) -> None:
    models = engine.models
    if args:
        await engine.switch_model(args)
        engine.reply(tr("Model: {model}", model=models.shown_name))
        return
    lines = ["- " + " · ".join([key, *([tr("in use")] if key == models.key else [])]) for key in models.keys]
    engine.reply("\n".join(lines) or tr("{model}; no models are configured.", model=models.shown_name))


COMMANDS: tuple["Command[Engine]", ...] = (
    Command(CommandInfo("yolo", "Approve every tool call (toggle)"), _yolo, while_running=True),
    Command(
        CommandInfo("afk", "Away mode: approve every tool call, dismiss questions (toggle)"), _afk, while_running=True
    ),
    Command(CommandInfo("plan", "Plan mode: on, off, view the last plan, clear"), _plan),
    Command(CommandInfo("add-dir", "Add a folder to the workspace, or list the folders"), _add_dir, while_running=True),
    Command(CommandInfo("model", "Change the model, or list the configured ones"), _model),
)
