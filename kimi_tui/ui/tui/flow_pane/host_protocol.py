"""Protocol of the app as seen by the flow controller."""

from collections.abc import Callable, Coroutine
from typing import Protocol

from textual.screen import ModalScreen

from kimi_tui.i18n import UserText
from kimi_tui.wire.parts import UserInput


class FlowHost(Protocol):
    """Opens dialogs, sends prompts, shows notifications and runs background work."""

    def open_dialog(self, screen: ModalScreen[str | None], done: Callable[[str | None], None]) -> None: ...
    def submit(self, content: UserInput) -> None: ...
    def show_toast(self, text: UserText) -> None: ...
    def run_in_background(self, work: Coroutine[None, None, None]) -> None: ...
