"""`kimi-tui acp`: its arguments; `modes.acp` runs it."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kimi_tui.cli.option_args import Subparsers


def add_parser(subparsers: "Subparsers") -> None:
    """Add `acp` to the program's commands."""
    subparsers.add_parser("acp", help="serve an editor on stdin and stdout (Agent Client Protocol)")


def run(options: argparse.Namespace) -> int:
    """Serve until stdin closes; returns the exit status. Raises UsageError if stdin or stdout is unusable."""
    from kimi_tui.cli.modes.acp import run_acp_mode

    return run_acp_mode(options)
