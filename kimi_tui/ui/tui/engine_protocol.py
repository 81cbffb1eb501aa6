"""Protocol of the engine as the TUI needs it; `kimi_tui.soul.engine.Engine` and recordings implement it."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kimi_tui.flow.model.graph import Flow
    from kimi_tui.flow.run.runner import FlowRunner
    from kimi_tui.flow.run.turn_protocol import TurnResult
    from kimi_tui.interaction.approvals import Approvals
    from kimi_tui.interaction.questions import Questions
    from kimi_tui.tools.core.progress import ToolProgress
    from kimi_tui.wire.channel import Wire
    from kimi_tui.wire.parts import UserInput
    from kimi_tui.wire.recorder import Recorded


class Command(Protocol):
    """A slash command, without its slash."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


class FlowSkill(Protocol):
    """A skill that can run as a flow; `flow` is None if its chart is invalid."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def flow(self) -> "Flow | None": ...


class Skills(Protocol):
    """The available flows; the listener passed to `listen` is called on each change."""

    def flows(self) -> Sequence[FlowSkill]: ...
    def listen(self, listener: Callable[[object], None]) -> Callable[[], None]: ...


class Engine(Protocol):
    """A session: takes prompts, emits Wire messages, in one event loop."""

    @property
    def wire(self) -> "Wire": ...
    @property
    def approvals(self) -> "Approvals": ...
    @property
    def questions(self) -> "Questions": ...
    @property
    def skills(self) -> Skills: ...
    @property
    def progress(self) -> "ToolProgress":
        """The last output lines of running tools."""
        ...

    @property
    def runner(self) -> "FlowRunner | None": ...
    @property
    def model_name(self) -> str: ...
    @property
    def model_note(self) -> str:
        """A note to show wherever the model is named, or ""."""
        ...

    @property
    def accepts_images(self) -> bool:
        """Whether the model accepts images."""
        ...

    @property
    def work_dir(self) -> Path: ...
    @property
    def session_id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def busy(self) -> bool:
        """Whether a turn or a flow is active, including a paused one."""
        ...

    def commands(self) -> Sequence[Command]: ...
    def resources(self) -> Sequence[str]:
        """MCP resources in the form that messages use: `SERVER:URI`."""
        ...

    async def loaded(self) -> None:
        """Wait until everything that the first request needs is loaded."""
        ...

    async def prompt(self, user_input: "UserInput") -> "TurnResult": ...
    async def run_shell_line(self, command: str) -> None: ...
    def cancel(self) -> None: ...
    def steer(self, user_input: "UserInput") -> bool: ...
    def stop_flow(self, reason: str | None = None) -> None: ...
    def recorded(self) -> "Iterable[Recorded]": ...
    async def aclose(self) -> None: ...
