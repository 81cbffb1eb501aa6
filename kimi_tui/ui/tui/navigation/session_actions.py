"""Opens another session: a stored one, a new one, or the current one restarted."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

from kimi_tui.ui.tui.i18n.catalog import _

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app import KimiTui
    from kimi_tui.ui.tui.screens.session_list_model import SessionEntry


async def choose_session(app: "KimiTui") -> None:
    from kimi_tui.ui.tui.screens.session_list_model import SessionList
    from kimi_tui.ui.tui.screens.sessions import NEW, Sessions

    def rename(title: str) -> None:
        if (working := app.seat.live_engine) is not None:
            working.session.rename(title)

    engine = app.engine
    folder = engine.work_dir if engine else app.host.work_dir if app.host else Path.cwd()
    shelf = SessionList(folder, engine.session_id if engine else "")
    screen = Sessions(shelf, now=time.time, rename_open=rename, busy=engine is not None and engine.busy)
    match await app.push_screen_wait(screen):
        case None:
            return
        case str(word) if word == NEW:
            await new_session(app)
        case kept:
            kept = cast("SessionEntry", kept)
            await _go(app, kept.id, kept.work_dir)


async def new_session(app: "KimiTui") -> None:
    await _go(app, None)


async def _go(app: "KimiTui", session_id: str | None, work_dir: Path | None = None) -> None:
    """Open that session or a new one; if that fails, the next engine is on the current session again."""
    if (host := app.host) is None:
        return
    here, folder = app.engine.session_id if app.engine else None, host.work_dir
    host.select_session(session_id, work_dir)
    if not await app.seat.switch():
        host.select_session(here, folder)


async def restart_session(app: "KimiTui") -> None:
    """Restart the same session with the current configuration."""
    engine, host = app.seat.live_engine, app.host
    if host is None:
        return
    if engine is not None and engine.busy:
        app.tell(_("it counts from the next start on: a turn is running"))
        return
    host.select_session(engine.session_id if engine is not None and not engine.session.is_empty else None)
    await app.seat.switch(leave_first=True)
