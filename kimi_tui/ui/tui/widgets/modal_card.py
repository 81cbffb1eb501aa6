"""A modal screen as large as its content."""

from typing import ClassVar, TypeVar

from textual import events

from kimi_tui.ui.tui.widgets.filtered_list import FilteredList
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame
from kimi_tui.ui.tui.widgets.one_shot_screen import LOW
from kimi_tui.ui.tui.widgets.pick_list import ItemList

ResultType = TypeVar("ResultType")


class ModalCard(ModalFrame[ResultType]):
    """A modal screen that is as large as its content, on top of the previous screen."""

    DEFAULT_CSS = """
    ModalCard { align: center middle; background: $background 60%; }
    ModalCard.-alone { align: center bottom; background: $background 60%; }
    ModalCard.-alone > #frame { width: 100%; }
    ModalCard > #frame { width: 84; max-width: 100%; height: auto; max-height: 100%; padding: 1 2 0 2; }
    ModalCard > #frame > KeyBar { margin-top: 0; }
    ModalCard.-low > #frame { padding: 0 2; }
    """
    rows_beside: ClassVar[int] = 0
    """Rows of the card that its list cannot use; 0 if the card has no list that may be long."""

    def on_resize(self, event: events.Resize) -> None:
        """Give a list all available rows."""
        low = event.size.height < LOW
        for picks in self.query(ItemList) if self.rows_beside else ():
            picks.styles.max_height = max(3, event.size.height - self.rows_beside + low)
            if isinstance(picks.parent, FilteredList):
                picks.parent.keep_height()
