"""Scans label texts in Mermaid charts: between the brackets of a node, and on an edge.

Mermaid's own rule is tried first. Text that Mermaid rejects may also use two common forms with one clear meaning:
brackets within an unquoted label (`[run()]`, `[{{X}}]`) as long as they pair up on the line, and
`\\"` within a quoted one.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from kimi_tui.flow.parsing.mermaid.compat_notes import Span, odd_markup
from kimi_tui.flow.parsing.mermaid.label_text import plain, without_comment_lines
from kimi_tui.flow.parsing.mermaid.lexemes import ELLIPSE_TEXT, PLAIN_TEXT, SHAPES, SLANTED_TEXT
from kimi_tui.flow.parsing.source_position import SourcePositions
from kimi_tui.i18n import tr

_BLANK = re.compile(r"\s*")
_TEXT_OF = {"[/": SLANTED_TEXT, "[\\": SLANTED_TEXT, "(-": ELLIPSE_TEXT}
_OPENS = {"]": "[", ")": "(", "}": "{", "|": ""}
_ARROW = re.compile(r"-->|==>|-\.++->")


class Label(NamedTuple):
    """A label as displayed, the shape of its brackets, and the offset after them."""

    text: str
    next_pos: int
    shape: str = "rect"


class LabelScanner:
    """Scans the labels of one text. `scanned` is `source` with its comment lines replaced by spaces."""

    def __init__(
        self, scanned: str, source: str, positions: SourcePositions, *, note: Callable[[str, int], None]
    ) -> None:
        self._text = scanned
        self._source = source
        self._positions = positions
        self._note = note
        self._line_end = -1
        self.over_lines: list[Span] = []

    def node(self, opener: str, pos: int) -> Label:
        """The label of a node whose opening bracket ends at `pos`."""
        start, end, next_pos = self.body(pos, _TEXT_OF.get(opener, PLAIN_TEXT))
        for closer, shape in SHAPES[opener]:
            if self._text.startswith(closer, next_pos):
                return Label(self.label_text(start, end), next_pos + len(closer), shape)
        if self._text.startswith('"', start - 1) and self._text[end - 1] != "\\":
            following = PLAIN_TEXT.match(self._text, end + 1)
            closing_end = end + 1 if following is None else following.end()
            for closer, shape in SHAPES[opener]:
                if self._text.startswith(closer, closing_end):
                    label = self._source[start:end] + self._source[end + 1 : closing_end]
                    return Label(self.clean_text(label, start), closing_end + len(closer), shape)
        for closer, shape in SHAPES[opener]:
            label = self._lenient(pos, closer)
            if label is not None:
                return Label(label[0], label[1], shape)
        closers = " or ".join(f"`{closer}`" for closer, _ in SHAPES[opener])
        raise self._positions.error(
            tr(
                "the label opened by `{opener}` is not closed with {closers}; close it, or quote a label "
                "that contains brackets",
                opener=opener,
                closers=closers,
            ),
            pos - len(opener),
        )

    def edge(self, pos: int) -> Label:
        """The label `|text|` of an edge; `pos` is after the first bar."""
        start, end, next_pos = self.body(pos, PLAIN_TEXT)
        if self._text.startswith("|", next_pos):
            return Label(self.label_text(start, end), next_pos + 1)
        label = self._lenient(pos, "|")
        if label is None:
            raise self._positions.error(
                tr("this edge label is never closed; end it with `|` on the same line"), pos - 1
            )
        return Label(*label)

    def body(self, pos: int, text: re.Pattern[str]) -> tuple[int, int, int]:
        """A quoted, a Markdown or a plain text from `pos`: its start, its end, and the offset after it."""
        first = self._skip(pos)
        if self._text.startswith('"`', first):
            quote = self._text.find('"', first + 2)
            if quote > first + 2 and self._text[quote - 1] == "`":
                return first + 2, quote - 1, self._skip(quote + 1)
        if self._text.startswith('"', first):
            end = self._text.find('"', first + 1)
            if end < 0:
                raise self._positions.error(tr('this quoted text is never closed; end it with `"`'), first)
            return first + 1, end, self._skip(end + 1)
        match = text.match(self._text, pos)
        end = match.end() if match else pos
        return pos, end, end

    def label_text(self, start: int, end: int) -> str:
        source = self._source[start:end]
        if "\n" in source:
            self.over_lines.append((start, end))
        return self.clean_text(source, start)

    def clean_text(self, source: str, offset: int) -> str:
        """The text of a label, with a note if Mermaid would display it differently."""
        if "<" in source and (problem := odd_markup(source)):
            self._note(problem, offset)
        return plain(without_comment_lines(source))

    def _lenient(self, pos: int, closer: str) -> tuple[str, int] | None:
        """Scan a label that Mermaid rejects, on one line: a quoted text with quotes in it, or brackets that pair up."""
        first = self._skip(pos)
        if first > self._line_end:
            end = self._text.find("\n", first)
            self._line_end = len(self._text) if end < 0 else end
        if self._text.startswith('"', first):
            quote = self._closing_quote(first, closer)
            if quote is None:
                return None
            text = self._source[first + 1 : quote]
            self._check_lenient(text.replace('\\"', ""), '"', first)
            if '\\"' in text:
                self._note(
                    'Mermaid has no `\\"` and ends the quote there; here it is a quote; write `#quot;` to be read the '
                    "same by both",
                    first + 1 + text.find('\\"'),
                )
            return plain(text.replace('\\"', '"')), self._skip(quote + 1) + len(closer)
        end = self._closing_bracket(first, closer)
        if end is None:
            return None
        self._check_lenient(self._source[first:end], _OPENS[closer[-1]], first)
        return plain(self._source[first:end]), end + len(closer)

    def _check_lenient(self, text: str, opening: str, offset: int) -> None:
        """Raise an error for a link before another label: this label does not end, and its line would lose a node."""
        arrow = _ARROW.search(text)
        if arrow is not None and opening and opening in text[arrow.end() :]:  # defence: link-in-a-label
            raise self._positions.error(
                tr(
                    "this label contains the link `{link}` and another label; end it before the link, "
                    "or write `#quot;` for a quote inside it",
                    link=arrow.group(),
                ),
                offset,
            )

    def _closing_quote(self, first: int, closer: str) -> int | None:
        """The end of a quoted text that may have escaped quotes: the first bare quote before `closer`."""
        text, pos = self._text, first + 1
        while (pos := text.find('"', pos, self._line_end)) >= 0:
            is_last = text.startswith(closer, self._skip(pos + 1))
            if is_last and (text[pos - 1] != "\\" or text.startswith(closer, pos + 1)):
                return pos
            pos += 1
        return None

    def _closing_bracket(self, first: int, closer: str) -> int | None:
        """The end of an unquoted text with brackets: the `closer` whose opening bracket precedes the text."""
        text, opens, closes = self._text, _OPENS[closer[-1]], closer[-1]
        depth = 0
        for pos in range(first, self._line_end):
            if depth == 0 and text.startswith(closer, pos):
                return pos
            if text[pos] == opens:
                depth += 1
            elif text[pos] == closes:
                depth -= 1
                if depth < 0:
                    return None
        return None

    def _skip(self, pos: int) -> int:
        match = _BLANK.match(self._text, pos)
        return match.end() if match else pos
