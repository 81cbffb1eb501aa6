"""What the tests of tools share: a scratch workspace, a user who answers, and waiting without sleeping."""

import asyncio
import json
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from kimi_tui.interaction.approvals import Approvals
from kimi_tui.tools.core.tool import Tool
from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import ApprovalAnswer
from kimi_tui.wire.parts import FunctionBody, ToolCall, ToolReturnValue
from kimi_tui.wire.requests import ApprovalRequest


class ToolHarness:
    """A workspace with approvals that a user answers with `answer` (None: nobody answers)."""

    def __init__(self, work_dir: Path, *, yolo: bool = False, answer: ApprovalAnswer | None = "approve") -> None:
        self.dir = work_dir
        self.workspace = Workspace(work_dir)
        self.wire = Wire()
        self.approvals = Approvals(self.wire, yolo=yolo)
        self.answer: ApprovalAnswer | None = answer
        self.feedback: str | None = None
        self.asked: list[ApprovalRequest] = []
        self.before_answer: Callable[[], object] = lambda: None
        self.wire.listen(self._hear)
        self._calls = 0

    def _hear(self, message: WireMessage) -> None:
        if isinstance(message, ApprovalRequest):
            self.asked.append(message)
            self.before_answer()
            if self.answer is not None:
                self.approvals.settle(message.id, self.answer, self.feedback)

    def call_of(self, name: str, arguments: dict[str, Any]) -> ToolCall:
        self._calls += 1
        return ToolCall(id=f"call_{self._calls}", function=FunctionBody(name=name, arguments=json.dumps(arguments)))

    async def use(self, tool: Tool[Any], **arguments: Any) -> ToolReturnValue:
        """The tool's result, through a toolset as the soul calls it. `_A` stands for `-A` and so on."""
        named = {(f"-{key[1:]}" if key.startswith("_") else key): value for key, value in arguments.items()}
        return (await Toolset([tool]).handle(self.call_of(tool.name, named))).return_value


async def until(condition: Callable[[], bool], *, seconds: float = 10.0) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.01)


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def git(folder: Path, *words: str) -> None:
    """Run Git in a folder, with a name and an address for commits. Raises CalledProcessError."""
    name = ["-c", "user.name=n", "-c", "user.email=a@b.c"]
    subprocess.run(["git", *name, *words], cwd=folder, check=True, capture_output=True)


def repository_with_a_commit(folder: Path) -> Path:
    """Make a repository with a name for commits, the branch `main` and a committed file `f`."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "n")
    git(folder, "config", "user.email", "a@b.c")
    (folder / "f").write_text("f\n")
    git(folder, "add", "f")
    git(folder, "commit", "-qm", "first")
    return folder


def processes_with(text: str) -> list[int]:
    """The living processes (no zombies) whose command line holds `text`."""
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit() and _runs(folder, text)]


def _runs(folder: Path, text: str) -> bool:
    with suppress(OSError):
        state = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0]
        return state not in "ZX" and text in (folder / "cmdline").read_bytes().decode("utf-8", "replace")
    return False
