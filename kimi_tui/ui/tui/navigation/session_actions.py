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
        if (live := app.session_controller.live_engine) is not None:
            live.session.rename(title)

    engine = app.engine
    folder = engine.work_dir if engine else app.engine_factory.work_dir if app.engine_factory else Path.cwd()
    session_list = SessionList(folder, engine.session_id if engine else "")
    screen = Sessions(session_list, now=time.time, rename_open=rename, busy=engine is not None and engine.busy)
    match await app.push_screen_wait(screen):
        case None:
            return
        case str(choice) if choice == NEW:
            await new_session(app)
        case entry:
            entry = cast("SessionEntry", entry)
            await _go(app, entry.id, entry.work_dir)


async def new_session(app: "KimiTui") -> None:
    await _go(app, None)


async def _go(app: "KimiTui", session_id: str | None, work_dir: Path | None = None) -> None:
    """Open that session or a new one; if that fails, the next engine is on the current session again."""
    if (factory := app.engine_factory) is None:
        return
    current_id, folder = app.engine.session_id if app.engine else None, factory.work_dir
    factory.select_session(session_id, work_dir)
    if not await app.session_controller.switch():
        factory.select_session(current_id, folder)


async def restart_session(app: "KimiTui") -> None:
    """Restart the same session with the current configuration."""
    engine, factory = app.session_controller.live_engine, app.engine_factory
    if factory is None:
        return
    if engine is not None and engine.busy:
        app.show_toast(_("takes effect after a restart: a turn is running"))
        return
    factory.select_session(engine.session_id if engine is not None and not engine.session.is_empty else None)
    await app.session_controller.switch(leave_first=True)
