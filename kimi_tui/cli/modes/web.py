"""`kimi-tui web`: runs the TUI in a browser, with one process of this program per page."""

import argparse
import asyncio
import os
import sys
from pathlib import Path

from kimi_tui.browser import open_in_browser
from kimi_tui.cli.engine_options import build_plan
from kimi_tui.cli.error_output import print_error
from kimi_tui.cli.log_file import start_logging
from kimi_tui.cli.option_args import to_argv
from kimi_tui.cli.options import parser
from kimi_tui.cli.output import print_out
from kimi_tui.cli.work_dir import resolve_work_dir
from kimi_tui.paths import shown
from kimi_tui.ui.web.page_session import Command
from kimi_tui.ui.web.server import WebServer


def run_web_mode(options: argparse.Namespace) -> int:
    """Serve until a termination signal; returns the exit status. Raises KimiTuiError for invalid options."""
    # defence: log-of-web-server
    start_logging(options.debug)  # otherwise stderr would show malformed requests
    first_session = None
    if not options.demo and options.replay is None:
        first_session = build_plan(options, interactive=True, asks=True).session_id
    location = "demo" if options.demo else shown(resolve_work_dir(options))
    commands = _Commands(options, first_session)
    server = WebServer(commands.for_tab, title=f"kimi-tui · {location}", log_line=print_error)

    def started(port: int) -> None:
        address = f"http://127.0.0.1:{port}/?token="
        print_out(f"kimi-tui is at {address}{server.doorkeeper.token}")
        print_out("Anyone with this address can do what you can do here. Ctrl+C stops it.")
        sys.stdout.flush()
        if not options.no_open and _has_browser():
            folders = (Path.cwd(), resolve_work_dir(options))
            opening = address + server.doorkeeper.opening_link()
            open_in_browser(opening, folders)

    return asyncio.run(server.serve(options.port, started))


class _Commands:
    """The command lines of the apps. The first app gets the user's options; a prompt is passed only once."""

    def __init__(self, options: argparse.Namespace, first_session: str | None) -> None:
        self._options, self._first_session = options, first_session
        self._keeps_sessions = not options.demo and options.replay is None
        self._parser = parser()
        self._prompted = False

    def for_tab(self, name: str) -> Command:
        """Return the command for the app of a new tab; reloading the tab resumes the same session."""
        session, self._first_session = self._first_session or name, None

        def command(columns: int, rows: int) -> list[str]:
            page_options = vars(self._options) | {"continue_": False}
            if self._keeps_sessions and (self._prompted or self._options.session != ""):
                page_options["session"] = session
            if self._keeps_sessions and self._prompted:
                page_options |= {"prompt": None, "flow": None}
            self._prompted = True
            arguments = to_argv(argparse.Namespace(**page_options), self._parser)
            # defence: no-folder-on-path
            python = [sys.executable, "-P", "-m", "kimi_tui"]  # -P: import no modules from the current folder
            return [*python, *arguments, f"--page={columns}x{rows}"]

        return command


def _has_browser() -> bool:
    """Whether a graphical browser is available: a text browser would occupy this terminal."""
    if sys.platform == "darwin" or os.environ.get("BROWSER"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
