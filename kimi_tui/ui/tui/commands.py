"""The palette: every action of the screen, every slash command, every theme."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from rich.align import Align
from rich.text import Text
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.widgets.option_list import Option

from kimi_tui.ui.tui.composer.fuzzy import score
from kimi_tui.ui.tui.doors import DOORS
from kimi_tui.ui.tui.from_below import told
from kimi_tui.ui.tui.headline import one_line
from kimi_tui.ui.tui.keys import KEYS, shown
from kimi_tui.ui.tui.language import _
from kimi_tui.ui.tui.text.sanitize import sanitize

if TYPE_CHECKING:
    from kimi_tui.ui.tui.app import KimiTui


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the palette."""

    title: str
    help: str
    run: Callable[[], object]


def entries(app: "KimiTui") -> Iterable[Entry]:
    """All there is to choose from now."""
    for key in KEYS:
        if key.action and key.in_palette:
            yield Entry(_(key.what), shown(app.keymap.keys_of(key)), partial(app.run_action, key.action))
    for door in DOORS:
        yield Entry(_(door.description), f"/{door.name}", partial(app.doors.open, door.name))
    for command in app.commands():
        text = f"/{command.name}"
        yield Entry(text, _(command.description), partial(app.put_command, command.name))
    for name, title in app.shelf.titles().items():
        yield Entry(_("Theme: {title}", title=told(title)), name, partial(app.use_theme, name))


class Actions(Provider):
    """Offers `entries` to Textual's palette, fuzzily."""

    @property
    def _entries(self) -> Iterable[Entry]:
        return entries(cast("KimiTui", self.app))

    async def discover(self) -> Hits:
        for entry in self._entries:
            yield DiscoveryHit(_plain(entry.title), entry.run, text=entry.title, help=_help(entry))

    async def search(self, query: str) -> Hits:
        for entry in self._entries:
            value = score(query, entry.title)
            if value is None and (value := score(query, entry.help)) is not None:
                value /= 4
            if value is not None:
                yield Hit(value, _plain(entry.title), entry.run, text=entry.title, help=_help(entry))


def _plain(text: str) -> Content:
    return Content(sanitize(text))


def _help(entry: Entry) -> str:
    return sanitize(one_line(entry.help)).replace("[", "(").replace("]", ")")[:76]


class Palette(CommandPalette):
    """Textual's palette with its own words in the language of the screen."""

    def __init__(self) -> None:
        super().__init__(placeholder=_("Search for commands…"), id="--command-palette")

    def _start_no_matches_countdown(self, search_value: str) -> None:
        self._stop_no_matches_countdown()
        self._no_matches_timer = self.set_timer(self._NO_MATCHES_COUNTDOWN, lambda: self._find_none(search_value))

    def _find_none(self, query: str) -> None:
        if query:
            words = Align.center(Text(_("No matches found")))
            self.query_one(CommandList).add_option(Option(words, disabled=True, id=self._NO_MATCHES))
        self._list_visible = bool(query)
