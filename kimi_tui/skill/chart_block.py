"""Finds the fenced block with a skill's chart, by the rules of Markdown."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from kimi_tui.flow.model.graph import ChartSource

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


# The start of every chart's fence. Text without it needs no Markdown parser, which takes seconds for a large file.
_MAYBE = re.compile(r"(?:```|~~~)\s*[{}]*(?:mermaid|d2)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ChartBlock:
    """A chart's text and place.

    `line` is the file's line of the opening fence: line n of `text` is line `line + n` of the file.
    `indents` has for each line of `text` the number of characters before it on the file's line.
    """

    source: ChartSource
    text: str
    line: int
    indents: tuple[int, ...]
    closed: bool

    def place(self, line: int | None, column: int | None) -> tuple[int, int | None]:
        """The file's line and column of a place in the chart; the fence if the place is unknown."""
        if line is None:
            return self.line, None
        if column is not None and 1 <= line <= len(self.indents):
            column += self.indents[line - 1]
        return self.line + line, column


def first_chart(lines: Sequence[str], *, skip: int = 0) -> ChartBlock | None:
    """The first `mermaid` or `d2` block of `lines`; the first `skip` lines are not Markdown."""
    text = "\n".join(lines[skip:])
    if not _MAYBE.search(text):
        return None
    for token in _markdown().parse(text):
        source = _language(token.info) if token.type == "fence" else None
        if source is None or token.map is None:
            continue
        start, end = token.map
        first = skip + start + 1
        content = token.content.split("\n")[:-1]
        last = lines[skip + end - 1] if end - 1 > start else ""
        return ChartBlock(
            source,
            token.content,
            first,
            tuple(_indent(lines[first + n], text) for n, text in enumerate(content) if first + n < len(lines)),
            closed=last.lstrip(" \t>").startswith(token.markup),
        )
    return None


class Heading(NamedTuple):
    """A heading outside of lists and quotes; `line` is an index into the lines."""

    line: int
    level: int
    text: str


def headings(lines: Sequence[str], *, skip: int = 0) -> list[Heading]:
    """The headings of `lines`; the first `skip` lines are not Markdown."""
    tokens = _markdown().parse("\n".join(lines[skip:]))
    return [
        Heading(skip + token.map[0], int(token.tag[1:]), following.content)
        for token, following in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map is not None
    ]


def _language(info: str) -> ChartSource | None:
    """The chart language: the first word of the info string, in any case, with or without braces."""
    word = info.split(maxsplit=1)[0].strip("{}").lower() if info.strip() else ""
    return word if word in ("mermaid", "d2") else None


def _indent(line: str, text: str) -> int:
    return len(line) - len(text) if line.endswith(text) else 0


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    # Only blocks matter; link definitions take quadratic time on crafted text.
    return MarkdownIt("commonmark").disable(["inline", "reference"])
