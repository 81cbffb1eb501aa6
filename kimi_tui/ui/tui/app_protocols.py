"""Small protocols of the app: each part of the TUI depends only on the functions that it needs."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, TypeVar

from textual.screen import Screen

from kimi_tui.ui.tui.engine_protocol import Command, Engine, LiveEngine
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.session.engine_factory import EngineFactory

if TYPE_CHECKING:
    from textual.timer import Timer

    from kimi_tui.ui.tui.accessibility import DisplayOptions
    from kimi_tui.ui.tui.keys.keymap import KeyMap
    from kimi_tui.ui.tui.session.presenter import Presenter
    from kimi_tui.ui.tui.themes.theme_registry import ThemeRegistry
    from kimi_tui.wire.parts import UserInput

Result = TypeVar("Result")


class Notifier(Protocol):
    """Shows short notifications."""

    def show_toast(self, text: str, *, severity: str = "information") -> None: ...


class EngineHost(Notifier, Protocol):
    """Provides the open session, if there is one."""

    @property
    def engine(self) -> Engine | None: ...
    @property
    def live_engine(self) -> LiveEngine | None:
        """The engine, or None if it is a recording."""
        ...

    @property
    def engine_factory(self) -> EngineFactory | None: ...
    @property
    def main_screen(self) -> MainScreen: ...
    @property
    def on_main_screen(self) -> bool:
        """Whether no other screen covers the main screen."""
        ...


class ScreenHost(EngineHost, Protocol):
    """Opens screens; a screen's result can change the session, the theme or the composer."""

    @property
    def theme_registry(self) -> "ThemeRegistry": ...
    async def push_screen_wait(self, screen: Screen[Result], /) -> Result: ...
    def run_worker(
        self, work: Callable[[], Awaitable[None]], /, *, group: str = "default", exclusive: bool = False
    ) -> object: ...
    async def switch_session(self, *, leave_first: bool = False) -> bool:
        """Open the session that the engine factory makes now; False if it cannot be opened."""
        ...

    def submit(self, content: "UserInput") -> None: ...
    def write_command(self, name: str) -> None:
        """Write a slash command into the composer, ready for its arguments."""
        ...

    def show_model(self) -> None:
        """Update the display after a model change."""
        ...

    async def ask_trust_again(self) -> None:
        """Ask about the folder despite an earlier answer."""
        ...

    def action_leave(self) -> None:
        """Quit."""
        ...


class TrustHost(ScreenHost, Protocol):
    """Asks for folder trust in a screen, and reports in the conversation."""

    @property
    def presenter(self) -> "Presenter": ...
    @property
    def monotonic(self) -> Callable[[], float]: ...


class PaletteHost(Protocol):
    """Provides everything that the command palette lists."""

    @property
    def keymap(self) -> "KeyMap": ...
    @property
    def theme_registry(self) -> "ThemeRegistry": ...
    def commands(self) -> Sequence[Command]: ...
    def action_open_screen(self, name: str) -> None: ...
    async def run_action(self, action: str, /) -> bool: ...
    def write_command(self, name: str) -> None: ...
    def use_theme(self, name: str) -> None: ...


class TerminalHost(EngineHost, Protocol):
    """Can give the terminal to another program."""

    def suspend(self) -> AbstractContextManager[None]: ...
    def refresh(self) -> object: ...


class EscapeHost(EngineHost, Protocol):
    """Provides the actions of Esc and Ctrl+C outside the main screen."""

    def interrupt(self) -> bool:
        """Interrupt the running turn; False if none runs."""
        ...

    def copy(self, text: str) -> None: ...
    def action_open_screen(self, name: str) -> None: ...
    def action_leave(self) -> None:
        """Quit."""
        ...


class ActivityHost(Protocol):
    """Provides the busy state."""

    @property
    def has_terminal_focus(self) -> bool: ...
    @property
    def display_options(self) -> "DisplayOptions": ...
    @property
    def panes_mounted(self) -> bool: ...
    @property
    def presenter(self) -> "Presenter": ...
    @property
    def main_screen(self) -> MainScreen: ...
    def set_interval(self, interval: float, callback: Callable[[], None], /) -> "Timer": ...
    def write_to_terminal(self, sequence: str, /) -> None: ...


class SubagentHost(EngineHost, Protocol):
    """Shows the screens of subagents above the conversation."""

    @property
    def presenter(self) -> "Presenter": ...
    @property
    def view_clock(self) -> Callable[[], float]: ...
    @property
    def display_options(self) -> "DisplayOptions": ...
    @property
    def screen_stack(self) -> Sequence[Screen[object]]: ...
    def push_screen(self, screen: Screen[None], /) -> object: ...
