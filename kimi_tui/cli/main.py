"""The entry point: parses the command line and dispatches. Heavy imports are deferred."""

import argparse
import atexit
import gc
import os
import signal

from kimi_tui.cli.error_output import print_error
from kimi_tui.cli.no_dump import forbid_dumps
from kimi_tui.cli.options import parse
from kimi_tui.cli.standard_streams import end_output, fill_closed_streams, flush_output
from kimi_tui.errors import EXIT_FAILURE, KimiTuiError

_GEN0_THRESHOLD = 50_000
"""Allocations between garbage collections. Python's default of 700 would scan the permanent objects of a start some
hundred times.
"""


def main(argv: list[str] | None = None) -> int:
    """Run the program; returns its exit status."""
    gc.set_threshold(_GEN0_THRESHOLD)
    forbid_dumps()
    try:
        fill_closed_streams()
        return _flushed(argv)
    except KimiTuiError as error:
        print_error(str(error))
        return error.exit_code
    except ImportError as error:  # a library is outdated or partially installed
        print_error(
            f"a library cannot be loaded ({error}); to install all of them again: pip install --upgrade kimi-tui"
        )
        return EXIT_FAILURE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:
        return 128 + signal.SIGPIPE
    except OSError as error:
        print_error(f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error))
        return EXIT_FAILURE
    except MemoryError:
        print_error("there is not enough memory")
        return EXIT_FAILURE
    except RuntimeError as error:
        if "new thread" not in str(error):
            raise
        print_error("there is not enough memory for another thread")
        return EXIT_FAILURE
    finally:
        if argv is None:
            _expect_interrupts()
        end_output()


def _expect_interrupts() -> None:
    """Exit with the status of an interrupt, not by the signal, if Ctrl+C comes during interpreter shutdown."""

    def end(_number: int, _frame: object) -> None:
        os._exit(128 + signal.SIGINT)

    signal.signal(signal.SIGINT, end)
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # the last moments, when no handler runs any more


def _flushed(argv: list[str] | None) -> int:
    """Run, and flush the output. Raises OutputError if it cannot be written."""
    try:
        status = _run(parse(argv))
    except SystemExit:  # after --help and --version
        flush_output()
        raise
    flush_output()
    return status


def _run(options: argparse.Namespace) -> int:
    match options.subcommand:
        case "flow":
            from kimi_tui.cli.commands import flow

            return _run(options) if flow.becomes_flow_option(options) else flow.run(options)
        case "permission":
            from kimi_tui.cli.commands import permission

            return permission.run(options)
        case "skill":
            from kimi_tui.cli.commands import skill

            return skill.run(options)
        case "session":
            from kimi_tui.cli.commands import session

            return session.run(options)
        case "mcp":
            from kimi_tui.cli.commands import mcp

            return mcp.run(options)
        case "trust":
            from kimi_tui.cli.commands import trust

            return trust.run(options)
        case "info":
            from kimi_tui.cli.commands import info

            return info.run(options)
        case "doctor":
            from kimi_tui.cli.commands import doctor

            return doctor.run(options)
        case "migrate":
            from kimi_tui.cli.commands import migrate

            return migrate.run(options)
        case "completion":
            from kimi_tui.cli.commands import completion

            return completion.run(options)
        case "acp":
            from kimi_tui.cli.commands import acp

            return acp.run(options)
        case "web":
            from kimi_tui.cli.commands import web

            return web.run(options)
        case _:
            return _run_mode(options)


def _run_mode(options: argparse.Namespace) -> int:
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
        from kimi_tui.cli.modes.print import run_print_mode

        return run_print_mode(options)
    from kimi_tui.cli.modes.tui import run_tui_mode

    return run_tui_mode(options)
