"""The output of the print UI: standard output, until a write fails."""

import os
from contextlib import suppress
from typing import TextIO

from kimi_tui.errors import OutputError


class _Interrupted(OSError):
    """A signal came while the reader did not read."""


class OutputStream:
    """Writes and flushes. The first failure stops the output without an exception; callers check `broken`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._failure: OSError | None = None
        self._is_writing = False
        self.interrupted_by = 0
        """The number of the signal that ended a write, or 0."""

    @property
    def broken(self) -> bool:
        return self._failure is not None

    def is_terminal(self) -> bool:
        return self._stream.isatty()

    def can_draw(self) -> bool:
        """Whether the output is a terminal that can show box-drawing characters."""
        return self.is_terminal() and (self._stream.encoding or "utf-8").lower().startswith("utf")

    def write(self, text: str, *, flush: bool = False) -> None:
        r"""Write the text; characters outside the encoding are escaped as `\u4e2d`."""
        if self._failure is not None:
            return
        try:
            encoding = self._stream.encoding or "utf-8"
            encodable = text.encode(encoding, "backslashreplace").decode(encoding)
            self._is_writing = True
            self._stream.write(encodable)
            if flush:
                self._stream.flush()
            self._is_writing = False
        except OSError as error:
            self._is_writing = False
            self._failure = error
            if isinstance(error, _Interrupted):
                _discard_rest(self._stream)

    def interrupt(self, number: int) -> None:
        """End a write that waits for its reader, and discard the rest of the output. For signal handlers."""
        if self._is_writing and self._failure is None:
            self.interrupted_by = number
            raise _Interrupted

    def flush(self) -> None:
        self.write("", flush=True)

    def check(self) -> None:
        """Raises BrokenPipeError if the reader has closed the pipe, OutputError for other write errors."""
        match self._failure:
            case None | _Interrupted():
                pass
            case BrokenPipeError():
                raise self._failure
            case error:
                raise OutputError(error.strerror or str(error)) from error


def _discard_rest(stream: TextIO) -> None:
    """Write what the stream still holds to the null device: at the exit it would wait for the reader again."""
    with suppress(OSError, ValueError):  # it has no descriptor
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
