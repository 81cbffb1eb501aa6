"""Rewinds the open session to before an earlier turn."""

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app_protocols import ScreenHost


async def rewind_session(host: "ScreenHost") -> None:
    """Rewind, and put that turn's prompt into the composer."""
    from kimi_tui.ui.tui.screens.rewind import Rewind

    if (engine := host.live_engine) is None:
        return
    if engine.busy:
        host.show_toast(engine.busy_reason("/rewind"))
        return
    points = engine.rewind_points()
    back = await host.push_screen_wait(Rewind(points, work_dir=engine.work_dir, now=time.time))
    point = next((point for point in points if back is not None and point.index == back.index), None)
    if back is not None and point is not None:
        await engine.rewind(point, conversation=back.conversation, files=back.files)
        if back.conversation and not host.main_screen.composer.text:
            host.main_screen.composer.text = point.text
