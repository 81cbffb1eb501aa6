"""`kimi-tui web`: its arguments; `modes.web` runs it."""

import argparse

from kimi_tui.errors import UsageError

_INSTALL = "python -m pip install 'kimi-tui[web]'"


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `web` alone; it also accepts those of a session."""
    command.description = "The screen in a browser, on this machine only; Ctrl+C stops it."
    command.add_argument("--port", metavar="N", type=_port, default=0, help="port to listen on (default: a free one)")
    command.add_argument("--no-open", action="store_true", help="print the address without opening it")


def run(options: argparse.Namespace) -> int:
    """Serve until a termination signal; returns the exit status. Raises KimiTuiError."""
    try:
        import textual_serve  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ModuleNotFoundError as error:
        raise UsageError(f"the browser needs an extra: {_INSTALL}") from error
    from kimi_tui.cli.modes.web import run_web_mode

    return run_web_mode(options)


def _port(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if not 0 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is not a port")
    return value
