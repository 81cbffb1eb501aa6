"""Rewinds to an earlier turn: the conversation, the files our tools changed, or both.

The todo list is rewound with the conversation. The removed turns stay in `wire.jsonl`. A notification of type `rewind`
on the Wire carries the start of the removed part (`since`, seconds since the epoch) and the restored todo list (`todo`)
in its payload.
"""

import asyncio
import contextlib
import time
from dataclasses import dataclass, field
from pathlib import Path

from kimi_tui.context.context import Context
from kimi_tui.i18n import tr
from kimi_tui.session.file_checkpoints import MAX_FILE_BYTES, FileCheckpoints, FileVersion, digest
from kimi_tui.soul.notices import notice
from kimi_tui.tools.file_support.safe_open import make_folder, read_bytes, remove_file, write_bytes
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.wire.display import TodoItem
from kimi_tui.wire.events import Notification
from kimi_tui.wire.parts import JsonObject

_MAX_BYTES = MAX_FILE_BYTES * 8


@dataclass(frozen=True, slots=True)
class RewindPoint:
    """The start of a turn, as a rewind target. `index` counts from 1, oldest first; `files` are the changes of the
    turn.

    `conversation`: whether the turn is still in the context, so that the conversation can be rewound to it.
    """

    index: int
    turn_id: str
    text: str
    at: float
    files: tuple[Path, ...]
    conversation: bool
    todo: tuple[TodoItem, ...] = ()


@dataclass(slots=True)
class RewindResult:
    """The result of a rewind. `copies` keep the last content that others had written to a file; `failed` holds the
    reasons."""

    conversation: bool = False
    restored: list[Path] = field(default_factory=list[Path])
    removed: list[Path] = field(default_factory=list[Path])
    copies: dict[Path, Path] = field(default_factory=dict[Path, Path])
    failed: dict[Path, str] = field(default_factory=dict[Path, str])


def rewind_points(versions: FileCheckpoints, context: Context) -> list[RewindPoint]:
    """List the turns of the session, oldest first."""
    return [
        RewindPoint(
            index=index,
            turn_id=turn.id,
            text=turn.text,
            at=turn.at,
            files=tuple(dict.fromkeys(edit.path for edit in turn.edits)),
            conversation=context.checkpoint_of(turn.id) is not None,
            todo=turn.todo,
        )
        for index, turn in enumerate((turn for turn in versions.turns if turn.id), 1)
    ]


async def rewind_to(
    point: RewindPoint, versions: FileCheckpoints, context: Context, *, conversation: bool, files: bool
) -> RewindResult:
    """Rewind. Raises KeyError for an unknown turn, ValueError if the conversation does not reach back to it."""
    result = RewindResult()
    checkpoint = context.checkpoint_of(point.turn_id)
    if conversation and checkpoint is None:
        raise ValueError(tr("the conversation was compacted or cleared after that turn"))
    if files:
        restorable, unrestorable = versions.versions_before(point.turn_id)
        result.failed.update(dict.fromkeys(unrestorable, tr("its earlier content was not saved")))
        await asyncio.to_thread(_restore_all, restorable, versions, result)
    if conversation and checkpoint is not None:
        context.revert_to(checkpoint)
        result.conversation = True
    versions.rewind(point.turn_id, conversation=conversation, files=files, left=result.failed)
    return result


def _restore_all(restorable: list[FileVersion], versions: FileCheckpoints, result: RewindResult) -> None:
    for version in restorable:
        try:
            _restore(version, versions, result)
        except OSError as error:
            result.failed[version.path] = error.strerror or str(error)


def _restore(version: FileVersion, versions: FileCheckpoints, result: RewindResult) -> None:
    now: bytes | None = None
    with contextlib.suppress(FileNotFoundError):
        now = read_bytes(version.path, most=_MAX_BYTES)
    if now == version.content:
        return
    theirs = [versions.kept_content(name) for name in version.others]
    if now is not None and digest(now) not in version.ours:
        theirs.append(now)
    for content in theirs:
        if content is None:
            raise OSError(tr("its earlier content was not saved"))
        result.copies[version.path] = versions.keep_copy(version.path, content)
    if version.content is None:
        remove_file(version.path, expected=now or b"")
        result.removed.append(version.path)
        return
    make_folder(version.path.parent)
    write_bytes(version.path, version.content, expected=now)
    result.restored.append(version.path)


def rewind_notice(point: RewindPoint, result: RewindResult, workspace: Workspace) -> Notification:
    """Make the Wire notification of a rewind."""

    def labels(path: Path) -> str:
        return workspace.resolve_real(path).shown

    payload: JsonObject = {
        "turn": point.index,
        "turn_id": point.turn_id,
        "text": point.text,
        "since": point.at,
        "conversation": result.conversation,
        "restored": [labels(path) for path in result.restored],
        "removed": [labels(path) for path in result.removed],
        "copies": {labels(path): str(copy) for path, copy in result.copies.items()},
        "failed": {labels(path): why for path, why in result.failed.items()},
    }
    if result.conversation:
        payload["todo"] = [item.model_dump(mode="json") for item in point.todo]
    return notice(
        tr("Back to before “{text}”", text=point.text[:60])
        if result.conversation
        else tr("Files restored to before “{text}”", text=point.text[:60]),
        "\n".join(rewind_report(result, workspace)),
        kind="rewind",
        severity="warning" if result.failed or result.copies else "info",
    ).model_copy(update={"payload": payload, "created_at": time.time()})


def rewind_report(result: RewindResult, workspace: Workspace) -> list[str]:
    """Describe the result in sentences."""
    paths = (*result.restored, *result.removed, *result.copies, *result.failed)
    labels = {path: workspace.resolve_real(path).shown for path in paths}
    lines: list[str] = []
    if result.conversation:
        lines.append(tr("The conversation continues from there."))
    if result.restored:
        lines.append(tr("Restored: {files}.", files=", ".join(labels[path] for path in result.restored)))
    if result.removed:
        lines.append(
            tr("Removed (created in that turn): {files}.", files=", ".join(labels[path] for path in result.removed))
        )
    lines += [
        tr("{file} was also changed by something else; that version is kept as {copy}.", file=labels[path], copy=copy)
        for path, copy in result.copies.items()
    ]
    lines += [tr("{file} is unchanged: {why}.", file=labels[path], why=why) for path, why in result.failed.items()]
    lines.append(tr("Changes made by shell commands cannot be reverted."))
    return lines
