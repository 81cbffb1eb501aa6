"""Slash commands on the conversation and on the session as a whole."""

from datetime import datetime
from typing import TYPE_CHECKING

from kimi_tui.errors import UsageError
from kimi_tui.session.session import list_sessions
from kimi_tui.soul.command import Command, CommandInfo
from kimi_tui.soul.rewind import RewindPoint

if TYPE_CHECKING:
    from kimi_tui.soul.engine import Engine

_LISTED = 30


async def _clear(engine: "Engine", args: str) -> None:
    engine.context.clear()
    engine.tell_status()
    engine.say("The conversation starts anew; the old one is kept in the session's folder.")


async def _compact(engine: "Engine", args: str) -> None:
    await engine.models.ready()
    match await engine.soul.compact(args, by_hand=True):
        case "done":
            engine.say(f"The conversation was compacted; it is now about {engine.context.token_count:,} tokens.")
        case "nothing":
            engine.say("There is nothing to compact yet.")
        case "failed":
            pass


async def _rewind(engine: "Engine", args: str) -> None:
    points = engine.rewind_points()
    words = args.split()
    if not words:
        engine.say("\n".join(_listed(point) for point in points[-_LISTED:]) or "There is no turn to go back to yet.")
        return
    number, what = words[0], words[1] if len(words) > 1 else "both"
    if what not in ("conversation", "files", "both") or len(words) > 2:
        raise UsageError("/rewind takes a turn's number, then conversation, files or both")
    point = next((point for point in points if str(point.index) == number), None)
    if point is None:
        raise UsageError(f"there is no turn {number}; /rewind lists them")
    await engine.rewind(point, conversation=what != "files", files=what != "conversation")


def _listed(point: RewindPoint) -> str:
    when = datetime.fromtimestamp(point.at).strftime("%H:%M")
    files = f" · {len(point.files)} file{'' if len(point.files) == 1 else 's'} changed" if point.files else ""
    gone = "" if point.conversation else " · files only"
    return f"{point.index}. {point.text} ({when}{files}{gone})"


async def _title(engine: "Engine", args: str) -> None:
    if args:
        engine.rename(args)
    engine.say(f"This session is called “{engine.title}”." if engine.title else "This session has no title yet.")


async def _sessions(engine: "Engine", args: str) -> None:
    found = [info for info in list_sessions(engine.work_dir) if not info.archived]
    lines = [
        f"- {info.id[:8]} {datetime.fromtimestamp(info.updated_at):%Y-%m-%d %H:%M} {info.title or '(no title)'}"
        f"{' (this one)' if info.id == engine.session_id else ''}"
        for info in found[:_LISTED]
    ]
    lines.append("`kimi-tui --session ID` goes on with one.")
    engine.say("\n".join(lines))


COMMANDS: tuple[Command, ...] = (
    Command(CommandInfo("clear", "Forget the conversation and begin anew", ("reset",)), _clear),
    Command(CommandInfo("compact", "Summarise the conversation to make room; a focus may be named"), _compact),
    Command(
        CommandInfo("rewind", "Go back before an earlier turn: N, then conversation, files or both", ("undo",)), _rewind
    ),
    Command(CommandInfo("title", "Give this session a title", ("rename",)), _title, while_running=True),
    Command(CommandInfo("sessions", "List the sessions of this folder", ("resume",)), _sessions, while_running=True),
)
