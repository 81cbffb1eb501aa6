"""The command palette: screens, actions, slash commands and themes, filtered by typing."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.ui.tui.keys.bindings import KEYS, display_keys
from kimi_tui.ui.tui.screens.screen_commands import SCREEN_COMMANDS
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.widgets.filtered_list import FilteredList
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.modal_card import ModalCard
from kimi_tui.ui.tui.widgets.pick_list import ItemList, ListItem

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app_protocols import PaletteHost


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One row of the palette: label, detail and group.

    `english` is the English label: the search in a translated UI matches it too.
    """

    title: str
    help: str
    run: Callable[[], object]
    group: str
    english: str


def palette_entries(host: "PaletteHost") -> Iterable[PaletteEntry]:
    """All entries available now, by group."""
    for screen in SCREEN_COMMANDS:
        open_screen = partial(host.action_open_screen, screen.name)
        yield PaletteEntry(_(screen.description), f"/{screen.name}", open_screen, _("screens"), screen.description)
    for key in KEYS:
        if key.action and key.in_palette:
            keys = display_keys(host.keymap.keys_of(key))
            yield PaletteEntry(
                _(key.description), keys, partial(host.run_action, key.action), _("actions"), key.description
            )
    screen_names = {screen.name for screen in SCREEN_COMMANDS}
    for command in host.commands():
        if command.name not in screen_names:
            write_command = partial(host.write_command, command.name)
            description = translate(command.description)
            yield PaletteEntry(
                f"/{command.name}", description, write_command, _("commands, skills and flows"), command.description
            )
    for name, title in host.theme_registry.titles().items():
        yield PaletteEntry(translate(title), name, partial(host.use_theme, name), _("themes"), f"{title} theme")


class CommandPalette(ModalCard[PaletteEntry]):
    """Lists all commands. Returns the chosen entry. The list keeps its height while it is filtered."""

    CSS = """
    CommandPalette { align: center top; }
    CommandPalette.-alone { align: center bottom; }
    CommandPalette > #frame { margin-top: 1; }
    CommandPalette.-low > #frame { margin-top: 0; }
    CommandPalette FilteredList { height: auto; }
    CommandPalette ItemList { height: auto; margin-bottom: 1; }
    """
    title_text = N_("all actions")
    rows_beside = 9

    def __init__(self, entries: Sequence[PaletteEntry]) -> None:
        super().__init__()
        self._entries = {str(index): entry for index, entry in enumerate(entries)}

    def body(self) -> ComposeResult:
        yield FilteredList(_("screen, action, command or theme"))

    def keys(self) -> Sequence[BarKey]:
        return (BarKey("Enter", _("select"), "take"), BarKey("↑ ↓", _("others")))

    def on_mount(self) -> None:
        super().on_mount()
        items: list[ListItem] = []
        group = ""
        for key, entry in self._entries.items():
            if entry.group != group:
                group = entry.group
                items.append(ListItem("", group))
            search_terms = f"{entry.english}\n{entry.group}"
            items.append(ListItem(key, entry.title, right=one_line(entry.help), search_terms=search_terms))
        filtered_list = self.query_one(FilteredList)
        filtered_list.show(items)
        filtered_list.focus_line()

    def action_take(self) -> None:
        self.query_one(ItemList).action_choose()

    def on_item_list_chosen(self, event: ItemList.Chosen) -> None:
        self.dismiss(self._entries[event.key])
