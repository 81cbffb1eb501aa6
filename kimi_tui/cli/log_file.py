"""The log file of the program. If it cannot be written, nothing is logged; the terminal never gets log lines."""

import contextlib
import logging
import os
import sys
import threading
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from kimi_tui import paths
from kimi_tui.regular_file import open_fd


def log_file() -> Path:
    return paths.home() / "logs" / "kimi-tui.log"


def start_logging(debug: bool) -> None:
    """Log to our rotating file. Warnings of libraries go there too; the rest of theirs has addresses and headers.

    Makes our home private first, since every UI calls this.
    """
    paths.make_home_private()
    logging.captureWarnings(True)
    root = logging.getLogger()
    root.setLevel(logging.DEBUG if debug else logging.INFO)
    handler: logging.Handler = logging.NullHandler()
    with contextlib.suppress(OSError):
        file = log_file()
        paths.private_folder(file.parent)
        handler = _LogFileHandler(
            file, maxBytes=1 << 20, backupCount=3, encoding="utf-8", errors="backslashreplace", delay=True
        )
    handler.setFormatter(_Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    handler.addFilter(_is_ours_or_a_warning)  # defence: only-warnings-of-libraries
    root.handlers[:] = [handler]
    threading.excepthook = _thread_failed
    sys.unraisablehook = _could_not_raise


def _is_ours_or_a_warning(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING or record.name.partition(".")[0] == "kimi_tui"


class _Formatter(logging.Formatter):
    """Removes secrets, as from the address in an error of a library."""

    def format(self, record: logging.LogRecord) -> str:
        from kimi_tui.session.redact import Redactor

        return Redactor().text(super().format(record))  # defence: secrets-in-log


class _LogFileHandler(RotatingFileHandler):
    """Drops a record that cannot be written; the next one opens the file again."""

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        descriptor = open_fd(Path(self.baseFilename), flags)  # defence: regular-log-file
        return open(descriptor, "a", encoding=self.encoding, errors=self.errors)  # noqa: PTH123 - a descriptor

    # defence: log-that-cannot-be-written
    def handleError(self, record: logging.LogRecord) -> None:
        stream: TextIOWrapper | None = self.stream
        self.stream = None
        with contextlib.suppress(OSError, ValueError):
            if stream is not None:
                stream.close()


def _thread_failed(failed: threading.ExceptHookArgs) -> None:
    name = failed.thread.name if failed.thread is not None else ""
    logging.getLogger(__name__).error("a thread failed: %s", name, exc_info=failed.exc_value)


def _could_not_raise(failed: "sys.UnraisableHookArgs") -> None:
    logging.getLogger(__name__).error("%s: %r", failed.err_msg or "ignored", failed.object, exc_info=failed.exc_value)
