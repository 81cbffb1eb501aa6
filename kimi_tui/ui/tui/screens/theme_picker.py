"""Theme picker with live preview."""

from collections.abc import Callable, Mapping, Sequence

from textual import events
from textual.app import ComposeResult

from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.modal_card import ModalCard
from kimi_tui.ui.tui.widgets.pick_list import ItemList, ListItem

_UNCOVERED_ROWS = 34
_UNCOVERED_COLUMNS = 136
"""The rows, and the columns, from which on the card leaves the middle of the terminal uncovered."""


class ThemePicker(ModalCard[str]):
    """Lists the themes. Returns the chosen theme; closing restores the previous one."""

    CSS = """
    ThemePicker { background: $background 0%; align: right top; }
    ThemePicker > #frame { width: 46; }
    ThemePicker ItemList { height: auto; max-height: 70vh; margin-bottom: 1; }
    """
    title_text = N_("theme")

    def __init__(self, themes: Mapping[str, str], theme: str, *, use: Callable[[str], object]) -> None:
        super().__init__()
        self._themes, self._before, self._use = themes, theme, use

    def body(self) -> ComposeResult:
        yield ItemList(id="themes")

    def keys(self) -> Sequence[BarKey]:
        return (BarKey("↑ ↓", _("preview")), BarKey("Enter", _("select"), "take"))

    def on_mount(self) -> None:
        super().on_mount()
        picks = self.query_one(ItemList)
        picks.show(
            [
                ListItem(name, translate(title), sign="●" if name == self._before else "○", role="accent")
                for name, title in self._themes.items()
            ],
            key=self._before,
        )
        picks.focus()

    def on_resize(self, event: events.Resize) -> None:
        """Show the welcome text as a part of the preview where the card does not cover it."""
        self.app.set_class(event.size.height >= _UNCOVERED_ROWS or event.size.width >= _UNCOVERED_COLUMNS, "-previews")

    def on_unmount(self) -> None:
        self.app.remove_class("-previews")

    def on_item_list_moved(self, event: ItemList.Moved) -> None:
        self._use(event.key)

    def on_item_list_chosen(self, event: ItemList.Chosen) -> None:
        self.dismiss(event.key)

    def action_take(self) -> None:
        self.query_one(ItemList).action_choose()

    def action_leave(self) -> None:
        self._use(self._before)
        self.dismiss(None)
