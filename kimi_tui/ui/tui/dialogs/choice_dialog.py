"""A short text and its answers, chosen by one key each, by arrows and Enter, or by a click."""

import time
from collections.abc import Callable, Mapping, Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.widgets import Static

from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.dialogs.approval_body import reveal_hidden
from kimi_tui.ui.tui.dialogs.option_list import Option, OptionList
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.widgets.key_bar import BarKey, KeyBar
from kimi_tui.ui.tui.widgets.key_guard import KeyGuard
from kimi_tui.ui.tui.widgets.one_shot_screen import OneShotModal
from kimi_tui.ui.tui.widgets.type_ahead import TypedText

_BESIDE = 4
"""Rows of the frame and the line of keys."""


class ChoiceDialog(OneShotModal[str | None]):
    """Asks the user to choose an answer. Returns its id, or None if closed.

    `selected`: the cursor starts on the first answer, for a question that the user requested. `typed` is for a question
    that opened without a user action: letters that are not answers, or come too early, close the dialog and go to
    `typed`.
    """

    CSS = """
    ChoiceDialog { align: center middle; }
    ChoiceDialog > Vertical {
        width: 70; max-width: 94%; height: auto; max-height: 85%; background: $surface; padding: 0 1;
        border: round $primary; border-title-color: $primary; border-title-style: bold; border-subtitle-color: $muted;
    }
    ChoiceDialog.-alone { align: center bottom; background: $background 60%; }
    ChoiceDialog.-alone > Vertical { width: 100%; max-width: 100%; }
    ChoiceDialog #words { height: auto; margin-bottom: 1; }
    ChoiceDialog #rows { height: auto; max-height: 100%; overflow-y: auto; scrollbar-size-vertical: 1; }
    ChoiceDialog KeyBar { dock: none; margin-top: 1; background: $surface; }
    """

    def __init__(
        self,
        title: UserText,
        words: UserText,
        options: Sequence[Option],
        *,
        selected: bool = False,
        typed: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__()
        self.guard = KeyGuard(time.monotonic)
        self._typed = typed
        self._title, self._words, self._options = title, words, tuple(options)
        self._selected = selected

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(sanitize(self._title))
            with Vertical(id="rows"):
                if self._words:
                    yield Static(reveal_hidden(self._words), id="words", markup=False)
                yield OptionList(id="answers")
            yield KeyBar(id="keys")

    def on_resize(self, event: events.Resize) -> None:
        """Keep the line of keys visible, however many answers there are."""
        self.query_one("#rows").styles.max_height = max(1, event.size.height * 85 // 100 - _BESIDE)

    def on_mount(self) -> None:
        rows = self.query_one(OptionList)
        rows.show(self._options)
        if self._selected:
            rows.move(1)
        self.query_one(KeyBar).show((BarKey("↑ ↓ Enter", _("choose")), BarKey("Esc", _("close"), "leave")))

    def action_leave(self) -> None:
        self.dismiss(None)

    @property
    def forwards_text(self) -> bool:
        return self._typed is not None

    @property
    def letter_answers(self) -> Mapping[str, str]:
        return {one.key: one.id for one in self._options if len(one.key) == 1 or one.key == "space"}

    def take_letter(self, answer: str) -> None:
        self._take(answer)

    def key_guard(self) -> KeyGuard:
        return self.guard if self._typed is not None else super().key_guard()

    def forward_text(self, typed: TypedText) -> None:
        """Close the dialog and pass the text to `typed`; without it, write the text into the message."""
        self.dismiss(None)
        if self._typed is not None:
            self._typed(typed.text)
        else:
            super().forward_text(typed)

    def _move(self, by: int) -> None:
        rows, box = self.query_one(OptionList), self.query_one("#rows", Vertical)
        rows.move(by)
        if (row := rows.row_of_cursor) is not None:
            box.scroll_to_region(Region(0, row + rows.virtual_region.y, 1, 1), animate=False)

    def on_key(self, event: events.Key) -> None:
        rows = self.query_one(OptionList)
        if event.key == "escape":
            event.stop()
            self.dismiss(None)
        elif event.key in ("up", "down"):
            event.stop()
            self._move(-1 if event.key == "up" else 1)
        elif event.key == "enter" and rows.selected is not None:
            event.stop()
            self._take(rows.selected.id)
        elif (found := next((one for one in self._options if event.key == one.key.lower()), None)) is not None:
            event.stop()
            self._take(found.id)

    def on_option_list_clicked(self, event: OptionList.Clicked) -> None:
        event.stop()
        self._take(event.option_id)

    def _take(self, option_id: str) -> None:
        option = next(one for one in self._options if one.id == option_id)
        if not option.disabled:
            self.dismiss(option_id)
