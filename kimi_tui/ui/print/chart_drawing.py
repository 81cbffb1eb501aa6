"""Draws the Mermaid and D2 charts of a streamed Markdown text, each as soon as its fence closes."""

import re
import shutil
from typing import cast

from kimi_tui.flow.model.graph import ChartSource

_INDENT = "  "
_MAX_CHARACTERS = 20_000
_OPENING = re.compile(r"([ >]{0,40})(`{3,}|~{3,}) *(mermaid|d2)\b[^`\n]*\n\Z", re.IGNORECASE)
"""The start of a chart; before it, the indentation of a list item or the marks of a quotation."""
_MAYBE_OPENING = re.compile(r"[ >]{0,40}(`{0,2}|~{0,2}|(`{3,}+|~{3,}+)[^`\n]*+)\Z")
_MAX_OPENING = 1_000


class ChartDrawing:
    """Replaces the charts in a text by drawings; a chart that cannot be drawn stays as source."""

    def __init__(self) -> None:
        self._line = ""
        self._inside_line = False
        self._block = ""
        self._closing: re.Pattern[str] | None = None
        self._source: ChartSource = "mermaid"
        self._prefix = ""

    def feed(self, text: str) -> str:
        """Add text, and return the displayable part: an incomplete chart is held back."""
        out: list[str] = []
        for piece in re.findall(r"[^\n]*\n|[^\n]+", text):
            self._line += piece
            out.append(self._feed_text() if self._closing is None else self._feed_chart())
        return "".join(out)

    def flush(self) -> str:
        """End the text, and return what was held back."""
        if self._closing is not None and self._closing.match(self._line):
            return self._drawn()
        rest, self._closing, self._block = self._block + self._take_line(), None, ""
        if rest:
            self._inside_line = not rest.endswith("\n")
        return rest

    def _take_line(self) -> str:
        line, self._line = self._line, ""
        return line

    def _feed_text(self) -> str:
        ended = self._line.endswith("\n")
        if not self._inside_line:
            if opening := _OPENING.match(self._line):
                self._prefix, fence = opening[1], opening[2]
                self._source = cast(ChartSource, opening[3].lower())
                self._closing = re.compile(rf"[ >]{{0,43}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*\n?\Z")
                self._block = self._take_line()
                return ""
            # defence: bound-opening-of-chart
            if not ended and len(self._line) <= _MAX_OPENING and _MAYBE_OPENING.match(self._line):
                return ""
        self._inside_line = not ended
        return self._take_line()

    def _feed_chart(self) -> str:
        assert self._closing is not None
        left_quotation = self._line.endswith("\n") and self._line.count(">", 0, 43) < self._prefix.count(">")
        if left_quotation or len(self._block) + len(self._line) > _MAX_CHARACTERS:
            return self.flush()
        if not self._line.endswith("\n"):
            return ""
        if self._closing.match(self._line):
            return self._drawn()
        self._block += self._take_line()
        return ""

    def _drawn(self) -> str:
        from kimi_tui.flow.render.inline_chart import inline_chart

        block, end, self._block, self._closing = self._block, self._take_line(), "", None
        before = self._prefix + _INDENT
        width = shutil.get_terminal_size().columns - len(before)
        source = block.partition("\n")[2]
        if marks := self._prefix.count(">"):
            source = re.sub(rf"^(?: *>){{{marks}}} ?", "", source, flags=re.MULTILINE)
        rows = inline_chart(source, self._source, width)
        if rows is None:
            return block + end
        return "".join(f"{before}{''.join(span.text for span in row)}".rstrip() + "\n" for row in rows)
