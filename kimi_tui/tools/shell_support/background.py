"""Background commands, with their output in files of the session.

Invariant: each task's process tree ends with `aclose`, with its time limit, or when kimi-tui dies.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import RawIOBase
from pathlib import Path
from typing import Literal
from uuid import uuid4

from kimi_tui.i18n import tr
from kimi_tui.timestamps import steady_time
from kimi_tui.tools.shell_support.process_runner import ProcessResult, run
from kimi_tui.wire.display import UnknownBlock

MAX_RUNNING = 4
MAX_LOG_BYTES = 64 << 20
_CUT = b"\n[...the log is full]\n"

TaskStatus = Literal["running", "done", "failed", "timed out", "stopped"]


class BackgroundError(RuntimeError):
    """A task that cannot be started; the message is for the model."""


@dataclass(slots=True)
class BackgroundTask:
    """One command. `log` holds its output, up to 64 MiB; times are those of `steady_time`."""

    id: str
    description: str
    log: Path
    status: TaskStatus = "running"
    exit_code: int | None = None
    reason: str = ""
    started_at: float = field(default_factory=steady_time)
    ended_at: float | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    body: "asyncio.Task[None] | None" = None

    @property
    def running(self) -> bool:
        return self.status == "running"

    @property
    def block(self) -> UnknownBlock:
        return UnknownBlock.model_validate(
            {
                "type": "background_task",
                "task_id": self.id,
                "kind": "shell",
                "status": self.status,
                "description": self.description,
            }
        )

    @property
    def line(self) -> str:
        """A one-line summary."""
        code = "" if self.exit_code is None else f", exit code {self.exit_code}"
        reason = f" ({self.reason})" if self.reason else ""
        return f"{self.id}  {self.status}{reason}{code}  {self._took:.0f} s  {self.description}"

    @property
    def ending(self) -> str:
        """The outcome, for the user, who sees the description beside it."""
        code = tr("exit code {code}", code=self.exit_code) if self.exit_code else ""
        duration = tr("after {seconds:.0f} s", seconds=self._took)
        return ", ".join(filter(None, (self.status, self.reason, code, duration)))

    @property
    def _took(self) -> float:
        return (self.ended_at or steady_time()) - self.started_at


class BackgroundTasks:
    """The tasks of a session, newest last. Without a folder no task can start."""

    def __init__(
        self,
        folder: Path | None,
        *,
        limit: int = MAX_RUNNING,
        on_end: Callable[[BackgroundTask], None] | None = None,
    ) -> None:
        self._folder = folder
        self._limit = limit
        self._tasks: dict[str, BackgroundTask] = {}
        self.on_end = on_end

    @property
    def tasks(self) -> tuple[BackgroundTask, ...]:
        return tuple(self._tasks.values())

    def get(self, task_id: str) -> BackgroundTask | None:
        return self._tasks.get(task_id)

    def start(
        self, attempts: Iterable[Sequence[str]], *, description: str, cwd: Path, env: Mapping[str, str], seconds: float
    ) -> BackgroundTask:
        """Start a task: the first of these command lines, and each next one if that was not started.

        Raises BackgroundError if too many run, or if its output cannot be stored.
        """
        if self._folder is None:
            raise BackgroundError("Commands cannot be run in the background here.")
        if sum(task.running for task in self._tasks.values()) >= self._limit:
            raise BackgroundError(f"{self._limit} background tasks are running, which is the maximum. Stop one first.")
        task_id = f"b{uuid4().hex[:8]}"
        task = BackgroundTask(task_id, description, self._folder / task_id / "output.log")
        try:
            task.log.parent.mkdir(parents=True, exist_ok=True)
            log = task.log.open("wb", buffering=0)
        except OSError as error:
            raise BackgroundError(f"Its output cannot be stored: {error.strerror}.") from error
        self._tasks[task_id] = task
        task.body = asyncio.create_task(
            self._run(task, _Log(log), attempts, cwd, env, seconds), name=f"background {task_id}"
        )
        return task

    async def stop(self, task_id: str, reason: str = "") -> bool:
        """Stop a running task and wait for its end; False if no task of that id runs."""
        task = self._tasks.get(task_id)
        if task is None or not task.running or task.body is None:
            return False
        task.reason = reason
        task.body.cancel()
        await task.ended.wait()
        return True

    async def stop_all(self, reason: str) -> None:
        """Stop what runs and wait for its end."""
        await asyncio.gather(*(self.stop(task.id, reason) for task in self.tasks if task.running))

    async def aclose(self) -> None:
        await self.stop_all("the session ended")

    async def _run(
        self,
        task: BackgroundTask,
        log: "_Log",
        attempts: Iterable[Sequence[str]],
        cwd: Path,
        env: Mapping[str, str],
        seconds: float,
    ) -> None:
        status: TaskStatus = "stopped"
        try:
            for command in attempts:
                log.clear()
                ended = await run(command, cwd=cwd, env=env, on_text=log.write, seconds=seconds)
                status, task.exit_code = _status(ended), ended.exit_code if ended.started else None
                task.reason = "" if ended.started or ended.timed_out else "it did not start"
                if ended.timed_out:
                    break
        except OSError as error:
            log.write(f"It could not be started: {error.strerror}\n")
            status = "failed"
        finally:
            log.close()
            if log.lost and not task.reason:
                task.reason = f"part of its output was lost: {log.lost}"
            task.status, task.ended_at = status, steady_time()
            task.ended.set()
            if self.on_end is not None:
                self.on_end(task)


NO_BACKGROUND = BackgroundTasks(None)


def _status(ended: ProcessResult) -> TaskStatus:
    if ended.timed_out:
        return "timed out"
    return "done" if ended.exit_code == 0 else "failed"


class _Log:
    """A log file with a size limit. If the disk is full, output is lost but the task continues."""

    def __init__(self, file: RawIOBase) -> None:
        self._file = file
        self._room = MAX_LOG_BYTES
        self.lost: str | None = None
        """Why part of the output could not be written."""

    def write(self, text: str) -> None:
        if self._room <= 0:
            return
        content = text.encode("utf-8", "replace")
        self._room -= len(content)
        left = memoryview(content if self._room > 0 else content[: self._room] + _CUT)
        try:
            while left:
                left = left[self._file.write(left) or 0 :]
        except OSError as error:
            self.lost = error.strerror  # defence: lost-output

    def clear(self) -> None:
        """Drop the output of an attempt that did not start the command."""
        with contextlib.suppress(OSError):
            self._file.seek(0)
            self._file.truncate()
        self._room = MAX_LOG_BYTES

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
