"""A list with a filter input above it: typing filters, and the arrows still move."""

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.fuzzy import score
from kimi_tui.ui.tui.widgets.pick_list import ItemList, ListItem
from kimi_tui.ui.tui.widgets.text_field import TextField


class FilteredList(Vertical):
    """Shows the matching items, by label, detail or right side, and their headings; the inner list posts messages."""

    DEFAULT_CSS = """
    FilteredList { height: auto; max-height: 100%; }
    FilteredList > Horizontal { height: 1; margin-bottom: 1; }
    FilteredList #mark { width: 7; color: $primary; }
    FilteredList Input { width: 1fr; }
    """

    def __init__(self, placeholder: UserText = "", *, at_once: bool = True, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._placeholder = placeholder
        self.list = ItemList(at_once=at_once)
        self.list.can_focus = False
        self._picks: tuple[ListItem, ...] = ()

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static(_("find") + " › ", id="mark", markup=False)
            yield TextField(placeholder=self._placeholder)
        yield self.list

    @property
    def query_text(self) -> str:
        return self.query_one(Input).value.strip()

    def show(self, picks: Sequence[ListItem], *, key: str | None = None) -> None:
        """Set the items; the matching ones are shown."""
        self._picks = tuple(picks)
        self._narrow(key)
        self.keep_height()

    def keep_height(self) -> None:
        """Keep the list at the height of all its items while it is filtered, so that the screen does not jump."""
        most = self.list.styles.max_height
        if self.list.styles.is_auto_height and most is not None and most.cells is not None and not self.query_text:
            self.list.styles.min_height = min(most.cells, self.list.row_count)

    def focus_line(self) -> None:
        self.query_one(Input).focus()

    def _narrow(self, key: str | None = None, *, top: bool = False) -> None:
        query = self.query_text if self.is_mounted else ""
        fits = _contains if any(pick.key and _contains(pick, query) for pick in self._picks) else _resembles
        shown: list[ListItem] = []
        for pick in self._picks:
            if pick.key and query and not fits(pick, query):
                continue
            if not pick.key and shown and not shown[-1].key:
                shown.pop()
            shown.append(pick)
        if shown and not shown[-1].key:
            shown.pop()
        self.list.empty = _("no match for “{query}”", query=query) if query else ""
        self.list.show(shown, key=key, top=top)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._narrow(top=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.list.action_choose()

    def on_key(self, event: events.Key) -> None:
        if not self.query_one(Input).has_focus:
            return
        match event.key:
            case "up":
                self.list.action_move(-1)
            case "down":
                self.list.action_move(1)
            case "pageup":
                self.list.action_page(-1)
            case "pagedown":
                self.list.action_page(1)
            case _:
                return
        event.stop()
        event.prevent_default()


def _contains(pick: ListItem, query: str) -> bool:
    """Whether the item contains the exact text."""
    return query.casefold() in "\n".join((pick.label, pick.detail, pick.right, pick.search_terms)).casefold()


def _resembles(pick: ListItem, query: str) -> bool:
    """Whether the label contains the letters in order; used only if no item contains the exact text."""
    return score(query, pick.label) is not None
