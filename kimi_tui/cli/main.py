"""The entry point: parses the command line and dispatches. Heavy imports are deferred."""

import gc
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from kimi_tui import __version__
from kimi_tui.cli.completions import SHELLS, script
from kimi_tui.cli.exit_status import exit_status
from kimi_tui.cli.process_hardening import forbid_dumps

if TYPE_CHECKING:
    import argparse

_GEN0_THRESHOLD = 50_000
"""Allocations between garbage collections. Python's default of 700 would scan the permanent objects of a start some
hundred times.
"""


def main(argv: list[str] | None = None) -> int:
    """Run the program; returns its exit status."""
    gc.set_threshold(_GEN0_THRESHOLD)
    arguments = sys.argv[1:] if argv is None else argv
    return exit_status(lambda: _parse_and_run(arguments), ends_process=argv is None)


def _parse_and_run(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-V"]):  # argparse would double the time
        sys.stdout.write(f"kimi-tui {__version__}\n")
        return 0
    if arguments[:1] == ["completion"] and arguments[1:] in ([shell] for shell in SHELLS):
        sys.stdout.write(script(arguments[1]))
        return 0
    from kimi_tui.cli.options import parse

    if arguments not in (["--help"], ["-h"]):
        from kimi_tui.paths import require_home

        forbid_dumps()  # defence: no-dumps
        require_home()  # defence: user-without-a-home
    return _run(parse(arguments))


def _run(options: "argparse.Namespace") -> int:
    if options.subcommand is None:
        return _run_mode(options)
    command = import_module(f"kimi_tui.cli.commands.{options.subcommand}")
    if options.subcommand == "flow" and command.becomes_flow_option(options):
        return _run_mode(options)
    return command.run(options)


def _run_mode(options: "argparse.Namespace") -> int:
    if options.replay is not None:
        from kimi_tui.cli.modes.replay import run_replay_option

        return run_replay_option(options)
    if options.wire:
        from kimi_tui.cli.modes.wire import run_wire_mode

        return run_wire_mode(options)
    if options.acp:
        from kimi_tui.cli.commands import acp

        return acp.run(options)
    if options.print_:
        gc.disable()  # until the engine is ready
        try:
            from kimi_tui.cli.modes.print import run_print_mode

            return run_print_mode(options)
        finally:
            gc.enable()
    from kimi_tui.cli.modes.tui import run_tui_mode

    return run_tui_mode(options)
