"""What the screen needs of an engine; `kimi_tui.soul.engine.Engine` has this shape, and so has a recording."""

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
    """A skill that may be run as a flow; `flow` is None where its chart is broken."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def flow(self) -> "Flow | None": ...


class Skills(Protocol):
    """The flows there are; the listener of `listen` is told of each change."""

    def flows(self) -> Sequence[FlowSkill]: ...
    def listen(self, listener: Callable[[object], None]) -> Callable[[], None]: ...


class Engine(Protocol):
    """A session: prompts go in, Wire messages come out, in one event loop."""

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
        """The last lines of tools that run."""
        ...

    @property
    def runner(self) -> "FlowRunner | None": ...
    @property
    def model_name(self) -> str: ...
    @property
    def model_note(self) -> str:
        """What must be said of the model wherever it is named, "" where nothing must."""
        ...

    @property
    def accepts_images(self) -> bool:
        """The model takes pictures."""
        ...

    @property
    def work_dir(self) -> Path: ...
    @property
    def session_id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def busy(self) -> bool:
        """A turn or a flow is under way, a paused one included."""
        ...

    def commands(self) -> Sequence[Command]: ...
    def resources(self) -> Sequence[str]:
        """Resources of MCP servers, as a message names them: `SERVER:URI`."""
        ...

    async def loaded(self) -> None:
        """Return when nothing is being loaded any more that the first request needs."""
        ...

    async def prompt(self, user_input: "UserInput") -> "TurnResult": ...
    async def run_shell_line(self, command: str) -> None: ...
    def cancel(self) -> None: ...
    def steer(self, user_input: "UserInput") -> bool: ...
    def stop_flow(self, reason: str | None = None) -> None: ...
    def recorded(self) -> "Iterable[Recorded]": ...
    async def aclose(self) -> None: ...
