"""The functions of the app that a session needs."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from textual.message import Message

from kimi_tui.ui.tui.engine_protocol import Engine

if TYPE_CHECKING:
    from kimi_tui.ui.tui.main_screen.screen import MainScreen
    from kimi_tui.ui.tui.session.engine_factory import EngineFactory
    from kimi_tui.ui.tui.session.presenter import Presenter
    from kimi_tui.ui.tui.session.prompt_controller import PromptController


class SessionView(Protocol):
    """Shows one session; `presenter` and the panes of `main_screen` exist before the first session."""

    @property
    def is_running(self) -> bool: ...
    @property
    def engine_factory(self) -> "EngineFactory | None": ...
    @property
    def presenter(self) -> "Presenter": ...
    @property
    def prompts(self) -> "PromptController": ...
    @property
    def main_screen(self) -> "MainScreen": ...
    def show_toast(self, text: str, *, severity: str = "information") -> None: ...
    def apply_config(self, factory: "EngineFactory") -> None:
        """Use the configuration's theme, keys and display settings."""
        ...

    async def take_waiting_keys(self) -> None:
        """Deliver the keys that waited for the panes and the configuration."""
        ...

    async def ask_trust(self) -> None:
        """Ask for trust in the folder, if there is no answer yet."""
        ...

    def report_trust(self, *, pending: bool = False) -> None:
        """Report what a refusal disables, or with `pending` the items without a trust decision."""
        ...

    def append_tool_output(self, call_id: str, text: str) -> None:
        """Append output of a tool, of the agent or of a subagent with an open screen."""
        ...

    def show_idle(self) -> None:
        """Called when the engine becomes idle."""
        ...

    def open_initial_screen(self, name: str) -> None: ...
    def handle_slash(self, text: str) -> bool:
        """Open the screen of a bare slash command; False if the text is anything else."""
        ...

    def session_shown(self, engine: Engine) -> None:
        """Called when a session is shown. `offer_resume` can be called then."""
        ...

    def offer_resume(self) -> None:
        """Offer to resume an interrupted flow run, if there is one."""
        ...

    def post_message(self, message: Message, /) -> bool: ...
    def call_later(self, callback: Callable[[], object], /) -> object: ...
    def call_after_refresh(self, callback: Callable[[], object], /) -> object: ...
    def write_to_terminal(self, sequence: str, /) -> None: ...
