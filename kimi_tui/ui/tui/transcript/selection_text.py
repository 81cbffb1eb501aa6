"""Converts a selection on screen to text.

A position in the conversation is (character in the row, item id and line in one number), so that it stays valid when
heights above it change and still sorts from top to bottom.
"""

from textual.selection import Selection

from kimi_tui.ui.tui.transcript.item_store import ItemStore
from kimi_tui.ui.tui.transcript.row_builder import MARGIN

_LINES = 1 << 20  # more than the lines of any item


def selection_offset(item_id: int, line: int) -> int:
    """Return the position of an item's line, as the `y` of an offset."""
    return item_id * _LINES + line


def selected_text(store: ItemStore, selection: Selection) -> str:
    """Return the selected text without margin, decoration and padding; wrapped lines are joined."""
    if not len(store):
        return ""
    start, end = selection
    first_id, first_line = divmod(start.y, _LINES) if start else (store.id_at(0), 0)
    last_id, last_line = divmod(end.y, _LINES) if end else (store.id_at(len(store) - 1), _LINES - 1)
    out: list[str] = []
    index = store.first_from(first_id)
    while index < len(store) and store.id_at(index) <= last_id:
        item_id = store.id_at(index)
        lines = store.drawn(index).lines
        low = first_line if item_id == first_id else 0
        high = last_line if item_id == last_id else len(lines) - 1
        if index > store.first_from(first_id) and store.drawn(index).gap and out:
            out.append("\n")
        for number, line in enumerate(lines[low : high + 1], low):
            text = line.text
            from_char = start.x - MARGIN if start and (item_id, number) == (first_id, first_line) else 0
            to_char = end.x - MARGIN if end and (item_id, number) == (last_id, last_line) else len(text)
            piece = text[max(line.skip, from_char) : max(0, to_char)]
            if not piece.strip() and line.skip == len(text) and text:
                continue  # a rule, a border
            out.append(piece + line.join if line.join is not None else piece.rstrip() + "\n")
        index += 1
    return "".join(out).strip("\n")
