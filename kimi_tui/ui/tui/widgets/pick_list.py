"""A selectable list: rows under headings, one of them under the cursor. Only visible rows are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.render_fallback import log_fault, plain_lines
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut, cut_start
from kimi_tui.ui.tui.text.wrap import wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import background_of, line_strip, widget_palette

if TYPE_CHECKING:
    from kimi_tui.flow.render.chart_style import Role  # imported late: the list is there before the first frame


@dataclass(frozen=True, slots=True)
class ListItem:
    """A row. Without a `key` it is a heading. `right` is aligned to the right edge, `detail` is on a row below.

    `sign` comes before the label in the colour of `role`; a `dimmed` row is muted. `search_terms` are further words for
    the search; they are not displayed.
    """

    key: str
    label: UserText
    right: UserText = ""
    detail: UserText = ""
    sign: str = ""
    role: "Role" = "plain"
    dimmed: bool = False
    search_terms: str = ""


class ItemList(ScrollView, can_focus=True):
    """A list to pick from, by arrows, the mouse and Enter. With `at_once` any click picks; without it, only a click on
    the row under the cursor.
    """

    DEFAULT_CSS = """
    ItemList { height: 1fr; scrollbar-size-vertical: 1; overflow-x: hidden; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,ctrl+p", "move(-1)", "Up", show=False),
        Binding("down,ctrl+n", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "end(-1)", "First", show=False),
        Binding("end", "end(1)", "Last", show=False),
        Binding("enter", "choose", "Take it", show=False),
    ]

    class Moved(Message):
        """The cursor moved; `key` is "" without a row under it."""

        def __init__(self, picks: "ItemList", key: str) -> None:
            self.picks, self.key = picks, key
            super().__init__()

        @property
        def control(self) -> "ItemList":
            return self.picks

    class Chosen(Message):
        def __init__(self, picks: "ItemList", key: str) -> None:
            self.picks, self.key = picks, key
            super().__init__()

        @property
        def control(self) -> "ItemList":
            return self.picks

    def __init__(self, *, at_once: bool = True, empty: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.picks: tuple[ListItem, ...] = ()
        self.empty = empty
        self._at_once = at_once
        self._cursor = -1
        self._rows: list[tuple[int, int]] = []
        self._first: dict[int, int] = {}
        self._strips: dict[tuple[int, bool], list[Strip]] = {}
        self._drawn_for: tuple[int, bool] = (-1, False)

    @property
    def selected(self) -> ListItem | None:
        return self.picks[self._cursor] if 0 <= self._cursor < len(self.picks) else None

    @property
    def key(self) -> str:
        """The key under the cursor, or ""."""
        return self.selected.key if self.selected else ""

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def show(self, picks: Sequence[ListItem], *, key: str | None = None, top: bool = False) -> None:
        """Show these items, with the cursor on `key`, or else on its previous row (`top`: on the first)."""
        before = self.key
        wanted = before if key is None else key
        self.picks = tuple(picks)
        self._strips.clear()
        self._rows, self._first = [], {}
        for index, pick in enumerate(self.picks):
            if not pick.key and index:
                self._rows.append((index, -1))
            self._first[index] = len(self._rows)
            self._rows.extend((index, part) for part in range(2 if pick.detail else 1))
        keys = [pick.key for pick in self.picks]
        at = keys.index(wanted) if wanted and wanted in keys and not (top and key is None) else -1
        if at < 0:
            near = 0 if top else max(0, min(self._cursor, len(keys) - 1))
            taken = [index for index, one in enumerate(keys) if one]
            at = min(taken, key=lambda index: abs(index - near), default=-1)
        self._cursor = at
        if self.is_mounted:
            self._resize_rows()
            self._into_sight()
            self.refresh(layout=self.styles.is_auto_height)
            if self.key != before:
                self._post(self.Moved(self, self.key))

    def in_view(self, key: str) -> bool:
        """Whether the first row of this item is visible."""
        seen, top = self.screen.find_widget(self).visible_region, self.content_region.y - self.scroll_offset.y
        rows = (self._first[index] for index, pick in enumerate(self.picks) if pick.key == key)
        return any(seen.y <= top + row < seen.bottom for row in rows)

    def select(self, key: str) -> None:
        """Move the cursor to that row."""
        index = next((index for index, pick in enumerate(self.picks) if pick.key == key and key), -1)
        if index >= 0:
            self._go(index)

    # Moving

    def action_move(self, by: int) -> None:
        index = self._cursor + by
        while 0 <= index < len(self.picks) and not self.picks[index].key:
            index += by
        if 0 <= index < len(self.picks):
            self._go(index)
        elif by < 0:
            self.scroll_to(0, 0, animate=False, immediate=True)

    def action_page(self, by: int) -> None:
        rows = max(1, self.scrollable_content_region.height - 1)
        if self._cursor >= 0:
            at = max(0, min(self._first[self._cursor] + by * rows, len(self._rows) - 1))
            self._go_near(self._rows[at][0], -by)

    def action_end(self, by: int) -> None:
        self._go_near(0 if by < 0 else len(self.picks) - 1, -by)

    def action_choose(self) -> None:
        if self.key:
            self._post(self.Chosen(self, self.key))

    def on_click(self, event: events.Click) -> None:
        row = event.y - self.gutter.top + self.scroll_offset.y
        if not 0 <= row < len(self._rows) or self._rows[row][1] < 0 or not self.picks[self._rows[row][0]].key:
            return
        index = self._rows[row][0]
        again = index == self._cursor
        self._go(index)
        if self._at_once or again:
            self.action_choose()

    def _post(self, message: Message) -> None:
        """Post with this widget as sender: Textual does not bubble a message to a parent that seems to have sent it."""
        self.post_message(message.set_sender(self))

    def _go_near(self, index: int, by: int) -> None:
        """Move to that row, or to the nearest row in direction `by` that is not a heading."""
        while 0 <= index < len(self.picks) and not self.picks[index].key:
            index += by
        if 0 <= index < len(self.picks):
            self._go(index)

    def _go(self, index: int) -> None:
        if index != self._cursor:
            self._cursor = index
            self.refresh()
            self._post(self.Moved(self, self.key))
        self._into_sight()

    def _into_sight(self) -> None:
        if self._cursor < 0:
            return
        height = self.scrollable_content_region.height
        first = self._first[self._cursor]
        last = first + (1 if self.picks[self._cursor].detail else 0)
        above = self._cursor
        while above > 0 and not self.picks[above - 1].key:  # scroll a heading into view with its first row
            above -= 1
        top = self._first[above]
        if top < self.scroll_offset.y:
            self.scroll_to(0, top, animate=False, immediate=True)
        elif last >= self.scroll_offset.y + height > 0:
            self.scroll_to(0, last - height + 1, animate=False, immediate=True)

    # Drawing

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(1, len(self._rows) or len(self._empty_rows(width, Style())))

    def _empty_rows(self, width: int, style: Style) -> list[tuple[tuple[Run, ...], str | None]]:
        return wrap_text(self.empty, style, max(8, width - 4)) if not self.picks and self.empty else []

    def on_mount(self) -> None:
        self._resize_rows()

    def on_resize(self, event: events.Resize) -> None:
        self._resize_rows()
        self.call_after_refresh(self._into_sight)

    def _resize_rows(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, max(1, len(self._rows)))

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if self._drawn_for != (width, self.has_focus):
            self._drawn_for = (width, self.has_focus)
            self._strips.clear()
        line = y + self.scroll_offset.y
        if not self.picks and self.empty:
            rows = self._empty_rows(width, widget_palette(self).muted)
            words = Line((("  ", Style()), *rows[y][0])) if y < len(rows) else Line()
            return line_strip(words, width, background_of(self))
        if line >= len(self._rows) or self._rows[line][1] < 0:
            return Strip.blank(width, background_of(self))
        index, part = self._rows[line]
        here = index == self._cursor
        strips = self._strips.get((index, here))
        if strips is None:
            background, palette = background_of(self), widget_palette(self)
            lines = _lines_or_label(self.picks[index], width, palette, here=here)
            strips = self._strips[index, here] = [line_strip(one, width, background) for one in lines]
        return strips[part] if part < len(strips) else Strip.blank(width, background_of(self))

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()


def _lines_or_label(pick: ListItem, width: int, palette: Palette, *, here: bool) -> list[Line]:
    try:
        return _lines(pick, width, palette, here=here)
    except Exception as error:  # noqa: BLE001 - the edge: a row that cannot be drawn ends nothing
        log_fault(error)
        return plain_lines(pick.label, width, palette.warning)[:1]


def _lines(pick: ListItem, width: int, palette: Palette, *, here: bool) -> list[Line]:
    if not pick.key:
        return [Line(((cut(one_line(pick.label), width), palette.muted + Style(bold=True)),))]
    fill = palette.user_bg if here else None
    background = fill or Style()
    name = palette.accent + Style(bold=True) if here else palette.muted if pick.dimmed else palette.base
    head: list[Run] = [("› " if here else "  ", palette.accent + background)]
    if pick.sign:
        head.append((f"{pick.sign} ", palette.of_role(pick.role) + background))
    indent = sum(cells(text) for text, _ in head)
    label = one_line(pick.label)
    right = cut(one_line(pick.right), max(width * 2 // 5, width - indent - cells(label) - 4))
    room = width - indent - (cells(right) + 3 if right else 1)
    label = cut_start(label, room) if label.startswith(("/", "~")) else cut(label, room)
    runs = [*head, (label, name + background)]
    if right:
        gap = width - indent - cells(label) - cells(right) - 1
        runs += [(" " * gap, background), (right, palette.muted + background)]
    rows = [Line(tuple(runs), fill=fill)]
    if pick.detail:
        about = cut(one_line(pick.detail), width - indent - 1)
        rows.append(Line(((" " * indent, background), (about, palette.muted + background)), fill=fill))
    return rows
