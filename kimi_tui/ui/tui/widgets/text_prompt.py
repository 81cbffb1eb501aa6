"""Prompts for one line of text: a name, a key."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.widgets import Input, Static

from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.i18n.catalog import p_
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.modal_card import ModalCard
from kimi_tui.ui.tui.widgets.text_field import TextField


class TextPrompt(ModalCard[str]):
    """Asks for one line of text. Returns it, stripped; "" may be an answer. A `secret` is masked.

    `trouble` is an error above the description: what is wrong with the last answer, and what to do.
    """

    CSS = """
    TextPrompt.-low > #frame { padding: 1 2 0 2; }
    TextPrompt #trouble { height: auto; color: $error; text-style: bold; margin-bottom: 1; }
    TextPrompt #about { height: auto; color: $muted; margin-bottom: 1; }
    TextPrompt Input { margin-bottom: 1; }
    """

    def __init__(
        self,
        title: UserText,
        *,
        about: UserText = "",
        trouble: UserText = "",
        value: str = "",
        secret: bool = False,
    ) -> None:
        super().__init__()
        self._title, self._about, self._value, self._secret = title, about, value, secret
        self._trouble = trouble

    def body(self) -> ComposeResult:
        if self._trouble:
            yield Static("✗ " + sanitize(self._trouble), id="trouble", markup=False)
        if self._about:
            yield Static(sanitize(self._about), id="about", markup=False)
        yield TextField(self._value, password=self._secret, id="line")

    def keys(self) -> Sequence[BarKey]:
        return (BarKey("Enter", p_("key", "done"), "done"),)

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#frame").border_title = sanitize(self._title)
        self.query_one(Input).focus()

    def on_input_submitted(self) -> None:
        self.action_done()

    def action_done(self) -> None:
        self.dismiss(self.query_one(Input).value.strip())
