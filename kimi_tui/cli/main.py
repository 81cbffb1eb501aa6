"""The entry: reads the command line and hands over. What is heavy is imported where it is needed."""

import argparse
import gc
import os
import sys

from kimi_tui.cli.complaint import complain
from kimi_tui.cli.no_dump import forbid_dumps
from kimi_tui.cli.options import parse
from kimi_tui.errors import EXIT_FAILURE, KimiTuiError

_YOUNG = 50_000
"""Objects after which the interpreter looks for rubbish. Its own 700 has it look through all that a start loads, and
that stays, some hundred times."""


def main(argv: list[str] | None = None) -> int:
    """Run the program; returns its exit status."""
    gc.set_threshold(_YOUNG)
    forbid_dumps()
    try:
        options = parse(argv)
        return _run(options)
    except KimiTuiError as error:
        complain(str(error))
        return error.exit_code
    except ImportError as error:  # a library that is older than we ask for, or half installed
        complain(f"a library cannot be loaded ({error}); to install all of them again: pip install --upgrade kimi-tui")
        return EXIT_FAILURE
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _silence_stdout()
        return 141


def _run(options: argparse.Namespace) -> int:
    match options.subcommand:
        case "flow":
            from kimi_tui.cli import flow

            return _run(options) if flow.becomes_flow_option(options) else flow.run(options)
        case "permission":
            from kimi_tui.cli import permission

            return permission.run(options)
        case "skill":
            from kimi_tui.cli import skill

            return skill.run(options)
        case "session":
            from kimi_tui.cli import session

            return session.run(options)
        case "mcp":
            from kimi_tui.cli import mcp

            return mcp.run(options)
        case "trust":
            from kimi_tui.cli import trust

            return trust.run(options)
        case "info":
            from kimi_tui.cli import info

            return info.run(options)
        case "doctor":
            from kimi_tui.cli import doctor

            return doctor.run(options)
        case "completion":
            from kimi_tui.cli import completion

            return completion.run(options)
        case "acp":
            from kimi_tui.cli import acp

            return acp.run(options)
        case "web":
            from kimi_tui.cli import web

            return web.run(options)
        case _:
            return _run_face(options)


def _run_face(options: argparse.Namespace) -> int:
    if options.replay is not None:
        from kimi_tui.cli.replay import run_replay_option

        return run_replay_option(options)
    if options.wire:
        from kimi_tui.cli.wire_mode import run_wire_mode

        return run_wire_mode(options)
    if options.acp:
        from kimi_tui.cli import acp

        return acp.run(options)
    if options.print_:
        from kimi_tui.cli.print_mode import run_print_mode

        return run_print_mode(options)
    from kimi_tui.cli.screen import run_screen

    return run_screen(options)


def _silence_stdout() -> None:
    """Nobody reads stdout any more: keep the interpreter from complaining when it flushes it at exit."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
