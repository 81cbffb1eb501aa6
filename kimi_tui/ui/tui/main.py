"""Runs the screen for a plan, until the person leaves or something ends it."""

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
from kimi_tui.ui.tui.session.engine_factory import MakePlan, PlanHost
from kimi_tui.ui.tui.startup.early_config import first_look
from kimi_tui.ui.tui.terminal.column_guard import draws_whole
from kimi_tui.ui.tui.terminal.driver import TerminalDriver
from kimi_tui.ui.tui.terminal.frame_rate import frame_time
from kimi_tui.ui.tui.terminal.output_optimizer import terse_driver
from kimi_tui.ui.tui.terminal.shutdown import Ending, Kept

if TYPE_CHECKING:
    from kimi_tui.soul.assemble import Plan


def run_tui(
    make_plan: "MakePlan",
    *,
    place: str,
    prompt: str | None = None,
    make_demo: Callable[[], "tuple[Plan, str]"] | None = None,
    demo_over: Callable[[Path], bool] = lambda _folder: False,
    config_file: Path | None = None,
    config_kept: bool = True,
    door: str = "",
    ascii: bool = False,  # noqa: A002 - the name of the option
    motion: bool = True,
    plain: bool = False,
    page: tuple[int, int] | None = None,
    kept: Kept | None = None,
) -> int:
    """Show the screen until the person leaves; the exit status.

    The plan is made on a thread once the first frame is up: what it needs takes longer to load than Textual.
    `demo_over` puts the folder of a demo away, and is false where that stays.
    `door` is the further screen to begin in. `config_kept` false: the configuration came by the command line.
    `page`: draw into a browser's page that has so many columns and rows.
    `kept`: the terminal as it was before.
    Raises the KimiTuiError of a plan that cannot be made, or a FaultError, when the terminal is as it was.
    """
    refused: list[KimiTuiError] = []

    def refuse(error: KimiTuiError) -> None:
        refused.append(error)
        app.exit(error.exit_code)

    host = PlanHost(make_plan, make_demo, config_file=config_file, config_kept=config_kept, refused=refuse)
    look = first_look(config_file)
    catalog.use(catalog.language_of(look.language))
    app = KimiTui(
        host.make,
        host=host,
        theme=look.theme,
        manners=look.manners.also(ascii=ascii, motion=motion, plain=plain),
        door=door,
        prompt=prompt,
        place=place,
        frame=frame_time(),
    )
    try:
        status = drive(app, page=page, kept=kept)
    finally:
        if host.to_resume is not None and page is None:
            command = f"kimi-tui --session {host.to_resume}"
            with suppress(OSError):
                sys.stdout.write(_("To go on with this session: {command}", command=command) + "\n")
    for folder in sorted(host.demos):
        gone = demo_over(folder)
        with suppress(OSError):
            sys.stdout.write((_demo_gone() if gone else _demo_stays(folder)) + "\n" if page is None else "")
    if refused:
        raise refused[0]
    return status


def _demo_gone() -> str:
    return _("That was the demo; its folder and its session are gone. Again: {command}", command="kimi-tui --demo")


def _demo_stays(folder: Path) -> str:
    return _("That was the demo; what you made in it stays in {folder}", folder=folder)


def drive(app: KimiTui, *, page: tuple[int, int] | None = None, kept: Kept | None = None) -> int:
    """Run an app in this terminal, or in a browser's page of so many columns and rows; the exit status.

    Raises FaultError for what nothing else has caught.
    """
    for name in ("COLUMNS", "LINES"):  # they are true until the first resize only
        os.environ.pop(name, None)
    if page is not None:
        from kimi_tui.ui.tui.terminal.web_driver import ServedDriver

        app.driver_class = terse_driver(ServedDriver)
    else:
        # Plain GNU screen does not fill what it erases with the ground's colour.
        plain_screen = os.environ.get("TERM", "").startswith("screen") and "TMUX" not in os.environ
        TerminalDriver.kept = kept
        app.driver_class = terse_driver(
            TerminalDriver, erase=not plain_screen, whole=draws_whole(os.environ), caret=app.manners.plain
        )
    ending = Ending(kept, page=page is not None)
    try:
        with ending.heard():
            return asyncio.run(_run(app, ending, page=page))
    except FaultError:
        raise
    except Exception as error:
        from kimi_tui.ui.tui.terminal.crash_report import fault_of

        raise (app.fault or fault_of(error)) from error


async def _run(app: KimiTui, ending: Ending, *, page: tuple[int, int] | None) -> int:
    ending.runs(app.exit)
    status = await app.run_async(size=page)
    if app.fault is not None:
        raise app.fault
    return status if status is not None else (app.return_code or 0)
