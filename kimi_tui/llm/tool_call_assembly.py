"""Reorders streamed tool calls for the Wire: one call after the other."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import uuid4

from kimi_tui import json_text
from kimi_tui.llm.reply_limits import MAX_ID, MAX_NAME, ReplySize
from kimi_tui.wire.parts import FunctionBody, ToolCall, ToolCallPart


@dataclass(slots=True)
class _Call:
    index: int | None
    id: str
    name: str = ""
    pieces: list[str] = field(default_factory=list[str])
    sent: int = 0
    started: bool = False
    _whole: bool | None = None
    _looked_at: int = 0
    _braces: "_Braces" = field(default_factory=lambda: _Braces())

    def is_whole(self) -> bool:
        """Whether the arguments are a complete object. They are parsed once: after the last closing brace."""
        for piece in self.pieces[self._looked_at :]:
            self._braces.feed(piece)
        self._looked_at = len(self.pieces)
        if self._whole is None and self._braces.closed:  # defence: whole-arguments
            self._whole = _is_object("".join(self.pieces))
        return bool(self.name and self._whole) and self._braces.closed


class _Braces:
    """Counts the braces of a streamed text outside of its strings. `closed`: the first one is closed, and no text
    follows. The time is linear in the text, whatever its pieces.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = self._escaped = self._started = False
        self._follows = False

    @property
    def closed(self) -> bool:
        return self._started and not self._depth and not self._follows

    def feed(self, piece: str) -> None:
        position = 0
        if self._escaped and piece:
            position, self._escaped = 1, False
        while position < len(piece):
            if self.closed:
                self._follows = bool(piece[position:].strip())
                return
            found = (_IN_STRING if self._in_string else _OUTSIDE).search(piece, position)
            if found is None or self._follows:
                return
            position = found.end()
            match found[0]:
                case '"':
                    self._in_string = not self._in_string
                case "{":
                    self._depth, self._started = self._depth + 1, True
                case "}":
                    self._depth -= 1
                case _:  # a backslash
                    self._escaped = position == len(piece)
                    position += 1


_IN_STRING = re.compile(r'["\\]')
_OUTSIDE = re.compile(r'["{}]')


def _is_object(text: str) -> bool:
    try:
        return isinstance(json_text.loads(text), dict)
    except ValueError:
        return False


class ToolCallOrder:
    """Emits each call followed by its parts, regardless of the order in which the service sends them.

    The first call is emitted as it streams; the next one once the arguments before it are complete, or at the end. A
    call without an id, with one in use or with one that is too long, gets a new id.
    """

    def __init__(self, used_ids: set[str]) -> None:
        self._unique = UniqueIds(used_ids)
        self._calls: list[_Call] = []
        self._current = 0
        self._size = ReplySize()  # of what is kept back too

    def add(
        self, index: int | None, call_id: str | None, name: str | None, arguments: str | None
    ) -> Iterator[ToolCall | ToolCallPart]:
        """Return the pieces that can be emitted after this piece. Raises ProviderError beyond a limit."""
        call = self._find(index, call_id, name, arguments)
        self._size.add(len(arguments or ""), calls=call is None)  # defence: bound-kept-back-calls
        if call is None:
            call = _Call(index, bounded_id(call_id))
            self._calls.append(call)
        if not call.name:
            call.name = bounded_name(name)
        if arguments:
            call.pieces.append(arguments)
        yield from self._emit(end=False)

    def finish(self) -> Iterator[ToolCall | ToolCallPart]:
        """The remaining pieces, at the end of the reply."""
        yield from self._emit(end=True)

    def _find(self, index: int | None, call_id: str | None, name: str | None, arguments: str | None) -> _Call | None:
        """The call that a piece continues, or None if it starts one."""
        candidates = (call for call in reversed(self._calls) if index is None or call.index == index)
        call = next(candidates, None)
        if call is None or not name or not call.name:
            return call
        if call_id and call.id and call_id != call.id:
            return None  # some services number all calls 0
        goes_on = not call.is_whole() or (index is not None and not arguments)
        return call if goes_on else None

    def _emit(self, *, end: bool) -> Iterator[ToolCall | ToolCallPart]:
        while self._current < len(self._calls):
            call = self._calls[self._current]
            if not call.name and not end:
                return
            if not call.started:
                call.started = True
                yield ToolCall(id=self._unique(call.id), function=FunctionBody(name=call.name))
            if call.sent < len(call.pieces):
                yield ToolCallPart(arguments_part="".join(call.pieces[call.sent :]))
                call.sent = len(call.pieces)
            is_last = self._current == len(self._calls) - 1
            if is_last or not (end or call.is_whole()):
                return
            self._current += 1


def bounded_id(call_id: str | None) -> str:
    """Return the id that the service gave; "" if it is longer than MAX_ID."""
    return call_id if call_id and len(call_id) <= MAX_ID else ""  # defence: bound-call-id


def bounded_name(name: str | None) -> str:
    """The name that the model gave, not longer than MAX_NAME."""
    return (name or "")[:MAX_NAME]  # defence: bound-call-name


class UniqueIds:
    """Generates tool call ids that are unique in the conversation."""

    def __init__(self, used: set[str]) -> None:
        self._used = set(used)

    def __call__(self, proposed: str | None) -> str:
        """Return `proposed` if it is unused, else a similar id; a new one if it is missing or too long."""
        proposed = bounded_id(proposed)
        call_id = proposed or f"call_{uuid4().hex[:24]}"
        number = 2
        while call_id in self._used:
            call_id = f"{proposed}-{number}"
            number += 1
        self._used.add(call_id)
        return call_id
