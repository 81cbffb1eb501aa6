"""Writes a report of an uncaught exception to a file, and tells the user its path."""

import logging
import os
import platform
import sys
import time
import traceback
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from textual.worker import WorkerFailed

from kimi_tui import __version__, paths
from kimi_tui.errors import FaultError
from kimi_tui.paths import private_folder
from kimi_tui.ui.tui.i18n.catalog import _

_MAX_REPORTS = 10
_log = logging.getLogger(__name__)


def report_crash(error: BaseException) -> FaultError:
    """Write the report, if possible, and return the message for the user."""
    if isinstance(error, WorkerFailed):
        error = error.error
    if logging.getLogger().handlers:  # without a log it would go to the screen
        _log.critical("the screen ended by a fault of its own", exc_info=error)
    what = f"{type(error).__name__}: {error}".strip(": \n").splitlines()[0][:200]
    try:
        file = _write_report(error)
    except OSError:
        return FaultError(_("crashed ({what})", what=what))
    return FaultError(_("crashed ({what}); details in {file}", what=what, file=paths.shown(file)))


def _write_report(error: BaseException) -> Path:
    """Write the report. Raises OSError if it cannot be written."""
    folder = paths.home() / "logs"
    private_folder(folder)
    for old in sorted(folder.glob("crash-*.txt"))[: -_MAX_REPORTS + 1]:
        with suppress(OSError):
            old.unlink()
    file = folder / time.strftime(f"crash-%Y%m%d-%H%M%S-{os.getpid()}.txt")
    about = (
        f"kimi-tui {__version__}, textual {version('textual')}, Python {sys.version.split()[0]}, "
        f"{platform.platform()}, TERM={os.environ.get('TERM', '')}"
    )
    file.touch(mode=0o600)
    file.write_text(about + "\n\n" + "".join(traceback.format_exception(error)), "utf-8", "backslashreplace")
    return file
