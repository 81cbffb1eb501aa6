"""Renders Markdown while it streams: closed blocks once, only the open end repeatedly.

Invariant: however the text is cut into pieces, after `finish` the lines are those of `markdown.render` of the whole. A
block is closed when a complete line (one with its newline) begins another block; CommonMark never reopens it. Of an
open list all items but the last are closed, of an open code fence every complete line. Text that cannot be rendered is
shown as plain text, and the fault is logged.

A long open end is rendered as a whole only when a block seems to end, or when it has grown by an eighth; what was added
since is rendered in pieces. So the work grows with the length of the text, also of a single paragraph.
"""

import re
from dataclasses import dataclass

from markdown_it.tree import SyntaxTreeNode

from kimi_tui.ui.tui.text.highlight import highlight
from kimi_tui.ui.tui.text.markdown import References, Renderer, is_loose, language_of, one_kind_of_line_end, parse
from kimi_tui.ui.tui.text.render_fallback import log_fault, plain_lines
from kimi_tui.ui.tui.text.styled_line import Line
from kimi_tui.ui.tui.themes.palette import Palette

_FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`\n]*$)|~{3,})", re.MULTILINE)
_BLANK = Line()

# A last line that may still become another construct (a list, a rule, a table): held back until it is unambiguous.
_UNDECIDED = re.compile(
    r"(?m:^) *(?:[-=*+#>_~]{1,3}|\d{1,3}[.)]?|`{3}[^\n]*)[ \t]*\Z"
    r"|(?:\A|(?<=\n\n))[ \t]*\|[^\n]*(?:\n[ \t]*\|?[-:| ]*)?\Z"
)

_BLANK_LINE = re.compile(r"^[ \t]*+\n", re.MULTILINE)
_NEXT_LINE = re.compile(r"\s*+\S[^\n]*\n")
_FENCE_OR_HEADING = re.compile(r"^ {0,3}(?:`{3}|~{3}|#{1,6} )[^\n]*\n", re.MULTILINE)
_PIECE = 4000  # characters
_GROWTH = 8  # a long open end is rendered again when it has grown by 1/8
_WORD = 200  # characters; a longer word is cut


@dataclass(slots=True)
class _OpenList:
    """A top-level list with `count` drawn items: the start of its source and of its lines."""

    offset: int
    line: int
    count: int
    loose: bool
    head: SyntaxTreeNode


@dataclass(slots=True)
class _OpenFence:
    """An unclosed top-level fence."""

    offset: int
    line: int
    indent: int
    marker: str
    language: str

    def closed_by(self, line: str) -> bool:
        stripped = line.strip(" \t")
        inside = len(line) - len(line.lstrip(" ")) <= 3
        return inside and len(stripped) >= len(self.marker) and not stripped.strip(self.marker[0])

    def content_of(self, line: str) -> str:
        spaces = len(line) - len(line.lstrip(" "))
        return line[min(spaces, self.indent) :]


class StreamingMarkdown:
    """The lines of a growing Markdown text in `width` columns. `source` has newlines for every kind of line end.

    An open end of more than `piece` characters is rendered in pieces.
    """

    def __init__(self, width: int, palette: Palette, *, charts: bool = True, piece: int = _PIECE) -> None:
        self._renderer = Renderer(width, palette, charts)
        self._piece = piece
        self.source = ""
        self.finished = False
        self._after_return = False  # whether the text so far ended in a carriage return
        self._plain = False
        self._done: list[Line] = []
        self._live: list[Line] = []
        self._closed = 0  # characters of the source whose lines are in _done
        self._seen = 0  # characters already searched for closed blocks
        self._whole = 0  # the open end was last rendered as a whole up to here
        self._pieces: list[Line] = []  # the lines of the open end up to _drawn, which stay until then
        self._drawn = 0
        self._is_table = False  # whether the open end is a table
        self._ends_searched = 0  # characters already searched for the end of a long block
        self._end_was_none = False  # whether the last apparent end of a long block closed nothing
        self._references: References = {}
        self._list: _OpenList | None = None
        self._fence: _OpenFence | None = None

    @property
    def lines(self) -> list[Line]:
        """All lines. The first `settled` of them change only when a fence or a list closes."""
        return self._done + self._live

    @property
    def settled(self) -> int:
        return len(self._done)

    def redrawn(self, width: int, palette: Palette, *, charts: bool = True) -> "StreamingMarkdown":
        """Return the same text in another width or other colours, with its charts drawn or as source."""
        fresh = StreamingMarkdown(width, palette, charts=charts, piece=self._piece)
        fresh.feed(self.source)
        fresh._after_return = self._after_return
        return fresh

    def feed(self, text: str) -> int:
        """Append text; returns the number of the first line that may have changed."""
        if text:
            rest = text.removeprefix("\n") if self._after_return else text
            self._after_return = text.endswith("\r")
            self.source += one_kind_of_line_end(rest)  # defence: one-line-end-in-stream
        if not self._plain:
            try:
                return self._feed()
            except Exception as error:  # noqa: BLE001 - the edge: what cannot be drawn ends nothing
                log_fault(error)
        return self._show_plain()

    def finish(self) -> int:
        """End the text; returns the number of the first line that may have changed."""
        if self.finished or self._plain:
            self.finished = True
            return len(self._done)
        self.finished = True
        source = self.source
        try:
            return self._finish()
        except Exception as error:  # noqa: BLE001 - the edge: what cannot be drawn ends nothing
            log_fault(error)
        self.source = source
        return self._show_plain()

    def _feed(self) -> int:
        if not self._is_due():  # defence: long-open-end
            return self._draw_pieces()
        changed, closed = len(self._done), self._closed
        end = self.source.rfind("\n") + 1
        if end > self._seen:
            changed = min(changed, self._close_up_to(end))
            self._seen = end
        if self._closed != closed:
            self._end_was_none = False
        self._draw_tail()
        return min(changed, len(self._done))

    def _is_due(self) -> bool:
        """Whether to render the open end as a whole now."""
        size = len(self.source)
        if size - self._closed <= self._piece:
            return True
        if self._fence is not None:
            return self.source.find("\n", self._drawn) >= 0
        grown = size - self._whole
        if self._whole - self._closed <= self._piece or grown * _GROWTH >= self._whole - self._closed:
            self._end_was_none = False
            return True
        found = _may_end_block(self.source, self._ends_searched)
        self._ends_searched = self._after_last_full_line()
        if not found or self._end_was_none:
            return False
        self._end_was_none = True
        return True

    def _after_last_full_line(self) -> int:
        """The start of the blank lines at the end of the complete lines."""
        text = self.source[self._closed : self.source.rfind("\n") + 1].rstrip()
        return self.source.find("\n", self._closed + len(text)) + 1

    def _finish(self) -> int:
        before, first = self.lines, 0
        if self._references or "]:" in self.source:  # a reference may be used before its definition
            self._done = self._renderer.blocks(parse(one_kind_of_line_end(self.source)))
        else:
            first = self._close_rest()
        self._live = []
        pairs = enumerate(zip(before[first:], self._done[first:], strict=False), first)
        return next((index for index, (old, new) in pairs if old != new), min(len(before), len(self._done)))

    def _show_plain(self) -> int:
        """Show the text unformatted; returns the number of the first line that may have changed."""
        first = len(self._done)
        if not self._plain:
            self._plain, self._done, self._closed, first = True, [], 0, 0
        end = self.source.rfind("\n") + 1
        if end > self._closed:
            self._done.extend(plain_lines(self.source[self._closed : end - 1], self._renderer.width))
            self._closed = end
        tail = self.source[end:]
        self._live = plain_lines(tail, self._renderer.width) if tail else []
        return first

    # Closing blocks

    def _close_rest(self) -> int:
        """Close everything at the end of the text; returns the first line that may have changed."""
        source, first = self.source, len(self._done)
        if not source.endswith("\n"):
            self.source += "\n"
        first = min(first, self._close_up_to(len(self.source)))
        if (fence := self._fence) is not None:
            first = min(first, fence.line)
            del self._done[fence.line :]
            self._append(self._renderer.blocks(parse(self.source[fence.offset :])))
        else:
            for block in parse(self.source[self._closed :], self._references):
                first = min(first, self._add_block(block))
        self._fence = self._list = None
        self.source = source
        return first

    def _close_up_to(self, end: int) -> int:
        """Move the blocks closed by complete lines to `_done`."""
        changed = len(self._done)
        while self._closed < end:
            if self._fence is not None:
                first = self._close_fence_lines(self._fence, end)
                if first is None:
                    break
                changed = min(changed, first)
                continue
            blocks = parse(self.source[self._closed : end], self._references)
            before = self._closed
            changed = min(changed, self._close_blocks(blocks, end))
            if self._fence is None or self._closed == before:
                break
        return changed

    def _close_blocks(self, blocks: list[SyntaxTreeNode], end: int) -> int:
        changed = len(self._done)
        base = self._closed
        starts = _line_starts(self.source, base, end)
        if not blocks:
            return changed
        for block in blocks[:-1]:
            changed = min(changed, self._add_block(block))
        last = blocks[-1]
        begin = base + starts[last.map[0]] if last.map else base
        self._closed = begin
        if last.type == "fence":
            self._open_fence(last, begin)
        elif last.type in ("bullet_list", "ordered_list"):
            changed = min(changed, self._add_items(last, begin, starts, base))
        elif self._list is not None and len(blocks) > 1:
            self._list = None
        return changed

    def _add_block(self, block: SyntaxTreeNode) -> int:
        """Draw a closed block; return the first line that changed."""
        opened, self._list = self._list, None
        if opened is not None and block.type == opened.head.type and block.map is not None and block.map[0] == 0:
            return self._end_list(opened, block)
        first = len(self._done)
        self._append(list(self._renderer.block(block)))
        return first

    def _append(self, lines: list[Line]) -> None:
        if lines and self._done:
            self._done.append(_BLANK)
        self._done.extend(lines)

    def _end_list(self, opened: _OpenList, block: SyntaxTreeNode) -> int:
        """Close an open list with its last item. Only the whole list shows whether it is loose."""
        first = len(self._done)
        end = self._closed + _length(block, self.source, self._closed)
        whole = parse(self.source[opened.offset : end], self._references)[0]
        if is_loose(whole.children) != opened.loose:
            first = opened.line
            del self._done[first:]
            self._append(list(self._renderer.block(whole)))
        else:
            items = self._renderer.items(opened.head, block.children, loose=opened.loose, first=opened.count)
            self._done.extend(items)
        return first

    def _add_items(self, block: SyntaxTreeNode, begin: int, starts: list[int], base: int) -> int:
        """Close all items of an open list but the last; return the first line that changed."""
        first = len(self._done)
        continues = self._list is not None and block.map is not None and block.map[0] == 0
        if not continues:
            self._list = None
        last = block.children[-1]
        if len(block.children) < 2 or last.map is None:
            return first
        loose = is_loose(block.children) or (self._list is not None and self._list.loose)
        if self._list is None:
            self._list = _OpenList(begin, len(self._done), 0, loose, block)
            if self._done:
                self._done.append(_BLANK)
        elif loose != self._list.loose:
            first = self._list.line
            self._redraw_items(self._list, begin)
        opened = self._list
        closed = block.children[:-1]
        self._done.extend(self._renderer.items(opened.head, closed, loose=loose, first=opened.count))
        opened.count += len(closed)
        opened.loose = loose
        self._closed = base + starts[last.map[0]]
        return first

    def _redraw_items(self, opened: _OpenList, end: int) -> None:
        """Redraw the drawn items as a loose list."""
        items = parse(self.source[opened.offset : end])[0]
        del self._done[opened.line :]
        if self._done:
            self._done.append(_BLANK)
        self._done.extend(self._renderer.items(items, items.children, loose=True))

    # Fences

    def _open_fence(self, block: SyntaxTreeNode, begin: int) -> None:
        opening = _FENCE.match(self.source, begin)
        if opening is None or block.map is None:
            return
        fence = _OpenFence(begin, len(self._done), len(opening.group(1)), opening.group(2), language_of(block))
        self._fence = fence
        self._list = None
        self._closed = self.source.index("\n", begin) + 1
        if self._done:
            self._done.append(_BLANK)
        self._done.extend(self._renderer.code_head(fence.language))

    def _close_fence_lines(self, fence: _OpenFence, end: int) -> int | None:
        """Draw the fence's complete lines, or the whole fence once it is closed. Returns None while it is open."""
        while self._closed < end:
            stop = self.source.index("\n", self._closed)
            line = self.source[self._closed : stop]
            self._closed = stop + 1
            if fence.closed_by(line):
                self._fence = None
                del self._done[fence.line :]
                self._append(self._renderer.blocks(parse(self.source[fence.offset : self._closed])))
                return fence.line
            code = fence.content_of(line).expandtabs(4)
            for runs in highlight(code, fence.language, self._renderer.palette):
                self._done.extend(self._renderer.code_line(runs))
        return None

    # The open end

    def _draw_tail(self) -> None:
        """Render the open end as a whole; a long one up to its last word."""
        self._pieces, self._drawn, self._whole = [], self._closed, len(self.source)
        if self._fence is not None:
            self._draw_pieces()
            return
        if len(self.source) - self._closed > self._piece:
            self._whole = self._last_word(self._closed, len(self.source))
            self._ends_searched = self._after_last_full_line()
        tail = _UNDECIDED.sub("", self.source[self._closed : self._whole])
        blocks = parse(tail, self._references.copy()) if tail.strip() else []
        self._is_table = bool(blocks) and blocks[-1].type == "table"
        self._pieces, self._drawn = self._tail_lines(blocks), self._whole
        self._draw_pieces()

    def _tail_lines(self, blocks: list[SyntaxTreeNode]) -> list[Line]:
        opened = self._list
        if opened is not None and blocks and blocks[0].type == opened.head.type:
            loose = opened.loose or is_loose(blocks[0].children)
            lines = list(self._renderer.items(opened.head, blocks[0].children, loose=loose, first=opened.count))
            rest = self._renderer.blocks(blocks[1:])
            return [*lines, _BLANK, *rest] if rest else lines
        lines = self._renderer.blocks(blocks)
        return [_BLANK, *lines] if lines and self._done else lines

    def _draw_pieces(self) -> int:
        """Render what was added to the open end; returns the number of the first line that may have changed."""
        first = len(self._done) + len(self._pieces)
        while len(self.source) - self._drawn > self._piece:
            cut = self._last_word(self._drawn, self._drawn + self._piece)
            self._pieces.extend(self._piece_lines(self._drawn, cut))
            self._drawn = cut
        self._live = [*self._pieces, *self._piece_lines(self._drawn, len(self.source))]
        return first

    def _piece_lines(self, begin: int, end: int) -> list[Line]:
        text = self.source[begin:end]
        if self._fence is not None:
            code = self._fence.content_of(text) if begin == self._closed else text
            code = code.expandtabs(4)
            return list(self._renderer.code_line([(code, self._renderer.palette.base)])) if code else []
        if self._is_table:
            return plain_lines(text.strip("\n"), self._renderer.width) if text.strip() else []
        text = _UNDECIDED.sub("", text)
        if not text.strip():
            return []
        lines = self._renderer.blocks(parse(text, self._references.copy()))
        before = self.source[max(self._closed, begin - _WORD) : begin]
        between = before[len(before.rstrip()) :] + text[: len(text) - len(text.lstrip())]
        return [_BLANK, *lines] if lines and self._pieces and between.count("\n") > 1 else lines

    def _last_word(self, begin: int, end: int) -> int:
        """Where the last line or word of `source[begin:end]` begins; `end` if that is far away."""
        low = max(begin, end - _WORD)
        return self.source.rfind("\n", low, end) + 1 or self.source.rfind(" ", low, end) + 1 or end


def _may_end_block(source: str, begin: int) -> bool:
    """Whether complete lines may end a block: a blank one with one that follows, a fence or a heading."""
    # defence: first-blank-line
    blank = _BLANK_LINE.search(source, begin)
    follows = blank is not None and _NEXT_LINE.match(source, blank.end()) is not None
    return follows or _FENCE_OR_HEADING.search(source, begin) is not None


def _line_starts(source: str, begin: int, end: int) -> list[int]:
    starts = [0]
    starts.extend(match.end() - begin for match in re.compile("\n").finditer(source, begin, end))
    return starts


def _length(block: SyntaxTreeNode, source: str, begin: int) -> int:
    """The character count of the lines of a block that starts at `begin`."""
    lines = block.map[1] if block.map else 0
    at = begin
    for _ in range(lines):
        at = source.find("\n", at) + 1 or len(source)
    return at - begin
