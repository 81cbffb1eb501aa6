"""`kimi-tui acp`: its arguments; `modes.acp` serves an editor, `modes.setup` configures a model."""

import argparse


def add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--setup", action="store_true", help="configure a model in this terminal, then exit")


def run(options: argparse.Namespace) -> int:
    """Serve until stdin closes; returns the exit status. Raises UsageError if stdin or stdout is unusable."""
    if options.setup:
        from kimi_tui.cli.modes.setup import run_setup_mode

        return run_setup_mode(options)
    from kimi_tui.cli.modes.acp import run_acp_mode

    return run_acp_mode(options)
