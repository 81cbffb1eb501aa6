"""Slash commands for the conversation and the session."""

import asyncio
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui.errors import SessionError, UsageError
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.i18n import tr, tr_n
from kimi_tui.llm.message import estimate_tokens, user_message
from kimi_tui.paths import is_file, is_folder
from kimi_tui.secret_store import all_secrets
from kimi_tui.session import session_index
from kimi_tui.session.importer import imported_text, wrapped
from kimi_tui.session.session import list_sessions
from kimi_tui.soul.commands.command import Command, CommandInfo
from kimi_tui.soul.rewind import RewindPoint, rewind_report
from kimi_tui.timestamps import date_and_time

if TYPE_CHECKING:
    from kimi_tui.session.redact import Redactor
    from kimi_tui.soul.engine import Engine

_LISTED = 30


async def _clear(engine: "Engine", args: str) -> None:
    engine.context.clear()
    engine.reply(tr("Conversation cleared; the old one is kept in the session's folder."))
    engine.send_status()


async def _compact(engine: "Engine", args: str) -> TurnResult | None:
    await engine.models.ready()
    match await engine.soul.compact(args):
        case "done":
            tokens = engine.context.token_count
            engine.reply(tr("Conversation compacted to about {tokens:,} tokens.", tokens=tokens))
        case "nothing":
            engine.reply(tr("There is nothing to compact yet."))
        case "stopped":
            engine.reply(tr("Compaction was interrupted; the conversation is unchanged."))
            return TurnResult("cancelled")
        case "failed":  # a manual compaction raises instead
            pass
    return None


async def _rewind(engine: "Engine", args: str) -> None:
    points = engine.rewind_points()
    words = args.split()
    if not words:
        rows = [_listed(point) for point in points[-_LISTED:]]
        engine.reply("\n".join(rows) or tr("There is no turn to rewind to yet."))
        return
    number, scope = words[0], words[1] if len(words) > 1 else "both"
    if scope not in ("conversation", "files", "both") or len(words) > 2:
        raise UsageError(tr("/rewind needs a turn number, then conversation, files or both"))
    point = next((point for point in points if str(point.index) == number), None)
    if point is None:
        raise UsageError(tr("no turn {turn}; /rewind lists the turns", turn=number))
    result = await engine.rewind(point, conversation=scope != "files", files=scope != "conversation")
    engine.reply("\n".join(rewind_report(result, engine.services.workspace)))


def _listed(point: RewindPoint) -> str:
    facts = [
        datetime.fromtimestamp(point.at).strftime("%H:%M"),
        *([tr_n("{count} file changed", "{count} files changed", len(point.files))] if point.files else []),
        *([] if point.conversation else [tr("files only")]),
    ]
    return f"{point.index}. {point.text} · {' · '.join(facts)}"


async def _title(engine: "Engine", args: str) -> None:
    if args:
        engine.session.rename(args)
    if engine.title:
        engine.reply(tr("This session is called “{title}”.", title=engine.title))
    else:
        engine.reply(tr("This session has no title yet."))


async def _sessions(engine: "Engine", args: str) -> None:
    sessions = [info for info in list_sessions(engine.work_dir) if not info.archived]
    lines = [
        " · ".join(
            (
                f"- {info.id[:8]}",
                date_and_time(info.updated_at),
                info.title or tr("(no title)"),
                *([tr("this one")] if info.id == engine.session_id else []),
            )
        )
        for info in sessions[:_LISTED]
    ]
    lines.append(tr("Resume one with `kimi-tui --session ID`."))
    engine.reply("\n".join(lines))


async def _fork(engine: "Engine", args: str) -> None:
    engine.wire.flush()
    engine.session.save_state()
    title = args or engine.title
    session_id = await asyncio.to_thread(session_index.fork, engine.session.dir, engine.work_dir, title=title)
    engine.reply(tr("Session forked. Open the fork with `kimi-tui --session {session}`.", session=session_id))


async def _export(engine: "Engine", args: str) -> None:
    from kimi_tui.session import exporter

    engine.wire.flush()
    target = engine.work_dir / Path(args) if args else None
    export_format = exporter.format_for_name(args)
    if target is None or is_folder(target):
        name = exporter.default_name(engine.session_id, export_format, datetime.now())
        target = (target or engine.work_dir) / name
    folder, where = engine.session.dir, str(engine.work_dir)
    try:
        await asyncio.to_thread(exporter.export, folder, target, export_format, _redactor(engine), work_dir=where)
    except (FileNotFoundError, FileExistsError, NotADirectoryError, IsADirectoryError, PermissionError) as error:
        raise UsageError(f"{target}: {error.strerror or error}") from error
    except OSError as error:
        raise SessionError(f"{target}: {error.strerror or error}") from error
    engine.reply(
        tr(
            "Written to {file}. Text that looks like a secret was removed; check the file before you share it.",
            file=target,
        )
    )
    for line in await asyncio.to_thread(exporter.unreadable_files, folder):
        engine.reply(line)


async def _import(engine: "Engine", args: str) -> None:
    if not args:
        raise UsageError(tr("/import needs a text file or a session id"))
    try:
        text = await asyncio.to_thread(_import_label, engine, args)
    except SessionError as error:  # what the user named is no text, or no session
        raise UsageError(str(error)) from error
    message = user_message(text)
    free_tokens = engine.soul.model.max_context_size - engine.context.token_count
    if (tokens := estimate_tokens(message)) > free_tokens * 0.8:
        raise UsageError(
            tr(
                "it is about {tokens:,} tokens, but only {room:,} are free; import less, or run /compact first",
                tokens=tokens,
                room=free_tokens,
            )
        )
    engine.context.append(message)
    engine.send_status()
    engine.reply(tr("Added about {tokens:,} tokens to the context.", tokens=tokens))


def _import_label(engine: "Engine", source: str) -> str:
    from kimi_tui.session import exporter
    from kimi_tui.tools.shell_support.remove_tree import session_folder

    file = engine.work_dir / Path(source).expanduser()
    if is_file(file):
        return imported_text(file)
    found = session_index.find_session(source, engine.work_dir)
    with session_folder() as folder:
        target = folder / "session.md"
        exporter.export(found.info.dir, target, "md", _redactor(engine))
        return wrapped(target.read_text("utf-8"), f"the session “{found.info.title or found.info.id}”")


def _redactor(engine: "Engine") -> "Redactor":
    from kimi_tui.session.redact import Redactor

    return Redactor(all_secrets(engine.config.secrets))


COMMANDS: tuple["Command[Engine]", ...] = (
    Command(CommandInfo("clear", "Clear the conversation", ("reset",)), _clear),
    Command(CommandInfo("compact", "Summarize the conversation to free context; optional: a focus"), _compact),
    Command(CommandInfo("rewind", "Rewind to before turn N: conversation, files or both", ("undo",)), _rewind),
    Command(CommandInfo("title", "Set the session title", ("rename",)), _title, while_running=True),
    Command(CommandInfo("fork", "Fork this session"), _fork),
    Command(CommandInfo("export", "Export the session: .md, .json or .zip"), _export),
    Command(CommandInfo("import", "Add a text file or another session to the context"), _import),
    Command(CommandInfo("sessions", "List the sessions of this folder", ("resume",)), _sessions, while_running=True),
)
