"""The folders that the command line names."""

import argparse
import os
from pathlib import Path

from kimi_tui.errors import UsageError
from kimi_tui.paths import is_folder


def resolve_work_dir(options: argparse.Namespace) -> Path:
    if options.work_dir is not None:
        return resolve_folder(options.work_dir, "--work-dir")
    try:
        return Path.cwd()
    except OSError:  # defence: work-dir-is-gone
        raise UsageError("the current folder no longer exists; change to another one, or use --work-dir") from None


def resolve_folder(text: str, option: str) -> Path:
    try:
        folder = Path(text).expanduser().resolve()
        exists = is_folder(folder)
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{option} {text}: {error}") from error
    if not exists:
        raise UsageError(f"{option} {text}: no such folder")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise UsageError(f"{option} {text}: this folder cannot be read")
    return folder
