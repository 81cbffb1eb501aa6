"""Opens another session: a stored one, a new one, or the current one restarted."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui.ui.tui.i18n.catalog import _

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app_protocols import ScreenHost


async def choose_session(host: "ScreenHost") -> None:
    from kimi_tui.ui.tui.screens.session_list_model import SessionList
    from kimi_tui.ui.tui.screens.sessions import Sessions

    def rename(title: str) -> None:
        if (live := host.live_engine) is not None:
            live.session.rename(title)

    engine = host.engine
    folder = engine.work_dir if engine else host.engine_factory.work_dir if host.engine_factory else Path.cwd()
    session_list = SessionList(folder, engine.session_id if engine else "")
    screen = Sessions(session_list, now=time.time, rename_open=rename, busy=engine is not None and engine.busy)
    match await host.push_screen_wait(screen):
        case None:
            return
        case str():
            await new_session(host)
        case entry:
            await _go(host, entry.id, entry.work_dir)


async def new_session(host: "ScreenHost") -> None:
    await _go(host, None)


async def _go(host: "ScreenHost", session_id: str | None, work_dir: Path | None = None) -> None:
    """Open that session or a new one; if that fails, select the current session again."""
    if (factory := host.engine_factory) is None:
        return
    current_id, folder = host.engine.session_id if host.engine else None, factory.work_dir
    factory.select_session(session_id, work_dir)
    if not await host.switch_session():
        factory.select_session(current_id, folder)


async def restart_session(host: "ScreenHost") -> None:
    """Restart the same session with the current configuration."""
    engine, factory = host.live_engine, host.engine_factory
    if factory is None:
        return
    if engine is not None and engine.busy:
        host.show_toast(_("takes effect after a restart: a turn is running"))
        return
    factory.select_session(engine.session_id if engine is not None and not engine.session.is_empty else None)
    await host.switch_session(leave_first=True)
