"""`kimi-tui --replay SESSION_OR_FILE`: replays a recorded session in the TUI."""

import argparse
import os
from contextlib import nullcontext

from kimi_tui.cli.modes.tui import has_terminal
from kimi_tui.cli.standard_streams import end_output
from kimi_tui.cli.terminal_restore import preserve_terminal
from kimi_tui.cli.work_dir import resolve_work_dir
from kimi_tui.errors import UsageError


def run_replay_option(options: argparse.Namespace) -> int:
    """Run the replay; returns the exit status. Raises UsageError for errors before the TUI starts."""
    page = options.page
    if page is None and (not has_terminal() or os.environ.get("TERM") == "dumb"):
        raise UsageError("--replay needs a terminal")
    from kimi_tui.ui.tui.replay.recorded_engine import find_recording
    from kimi_tui.ui.tui.replay_app import run_replay

    file = find_recording(options.replay, resolve_work_dir(options))
    with preserve_terminal() if page is None else nullcontext() as terminal_state:
        try:
            return run_replay(file, speed=options.speed or 1.0, browser_size=page, terminal_state=terminal_state)
        finally:
            end_output()
