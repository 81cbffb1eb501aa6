"""Collects a tool's output within bounds; the excess is dropped as it arrives."""

from collections import deque

MAX_CHARS = 50_000
MAX_LINE_CHARS = 2_000
MARKER = "[...truncated]"
NOTE = "Output is truncated to fit in the message."


class ResultBuilder:
    """Builds a text from pieces, with at most `max_chars` characters and `max_line_chars` per line.

    With `tail_chars`, that many of the characters are reserved for the end of the output, and the middle is left out.
    Memory use stays near `max_chars`. Pieces may be cut anywhere, also within a line.
    """

    def __init__(
        self, *, max_chars: int = MAX_CHARS, max_line_chars: int | None = MAX_LINE_CHARS, tail_chars: int = 0
    ) -> None:
        self._room = max_chars - tail_chars
        self._tail_room = tail_chars
        self._max_line = max_line_chars
        self._head: list[str] = []
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._truncated = False
        self._in_line = 0
        self._cut_line = False

    @property
    def truncated(self) -> bool:
        """Whether any text was omitted."""
        return self._truncated or self._cut_line

    @property
    def full(self) -> bool:
        """Whether more text would change only the truncation."""
        return self._room <= 0 and not self._tail_room

    def write(self, text: str) -> None:
        if len(text) > self._room + self._tail_room:  # defence: bound-kept-output
            remaining = max(0, self._room)
            self._write(text[:remaining])
            text = self._skip_to_end(text[remaining:])
        self._write(text)

    def _write(self, text: str) -> None:
        if self._max_line is None:
            self._keep(text)
            return
        lines = text.split("\n")
        if self._in_line + max(map(len, lines)) <= self._max_line:
            self._keep(text)
            self._in_line = len(lines[-1]) + (self._in_line if len(lines) == 1 else 0)
            return
        for line in lines[:-1]:
            self._write_line(f"{line}\n")
        self._write_line(lines[-1])

    def _skip_to_end(self, text: str) -> str:
        """Drop the part of a large piece that cannot appear in the result, without processing it."""
        start = max(0, len(text) - self._tail_room)
        self._truncated |= start > 0
        if text.find("\n", 0, start) >= 0 and self._tail_room:
            self._in_line = 0
        return text[start:]

    def _write_line(self, line: str) -> None:
        assert self._max_line is not None
        body, end = (line[:-1], "\n") if line.endswith("\n") else (line, "")
        remaining = self._max_line - self._in_line
        if len(body) > remaining:
            if remaining >= 0:
                self._keep(body[:remaining])
                self._keep_marker()
            self._in_line = self._max_line + 1
            self._cut_line = True
        else:
            self._keep(body)
            self._in_line += len(body)
        if end:
            self._keep(end)
            self._in_line = 0

    def _keep(self, text: str) -> None:
        if self._room > 0:
            self._head.append(text[: self._room])
            text, self._room = text[self._room :], self._room - len(text)
        if not text:
            return
        if not self._tail_room:
            self._truncated = True
            return
        self._tail.append(text)
        self._tail_size += len(text)
        while self._tail and self._tail_size - len(self._tail[0]) >= self._tail_room:
            self._tail_size -= len(self._tail.popleft())
            self._truncated = True

    def _keep_marker(self) -> None:
        """Keep the marker whole: a part of it would read as output."""
        if self._room > 0:
            self._head.append(MARKER)
            self._room -= len(MARKER)
        else:
            self._keep(MARKER)

    def build(self) -> str:
        """Return the text, with a marker at each omission between or after lines."""
        head, tail = "".join(self._head), "".join(self._tail)
        if len(tail) > self._tail_room:
            tail, self._truncated = tail[len(tail) - self._tail_room :], True
        if not self._truncated:
            return head + tail
        if not tail:
            return f"{head}\n{MARKER}" if not head.endswith("\n") else head + MARKER
        start = tail.find("\n") + 1 if "\n" in tail[: MAX_LINE_CHARS + len(MARKER)] else 0
        return f"{head.rstrip(chr(10))}\n{MARKER}\n{tail[start:]}"

    def note(self, message: str = "") -> str:
        """Return `message`, plus a note on truncation if there was any."""
        return f"{message} {NOTE}".strip() if self.truncated else message
