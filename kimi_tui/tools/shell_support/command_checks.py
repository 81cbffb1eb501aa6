"""Checks the repositories of the workspace before and after the commands of a session."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager

from kimi_tui.i18n import tr
from kimi_tui.text_safety import escape_unsafe
from kimi_tui.tools.file_support.git_settings import NO_REMOTES, ShownRemotes
from kimi_tui.tools.shell_support.git_watch import GitWatch

_SECONDS_TO_END = 0.2
"""For a line of Git that brings a submodule beside other commands: it may run what they made there."""
StopsCommands = Callable[[str], Awaitable[None]]
"""Stops commands for this reason, and waits for their end."""


class CommandChecks:
    """The checks of a session. `notify` gets a title and a text; `closes_git` says whether `.git` is read-only for
    commands but for Git alone.

    `unchecked`: what a command changed could not be checked.
    """

    def __init__(self, watch: GitWatch, notify: Callable[[str, str], None], closes_git: Callable[[], bool]) -> None:
        self._watch = watch
        self._notify = notify
        self._closes_git = closes_git
        self._running = 0
        self.unchecked = False
        self._searched = False
        self._looking = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        """Whether commands run, or what they changed is not checked."""
        return self._running > 0 or self.unchecked or self._looking.locked()

    async def search(self) -> None:
        """Search for repositories, once, before the first command."""
        if self._searched:
            return
        async with self._looking:
            if not self._searched and not self._running:
                self._searched = True
                await asyncio.to_thread(self._watch.accept_current)

    async def close(self) -> None:
        """Wait for the checks after finished commands."""
        await asyncio.gather(*self._tasks, return_exceptions=True)  # defence: checks-before-the-end
        self._watch.close()

    @asynccontextmanager
    async def around(
        self,
        *,
        remotes: ShownRemotes = NO_REMOTES,
        git_alone: bool = False,
        stop_others: StopsCommands | None = None,
    ) -> AsyncGenerator[list[str]]:
        """Check the repositories of the workspace before and after the command inside; the list gets descriptions of
        undone changes, for the user and the model. `remotes`: what the command line shows of push destinations.
        `git_alone`: only Git itself writes in `.git`. `stop_others` is called if a submodule comes while the command
        runs, for a line of Git alone only if others run: they could make a repository there. Raises TimeoutError if
        such a line does not end then.
        """
        undone: list[str] = []
        try:
            await self._to_its_end(self._check_before(undone, git_alone=git_alone))
            async with AsyncExitStack() as stack:
                # defence: submodules-beside-the-background
                if stop_others is not None and not git_alone:
                    await stack.enter_async_context(self._looking_for_submodules(stop_others))
                # defence: submodules-beside-other-commands
                if stop_others is not None and git_alone and self._running > 1:
                    limit = await stack.enter_async_context(asyncio.timeout(None))

                    async def stop_all(reason: str) -> None:
                        await stop_others(reason)
                        end = asyncio.get_running_loop().time() + _SECONDS_TO_END
                        with contextlib.suppress(RuntimeError):  # it has ended
                            limit.reschedule(end)  # defence: lines-beside-submodules-end

                    await stack.enter_async_context(self._looking_for_submodules(stop_all, in_line=True))
                yield undone
        finally:
            # defence: undo-acting-git-settings
            await self._to_its_end(self._check_after(undone, remotes=remotes, git_alone=git_alone))

    @asynccontextmanager
    async def _looking_for_submodules(self, stop: StopsCommands, *, in_line: bool = False) -> AsyncGenerator[None]:
        """Call `stop` as soon as a submodule comes. `in_line`: a line of Git may bring it; look more often, and once
        more at its end.
        """
        has_come = await asyncio.to_thread(self._watch.note_submodules)
        ended = asyncio.Event()

        async def look() -> None:
            is_last = False
            while not await asyncio.to_thread(has_come):
                if is_last:
                    return
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(ended.wait(), 0.1 if in_line else 0.5)
                is_last = ended.is_set()
            await stop("a submodule came, in whose place it could make a repository")

        self._tasks.add(looking := asyncio.create_task(look()))
        looking.add_done_callback(self._tasks.discard)
        try:
            yield
        finally:
            ended.set()
            if in_line:
                await asyncio.shield(looking)
            else:
                looking.cancel()  # what it would wait for is checked now

    async def _check_before(self, undone: list[str], *, git_alone: bool) -> None:
        async with self._looking:
            try:
                # Of what another command does meanwhile, and of what was not checked, nothing is taken as right.
                if self._running or self.unchecked:  # defence: unchecked-changes-are-no-baseline
                    undone += await asyncio.to_thread(self._watch.undo_changes, others_run=True)
                else:
                    await asyncio.to_thread(self._watch.accept_current)
                if not git_alone:
                    undone += await asyncio.to_thread(self._watch.close_submodules)
            finally:
                self._running += 1

    async def _check_after(self, undone: list[str], *, remotes: ShownRemotes, git_alone: bool) -> None:
        async with self._looking:
            self._running -= 1  # defence: a-command-runs-until-it-is-checked
            try:
                undone += await asyncio.to_thread(
                    self._watch.undo_changes,
                    remotes=remotes,
                    others_run=self._running > 0,
                    git_alone=git_alone,
                    git_written=git_alone or not self._closes_git() or self.unchecked,
                )
            except Exception as error:  # noqa: BLE001 - whatever a command made to end its check
                self.unchecked = True
                cause = escape_unsafe(f"{type(error).__name__}: {error}")
                undone.append(f"nothing, since its check failed ({cause})")
                self._notify(
                    tr("The sandbox could not check what a command changed"),
                    tr("commands ask until it can; Git may run what this one left: {cause}", cause=cause),
                )
                return
            self.unchecked = False
        if undone:
            self._notify(tr("The sandbox undid changes that could start programs"), "; ".join(undone))

    async def _to_its_end(self, check: Coroutine[object, object, None]) -> None:
        """Run a check to its end even if its command is cancelled: else the next one could take the state as right."""
        self._tasks.add(task := asyncio.create_task(check))
        task.add_done_callback(self._tasks.discard)
        await asyncio.shield(task)  # defence: checks-to-their-end
