"""`kimi-tui acp`: its arguments; `modes.acp` runs it."""

import argparse


def add_options(command: argparse.ArgumentParser) -> None:
    """Add nothing: `acp` takes no options."""


def run(options: argparse.Namespace) -> int:
    """Serve until stdin closes; returns the exit status. Raises UsageError if stdin or stdout is unusable."""
    from kimi_tui.cli.modes.acp import run_acp_mode

    return run_acp_mode(options)
