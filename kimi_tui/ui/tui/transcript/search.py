"""Search in the conversation: in the items' text, without rendering items that are off screen."""

from dataclasses import dataclass

from rich.style import Style

from kimi_tui.ui.tui.i18n.labels import tool_label
from kimi_tui.ui.tui.state.items import (
    AssistantItem,
    ErrorItem,
    FlowHeaderItem,
    ImageChip,
    Item,
    NoticeItem,
    RetryItem,
    SeparatorItem,
    SideQuestionItem,
    SubagentItem,
    ThinkItem,
    ToolItem,
    UserItem,
)
from kimi_tui.ui.tui.text.styled_line import Line
from kimi_tui.ui.tui.transcript.item_store import ItemStore
from kimi_tui.ui.tui.transcript.logical_lines import Span, all_logical_lines
from kimi_tui.wire.display import BriefBlock, DiffBlock, DisplayBlock, ShellBlock, TodoBlock, UnknownBlock


@dataclass(frozen=True, slots=True)
class Match:
    """The `nth` occurrence (from 0) of the query in an item."""

    item_id: int
    nth: int


def source_text(item: Item) -> str:
    """Return all text of an item, including folded parts."""
    match item:
        case UserItem():
            return "\n".join((item.text, *item.chips))
        case AssistantItem() | ThinkItem() | NoticeItem():
            return item.text
        case ToolItem():
            blocks = [_block_text(block) for block in item.blocks]
            return "\n".join((tool_label(item.name), item.headline, *blocks, item.message, item.output or item.tail))
        case SubagentItem():
            return "\n".join((item.name, item.task, *(step.text for step in item.steps), item.result))
        case FlowHeaderItem():
            return f"{item.label} {item.note}"
        case SeparatorItem():
            return f"{item.text}\n{item.detail}"
        case RetryItem():
            return item.reason
        case ErrorItem():
            return "\n".join((item.title, item.cause, item.hint))
        case SideQuestionItem():
            return "\n".join((item.question, item.answer, item.error))
        case ImageChip():
            return f"{item.name} {item.detail}"


def _block_text(block: DisplayBlock) -> str:
    match block:
        case DiffBlock():
            return "\n".join((block.path, block.old_text, block.new_text))
        case ShellBlock():
            return block.command
        case BriefBlock():
            return block.text
        case TodoBlock():
            return "\n".join(entry.title for entry in block.items)
        case UnknownBlock():
            return block.type


def places(lines: list[Line], query: str) -> list[tuple[Span, ...]]:
    """Return the occurrences of `query` in drawn lines; an occurrence across wrapped rows has a span in each of
    them.
    """
    wanted = _folded(query)
    found: list[tuple[Span, ...]] = []
    for line in all_logical_lines(lines) if wanted else ():
        text = _folded(line.text)
        at = text.find(wanted)
        while at >= 0:
            found.append(tuple(line.spans(at, at + len(wanted))))
            at = text.find(wanted, at + len(wanted))
    return found


def _folded(text: str) -> str:
    """`text` case-folded, with the same number of characters."""
    folded = text.casefold()
    return folded if len(folded) == len(text) else text.lower() if len(text.lower()) == len(text) else text


def count_in(item: Item, query: str) -> int:
    """Count the occurrences of `query` in the item's text, ignoring case."""
    return source_text(item).casefold().count(query.casefold()) if query else 0


class TranscriptSearch:
    """A search through the item store: the matches, and the current one."""

    def __init__(self, store: ItemStore) -> None:
        self._store = store
        self._query = ""
        self._at = -1
        self._opened: int | None = None
        """The item that was expanded to show a match."""
        self.matches: list[Match] = []
        self._found_in: set[int] = set()

    @property
    def query(self) -> str:
        return self._query

    @property
    def place(self) -> tuple[int, int]:
        """The number of the current match, from 1, and the number of matches."""
        return self._at + 1, len(self.matches)

    def near(self, item_id: int, row: int) -> None:
        """Start the next step at the first match from this row of an item on, or else at the last match."""
        index, above = self._store.index_of(item_id), 0
        if index is not None:
            drawn = self._store.drawn(index)
            above = sum(spans[0][0] < row - drawn.gap for spans in places(drawn.lines, self._query))
        later = (at for at, match in enumerate(self.matches) if (match.item_id, match.nth) >= (item_id, above))
        self._at = next(later, len(self.matches) - 1) - 1

    def find(self, query: str) -> None:
        """Start a search; "" ends it."""
        store = self._store
        self._fold_opened()
        self._query = query
        self._at = -1
        self.matches = [
            Match(store.id_at(index), nth)
            for index in range(len(store) if query else 0)
            for nth in range(count_in(store.text_of(index), query))
        ]
        self._found_in = {match.item_id for match in self.matches}

    @property
    def here(self) -> Match | None:
        return self.matches[self._at] if 0 <= self._at < len(self.matches) else None

    def step(self, step: int) -> tuple[int, int] | None:
        """Go to the next or previous match, wrapping around; returns its item's index and its row in it. A folded item
        is expanded until the search leaves it."""
        if not self.matches:
            return None
        self._at = (max(self._at, 0 if step < 0 else -1) + step) % len(self.matches)
        match, store = self.matches[self._at], self._store
        if match.item_id != self._opened:
            self._fold_opened()
        index = store.index_of(match.item_id)
        if index is None:
            return None
        found = places(store.drawn(index).lines, self._query)
        if match.nth >= len(found) and store.can_fold(index) and not store.is_open(match.item_id):
            store.set_open(match.item_id, True)
            self._opened = match.item_id
            found = places(store.drawn(index).lines, self._query)
        line = found[min(match.nth, len(found) - 1)][0][0] if found else 0
        return index, store.drawn(index).gap + line

    def _fold_opened(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None and self._store.index_of(opened) is not None:
            self._store.set_open(opened, False)

    def marks(self, index: int, number: int) -> list[tuple[int, int, Style]]:
        """Return the matching characters of line `number` of an item, each with its style."""
        if not self._query or self._store.id_at(index) not in self._found_in:
            return []  # what only the labels of a card contain is not counted either
        palette, here = self._store.palette, self.here
        nth_here = here.nth if here is not None and here.item_id == self._store.id_at(index) else -1
        return [
            (start, end, palette.found_here if nth == nth_here else palette.found)
            for nth, spans in enumerate(places(self._store.drawn(index).lines, self._query))
            for line, start, end in spans
            if line == number
        ]
