"""The exit status of the program: every error becomes one line on stderr and a documented status."""

import atexit
import gc
import os
import signal
from collections.abc import Callable

from kimi_tui.cli.error_output import print_error
from kimi_tui.cli.standard_streams import end_output, fill_closed_streams, flush_output
from kimi_tui.errors import EXIT_FAILURE, KimiTuiError


def exit_status(run: Callable[[], int], *, ends_process: bool) -> int:
    """Return the status of `run`, or that of the error it raises. With `ends_process`, the interpreter exits next."""
    try:
        fill_closed_streams()  # defence: fill-closed-streams
        return _flushed(run)
    except KimiTuiError as error:
        print_error(str(error))
        return error.exit_code
    # defence: library-that-fails
    except ImportError as error:  # a library is outdated or partially installed
        print_error(f"a library cannot be loaded ({error}); reinstall with: pip install --upgrade kimi-tui")
        return EXIT_FAILURE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:  # defence: reader-is-gone
        return 128 + signal.SIGPIPE
    except OSError as error:
        print_error(f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error))
        return EXIT_FAILURE
    except MemoryError:  # defence: little-memory
        print_error("not enough memory")
        return EXIT_FAILURE
    except RuntimeError as error:
        if "new thread" not in str(error):  # defence: no-new-thread
            raise
        print_error("not enough memory for another thread")
        return EXIT_FAILURE
    finally:
        if ends_process:
            _expect_interrupts()  # defence: expect-interrupts
        end_output()
        if ends_process:
            gc.freeze()  # or the interpreter looks through all the modules for garbage, which takes 0.2 s


def _expect_interrupts() -> None:
    """Exit with the status of an interrupt, not by the signal, if Ctrl+C comes during interpreter shutdown."""

    def end(_number: int, _frame: object) -> None:
        os._exit(128 + signal.SIGINT)

    signal.signal(signal.SIGINT, end)
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # the last moments, when no handler runs any more


def _is_interrupted(error: BaseException) -> bool:
    """Whether an interrupt led to the error, as in `__set_name__`, whose errors Python 3.11 replaces."""
    todo, seen = [error], set[int]()
    while todo:
        if isinstance(each := todo.pop(), KeyboardInterrupt):
            return True
        seen.add(id(each))
        todo += [cause for cause in (each.__cause__, each.__context__) if cause is not None and id(cause) not in seen]
    return False


def _flushed(run: Callable[[], int]) -> int:
    """Run, and flush the output. Raises OutputError if it cannot be written, KeyboardInterrupt after an interrupt."""
    try:
        status = run()
    except Exception as error:
        if _is_interrupted(error):  # defence: interrupt-in-an-import
            raise KeyboardInterrupt from error
        raise
    except SystemExit:  # after --help and --version
        flush_output()
        raise
    flush_output()
    return status
