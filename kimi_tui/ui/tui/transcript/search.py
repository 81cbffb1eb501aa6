"""Find in the conversation: in the text of the items, without drawing those that nobody looks at."""

from dataclasses import dataclass

from kimi_tui.ui.tui.text.line import Line
from kimi_tui.ui.tui.transcript.items import (
    AssistantItem,
    ErrorItem,
    FlowHeaderItem,
    ImageChip,
    Item,
    NoticeItem,
    RetryItem,
    SeamItem,
    SubagentItem,
    ThinkItem,
    ToolItem,
    UserItem,
)
from kimi_tui.wire.display import BriefBlock, DiffBlock, DisplayBlock, ShellBlock, TodoBlock, UnknownBlock


@dataclass(frozen=True, slots=True)
class Match:
    """The `nth` place (from 0) in an item where the query occurs."""

    item_id: int
    nth: int


def source_text(item: Item) -> str:
    """All text of an item, folded parts included."""
    match item:
        case UserItem():
            return "\n".join((item.text, *item.chips))
        case AssistantItem() | ThinkItem() | NoticeItem():
            return item.text
        case ToolItem():
            blocks = [_block_text(block) for block in item.blocks]
            return "\n".join((item.name, item.headline, *blocks, item.message, item.output or item.tail))
        case SubagentItem():
            return "\n".join((item.name, item.task, *(step.text for step in item.steps), item.result))
        case FlowHeaderItem():
            return f"{item.label} {item.note}"
        case SeamItem():
            return f"{item.text}\n{item.detail}"
        case RetryItem():
            return item.reason
        case ErrorItem():
            return "\n".join((item.title, item.cause, item.hint))
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


def places(lines: list[Line], query: str) -> list[tuple[int, int, int]]:
    """Where `query` is in drawn lines: (line, first character, character after)."""
    wanted = query.casefold()
    found: list[tuple[int, int, int]] = []
    if not wanted:
        return found
    for number, line in enumerate(lines):
        text = line.text.casefold()
        at = text.find(wanted)
        while at >= 0:
            found.append((number, at, at + len(wanted)))
            at = text.find(wanted, at + len(wanted))
    return found


def count_in(item: Item, query: str) -> int:
    """How often `query` occurs in the item's text, case ignored."""
    return source_text(item).casefold().count(query.casefold()) if query else 0
