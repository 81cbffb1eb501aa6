"""The model's context: the messages of a session and the checkpoints between them, in `context.jsonl`.

Invariant: services always accept the history: each tool call has one result, right after the message that made it and
before any other message.
"""

import contextlib
import errno
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from kimi_tui import jsonl
from kimi_tui.llm.message import Message, estimate_tokens
from kimi_tui.wire.parts import TextPart

INTERRUPTED = "<system>ERROR: Interrupted before it finished; whether it took effect is not known.</system>"


@dataclass(frozen=True, slots=True)
class RepairReport:
    """Repairs made on loading: invalid JSON lines and rows, calls without a result, and so on.

    The invalid lines are moved from the file to `CONTEXT.bad.jsonl` beside it; the old file is kept, as
    `CONTEXT_1.jsonl`. An incomplete last line is moved likewise, and nothing else is kept.
    """

    bad_lines: int = 0
    results_added: int = 0
    results_dropped: int = 0

    def __bool__(self) -> bool:
        return bool(self.bad_lines or self.results_added or self.results_dropped)


class Context:
    """The history of one agent. Every change is in the file before the call returns."""

    def __init__(self, writer: jsonl.JsonlWriter) -> None:
        self._writer = writer
        self._path = writer.path
        self._system_prompt: str | None = None
        self._messages: list[Message] = []
        self._checkpoints: list[int] = []
        self._turns: list[str] = []
        self._token_count = 0
        self._counted = 0
        self._estimated = 0
        self._behind = False
        self._has_unknown_rows = False

    @classmethod
    def load(
        cls, writer: jsonl.JsonlWriter, *, abandoned: threading.Event | None = None
    ) -> tuple["Context", RepairReport]:
        """Load the context from the file and repair the damage of a crash. Raises OSError.

        It takes seconds for a million messages; `abandoned` ends it early, with ECANCELED and nothing written.
        """
        context = cls(writer)
        bad_lines: list[bytes] = []
        for row in jsonl.each(writer.path, bad=bad_lines):
            if abandoned is not None and abandoned.is_set():  # defence: end-of-an-abandoned-load
                raise OSError(errno.ECANCELED, os.strerror(errno.ECANCELED), str(writer.path))
            if not context._take_row(row):
                bad_lines.append(jsonl.dump(row).strip())
        torn = jsonl.save_torn_tail(writer.path)  # defence: keep-torn-context
        mended, added, dropped = _mend(context._messages)
        if added or dropped:
            at = _moved_checkpoints(context._messages, mended, context._checkpoints)
            context._messages, context._checkpoints = mended, at
        if bad_lines:
            jsonl.set_aside(writer.path, bad_lines)
        if bad_lines or (context._has_unknown_rows and (added or dropped)):
            context._rotate()  # defence: keep-what-another-version-wrote
        elif added or dropped:
            context._rewrite()
        context._estimate()
        return context, RepairReport(len(bad_lines) + torn, added, dropped)

    @property
    def system_prompt(self) -> str | None:
        """The prompt that the session started with; it stays the same when the session is resumed."""
        return self._system_prompt

    @property
    def history(self) -> Sequence[Message]:
        return self._messages

    @property
    def checkpoints(self) -> int:
        """The number of checkpoints; the ids start at 0."""
        return len(self._checkpoints)

    @property
    def token_count(self) -> int:
        """Tokens of the history: the service's last count plus an estimate for the messages since."""
        return self._token_count + self._estimated

    @property
    def is_written(self) -> bool:
        """Whether the file has every change."""
        return not self._behind and not self._writer.waiting

    def set_system_prompt(self, prompt: str) -> None:
        self._system_prompt = prompt
        self._write({"role": "_system_prompt", "content": prompt})

    def append(self, *messages: Message) -> None:
        self._messages.extend(messages)
        self._estimated += sum(estimate_tokens(message) for message in messages)
        self._write(*(_row(message) for message in messages))
        self._writer.sync_soon()

    def count_tokens(self, tokens: int) -> None:
        """Record the service's count: the history up to here is `tokens` long."""
        self._token_count, self._counted, self._estimated = tokens, len(self._messages), 0
        self._write({"role": "_usage", "token_count": tokens})

    def checkpoint(self, turn: str = "") -> int:
        """Add a checkpoint and return its id. `turn` is the id of the turn that starts here, if any."""
        self._checkpoints.append(len(self._messages))
        self._turns.append(turn)
        checkpoint_id = len(self._checkpoints) - 1
        self._write(_checkpoint_row(checkpoint_id, turn))
        return checkpoint_id

    def checkpoint_of(self, turn: str) -> int | None:
        """The checkpoint at the start of that turn; None if it is no longer in the context."""
        return self._turns.index(turn) if turn and turn in self._turns else None

    def message_after(self, checkpoint_id: int) -> Message | None:
        """The first message after that checkpoint; None at the end. Raises IndexError for an unknown id."""
        at = self._checkpoints[checkpoint_id]
        return self._messages[at] if at < len(self._messages) else None

    def revert_to(self, checkpoint_id: int) -> list[Message]:
        """Remove that checkpoint and everything after it. The old file is kept beside the new one.

        Returns the removed messages. Raises IndexError for an unknown id.
        """
        if not 0 <= checkpoint_id < len(self._checkpoints):
            raise IndexError(checkpoint_id)
        length = self._checkpoints[checkpoint_id]
        removed = self._messages[length:]
        del self._messages[length:], self._checkpoints[checkpoint_id:], self._turns[checkpoint_id:]
        self._forget_count(length)
        self._rotate()
        return removed

    def replace(self, messages: Sequence[Message]) -> None:
        """Replace the whole history by `messages`, with one checkpoint before them."""
        self._messages, self._checkpoints, self._turns = list(messages), [0], [""]
        self._forget_count(0)
        self._rotate()

    def clear(self) -> None:
        self._messages, self._checkpoints, self._turns = [], [], []
        self._forget_count(0)
        self._rotate()

    def close(self) -> None:
        if self._behind:
            self._rewrite()
        self._writer.close()

    def _forget_count(self, length: int) -> None:
        if self._counted > length:
            self._token_count, self._counted = 0, 0
        self._estimate()

    def _estimate(self) -> None:
        self._estimated = sum(estimate_tokens(message) for message in self._messages[self._counted :])

    def _write(self, *rows: dict[str, Any]) -> None:
        """Append the rows; if the file is out of step with memory, try to rewrite it."""
        if self._behind:
            self._rewrite()
        else:
            self._writer.append(*rows)

    def _take_row(self, row: Any) -> bool:
        if not isinstance(row, dict):
            return False
        fields: dict[str, Any] = row  # pyright: ignore[reportUnknownVariableType]
        if not str(fields.get("role")).startswith("_"):
            try:
                self._messages.append(Message.model_validate(fields))
            except ValidationError:
                return False
            return True
        match fields:
            case {"role": "_system_prompt", "content": str(prompt)}:
                self._system_prompt = prompt
            case {"role": "_checkpoint"}:
                self._checkpoints.append(len(self._messages))
                self._turns.append(str(fields.get("turn") or ""))
            case {"role": "_usage", "token_count": int(tokens)}:
                self._token_count, self._counted = tokens, len(self._messages)
            case _:
                self._has_unknown_rows = True  # written by another version
        return True

    def _rotate(self) -> None:
        number = 1
        while (backup := self._path.with_name(f"{self._path.stem}_{number}{self._path.suffix}")).exists():
            number += 1
        self._writer.close()
        with contextlib.suppress(OSError):
            if self._path.exists():
                os.link(self._path, backup)
        self._rewrite()

    def _rewrite(self) -> None:
        """Rewrite the file from memory. If that fails, the old file stays and a later write tries again."""
        temporary = self._path.with_suffix(".new")
        failures: list[OSError | None] = []
        try:
            temporary.unlink(missing_ok=True)
            writer = jsonl.JsonlWriter(temporary, on_trouble=failures.append)
            writer.append(*self._rows())
            writer.close()
            if not writer.waiting:
                self._writer.forget()  # defence: no-lines-of-the-old-file
                temporary.replace(self._path)
        except OSError as error:
            failures.append(error)
        was_behind, self._behind = self._behind, bool(failures and failures[-1])
        if self._behind != was_behind and self._writer.on_trouble is not None:
            self._writer.on_trouble(failures[-1] if failures else None)

    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        if self._system_prompt is not None:
            rows.append({"role": "_system_prompt", "content": self._system_prompt})
        marks = [
            (index, _checkpoint_row(number, self._turns[number])) for number, index in enumerate(self._checkpoints)
        ]
        marks.reverse()
        usage = {"role": "_usage", "token_count": self._token_count}
        for index in range(len(self._messages) + 1):
            if self._token_count and self._counted == index:
                rows.append(usage)
            while marks and marks[-1][0] <= index:
                rows.append(marks.pop()[1])
            if index < len(self._messages):
                rows.append(_row(self._messages[index]))
        return rows


def _checkpoint_row(checkpoint_id: int, turn: str) -> dict[str, Any]:
    row: dict[str, Any] = {"role": "_checkpoint", "id": checkpoint_id}
    return row | {"turn": turn} if turn else row


def _row(message: Message) -> dict[str, Any]:
    row = message.model_dump(mode="json", exclude_none=True)
    match message.content:
        case (TextPart(text=text),):
            row["content"] = text
        case _:
            pass
    return row


def interrupted_result(tool_call_id: str) -> Message:
    """The placeholder result of a call that was interrupted."""
    return Message(role="tool", content=(TextPart(text=INTERRUPTED),), tool_call_id=tool_call_id)


def _mend(messages: list[Message]) -> tuple[list[Message], int, int]:
    """The messages with exactly one result for every call; also how many were added and dropped."""
    mended: list[Message] = []
    open_calls: list[str] = []
    added = dropped = 0
    for message in messages:
        if message.role == "tool":
            if message.tool_call_id in open_calls:
                open_calls.remove(message.tool_call_id)
                mended.append(message)
            else:
                dropped += 1  # defence: drop-orphan-result
            continue
        mended.extend(interrupted_result(call_id) for call_id in open_calls)
        added += len(open_calls)
        open_calls = [call.id for call in message.tool_calls or ()]
        mended.append(message)
    mended.extend(interrupted_result(call_id) for call_id in open_calls)  # defence: result-for-open-call
    return mended, added + len(open_calls), dropped


def _moved_checkpoints(old_messages: list[Message], new_messages: list[Message], checkpoints: list[int]) -> list[int]:
    """The index of each checkpoint once `old_messages` has become `new_messages`: it stays before the same message."""
    position = {id(message): index for index, message in enumerate(new_messages)}
    moved: list[int] = []
    for at in checkpoints:
        following = next((position[id(m)] for m in old_messages[at:] if id(m) in position), len(new_messages))
        moved.append(following)
    return moved
