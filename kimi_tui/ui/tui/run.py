"""Runs the screen for a plan, and sees to it that the terminal is as it was, whatever ends the program."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui.errors import KimiTuiError
from kimi_tui.ui.tui import language, terminal
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.first_look import first_look
from kimi_tui.ui.tui.frame_rate import frame_time
from kimi_tui.ui.tui.host import MakePlan, PlanHost
from kimi_tui.ui.tui.language import _
from kimi_tui.ui.tui.text.grid import draws_whole
from kimi_tui.ui.tui.text.terse import terse_driver

if TYPE_CHECKING:
    from kimi_tui.soul.assemble import Plan

_GONE_CHECK_S = 0.5
_GONE_GRACE_S = 1.0


def run_tui(
    make_plan: "MakePlan",
    *,
    place: str,
    prompt: str | None = None,
    make_demo: Callable[[], "tuple[Plan, str]"] | None = None,
    config_file: Path | None = None,
    config_kept: bool = True,
    door: str = "",
    ascii: bool = False,  # noqa: A002 - the name of the option
    motion: bool = True,
    plain: bool = False,
    page: tuple[int, int] | None = None,
) -> int:
    """Show the screen until the person leaves; the exit status.

    The plan is made on a thread once the first frame is up: what it needs takes longer to load than Textual.
    `door` is the further screen to begin in. `config_kept` false: the configuration came by the command line.
    `page`: draw into a browser's page that has so many columns and rows.
    Raises the KimiTuiError of a plan that cannot be made, when the terminal is as it was.
    """
    refused: list[KimiTuiError] = []

    def refuse(error: KimiTuiError) -> None:
        refused.append(error)
        app.exit(error.exit_code)

    host = PlanHost(make_plan, make_demo, config_file=config_file, config_kept=config_kept, refused=refuse)
    look = first_look(config_file)
    language.use(language.language_of(look.language))
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
    status = drive(app, page=page)
    if refused:
        raise refused[0]
    if host.to_resume is not None and page is None:
        sys.stdout.write(
            _("To go on with this session: {command}", command=f"kimi-tui --session {host.to_resume}") + "\n"
        )
    return status


def drive(app: KimiTui, *, page: tuple[int, int] | None = None) -> int:
    """Run an app in this terminal, or in a browser's page of so many columns and rows; the exit status."""
    for name in ("COLUMNS", "LINES"):  # they are true until the first resize only
        os.environ.pop(name, None)
    if page is not None:
        from kimi_tui.ui.tui.served import ServedDriver

        app.driver_class = terse_driver(ServedDriver)
        return asyncio.run(_run(app, page=page))
    # Plain GNU screen does not fill what it erases with the ground's colour.
    plain_screen = os.environ.get("TERM", "").startswith("screen") and "TMUX" not in os.environ
    app.driver_class = terse_driver(app.driver_class, erase=not plain_screen, whole=draws_whole(os.environ))
    return asyncio.run(_run(app))


async def _run(app: KimiTui, *, page: tuple[int, int] | None = None) -> int:
    """Run the app; a signal to end ends it in the ordinary way, and so does a terminal that is gone."""
    loop = asyncio.get_running_loop()
    ended_by: list[int] = []

    def end(number: int) -> None:
        ended_by.append(number)
        app.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        loop.add_signal_handler(number, end, number)
    over = threading.Event()
    if page is None:
        threading.Thread(target=_watch_terminal, args=(app, loop, over), name="terminal", daemon=True).start()
    try:
        status = await app.run_async(size=page)
    finally:
        over.set()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            loop.remove_signal_handler(number)
    return status if status is not None else (app.return_code or 0)


def _watch_terminal(app: KimiTui, loop: asyncio.AbstractEventLoop, over: threading.Event) -> None:
    """End the app when its terminal is gone.

    In a thread: the loop itself may stand still by then, waiting to write to what takes nothing more. Then
    the process ends as it is; what was said is on disk.
    """
    while not over.wait(_GONE_CHECK_S):
        if terminal.terminal_is_gone():
            loop.call_soon_threadsafe(app.exit, 128 + signal.SIGHUP)
            if not over.wait(_GONE_GRACE_S):
                os._exit(128 + signal.SIGHUP)
            return
