"""Edits a text of several lines."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from kimi_tui.ui.tui.composer.cjk_wrap import CjkTextArea
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.widgets.key_bar import BarKey, KeyBar
from kimi_tui.ui.tui.widgets.one_shot_screen import OneShotModal
from kimi_tui.ui.tui.widgets.type_ahead import write_message

_MAX_ROWS = 16
_FRAME_AND_MARGINS = 4


class EditText(OneShotModal[str | None]):
    """Edits a text. Returns it, or None if closed. `about` explains what the text is used for."""

    DEFAULT_CSS = """
    EditText { align: center middle; }
    EditText > Vertical {
        width: 84; max-width: 94%; height: auto; max-height: 100%; background: $surface; padding: 0 1;
        border: round $primary; border-title-color: $primary; border-title-style: bold; border-subtitle-color: $muted;
    }
    EditText #about { height: auto; color: $muted; }
    EditText KeyBar { dock: none; background: $surface; }
    EditText CjkTextArea { height: 12; border: none; background: $panel; padding: 0 1; margin: 1 0; }
    EditText CjkTextArea:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
        Binding("ctrl+s", "run", "Run with it", show=False, priority=True),
    ]

    def __init__(self, title: str | Content, about: str, text: str) -> None:
        super().__init__()
        self._title, self._about, self._text = title, about, text

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = self._title
            yield Static(self._about, id="about", markup=False)
            area = CjkTextArea(self._text, soft_wrap=True)
            area.cursor_blink = False
            yield area
            yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(KeyBar).show((BarKey("Ctrl+S", _("run"), "run"), BarKey("Esc", _("close"), "leave")))
        area = self.query_one(CjkTextArea)
        area.focus()
        area.move_cursor(area.document.end)

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        """Shrink the text area so that the keys stay on screen."""
        others = [one for one in self.query("Vertical > *") if not isinstance(one, CjkTextArea)]
        rows = self.size.height - sum(one.outer_size.height for one in others) - _FRAME_AND_MARGINS
        self.query_one(CjkTextArea).styles.max_height = max(1, min(_MAX_ROWS, rows))

    def action_leave(self) -> None:
        self.dismiss(None)

    def abandon(self) -> None:
        """Close after the pending key events because the request has ended. A changed text goes into the message."""
        self.query_one(CjkTextArea).call_later(self._abandon)

    def _abandon(self) -> None:
        if self.is_active:
            self.return_words()
            self.dismiss(None)

    def return_words(self) -> None:
        """Move a changed text into the message."""
        text = self.query_one(CjkTextArea).text
        if text != self._text:
            write_message(self, text, apart=True)
            self._text = text

    def action_run(self) -> None:
        self.dismiss(self.query_one(CjkTextArea).text.strip())
