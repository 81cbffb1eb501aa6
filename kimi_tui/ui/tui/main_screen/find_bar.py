"""The find bar: one line below the conversation."""

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.widgets.hints_changed import Hint
from kimi_tui.ui.tui.widgets.text_field import TextField


class FindBar(Horizontal):
    """Posts the search text; receives the number of matches."""

    DEFAULT_CSS = """
    FindBar { display: none; height: 1; background: $panel; padding: 0 1; }
    FindBar > #find-mark { width: auto; color: $primary; }
    FindBar > Input { width: 1fr; height: 1; border: none; padding: 0; background: $panel; }
    FindBar > #find-count { width: auto; color: $muted; }
    """

    class Changed(Message):
        def __init__(self, query: str) -> None:
            self.query_text = query
            super().__init__()

    class Step(Message):
        """Posted to go to the next match (1) or the previous one (-1)."""

        def __init__(self, by: int) -> None:
            self.by = by
            super().__init__()

    def hints(self) -> tuple[Hint, ...]:
        """The keys of the input line."""
        return (("Enter ↓", _("next")), ("↑", _("previous")), ("Esc", _("close")))

    def compose(self) -> ComposeResult:
        yield Static(_("find") + " ", id="find-mark", markup=False)
        yield TextField(id="find-text", compact=True)
        yield Static("", id="find-count", markup=False)

    @property
    def is_open(self) -> bool:
        return bool(self.display)

    @property
    def query_text(self) -> str:
        """The search text, also that of the last search."""
        return self.query_one(Input).value

    def open(self) -> None:
        """Open the bar with the last search text selected."""
        self.display = True
        self.screen.set_focus(self.query_one(Input))  # now: letters may follow in the same read
        self.query_one(Input).select_all()

    def close(self) -> None:
        self.display = False

    def count(self, at: int, places: int) -> None:
        """Show the current match number and the number of matches."""
        words = _("nothing found") if not places else _("{at} of {count}", at=at, count=places)
        self.query_one("#find-count", Static).update(f" {words} " if self.query_one(Input).value else "")

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Step(1))

    def on_key(self, event: events.Key) -> None:
        if event.key in ("up", "shift+enter", "down"):
            event.stop()
            event.prevent_default()
            self.post_message(self.Step(1 if event.key == "down" else -1))
