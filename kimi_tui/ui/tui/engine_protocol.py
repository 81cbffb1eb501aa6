"""Protocols of the engine, as the TUI uses it.

`kimi_tui.soul.engine.Engine` implements both of them, a recording only `Engine`.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from kimi_tui.i18n import UserText

if TYPE_CHECKING:
    from kimi_tui.context.context import Context
    from kimi_tui.flow.model.graph import Flow
    from kimi_tui.flow.run.run_state import RunState
    from kimi_tui.flow.run.runner import FlowRunner
    from kimi_tui.flow.run.spending import Prices
    from kimi_tui.flow.run.turn_protocol import TurnResult
    from kimi_tui.interaction.approvals import Approvals
    from kimi_tui.interaction.questions import Questions
    from kimi_tui.mcp.servers import McpServers
    from kimi_tui.session.session import Session
    from kimi_tui.skill.library import SkillLibrary
    from kimi_tui.soul.commands.command import CommandInfo
    from kimi_tui.soul.model_switcher import ModelSwitcher
    from kimi_tui.soul.rewind import RewindPoint, RewindResult
    from kimi_tui.soul.services import Services
    from kimi_tui.soul.session_replay import Replay
    from kimi_tui.soul.subagents.running import RunningSubagents
    from kimi_tui.soul.usage_stats import UsageStats
    from kimi_tui.tools.core.progress import ToolProgress
    from kimi_tui.wire.channel import Wire
    from kimi_tui.wire.parts import UserInput


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


class CurrentChart(Protocol):
    """The current chart of a run's flow; if the run cannot resume with it, `flow` is None (reason: `trouble`)."""

    @property
    def flow(self) -> "Flow | None": ...
    @property
    def trouble(self) -> str: ...


class ResumableFlows(Protocol):
    """The session's interrupted runs, the latest first."""

    def open_runs(self) -> "Sequence[RunState]": ...
    def chart_now(self, run: "RunState") -> CurrentChart | None: ...


class Engine(Protocol):
    """A session: accepts prompts and emits Wire messages, in one event loop."""

    @property
    def live(self) -> "LiveEngine | None":
        """The live engine; None for a recording."""
        ...

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
    def flows(self) -> ResumableFlows | None:
        """The session's flow runs that can resume; None for a recording."""
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
    def secrets(self) -> Sequence[str]:
        """What an export leaves out."""
        ...

    @property
    def work_dir(self) -> Path: ...
    @property
    def session_id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def heading(self) -> str:
        """The header's title in place of the work dir; "" to show the work dir."""
        ...

    @property
    def busy(self) -> bool:
        """Whether a turn or a flow is active, including a paused one."""
        ...

    def commands(self) -> Sequence[Command]: ...
    def resources(self) -> Sequence[str]:
        """MCP resources in the form that messages use: `SERVER:URI`."""
        ...

    async def loaded(self) -> None:
        """Wait until everything is loaded that the first request needs."""
        ...

    async def prompt(self, user_input: "UserInput") -> "TurnResult": ...
    async def run_shell_line(self, command: str) -> None: ...
    def cancel(self) -> None: ...
    def steer(self, user_input: "UserInput") -> bool: ...
    def stop_flow(self, reason: str | None = None) -> None: ...
    def replay(self) -> "Replay":
        """The recorded messages. Raises OSError."""
        ...

    async def aclose(self) -> None: ...


class LiveEngine(Engine, Protocol):
    """The engine of a live session: its model can be switched, its turns undone, its services inspected."""

    frontend_commands: "tuple[CommandInfo, ...]"
    """Slash commands of the UI, which the engine lists in its help."""

    @property
    def skills(self) -> "SkillLibrary": ...
    @property
    def session(self) -> "Session": ...
    @property
    def services(self) -> "Services": ...
    @property
    def models(self) -> "ModelSwitcher": ...
    @property
    def mcp(self) -> "McpServers": ...
    @property
    def running_subagents(self) -> "RunningSubagents": ...
    @property
    def context(self) -> "Context": ...
    @property
    def max_context_tokens(self) -> int:
        """The context window of the model, in tokens."""
        ...

    @property
    def figures(self) -> "UsageStats":
        """Usage since the start of this process."""
        ...

    def prices(self, model: str) -> "Prices | None": ...
    async def switch_model(self, name: str) -> None: ...
    def busy_reason(self, command: str) -> UserText:
        """Why a command that needs an idle session cannot run now."""
        ...

    def rewind_points(self) -> "Sequence[RewindPoint]": ...
    async def rewind(
        self, point: "RewindPoint", *, conversation: bool = True, files: bool = True
    ) -> "RewindResult": ...
