"""Markdown to lines of a given width. A source is a list of blocks; each is drawn separately."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from rich.style import Style

from kimi_tui.ui.tui.text.highlight import highlight
from kimi_tui.ui.tui.text.markdown_inline import inline_runs
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut, prefixed
from kimi_tui.ui.tui.text.table import Align, Cell, table_lines
from kimi_tui.ui.tui.text.wrap import wrap_runs
from kimi_tui.ui.tui.themes.palette import Palette

if TYPE_CHECKING:
    from kimi_tui.flow.model.graph import ChartSource
    from kimi_tui.flow.render.chart_canvas import StyledSpan

_CHARTS: dict[str, "ChartSource"] = {"mermaid": "mermaid", "d2": "d2"}

References = dict[str, Any]
_BLANK = Line()
_BULLETS = "•◦▪"
_NARROWEST = 8  # columns; deeply nested blocks keep this much
_LINE_END = re.compile("\r\n|[\r\x85\u2028\u2029]")
_BLANK_TO_PYTHON_ALONE = str.maketrans({code: 0x2400 + code for code in (0x00, 0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x1F)})


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": True, "maxNesting": 20})
    if parser.linkify is not None:  # README.md is a file, not a place in Moldova
        parser.linkify.set({"fuzzy_link": False})
    return parser.enable(["table", "strikethrough", "linkify"])


def parse(source: str, references: References | None = None) -> list[SyntaxTreeNode]:
    """Parse `source` to top-level blocks. `references` holds the link definitions so far; new ones are added to it."""
    env: dict[str, Any] = {"references": references if references is not None else {}}
    return SyntaxTreeNode(_parser().parse(source, env)).children


def one_kind_of_line_end(text: str) -> str:
    """Normalize line ends to newlines; control characters that only Python treats as line ends or spaces become
    visible."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return _LINE_END.sub("\n", text).translate(_BLANK_TO_PYTHON_ALONE)


def render(source: str, width: int, palette: Palette, *, charts: bool = True) -> list[Line]:
    """The lines of a whole Markdown text."""
    return Renderer(width, palette, charts).blocks(parse(one_kind_of_line_end(source)))


def is_loose(items: Sequence[SyntaxTreeNode]) -> bool:
    """Whether a list is loose, judged by the blank lines in its source."""
    return any(
        child.type == "paragraph" and child.nester_tokens is not None and not child.nester_tokens.opening.hidden
        for item in items
        for child in item.children
    )


def language_of(fence: SyntaxTreeNode) -> str:
    """The language that a fence names, or an empty text."""
    return fence.info.strip().split(" ")[0] if fence.info else ""


@dataclass(frozen=True, slots=True)
class Renderer:
    """Draws blocks in `width` columns. With `charts`, a fenced Mermaid or D2 chart that fits is drawn."""

    width: int
    palette: Palette
    charts: bool = True

    def blocks(self, nodes: Sequence[SyntaxTreeNode], style: Style | None = None) -> list[Line]:
        """Draw the blocks one below the other, separated by blank lines."""
        lines: list[Line] = []
        for node in nodes:
            drawn = list(self.block(node, style))
            if drawn and lines:
                lines.append(_BLANK)
            lines.extend(drawn)
        return lines

    def block(self, node: SyntaxTreeNode, style: Style | None = None) -> Iterator[Line]:
        """Draw one block; `style` is the initial style of its text."""
        ink = style or self.palette.base
        match node.type:
            case "paragraph":
                yield from self._text(_inline(node, self.palette, ink))
            case "heading":
                yield from self._heading(node)
            case "bullet_list" | "ordered_list":
                yield from self.items(node, node.children, loose=is_loose(node.children), style=style)
            case "fence" | "code_block":
                language = language_of(node)
                chart = list(self._chart(node.content, language)) if self.charts else []
                yield from chart or (*self.code_head(language), *self.code(node.content.rstrip("\n"), language))
            case "blockquote":
                bar: tuple[Run, ...] = (("▎ ", self.palette.faint),)
                inner = self._narrowed(2).blocks(node.children, ink + self.palette.muted)
                yield from prefixed(inner, bar, bar)
            case "table":
                yield from self._table(node)
            case "hr":
                rule = "─" * self.width
                yield Line(((rule, self.palette.faint),), skip=len(rule))
            case _:
                yield from self._text([(node.content.rstrip("\n"), ink + self.palette.muted)])

    def items(
        self,
        parent: SyntaxTreeNode,
        items: Sequence[SyntaxTreeNode],
        *,
        loose: bool,
        style: Style | None = None,
        first: int = 0,
    ) -> Iterator[Line]:
        """Draw items of a list; the first is number `first` of it (from 0)."""
        for index, item in enumerate(items, first):
            if index and loose:
                yield _BLANK
            yield from self._item(parent, item, index, loose=loose, style=style)

    def code_head(self, language: str) -> Iterator[Line]:
        """Draw the language of a code block, above it. Plain text needs no name."""
        if language and language != "text":
            text = "  " + cut(language, self.width - 3)
            ground = self.palette.code_bg
            yield Line(((text, self.palette.muted + ground),), skip=cells(text), fill=ground, fill_to=self.width)

    def code(self, source: str, language: str) -> Iterator[Line]:
        """Draw a code block."""
        for runs in highlight(source.expandtabs(4), language, self.palette):
            yield from self.code_line(runs)

    def _chart(self, text: str, language: str) -> Iterator[Line]:
        """A chart's drawing; nothing if it cannot be drawn."""
        if (source := _CHARTS.get(language.lower())) is None:
            return
        from kimi_tui.flow.render.inline_chart import inline_chart

        for row in inline_chart(text, source, self.width - 3) or ():
            yield Line((("  ", self.palette.base), *((span.text, self._ink(span)) for span in row)), skip=2)

    def _ink(self, span: "StyledSpan") -> Style:
        ink = self.palette.base if span.role == "plain" else self.palette.base + self.palette.of_role(span.role)
        return ink + self.palette.decision_bg if span.tinted else ink

    def code_line(self, runs: Sequence[Run]) -> Iterator[Line]:
        """Draw one line of code, wrapped if needed."""
        background = self.palette.code_bg
        painted = [(text, style + background) for text, style in runs]
        for row, join in wrap_runs(painted, self.width - 3):
            yield Line((("  ", background), *row), skip=2, join=join, fill=background, fill_to=self.width)

    def _narrowed(self, columns: int) -> "Renderer":
        return Renderer(max(_NARROWEST, self.width - columns), self.palette, self.charts)

    def _text(self, runs: Sequence[Run]) -> Iterator[Line]:
        for row, join in wrap_runs(runs, self.width):
            yield Line(row, join=join)

    def _heading(self, node: SyntaxTreeNode) -> Iterator[Line]:
        level = int(node.tag[1:])
        ink = self.palette.base + Style(bold=True, underline=level == 1, italic=level > 2)
        yield from self._text(_inline(node, self.palette, ink))

    def _item(
        self, parent: SyntaxTreeNode, item: SyntaxTreeNode, index: int, *, loose: bool, style: Style | None
    ) -> Iterator[Line]:
        palette = self.palette
        if parent.type == "ordered_list":
            marker = f"{int(parent.attrs.get('start', 1)) + index}{item.markup or '.'} "
        else:
            marker = f"{_BULLETS[_depth(parent) % len(_BULLETS)]} "
        ink = palette.muted
        ticked = _tick(item)
        if ticked is not None:
            marker, ink = ("☑ ", palette.success) if ticked else ("☐ ", palette.muted)
        inner = self._narrowed(cells(marker))
        lines: list[Line] = []
        for child in item.children:
            drawn = list(inner.block(child, style))
            if drawn and lines and (loose or child.type not in ("bullet_list", "ordered_list", "paragraph")):
                lines.append(_BLANK)
            lines.extend(drawn)
        yield from prefixed(lines or [_BLANK], ((marker, ink),), ((" " * cells(marker), palette.base),))

    def _table(self, node: SyntaxTreeNode) -> Iterator[Line]:
        rows = [list(row.children) for part in node.children for row in part.children]
        header: list[Cell] = [_inline(cell, self.palette, self.palette.base + Style(bold=True)) for cell in rows[0]]
        body: list[list[Cell]] = [[_inline(cell, self.palette, self.palette.base) for cell in row] for row in rows[1:]]
        aligns: list[Align] = [_align(cell) for cell in rows[0]]
        yield from table_lines(header, body, aligns, self.palette, width=self.width)


def _depth(node: SyntaxTreeNode) -> int:
    depth, above = 0, node.parent
    while above is not None:
        depth += above.type == "bullet_list"
        above = above.parent
    return depth


def _align(cell: SyntaxTreeNode) -> Align:
    style = str(cell.attrs.get("style", ""))
    return "right" if style.endswith("right") else "center" if style.endswith("center") else "left"


def _tick(item: SyntaxTreeNode) -> bool | None:
    """Whether an item of a task list is done; None if it is not a task."""
    if not item.children or item.children[0].type != "paragraph":
        return None
    text = item.children[0].children[0].content
    if text[:4] in ("[ ] ", "[x] ", "[X] "):
        return text[1] != " "
    return None


def _inline(node: SyntaxTreeNode, palette: Palette, style: Style) -> list[Run]:
    child = node.children[0] if node.children else None
    if child is None or child.token is None:
        return []
    runs = inline_runs(child.token.children or [], palette, style)
    parent = node.parent
    if parent is not None and parent.type == "list_item" and parent.children[0] is node and _tick(parent) is not None:
        runs[0] = (runs[0][0][4:], runs[0][1])
    return runs
