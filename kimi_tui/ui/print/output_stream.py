"""The output of the print UI: standard output, until a write fails."""

from typing import TextIO

from kimi_tui.errors import OutputError


class OutputStream:
    """Writes and flushes. The first failure stops the output without an exception; callers check `broken`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._failure: OSError | None = None

    @property
    def broken(self) -> bool:
        return self._failure is not None

    def is_terminal(self) -> bool:
        return self._stream.isatty()

    def can_draw(self) -> bool:
        """Whether the output is a terminal that can show box characters."""
        return self.is_terminal() and (self._stream.encoding or "utf-8").lower().startswith("utf")

    def write(self, text: str, *, flush: bool = False) -> None:
        r"""Write the text; characters outside the encoding are escaped as `\u4e2d`."""
        if self._failure is not None:
            return
        try:
            encoding = self._stream.encoding or "utf-8"
            self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
            if flush:
                self._stream.flush()
        except OSError as error:
            self._failure = error

    def flush(self) -> None:
        self.write("", flush=True)

    def check(self) -> None:
        """Raises BrokenPipeError if the reader has closed the pipe, OutputError for other write errors."""
        match self._failure:
            case None:
                pass
            case BrokenPipeError():
                raise self._failure
            case error:
                raise OutputError(error.strerror or str(error)) from error
