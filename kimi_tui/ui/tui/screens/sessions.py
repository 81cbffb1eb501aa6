"""The session list: search by title or text, preview, rename, fork, archive, open."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from kimi_tui.errors import KimiTuiError
from kimi_tui.paths import shown
from kimi_tui.session.session_index import is_open
from kimi_tui.ui.tui.i18n.catalog import N_, _, n_, p_
from kimi_tui.ui.tui.i18n.relative_time import ago, day_heading
from kimi_tui.ui.tui.screens.session_list_model import SessionEntry, SessionList, open_elsewhere_message
from kimi_tui.ui.tui.state.items import Item, NoticeItem
from kimi_tui.ui.tui.text.fuzzy import score
from kimi_tui.ui.tui.text.styled_line import cut_start
from kimi_tui.ui.tui.transcript.view import Transcript
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.list_detail import ListDetail
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame
from kimi_tui.ui.tui.widgets.one_shot_screen import NARROW
from kimi_tui.ui.tui.widgets.pick_list import ItemList, ListItem
from kimi_tui.ui.tui.widgets.text_field import TextField
from kimi_tui.ui.tui.widgets.text_prompt import TextPrompt

NEW = "new"
_ROOMY = 72
_LEAST_ROWS = 20
"""Rows of a narrow terminal that has room for a preview."""


class Sessions(ModalFrame[SessionEntry | Literal["new"]]):
    """Lists the sessions. Returns the session to open, or `new`. `rename_open` renames the session on screen."""

    CSS = """
    Sessions #search { height: 1; margin-bottom: 1; }
    Sessions #search > #mark { width: 9; color: $primary; }
    Sessions #query { width: 1fr; }
    Sessions #count { width: auto; color: $muted; padding-left: 2; }
    Sessions #side { height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "rename", "Rename", show=False, priority=True),
        Binding("ctrl+b", "fork", "Fork", show=False, priority=True),
        Binding("ctrl+x", "archive", "Archive", show=False, priority=True),
        Binding("ctrl+a", "everywhere", "This folder, or all", show=False, priority=True),
        Binding("tab", "side", "To the preview and back", show=False, priority=True),
    ]
    title_text = N_("sessions")
    head_rows = 2

    def __init__(
        self,
        session_list: SessionList,
        *,
        now: Callable[[], float],
        rename_open: Callable[[str], None] = lambda _title: None,
        busy: bool = False,
    ) -> None:
        super().__init__()
        self._session_list = session_list
        self._now = now
        self._rename_open = rename_open
        self._busy = busy
        self._rows: list[SessionEntry] = []
        self._found: dict[str, str] = {}
        self._all = False
        self._loaded = False

    def body(self) -> ComposeResult:
        with Horizontal(id="search"):
            yield Static(_("search") + " › ", id="mark", markup=False)
            yield TextField(placeholder=_("title or text"), id="query")
            yield Static("", id="count", markup=False)
        preview = Transcript(clock=self._now, motion=False, id="preview")
        yield ListDetail(ItemList(at_once=False, id="list"), Vertical(preview, id="side"))

    def keys(self) -> Sequence[BarKey]:
        entry = self._selected
        return (
            BarKey("Enter", _("open"), "open"),
            BarKey("Ctrl+A", _("this folder") if self._all else _("all folders"), "everywhere"),
            *(
                (
                    BarKey("Ctrl+R", _("rename"), "rename"),
                    BarKey("Ctrl+B", _("fork"), "fork"),
                    BarKey("Ctrl+X", _("restore") if entry.archived else _("archive"), "archive"),
                    BarKey("Tab", _("preview"), "side"),
                )
                if entry
                else ()
            ),
        )

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one(Input).focus()
        self._fit()
        self.load()

    def on_resize(self, event: events.Resize) -> None:
        self._fit()

    def _fit(self) -> None:
        """Be as high as the list and the preview; a preview that has nothing to show takes no row."""
        size = self.app.size
        has_preview = self._selected is not None and size.height >= _LEAST_ROWS
        self.query_one("#side").display = has_preview or size.width >= NARROW
        self.fit_rows(len(self._rows))

    # List

    def load(self, select: str | None = None) -> None:
        """Reload the sessions from disk."""
        self.run_worker(partial(self._load, select), group="sessions", exclusive=True)

    async def _load(self, select: str | None) -> None:
        self._rows = await asyncio.to_thread(self._session_list.rows, everywhere=self._all)
        self._loaded = True
        await self._search(select)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.run_worker(partial(self._search, None, top=True), group="search", exclusive=True)

    async def _search(self, select: str | None, *, top: bool = False) -> None:
        query = self.query_one(Input).value.strip()
        self._found = {}
        self._show(query, select, top=top)
        if query:
            self._found = await asyncio.to_thread(self._session_list.search, query, self._rows)
            self._show(query, None)

    def _show(self, query: str, select: str | None, *, top: bool = False) -> None:
        if not self._loaded:
            return
        now = self._now()
        found = [entry for entry in self._rows if self._fits(entry, query)]
        picks: list[ListItem] = [] if query else [ListItem(NEW, _("New session"), sign="+", role="accent")]
        group = ""
        for entry in sorted(found, key=lambda one: one.archived):
            word = _("archived") if entry.archived else day_heading(entry.updated_at, now)
            if word != group:
                picks.append(ListItem("", word))
                group = word
            picks.append(self._pick(entry, now))
        picks_list = self.query_one("#list", ItemList)
        picks_list.empty = _("no match for “{query}”", query=query) if query else ""
        picks_list.show(picks, key=select, top=top)
        self.query_one(ListDetail).keep_height()
        self._fit()
        where = (
            _("all folders") if self._all else cut_start(shown(self._session_list.work_dir), self.app.size.width // 4)
        )
        many = n_("{count} session", "{count} sessions", len(found))
        self.query_one("#count", Static).update(f"{many} · {where}" if self.app.size.width >= _ROOMY else many)
        self.show_keys()

    def _fits(self, entry: SessionEntry, query: str) -> bool:
        return not query or entry.id in self._found or score(query, entry.title) is not None

    def _pick(self, entry: SessionEntry, now: float) -> ListItem:
        detail = self._found.get(entry.id, "")
        if not detail and self._all:
            detail = shown(entry.work_dir)
        return ListItem(
            entry.id,
            entry.title or _("(no title)"),
            right=_where(entry) or ago(entry.updated_at, now),
            detail=detail,
            sign="●" if entry.open_here else "○" if entry.open_elsewhere else "",
            role="accent" if entry.open_here else "muted",
            dimmed=entry.archived or not entry.title,
        )

    @property
    def _selected(self) -> SessionEntry | None:
        key = self.query_one("#list", ItemList).key
        return next((entry for entry in self._rows if entry.id == key), None)

    def on_item_list_moved(self, event: ItemList.Moved) -> None:
        self.show_keys()
        self._fit()
        self.run_worker(partial(self._preview, self._selected), group="preview", exclusive=True)

    async def _preview(self, entry: SessionEntry | None) -> None:
        items: Sequence[Item] = ()
        if entry is not None:
            items = await asyncio.to_thread(self._session_list.preview, entry)
        elif self.query_one("#list", ItemList).key == NEW:
            where = shown(self._session_list.work_dir)
            items = [NoticeItem(_("an empty session in {folder}", folder=where))]
        self.query_one(Transcript).replace_all(items)
        self._fit_preview()
        self.call_after_refresh(self._fit_preview)  # its width, and so its rows, are known then

    def _fit_preview(self) -> None:
        """Give the preview the height of its text, with the blank rows that follow it."""
        rows = self.query_one(Transcript).store.heights.total
        detail = self.query_one(ListDetail)
        detail.keep_height()
        self.query_one("#side").styles.height = rows + max(2, rows // 4 + 1)

    # Actions

    def on_key(self, event: events.Key) -> None:
        """Move the list's cursor while the search field has the focus."""
        picks = self.query_one("#list", ItemList)
        if not isinstance(self.focused, Input):
            return
        match event.key:
            case "up":
                picks.action_move(-1)
            case "down":
                picks.action_move(1)
            case "pageup":
                picks.action_page(-1)
            case "pagedown":
                picks.action_page(1)
            case _:
                return
        event.stop()
        event.prevent_default()

    def on_input_submitted(self) -> None:
        self.action_open()

    def on_item_list_chosen(self, event: ItemList.Chosen) -> None:
        self.action_open()

    def action_open(self) -> None:
        if self.query_one("#list", ItemList).key == NEW:
            self.dismiss(NEW)
        elif entry := self._selected:
            if entry.open_elsewhere and is_open(entry.dir):
                self.set_status(open_elsewhere_message(entry))
            else:
                self.dismiss(None if entry.open_here else entry)

    def action_everywhere(self) -> None:
        self._all = not self._all
        self.load()

    def action_side(self) -> None:
        preview = self.query_one(Transcript)
        (self.query_one(Input) if preview.has_focus or not preview.display else preview).focus()

    def action_rename(self) -> None:
        if entry := self._selected:

            def renamed(title: str | None) -> None:
                if title is None:
                    return
                if entry.open_here:
                    self._rename_open(title)
                    self._rows = [replace(one, title=title) if one.id == entry.id else one for one in self._rows]
                    self._show(self.query_one(Input).value.strip(), entry.id)
                else:
                    self._do(lambda: self._session_list.rename(entry, title))

            self.app.push_screen(TextPrompt(_("rename the session"), value=entry.title), renamed)

    def action_fork(self) -> None:
        if entry := self._selected:
            if entry.open_here and self._busy:
                self.set_status(_("wait for its turn to end before forking it"))
                return
            self._do(lambda: self._session_list.fork(entry))

    def action_archive(self) -> None:
        if entry := self._selected:
            self._do(lambda: self._session_list.archive(entry, not entry.archived))

    def _do(self, change: Callable[[], SessionEntry]) -> None:
        self.run_worker(self._changed(change), group="change")

    async def _changed(self, change: Callable[[], SessionEntry]) -> None:
        try:
            entry = await asyncio.to_thread(change)
        except KimiTuiError as error:
            self.set_status(str(error))
            return
        self.set_status("")
        self.load(entry.id)


def _where(entry: SessionEntry) -> str:
    """A label that shows where the session is open; empty if it is not."""
    if entry.open_here:
        return p_("session", "open")
    return _("in another window") if entry.open_elsewhere else ""
