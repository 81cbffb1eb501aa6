"""Double and triple click: the word under the mouse, or the whole logical line."""

import re

from textual.geometry import Offset
from textual.selection import Selection

from kimi_tui.ui.tui.i18n.labels import tool_label
from kimi_tui.ui.tui.state.items import (
    AssistantItem,
    Item,
    NoticeItem,
    SubagentItem,
    ThinkItem,
    ToolItem,
    UserItem,
)
from kimi_tui.ui.tui.text.styled_line import cells
from kimi_tui.ui.tui.text.word_boundaries import word_around
from kimi_tui.ui.tui.transcript.item_store import ItemStore
from kimi_tui.ui.tui.transcript.logical_lines import LogicalLine, around
from kimi_tui.ui.tui.transcript.row_builder import MARGIN
from kimi_tui.ui.tui.transcript.search import source_text
from kimi_tui.ui.tui.transcript.selection_text import selection_offset


def word_at(store: ItemStore, index: int, number: int, column: int) -> Selection | None:
    """Return the word in line `number` of an item, at `column` of the view."""
    line, place = _under(store, index, number, column)
    if place is None:
        return None
    return _selection(store, index, line, *word_around(line.text, place))


def line_at(store: ItemStore, index: int, number: int, column: int) -> Selection | None:
    """Return the whole logical line."""
    line, _ = _under(store, index, number, column)
    return _selection(store, index, line, 0, len(line.text)) if line.text.strip() else None


def _under(store: ItemStore, index: int, number: int, column: int) -> tuple[LogicalLine, int | None]:
    lines = store.drawn(index).lines
    line = around(lines, number)
    column -= MARGIN
    for char, letter in enumerate(lines[number].text):
        column -= cells(letter)
        if column < 0:
            place = line.place(number, char)
            return line, place if char >= lines[number].skip else None
    return line, None


def _selection(store: ItemStore, index: int, line: LogicalLine, begin: int, end: int) -> Selection | None:
    spans = list(line.spans(begin, end))
    if not spans:
        return None
    item_id, (first, left, _), (last, _, right) = store.id_at(index), spans[0], spans[-1]
    return Selection(
        Offset(left + MARGIN, selection_offset(item_id, first)), Offset(right + MARGIN, selection_offset(item_id, last))
    )


def whole_text(store: ItemStore) -> str:
    """Return the conversation as Markdown."""
    return "\n\n".join(filter(None, (_as_markdown(store.text_of(index)) for index in range(len(store))))) + "\n"


def _as_markdown(item: Item) -> str:
    text = block_text(item)
    match item:
        case UserItem() | ThinkItem():
            return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
        case AssistantItem():
            return text
        case ToolItem():
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
            return f"**{tool_label(item.name)}** {item.headline}\n\n{fence}\n{text}\n{fence}"
        case _:
            return source_text(item).strip("\n")


def block_text(item: Item) -> str:
    """Return the copied text of a block: a message's Markdown source, a tool's output."""
    match item:
        case UserItem() | AssistantItem() | ThinkItem() | NoticeItem():
            return item.text.strip("\n")
        case ToolItem():
            return (item.output or item.tail or item.message or item.headline).strip("\n")
        case SubagentItem() if item.result:
            return item.result.strip("\n")
        case _:
            return source_text(item).strip("\n")
