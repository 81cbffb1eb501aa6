"""What the cards have in common that ask above the composer: they say so where their keys do not reach them."""

from textual.containers import Vertical

from kimi_tui.ui.tui.dialogs.approval_body import ApprovalBody
from kimi_tui.ui.tui.dialogs.key_guard import KeyGuard
from kimi_tui.ui.tui.dialogs.option_list import OptionList
from kimi_tui.ui.tui.i18n.catalog import _

_FRAME = 2
_MOST_TEXT = 24


class DockedDialog(Vertical, can_focus=True):
    """Subclasses write the foot's words by `_say_foot`; they are seen while the card has the focus."""

    DEFAULT_CSS = """
    DockedDialog { border-subtitle-color: $muted; }
    DockedDialog.-aside { border-subtitle-color: $warning; border-subtitle-style: bold; }
    """
    guard: KeyGuard
    _foot = ""
    _reach = ""

    @property
    def keys(self) -> frozenset[str]:
        """The keys that answer, where the card has the focus."""
        return frozenset(option.key for option in self.query_one(OptionList).options)

    def on_show(self) -> None:
        """It is seen from now on: what was pressed before was not meant for it."""
        self.guard.restart()

    def take_focus(self) -> None:
        self.screen.set_focus(self)  # at once: what is pressed next is for it

    def fit(self, room: int) -> None:
        """Let the text give way, so that every answer stays on screen: `room` is how many rows the card may have."""
        answers = self.query_one(OptionList)
        rows = max(answers.outer_size.height, len(answers.options))
        others = sum(
            one.outer_size.height + one.styles.margin.height
            for one in self.children
            if one.display and not isinstance(one, ApprovalBody | OptionList)
        )
        body = self.query_one(ApprovalBody)
        around = _FRAME + answers.styles.margin.height + body.styles.margin.height
        body.give_room(max(2, min(_MOST_TEXT, room - around - others - rows)))

    def show_focus_hint(self, reach: str) -> None:
        """Show whether keys come here: `reach` is the key that makes them, which has the focus elsewhere."""
        aside = not self.has_focus_within
        if (aside, reach) != (self.has_class("-aside"), self._reach):
            self._reach = reach
            self.set_class(aside, "-aside")
            self.query_one(OptionList).dim(aside)
            self._set_footer(self._foot)

    @property
    def reads_on(self) -> bool:
        """Whether the text is longer than what is seen of it."""
        return self.query_one(ApprovalBody).max_scroll_y > 0

    @property
    def pointing(self) -> str:
        """What is said where a key of an answer was pressed elsewhere: it answers nothing."""
        return _("{key} first, then answer", key=self._reach) if self._reach else ""

    def _set_footer(self, words: str) -> None:
        self._foot = words
        aside = self.has_class("-aside") and self._reach
        self.border_subtitle = _("{key} to answer", key=self._reach) if aside else words
