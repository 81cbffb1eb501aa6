"""Base of the dialogs docked above the composer; each one shows whether it has the focus."""

import time
from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.containers import Vertical

from kimi_tui.ui.tui.dialogs.approval_body import SCROLL, ApprovalBody
from kimi_tui.ui.tui.dialogs.option_list import OptionList
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.keys.bindings import KeyContext
from kimi_tui.ui.tui.widgets.hints_changed import Hint
from kimi_tui.ui.tui.widgets.key_guard import KeyGuard
from kimi_tui.ui.tui.widgets.type_ahead import TypeAheadFilter

_FRAME, SIDES = 2, 4
"""Rows of the frame; columns of the frame and the padding."""
_MAX_TEXT = 24


class DockedDialog(Vertical, can_focus=True):
    """A dialog above the composer.

    Subclasses set the footer by `_set_footer`; it is shown while the dialog has the focus.
    """

    DEFAULT_CSS = """
    DockedDialog {
        display: none; height: auto; background: $surface; padding: 0 1;
        border: round $secondary; border-title-color: $secondary; border-title-style: bold;
        border-subtitle-color: $muted;
    }
    DockedDialog.-open { display: block; }
    DockedDialog > OptionList { margin-top: 1; }
    DockedDialog > ApprovalBody { background: $surface; }
    DockedDialog.-unfocused { border-subtitle-color: $warning; border-subtitle-style: bold; }
    """
    key_context: ClassVar[KeyContext]
    reach_label: ClassVar[str]
    """The description of the key that focuses the dialog; not yet translated."""
    _footer = ""
    _reach = ""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self.guard = KeyGuard(clock)
        self.ahead = TypeAheadFilter(self, self.guard, self.take_answer)
        self._clock = clock

    def take_answer(self, option_id: str) -> None:
        """Give the answer of this option."""
        raise NotImplementedError

    @property
    def writes(self) -> bool:
        """Whether the user is writing a text in the dialog."""
        return False

    def return_words(self) -> None:
        """Move a text that the user writes in the dialog into the message: it can no longer be sent from here."""

    @property
    def keys(self) -> frozenset[str]:
        """The keys of the answers."""
        return frozenset(option.key for option in self.query_one(OptionList).options)

    def hints(self) -> tuple[Hint, ...]:
        """The keys that act while the dialog has the focus."""
        raise NotImplementedError

    def on_show(self) -> None:
        """Restart the key guard: earlier keys were not for this dialog."""
        self.guard.restart()

    def on_blur(self) -> None:
        self.ahead.leave()

    def on_paste(self, event: events.Paste) -> None:
        if not self.writes:
            self.ahead.paste(event)

    def on_option_list_clicked(self, event: OptionList.Clicked) -> None:
        event.stop()
        if self.guard.accepts():  # defence: guard-clicks
            self.take_answer(event.option_id)

    def take_focus(self) -> None:
        self.screen.set_focus(self)  # synchronously: the next key is for it

    def stand_alone(self, alone: bool) -> None:
        """Called with true while the dialog hides the conversation, else with false."""

    def fits(self, room: int) -> bool:
        """Whether the whole dialog fits into `room` rows beside the conversation."""
        return self._rows_around + self.query_one(ApprovalBody).rows_at(self.app.size.width - SIDES) <= room

    def fit(self, room: int) -> None:
        """Shrink the text so that every answer stays on screen, in a dialog of at most `room` rows."""
        self.query_one(ApprovalBody).give_room(max(2, min(_MAX_TEXT, room - self._rows_around)))

    @property
    def _rows_around(self) -> int:
        """The rows of the dialog without its text."""
        answers = self.query_one(OptionList)
        rows = max(answers.outer_size.height, len(answers.options))
        others = sum(
            one.outer_size.height + one.styles.margin.height
            for one in self.children
            if one.display and not isinstance(one, ApprovalBody | OptionList)
        )
        return _FRAME + self._blank_rows + others + rows

    @property
    def _blank_rows(self) -> int:
        """The blank rows around the text and the answers."""
        return self.query_one(OptionList).styles.margin.height + self.query_one(ApprovalBody).styles.margin.height

    def show_focus_hint(self, reach: str) -> None:
        """Show whether the dialog has the focus; `reach` is the key that focuses it."""
        unfocused = not self.has_focus_within
        if (unfocused, reach) != (self.has_class("-unfocused"), self._reach):
            self._reach = reach
            self.set_class(unfocused, "-unfocused")
            self.query_one(OptionList).dim(unfocused)
            self._set_footer(self._footer)

    def scroll_text(self, event: events.Key) -> bool:
        """Scroll the text by a key; False for keys with another meaning."""
        if event.key not in SCROLL:
            return False
        event.stop()
        self.query_one(ApprovalBody).scroll_relative(y=SCROLL[event.key], animate=False, immediate=True)
        return True

    @property
    def _scroll_hints(self) -> tuple[Hint, ...]:
        return (("PgDn", _("more")),) if self.can_scroll_on else ()

    @property
    def can_scroll_on(self) -> bool:
        """Whether the text is longer than its visible part."""
        return self.query_one(ApprovalBody).max_scroll_y > 0

    @property
    def pointing(self) -> str:
        """The hint after an answer's key is pressed while the dialog does not have the focus."""
        return _("press {key} first, then answer", key=self._reach) if self._reach else ""

    def _set_footer(self, words: str) -> None:
        self._footer = words
        unfocused = self.has_class("-unfocused") and self._reach
        self.border_subtitle = _("{key} to answer", key=self._reach) if unfocused else words


class OptionsDialog(DockedDialog):
    """A dialog with only its options to choose from. `confirm_keys` give the selected option as the answer."""

    confirm_keys: ClassVar[frozenset[str]] = frozenset({"enter"})

    def on_key(self, event: events.Key) -> None:
        if self.writes or self.scroll_text(event):
            return
        options = self.query_one(OptionList)
        if event.key in ("up", "down"):
            event.stop()
            options.move(-1 if event.key == "up" else 1)
        elif event.key == "enter" and self.ahead.holds:
            event.stop()
            self.ahead.settle()
        elif event.key in self.confirm_keys and not self.ahead.holds and options.selected is not None:
            event.stop()
            if self.guard.accepts():
                self.take_answer(options.selected.id)
        else:
            self.ahead.handle_key(event, {option.key: option.id for option in options.options})
