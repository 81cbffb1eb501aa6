"""Prompts for one of many names."""

from collections.abc import Sequence

from textual.app import ComposeResult

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.widgets.filtered_list import FilteredList
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.modal_card import ModalCard
from kimi_tui.ui.tui.widgets.pick_list import ItemList, ListItem


class PickPrompt(ModalCard[str]):
    """Asks for one of many names. Returns it; the cursor starts on `value`."""

    CSS = """
    PickPrompt FilteredList { height: auto; }
    PickPrompt ItemList { height: auto; margin-bottom: 1; }
    """
    rows_beside = 7

    def __init__(self, title: str, names: Sequence[str], value: str) -> None:
        super().__init__()
        self._title, self._names, self._value = title, tuple(names), value

    def body(self) -> ComposeResult:
        yield FilteredList(_("filter by name"))

    def keys(self) -> Sequence[BarKey]:
        return (BarKey("Enter", _("select"), "take"),)

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#frame").border_title = sanitize(self._title)
        searched = self.query_one(FilteredList)
        rows = [ListItem(name, name, sign="○", role="muted") for name in self._names if name != self._value]
        searched.show([ListItem(self._value, self._value, sign="●", role="accent"), *rows], key=self._value)
        searched.focus_line()

    def action_take(self) -> None:
        self.query_one(ItemList).action_choose()

    def on_item_list_chosen(self, event: ItemList.Chosen) -> None:
        self.dismiss(event.key)
