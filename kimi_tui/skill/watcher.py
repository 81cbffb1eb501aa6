"""Keeps a library up to date with the disk: a saved skill is loaded within a second.

The system reports changes (watchfiles); nothing is polled. The watches are planned again when folders appear or
disappear.
"""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TYPE_CHECKING

from kimi_tui.i18n import tr
from kimi_tui.skill.library import SkillLibrary
from kimi_tui.skill.watch_plan import WatchPlan, watch_plan

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

# Milliseconds. A change is reported after a quiet STEP, at the latest after QUIET; IDLE bounds one wait.
_STEP, _QUIET, _IDLE = 250, 500, 5_000
_POLL = 300
_ATTEMPTS = 8

Notice = Callable[[str], None]


class SkillWatcher:
    """Reloads `library` when files change, in the event loop of `run`.

    `ready` is set while changes are detected. `on_notice` gets a message if watching fails, or works only in part.
    """

    def __init__(self, library: SkillLibrary, *, on_notice: Notice | None = None) -> None:
        self.library = library
        self.ready = asyncio.Event()
        self._on_notice: Notice = on_notice or _ignore

    async def run(self) -> None:
        """Run until cancelled, or until the system allows no more watches."""
        stop = threading.Event()
        # The event loop has few threads, and this one is never free.
        waiting = ThreadPoolExecutor(1, "skills")
        try:
            while True:
                plan, notify = await asyncio.to_thread(self._arm)
                with notify:  # closes its file at once, not when the object is collected
                    # Pick up changes from before the watches; from here on the system reports all of them.
                    await self._reload()
                    self.ready.set()
                    await self._follow(plan, notify, stop, waiting)
        except _CannotWatchError as error:
            self._on_notice(tr("skills are not reloaded automatically: {cause}", cause=error))
            await self._reload()
        finally:
            stop.set()  # the thread that waits for changes checks it
            waiting.shutdown(wait=False)
            self.ready.clear()

    async def _follow(self, plan: WatchPlan, notify: "RustNotify", stop: threading.Event, waiting: Executor) -> None:
        """Reload after each change that matters; return when other folders have to be watched."""
        loop = asyncio.get_running_loop()
        if not plan.whole:
            self._on_notice(tr("too many skill folders to watch; some are not reloaded automatically"))
        while True:
            # defence: thread-of-a-watch
            changes = await loop.run_in_executor(waiting, notify.watch, _QUIET, _STEP, _IDLE, stop)
            if isinstance(changes, str):
                continue
            changed = [path for _, path in changes if plan.matters(path)]
            if not changed:
                continue
            await self._reload()
            if any(plan.is_watched(path) for path in changed):  # defence: follow-new-folder
                return
            if await asyncio.to_thread(watch_plan, self.library.roots) != plan:
                return

    async def _reload(self) -> None:
        self.library.adopt(await asyncio.to_thread(self.library.scan))

    def _arm(self) -> tuple[WatchPlan, "RustNotify"]:
        """Start watching. Plans again afterwards, since folders may appear meanwhile."""
        from watchfiles._rust_notify import RustNotify

        polling = bool(os.environ.get("WATCHFILES_FORCE_POLLING"))
        plan = watch_plan(self.library.roots)
        for _ in range(_ATTEMPTS):
            try:
                notify = RustNotify(list(plan.folders), False, polling, _POLL, False, True)
            except FileNotFoundError:
                notify = None
            except (OSError, RuntimeError) as error:
                raise _CannotWatchError(str(error)) from error
            old_plan, plan = plan, watch_plan(self.library.roots)
            if notify is not None and plan == old_plan:
                return plan, notify
        raise _CannotWatchError("folders are created and deleted too fast")


def _ignore(notice: str) -> None:
    del notice


class _CannotWatchError(Exception):
    """The system refuses to watch."""
