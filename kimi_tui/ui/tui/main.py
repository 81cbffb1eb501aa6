"""Runs the TUI for an engine configuration until the user quits or something ends it."""

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui.errors import FaultError, KimiTuiError
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.i18n import catalog
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.session.engine_factory import ConfigEngineFactory, MakeConfig
from kimi_tui.ui.tui.startup.early_config import read_early_config
from kimi_tui.ui.tui.terminal.app_base import TerminalApp
from kimi_tui.ui.tui.terminal.column_guard import renders_graphemes
from kimi_tui.ui.tui.terminal.driver import TerminalDriver
from kimi_tui.ui.tui.terminal.frame_rate import frame_time
from kimi_tui.ui.tui.terminal.output_optimizer import optimizing_driver
from kimi_tui.ui.tui.terminal.shutdown import SavedTerminal, ShutdownHandler

if TYPE_CHECKING:
    from kimi_tui.soul.assemble import EngineConfig


def run_tui(
    make_config: "MakeConfig",
    *,
    work_dir_label: str,
    work_dir: Path | None,
    prompt: str | None = None,
    make_demo: Callable[[], "tuple[EngineConfig, str]"] | None = None,
    on_demo_end: Callable[[Path], bool] = lambda _folder: False,
    config_file: Path | None = None,
    config_is_saved: bool = True,
    initial_screen: str = "",
    ascii: bool = False,  # noqa: A002 - the name of the option
    motion: bool = True,
    plain: bool = False,
    browser_size: tuple[int, int] | None = None,
    terminal_state: SavedTerminal | None = None,
) -> int:
    """Show the TUI until the user quits; return the exit status.

    The configuration is built on a thread after the first frame, because its imports take longer than Textual's.
    `on_demo_end` removes the folder of a demo and is false if the folder stays. `initial_screen` is the screen to open
    first. `work_dir` is the folder of the first session, None for a demo. `config_is_saved` false: the configuration
    came from the command line. `browser_size`: draw into a browser page of that many columns and rows.
    `terminal_state`: the terminal's state before the start.
    Raises the KimiTuiError of a configuration that cannot be built, or a FaultError, after the terminal is restored.
    """
    refused: list[KimiTuiError] = []

    def refuse(error: KimiTuiError) -> None:
        refused.append(error)
        app.exit(error.exit_code)

    engine_factory = ConfigEngineFactory(
        make_config, make_demo, config_file=config_file, config_is_saved=config_is_saved, on_refused=refuse
    )
    early_config = read_early_config(config_file)
    catalog.set_language(catalog.resolve_language(early_config.language))
    app = KimiTui(
        engine_factory.make,
        engine_factory=engine_factory,
        theme=early_config.theme,
        display_options=early_config.display_options.merged_with(ascii=ascii, motion=motion, plain=plain),
        initial_screen=initial_screen,
        prompt=prompt,
        work_dir_label=work_dir_label,
        work_dir=work_dir,
        frame=frame_time(),
    )
    try:
        status = drive(app, browser_size=browser_size, terminal_state=terminal_state)
    finally:
        if engine_factory.resumable_session_id is not None and browser_size is None:
            command = f"kimi-tui --session {engine_factory.resumable_session_id}"
            with suppress(OSError):
                sys.stdout.write(_("Resume this session: {command}", command=command) + "\n")
    for folder in sorted(engine_factory.demos):
        deleted = on_demo_end(folder)
        with suppress(OSError):
            sys.stdout.write(
                (_on_demo_deleted() if deleted else _on_demo_kept(folder)) + "\n" if browser_size is None else ""
            )
    if refused:
        raise refused[0]
    return status


def _on_demo_deleted() -> str:
    return _("Demo ended; its folder and session were deleted. Run it again: {command}", command="kimi-tui --demo")


def _on_demo_kept(folder: Path) -> str:
    return _("Demo ended; your files are in {folder}", folder=folder)


def drive(
    app: TerminalApp, *, browser_size: tuple[int, int] | None = None, terminal_state: SavedTerminal | None = None
) -> int:
    """Run an app in this terminal, or in a browser page of the given columns and rows; return the exit status.

    Raises FaultError for uncaught exceptions.
    """
    if browser_size is not None:
        from kimi_tui.ui.tui.terminal.web_driver import BrowserDriver

        app.driver_class = optimizing_driver(BrowserDriver)
    else:
        # Plain GNU screen does not fill erased cells with the background colour.
        plain_screen = os.environ.get("TERM", "").startswith("screen") and "TMUX" not in os.environ
        TerminalDriver.saved_terminal = terminal_state
        app.driver_class = optimizing_driver(
            TerminalDriver, erase=not plain_screen, whole=renders_graphemes(os.environ), caret=app.display_options.plain
        )
    shutdown_handler = ShutdownHandler(terminal_state, page=browser_size is not None)
    try:
        with shutdown_handler.received_signal():
            return asyncio.run(_run(app, shutdown_handler, browser_size=browser_size))
    except FaultError:
        raise
    except Exception as error:
        from kimi_tui.ui.tui.terminal.crash_report import report_crash

        raise (app.fault or report_crash(error)) from error


async def _run(app: TerminalApp, shutdown_handler: ShutdownHandler, *, browser_size: tuple[int, int] | None) -> int:
    shutdown_handler.bind(app.exit)
    status = await app.run_async(size=browser_size)
    if app.fault is not None:
        raise app.fault
    return status if status is not None else (app.return_code or 0)
