"""The palette: every screen, every action, every slash command and every theme, found by typing."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.i18n.translate import told
from kimi_tui.ui.tui.keys.bindings import KEYS, shown
from kimi_tui.ui.tui.navigation.screen_registry import DOORS
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.widgets.filtered_list import SearchedList
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.modal_card import Card
from kimi_tui.ui.tui.widgets.pick_list import Pick, PickList

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app import KimiTui


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the palette: what it is called, what stands beside it, and the group it is under.

    `english` is what it is called in English: in a screen of another language it is found by that too.
    """

    title: str
    help: str
    run: Callable[[], object]
    group: str
    english: str


def entries(app: "KimiTui") -> Iterable[Entry]:
    """All there is to choose from now, group by group."""
    for door in DOORS:
        opened = partial(app.doors.open, door.name)
        yield Entry(_(door.description), f"/{door.name}", opened, _("screens"), door.description)
    for key in KEYS:
        if key.action and key.in_palette:
            keys = shown(app.keymap.keys_of(key))
            yield Entry(_(key.what), keys, partial(app.run_action, key.action), _("actions"), key.what)
    ours = {door.name for door in DOORS}
    for command in app.commands():
        if command.name not in ours:
            put = partial(app.put_command, command.name)
            what = told(command.description)
            yield Entry(f"/{command.name}", what, put, _("commands, skills and flows"), command.description)
    for name, title in app.shelf.titles().items():
        yield Entry(told(title), name, partial(app.use_theme, name), _("themes"), f"{title} theme")


class Palette(Card[Entry]):
    """Gives back what is to be done. Its list keeps its height while it is narrowed down."""

    CSS = """
    Palette { align: center top; }
    Palette > #frame { margin-top: 1; }
    Palette.-low > #frame { margin-top: 0; }
    Palette SearchedList { height: auto; }
    Palette PickList { height: auto; margin-bottom: 1; }
    """
    title_text = N_("everything there is")
    rows_beside = 9

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__()
        self._entries = {str(index): entry for index, entry in enumerate(entries)}

    def body(self) -> ComposeResult:
        yield SearchedList(_("a screen, an action, a command, a theme"))

    def keys(self) -> Sequence[BarKey]:
        return (BarKey("Enter", _("do it"), "take"), BarKey("↑ ↓", _("others")))

    def on_mount(self) -> None:
        super().on_mount()
        picks: list[Pick] = []
        group = ""
        for key, entry in self._entries.items():
            if entry.group != group:
                group = entry.group
                picks.append(Pick("", group))
            also = f"{entry.english}\n{entry.group}"
            picks.append(Pick(key, entry.title, right=one_line(entry.help), also=also))
        searched = self.query_one(SearchedList)
        searched.show(picks)
        searched.focus_line()

    def action_take(self) -> None:
        self.query_one(PickList).action_choose()

    def on_pick_list_chosen(self, event: PickList.Chosen) -> None:
        self.dismiss(self._entries[event.key])
