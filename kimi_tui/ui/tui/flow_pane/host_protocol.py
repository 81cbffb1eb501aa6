"""What those who work for the app need of it."""

from collections.abc import Callable, Coroutine
from typing import Protocol

from textual.screen import ModalScreen

from kimi_tui.wire.parts import UserInput


class FlowHost(Protocol):
    """A place for dialogs, a voice, and somebody to wait."""

    def open_dialog(self, screen: ModalScreen[str | None], done: Callable[[str | None], None]) -> None: ...
    def submit(self, content: UserInput) -> None: ...
    def tell(self, text: str) -> None: ...
    def run_in_background(self, work: Coroutine[None, None, None]) -> None: ...
