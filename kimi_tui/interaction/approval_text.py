"""An approval request as plain text, for a user who answers it later and somewhere else."""

from collections.abc import Iterator, Sequence
from difflib import unified_diff

from kimi_tui.wire.display import BriefBlock, DiffBlock, DisplayBlock, ShellBlock

MAX_CHARS = 100_000
_MAX_COMPARED = 2_000
"""Limit of lines of a change: above it they are not compared, which takes too long."""


def approval_text(description: str, display: Sequence[DisplayBlock]) -> str:
    """Return the description, then everything that the request shows; text beyond 100,000 characters is counted, not
    shown.
    """
    text = "\n".join((description, *_lines(description, display)))
    if len(text) <= MAX_CHARS:
        return text
    return f"{text[:MAX_CHARS]}\n[{len(text) - MAX_CHARS} more characters are not shown]"


def _lines(description: str, display: Sequence[DisplayBlock]) -> Iterator[str]:
    for block in display:
        match block:
            case DiffBlock(is_summary=True):
                yield f"{block.path}: too long to show, {block.old_text} before and {block.new_text} after"
            case DiffBlock():
                yield from _change(block)
            case ShellBlock(command=text) | BriefBlock(text=text) if text and text not in description:
                yield text
            case _:
                pass


def _change(block: DiffBlock) -> Iterator[str]:
    old, new = block.old_text.split("\n"), block.new_text.split("\n")
    yield f"{block.path}, line {block.old_start}:"
    if max(len(old), len(new)) > _MAX_COMPARED:
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
    else:
        yield from list(unified_diff(old, new, lineterm=""))[3:]
