"""Exports a session: Markdown to read, JSON to process, a zip to import again. Secrets are removed."""

import json
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Literal, TypeVar

from kimi_tui import __version__, jsonl
from kimi_tui.export_file import export_file
from kimi_tui.i18n import tr
from kimi_tui.session.redact import Redactor
from kimi_tui.session.state import read_state
from kimi_tui.timestamps import date_and_time
from kimi_tui.wire.codec import WireMessage, encode
from kimi_tui.wire.events import CompactionEnd, Notification, SteerInput, TurnBegin
from kimi_tui.wire.parts import TextPart, ThinkPart, ToolCall, ToolResult, text_of
from kimi_tui.wire.recorder import read_recorded

Format = Literal["md", "json", "zip"]
MANIFEST = "manifest.json"
KIND = "kimi-tui session"
_OUTPUT_CHARS = 4_000
T = TypeVar("T")
_ZIPPED = ("context.jsonl", "wire.jsonl", "flow.jsonl")


def default_name(session_id: str, export_format: Format, now: datetime) -> str:
    return f"kimi-export-{session_id[:8]}-{now:%Y%m%d-%H%M%S}.{export_format}"


def format_for_name(name: str) -> Format:
    """Return the format for a file name, by its extension; Markdown for unknown ones."""
    match Path(name).suffix.lower():
        case ".json":
            return "json"
        case ".zip":
            return "zip"
        case _:
            return "md"


def unreadable_files(folder: Path) -> list[str]:
    """Return the session's files that cannot be read, each with the cause; an export lacks them."""
    found: list[str] = []
    for name in _ZIPPED:
        try:
            for _ in jsonl.each(folder / name):
                pass
        except OSError as error:
            found.append(tr("{file} cannot be read: {cause}", file=folder / name, cause=error.strerror or error))
    return found


def export(
    folder: Path,
    target: Path,
    export_format: Format,
    redactor: Redactor,
    *,
    work_dir: str = "",
    replace: bool = False,
) -> None:
    """Write the session of `folder` to `target`, without its `unreadable_files`; see `export_file`. Raises OSError."""
    with export_file(target, replace=replace) as stream:

        def write(text: str) -> None:
            stream.write(text.encode("utf-8", "replace"))

        match export_format:
            case "md":
                for section in _markdown(folder):
                    write(redactor.text(section))
            case "json":
                _write_json(folder, write, redactor, work_dir)
            case "zip":
                _write_zip(folder, stream, redactor, work_dir)


def _readable(rows: Iterator[T]) -> Iterator[T]:
    """The rows up to a failure to read."""
    while True:
        try:
            row = next(rows)
        except (OSError, StopIteration):
            return
        yield row


def title_of(folder: Path) -> str:
    state = read_state(folder / "state.json")
    return state.shown_title


def _markdown(folder: Path) -> Iterator[str]:
    yield f"# {title_of(folder) or 'A session'}\n"
    for recorded in _readable(read_recorded(folder / "wire.jsonl")):
        if text := _event_text(recorded.message, recorded.timestamp):
            yield f"\n{text}\n"


def _event_text(message: WireMessage, timestamp: float) -> str:
    match message:
        case TurnBegin():
            return f"## {date_and_time(timestamp)} · User\n\n{text_of(message.user_input)}"
        case SteerInput():
            return f"### User, during the turn\n\n{text_of(message.user_input)}"
        case TextPart():
            return message.text
        case ThinkPart():
            return f"<details><summary>Thinking</summary>\n\n{message.think}\n\n</details>" if message.think else ""
        case ToolCall():
            return f"**{message.function.name}**\n\n{_fenced(message.function.arguments or '{}', 'json')}"
        case ToolResult():
            value = message.return_value
            output = value.output if isinstance(value.output, str) else text_of(value.output)
            label = "Failed" if value.is_error else "Result"
            return f"{label}: {value.message}\n\n{_fenced(output)}" if output else f"{label}: {value.message or 'done'}"
        case CompactionEnd(compacted=False):
            return "*A compaction here failed or was interrupted; the conversation is unchanged.*"
        case CompactionEnd():
            return "*The conversation was compacted here.*"
        case Notification():
            return f"> {message.title}" + "".join(f"\n> {line}" for line in message.body.splitlines())
        case _:
            return ""


def _fenced(text: str, language: str = "") -> str:
    if len(text) > _OUTPUT_CHARS:
        text = text[:_OUTPUT_CHARS] + f"\n[... {len(text) - _OUTPUT_CHARS} more characters]"
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _manifest(folder: Path, work_dir: str) -> dict[str, object]:
    return {
        "kind": KIND,
        "version": 1,
        "program": f"kimi-tui {__version__}",
        "id": folder.name,
        "title": title_of(folder),
        "work_dir": work_dir,
    }


def _write_json(folder: Path, write: Callable[[str], object], redactor: Redactor, work_dir: str) -> None:
    def line(value: object) -> str:
        return json.dumps(redactor.value(value), ensure_ascii=False)

    head = line(_manifest(folder, work_dir))
    write(head.removesuffix("}") + ',\n"context": [')
    for number, row in enumerate(_readable(jsonl.each(folder / "context.jsonl"))):
        write(("," if number else "") + "\n" + line(row))
    write('\n],\n"wire": [')
    for number, recorded in enumerate(_readable(read_recorded(folder / "wire.jsonl"))):
        row = {"timestamp": recorded.timestamp, "message": encode(recorded.message)}
        write(("," if number else "") + "\n" + line(row))
    write("\n]}\n")


def _write_zip(folder: Path, target: BinaryIO, redactor: Redactor, work_dir: str) -> None:
    state = read_state(folder / "state.json").model_dump(mode="json")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_undated(MANIFEST), json.dumps(redactor.value(_manifest(folder, work_dir)), indent=2))
        archive.writestr(_undated("state.json"), json.dumps(redactor.value(state), indent=2))
        subagents = sorted((folder / "subagents").glob("*/context.jsonl"))
        for file in (*(folder / name for name in _ZIPPED), *subagents):
            if file.is_file():
                with archive.open(_undated(file.relative_to(folder).as_posix()), "w", force_zip64=True) as stream:
                    for row in _readable(jsonl.each(file)):
                        stream.write(jsonl.dump(redactor.value(row)))


def _undated(name: str) -> zipfile.ZipInfo:
    """Return a new compressed file of a zip: zip has no dates before 1980, where a clock that is not set can be."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info
