"""Prompts on their way to the engine: the turn under way, the queue behind it, and what each ends with.

No Textual here. Everything happens in the engine's event loop; `TurnQueue` owns the tasks that wait for the engine.
"""

import asyncio
import logging
from collections.abc import Callable

from kimi_tui.errors import KimiTuiError, ModelNotSetError, ProviderError, UsageError
from kimi_tui.soul.commands.parser import names_of, slash_command
from kimi_tui.ui.tui.engine_protocol import Engine
from kimi_tui.ui.tui.navigation.screen_registry import SCREEN_COMMANDS
from kimi_tui.wire.parts import UserInput

_log = logging.getLogger(__name__)


class TurnQueue:
    """Takes what the person submits, one turn at a time.

    `changed` is called when the queue is not what it was, `refused` with what the engine would not take and why,
    `ended` when a prompt has come to its end, `broken` when the turn under way has failed or was interrupted.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        changed: Callable[[], None],
        refused: Callable[[UserInput, str], None],
        failed: Callable[[str], None],
        ended: Callable[[], None],
        broken: Callable[[], None],
    ) -> None:
        self._engine = engine
        self._changed, self._refused, self._failed, self._ended = changed, refused, failed, ended
        self._broken = broken
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn: asyncio.Task[None] | None = None
        self.queue: list[UserInput] = []

    @property
    def waiting(self) -> bool:
        """Whether a plain message would have to wait."""
        runner = self._engine.runner
        if runner is not None and runner.paused is not None:
            return any(task is not self._turn for task in self._tasks)
        return self._engine.busy or self._turn is not None

    def is_command(self, content: UserInput) -> bool:
        """Whether it is a slash command, be it one that there is not."""
        names = names_of((*self._engine.commands(), *SCREEN_COMMANDS))
        return isinstance(content, str) and slash_command(content, names) is not None

    def submit(self, content: UserInput) -> None:
        """Start a turn, or put it into the queue where one runs; a slash command is tried at once."""
        if self.is_command(content) or not self.waiting:
            self._start(content)
        else:
            self.queue.append(content)
            self._changed()

    def steer(self, content: UserInput | None) -> bool:
        """Say it to the turn under way; without a message the oldest of the queue. False where no turn runs."""
        if content is not None:
            return self._engine.steer(content)
        if not self.queue or not self._engine.steer(self.queue[0]):
            return False
        del self.queue[0]
        self._changed()
        return True

    def pop_last(self) -> UserInput | None:
        """The last of the queue, to be edited."""
        if not self.queue:
            return None
        last = self.queue.pop()
        self._changed()
        return last

    def pop_all(self) -> list[UserInput]:
        """The whole queue: who interrupts a turn wants no other one to begin by itself."""
        taken, self.queue = self.queue, []
        if taken:
            self._changed()
        return taken

    def _start(self, content: UserInput) -> None:
        task = asyncio.get_running_loop().create_task(self._prompt(content))
        self._tasks.add(task)
        if self._turn is None:
            self._turn = task
        task.add_done_callback(self._on_done)

    async def _prompt(self, content: UserInput) -> None:
        try:
            if isinstance(content, str) and content.startswith("!"):
                await self._engine.run_shell_line(content[1:].strip())
            elif (await self._engine.prompt(content)).stop not in ("finished", "rejected"):
                self._break_off()
            return
        except (UsageError, ModelNotSetError) as error:
            self._break_off()
            self._refused(content, str(error))  # it comes to stand before what was queued behind it
            return
        except KimiTuiError as error:
            _log.info("a turn ended: %s", error)
            if isinstance(error, ProviderError) and error.taken_back:
                self._break_off()
                self._refused(content, str(error))
                return
        except Exception as error:  # noqa: BLE001 - the edge: a fault of ours is told, the screen stays
            _log.exception("a turn ended in an unexpected way")
            self._failed(f"{type(error).__name__}: {error}")
        self._break_off()

    def _break_off(self) -> None:
        """Nothing of the queue follows a turn that has failed: it was written for one that went well."""
        if asyncio.current_task() is self._turn:
            self._broken()

    def _on_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if task is self._turn:
            self._turn = None
        self._ended()
        self.start_next()

    def start_next(self) -> None:
        """Send the next of the queue, if nothing runs."""
        if self.queue and not self.waiting:
            content = self.queue.pop(0)
            self._changed()
            self._start(content)

    async def aclose(self) -> None:
        """Interrupt everything and wait until it has ended."""
        self.queue.clear()
        self._engine.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)
