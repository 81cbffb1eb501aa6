"""File contents from before each turn's edits, so that the user can rewind.

`files/log.jsonl` is the history: turns, their edits, and rewinds. `files/blobs/` holds each content once, by its hash.
Changes by other programs are not recorded.
"""

import contextlib
import hashlib
import os
import re
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from pydantic import ConfigDict, TypeAdapter, ValidationError

from kimi_tui import jsonl
from kimi_tui.atomic_file import replace_file
from kimi_tui.paths import private_folder
from kimi_tui.regular_file import read_bytes
from kimi_tui.timestamps import valid_timestamp
from kimi_tui.wire.display import TodoItem

MAX_FILE_BYTES = 10 << 20
MAX_TOTAL_BYTES = 512 << 20
_TEXT_CHARS = 200
_ABSENT = "absent"
_NOT_KEPT = "not kept"
_DIGEST = re.compile("[0-9a-f]{64}")
_TODO = TypeAdapter(tuple[TodoItem, ...], config=ConfigDict(defer_build=True))


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of one file. `before` and `after` are hashes, or mark a missing file or content that was not kept."""

    path: Path
    before: str
    after: str


@dataclass(slots=True)
class TurnCheckpoint:
    """A turn in the log; `at` is seconds since the epoch, `todo` the todo list at that time."""

    id: str
    text: str
    at: float
    todo: tuple[TodoItem, ...] = ()
    edits: list[Edit] = field(default_factory=list[Edit])


@dataclass(frozen=True, slots=True)
class FileVersion:
    """The content to restore in a file; None for no file. `ours`: hashes of what our tools have written there since.

    `others`: hashes of the contents that others had left there before a later edit of ours, oldest first.
    """

    path: Path
    content: bytes | None
    ours: frozenset[str]
    others: tuple[str, ...] = ()


class FileCheckpoints:
    """Stores file contents for the tools, as their FileHistory. Storage failures do not raise."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._log = jsonl.JsonlWriter(folder / "log.jsonl")
        self._turns: list[TurnCheckpoint] = []
        self._kept_bytes: int | None = None
        for _, row in jsonl.read(self._log.path).rows:
            if isinstance(row, dict):
                self._take(row)  # pyright: ignore[reportUnknownArgumentType]

    @property
    def turns(self) -> tuple[TurnCheckpoint, ...]:
        """The turns that were not rewound, oldest first."""
        return tuple(self._turns)

    def begin_turn(self, text: str, todo: Sequence[TodoItem] = ()) -> str:
        """Start a turn that the next edits belong to; returns its id. `todo` is the current todo list."""
        turn_id = uuid4().hex[:12]
        row: dict[str, object] = {"turn": turn_id, "text": " ".join(text.split())[:_TEXT_CHARS], "at": time.time()}
        if todo:
            row["todo"] = [item.model_dump(mode="json") for item in todo]
        self._write(row)
        return turn_id

    def before_edit(self, path: Path, content: bytes | None, becomes: bytes) -> None:
        self._write({"edit": str(path), "before": self._keep(content), "after": digest(becomes)})

    def versions_before(self, turn_id: str) -> tuple[list[FileVersion], list[Path]]:
        """Return the files changed since that turn began: their earlier contents, and those whose content was not kept.

        Raises KeyError for an unknown turn.
        """
        first: dict[Path, str] = {}
        own_hashes: dict[Path, set[str]] = {}
        others: dict[Path, list[str]] = {}
        for turn in self._turns[self._index(turn_id) :]:
            for edit in turn.edits:
                known = own_hashes.setdefault(edit.path, set())
                if edit.before not in (first.setdefault(edit.path, edit.before), _ABSENT, *known):
                    others.setdefault(edit.path, []).append(edit.before)  # defence: edits-of-others-between
                known.add(edit.after)
        versions: list[FileVersion] = []
        unrestorable: list[Path] = []
        for path, old_content in first.items():
            content = None if old_content == _ABSENT else self.kept_content(old_content)
            if content is None and old_content != _ABSENT:
                unrestorable.append(path)
                continue
            between = tuple(dict.fromkeys(others.get(path, ())))
            versions.append(FileVersion(path, content, frozenset(own_hashes[path]), between))
        return versions, unrestorable

    def kept_content(self, name: str) -> bytes | None:
        """Return the stored content with this hash; None if it was not kept."""
        try:
            content = read_bytes(self._blob(name))
        except OSError:
            return None
        if digest(content) != name:  # defence: only-what-was-kept
            return None
        return content

    def keep_copy(self, path: Path, content: bytes) -> Path:
        """Copy content that another program left at `path` to a folder beside the history. Raises OSError."""
        folder = self._folder / "copies"
        folder.mkdir(parents=True, exist_ok=True)
        copy = folder / f"{path.stem}-{digest(content)[:8]}{path.suffix}"
        copy.write_bytes(content)
        return copy

    def rewind(self, turn_id: str, *, conversation: bool, files: bool, left: Collection[Path] = ()) -> None:
        """Drop that turn and all later ones, or only their edits; files in `left` were not restored.

        Raises KeyError for an unknown turn.
        """
        self._index(turn_id)
        kept_paths = sorted(str(path) for path in left)
        self._write({"back": turn_id, "conversation": conversation, "files": files, "left": kept_paths})

    def close(self) -> None:
        self._log.close()

    def _index(self, turn_id: str) -> int:
        for index, turn in enumerate(self._turns):
            if turn.id == turn_id:
                return index
        raise KeyError(turn_id)

    def _write(self, row: dict[str, object]) -> None:
        self._take(row)
        self._log.append(row)

    def _take(self, row: Mapping[str, Any]) -> None:
        match row:
            case {"turn": str(turn_id), "text": str(text), "at": float(at)}:
                self._turns.append(TurnCheckpoint(turn_id, text, valid_timestamp(at), _read_todos(row.get("todo"))))
            case {"edit": str(path), "before": str(before), "after": str(after)} if _is_edit(path, before):
                if not self._turns:
                    self._turns.append(TurnCheckpoint("", "", 0.0))
                self._turns[-1].edits.append(Edit(Path(path), before, after))
            case {"back": str(turn_id), "conversation": bool(conversation), "files": bool(files)}:
                with contextlib.suppress(KeyError):
                    self._rewind(self._index(turn_id), conversation, files, _read_paths(row.get("left")))
            case _:
                pass

    def _rewind(self, index: int, conversation: bool, files: bool, left: set[Path]) -> None:
        undone = self._turns[index:]
        for turn in undone:
            if files:
                turn.edits = [edit for edit in turn.edits if edit.path in left]
        if not conversation:
            return
        edits = [edit for turn in undone for edit in turn.edits]
        del self._turns[index:]
        if edits:
            if not self._turns:
                self._turns.append(TurnCheckpoint("", "", 0.0))
            self._turns[-1].edits.extend(edits)

    def _keep(self, content: bytes | None) -> str:
        if content is None:
            return _ABSENT
        name = digest(content)
        blob = self._blob(name)
        if blob.exists():
            return name
        if self._kept_bytes is None:
            self._kept_bytes = _folder_size(self._folder / "blobs")
        if len(content) > MAX_FILE_BYTES or self._kept_bytes + len(content) > MAX_TOTAL_BYTES:
            return _NOT_KEPT
        try:
            private_folder(blob.parent)
            replace_file(blob, content)
        except OSError:
            return _NOT_KEPT
        self._kept_bytes += len(content)
        return name

    def _blob(self, name: str) -> Path:
        return self._folder / "blobs" / name


def _read_todos(rows: object) -> tuple[TodoItem, ...]:
    try:
        return _TODO.validate_python(rows or ())
    except ValidationError:
        return ()


def _read_paths(rows: object) -> set[Path]:
    names = cast(list[object], rows) if isinstance(rows, list) else []
    return {Path(name) for name in names if isinstance(name, str)}


def _is_edit(path: str, before: str) -> bool:
    return "\0" not in path and (before in (_ABSENT, _NOT_KEPT) or _DIGEST.fullmatch(before) is not None)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _folder_size(folder: Path) -> int:
    try:
        return sum(entry.stat().st_size for entry in os.scandir(folder))
    except OSError:
        return 0
