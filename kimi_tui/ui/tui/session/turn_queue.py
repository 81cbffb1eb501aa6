"""The turn task and the queue of prompts that wait for it.

This module does not use Textual. Everything runs in the engine's event loop; `TurnQueue` owns the tasks that await
the engine.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import TypeGuard

from kimi_tui.errors import KimiTuiError, ModelNotSetError, ProviderError, UsageError
from kimi_tui.soul.commands.parser import invocable_names, slash_command
from kimi_tui.ui.tui.engine_protocol import Engine
from kimi_tui.ui.tui.screens.screen_commands import SCREEN_COMMANDS
from kimi_tui.wire.parts import UserInput

_log = logging.getLogger(__name__)


def is_shell_line(content: UserInput) -> TypeGuard[str]:
    """Whether the content is a `!` line, which runs without the model."""
    return isinstance(content, str) and content.startswith("!")


class TurnQueue:
    """Runs submitted prompts, one turn at a time.

    `on_change` is called when the queue changes, `on_refused` with content that the engine rejects and the reason,
    `on_turn_end` when a prompt is done, `on_abort` when the running turn fails or is interrupted, `on_failure` with an
    internal error.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        on_change: Callable[[], None],
        on_refused: Callable[[UserInput, str], None],
        on_failure: Callable[[str], None],
        on_turn_end: Callable[[], None],
        on_abort: Callable[[], None],
    ) -> None:
        self._engine = engine
        self._on_change, self._on_refused, self._on_failure, self._on_turn_end = (
            on_change,
            on_refused,
            on_failure,
            on_turn_end,
        )
        self._on_abort = on_abort
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn: asyncio.Task[None] | None = None
        self.queue: list[UserInput] = []

    @property
    def waiting(self) -> bool:
        """Whether a plain message would be queued."""
        runner = self._engine.runner
        if runner is not None and runner.paused is not None:
            return any(task is not self._turn for task in self._tasks)
        return self._engine.busy or self._turn is not None

    @property
    def running(self) -> bool:
        """Whether a prompt is being processed, including the time before and after its turn; a paused flow does not
        count.
        """
        runner = self._engine.runner
        if runner is not None and runner.paused is not None:
            return any(task is not self._turn for task in self._tasks)
        return self._turn is not None

    def is_command(self, content: UserInput) -> bool:
        """Whether the text is a slash command, known or not."""
        names = invocable_names((*self._engine.commands(), *SCREEN_COMMANDS))
        return isinstance(content, str) and slash_command(content, names) is not None

    def is_for_model(self, content: UserInput) -> bool:
        """Whether the model gets the content: neither a slash command nor a shell line."""
        return not is_shell_line(content) and not self.is_command(content)

    @property
    def can_steer_queued(self) -> bool:
        """Whether the oldest queued message can steer; a shell line waits for the end of the turn."""
        return bool(self.queue) and not is_shell_line(self.queue[0])

    def submit(self, content: UserInput) -> None:
        """Start a turn, or queue the prompt while one runs; a slash command is started at once."""
        if self.is_command(content) or not self.waiting:
            self._start(content)
        else:
            self.queue.append(content)
            self._on_change()

    def steer(self, content: UserInput | None) -> bool:
        """Steer the running turn; without a message, with the oldest queued one. False if no turn runs."""
        if content is not None:
            return self._engine.steer(content)
        # defence: shell-line-of-the-queue
        if not self.can_steer_queued or not self._engine.steer(self.queue[0]):
            return False
        del self.queue[0]
        self._on_change()
        return True

    def pop_last(self) -> UserInput | None:
        """Remove the last queued prompt, for editing."""
        if not self.queue:
            return None
        last = self.queue.pop()
        self._on_change()
        return last

    def pop_all(self) -> list[UserInput]:
        """Remove the whole queue: after an interrupt, no queued prompt may start automatically."""
        taken, self.queue = self.queue, []
        if taken:
            self._on_change()
        return taken

    def _start(self, content: UserInput) -> None:
        task = asyncio.get_running_loop().create_task(self._prompt(content))
        self._tasks.add(task)
        if self._turn is None:
            self._turn = task
        task.add_done_callback(self._on_task_done)

    async def _prompt(self, content: UserInput) -> None:
        try:
            if is_shell_line(content):
                await self._engine.run_shell_line(content[1:].strip())
                return
            result = await self._engine.prompt(content)
            if result.stop not in ("finished", "rejected"):
                self._break_off()
            if not result.started:  # defence: prompt-of-no-turn
                self._on_refused(content, "")
            return
        except (UsageError, ModelNotSetError) as error:
            self._break_off()
            self._on_refused(content, str(error))  # it goes before the messages queued after it
            return
        except KimiTuiError as error:
            _log.info("a turn ended: %s", error)
            if isinstance(error, ProviderError) and error.taken_back:
                self._break_off()
                self._on_refused(content, str(error))
                return
        except Exception as error:  # noqa: BLE001 - the edge: a fault of ours is told, the screen stays
            _log.exception("a turn ended in an unexpected way")
            self._on_failure(f"{type(error).__name__}: {error}")
        self._break_off()

    def _break_off(self) -> None:
        """Drop the queue after a failed turn: the queued prompts assumed that it would succeed."""
        if asyncio.current_task() is self._turn:
            self._on_abort()

    def _on_task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if task is self._turn:
            self._turn = None
        self._on_turn_end()
        self.start_next()

    def start_next(self) -> None:
        """Start the next queued prompt, if nothing runs."""
        if self.queue and not self.waiting:
            content = self.queue.pop(0)
            self._on_change()
            self._start(content)

    async def aclose(self) -> None:
        """Interrupt all work and wait until it has ended."""
        self.queue.clear()
        self._engine.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)
