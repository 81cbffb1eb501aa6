"""`kimi-tui acp --setup`: configures a model in the terminal that an editor opens for it."""

import argparse
import os
from pathlib import Path

from kimi_tui.cli.modes.tui import has_terminal
from kimi_tui.cli.standard_streams import end_output
from kimi_tui.cli.terminal_restore import preserve_terminal
from kimi_tui.errors import UsageError


def run_setup_mode(options: argparse.Namespace) -> int:
    """Run the setup; returns the exit status: 0 if a model is configured, 1 if the user cancelled. Raises KimiTuiError
    if it cannot start or its result cannot be saved."""
    if options.config is not None:
        raise UsageError("--setup cannot be combined with --config: the result could not be saved")
    if not has_terminal() or os.environ.get("TERM") == "dumb":
        raise UsageError("--setup needs a terminal")
    from kimi_tui.config.yaml_editor import editable_file
    from kimi_tui.ui.tui.setup_app import run_setup

    file = editable_file(Path(options.config_file).expanduser() if options.config_file else None)
    with preserve_terminal() as terminal_state:
        try:
            return run_setup(
                file,
                ascii=options.ascii,
                motion=not options.reduced_motion,
                plain=options.plain,
                terminal_state=terminal_state,
            )
        finally:
            end_output()
