"""The full content of an approval: the command or the change, with hidden characters spelled out."""

from collections.abc import Sequence

from textual.message import Message
from textual.strip import Strip

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.ui.tui.text.diff import CONTEXT, DiffText, change_summary
from kimi_tui.ui.tui.text.highlight import highlight
from kimi_tui.ui.tui.text.markdown import render
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.styled_line import Line, Run, cut_start
from kimi_tui.ui.tui.text.wrap import wrap_runs, wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.transcript.render_context import RenderContext
from kimi_tui.ui.tui.transcript.tool_cards import block_lines
from kimi_tui.ui.tui.widgets.line_scroll_view import LineScrollView
from kimi_tui.ui.tui.widgets.line_widget import widget_palette
from kimi_tui.wire.display import BriefBlock, DiffBlock, DisplayBlock, ShellBlock, TodoBlock, UnknownBlock

SCROLL = {"pageup": -8, "pagedown": 8, "shift+up": -1, "shift+down": 1, "home": -100_000, "end": 100_000}
"""The rows by which a key scrolls the text."""
_ROOMY = 12  # rows from which a long change also shows its context
_VERY_LONG, _LONG_ROW = 200, 200


def reveal_hidden(text: str) -> str:
    """Spell out all control and invisible characters in `text` except line breaks."""
    return "\n".join(sanitize(line) for line in text.split("\n"))


def reveal_change(old: str, new: str) -> tuple[str, str]:
    """Spell out hidden characters in both texts, and further ones if different lines would look the same."""
    shown = [[(line, sanitize(line)) for line in text.split("\n")] for text in (old, new)]
    lines_shown_as: dict[str, set[str]] = {}
    for line, look in (*shown[0], *shown[1]):
        lines_shown_as.setdefault(look, set()).add(line)
    # defence: different-lines-look-different
    alike = {look for look, lines in lines_shown_as.items() if len(lines) > 1}
    before, after = ("\n".join(_spelled(line) if look in alike else look for line, look in text) for text in shown)
    return before, after


def _spelled(line: str) -> str:
    return "".join(char if char.isascii() and char.isprintable() else f"‹U+{ord(char):04X}›" for char in line)


def approval_lines(
    blocks: Sequence[DisplayBlock], width: int, palette: Palette, *, context: int = CONTEXT
) -> list[Line]:
    """The lines of all blocks of a request, with `context` unchanged lines around each change."""
    out: list[Line] = []
    for index, block in enumerate(blocks):
        if index:
            out.append(Line())
        out.extend(_block(block, width, palette, context))
    return out


def _block(block: DisplayBlock, width: int, palette: Palette, context: int) -> list[Line]:
    match block:
        case ShellBlock():
            return _shell(block, width, palette)
        case DiffBlock() if block.is_summary:
            path = Line(((cut_start(sanitize(block.path), width), palette.base),))
            old, new = translate(block.old_text), translate(block.new_text)
            counts = _("diff too long to show: {old} before, {new} after", old=old, new=new)
            return [path, *(Line(row, join=join) for row, join in wrap_text(sanitize(counts), palette.warning, width))]
        case DiffBlock():
            old, new = reveal_change(block.old_text, block.new_text)
            head: tuple[Run, ...] = (
                (cut_start(sanitize(block.path), width - 14), palette.base),
                (f"  {change_summary(old, new)}", palette.muted),
            )
            diff = DiffText(block.path, old, new, block.old_start, block.new_start, context)
            rows = diff.lines(width, palette)
            if block.old_text.removesuffix("\n") == block.new_text.removesuffix("\n"):
                about = _("the line feed at the end of the file changes")
                rows = [Line(row, join=join) for row, join in wrap_text(about, palette.warning, width)]
            return [Line(head), *rows]
        case BriefBlock():
            return [
                Line(row, join=join)
                for row, join in wrap_text(reveal_hidden(translate(block.text)), palette.base, width)
            ]
        case TodoBlock() | UnknownBlock():
            return block_lines(block, width, RenderContext(palette))


def _shell(block: ShellBlock, width: int, palette: Palette) -> list[Line]:
    out: list[Line] = []
    sign = "  " if block.language == "json" else "$ "  # arguments of a tool are no command
    for number, runs in enumerate(highlight(reveal_hidden(block.command), block.language, palette)):
        for part, (row, join) in enumerate(wrap_runs(runs, max(1, width - 2))):
            head: Run = (sign if number == part == 0 else "  ", palette.faint)
            out.append(Line((head, *row), skip=2, join=join))
    return out


def _line_breaks(block: DisplayBlock) -> int:
    match block:
        case ShellBlock():
            return block.command.count("\n") + len(block.command) // _LONG_ROW
        case DiffBlock():
            return block.old_text.count("\n") + block.new_text.count("\n")
        case BriefBlock():
            text = translate(block.text)
            return text.count("\n") + len(text) // _LONG_ROW
        case TodoBlock() | UnknownBlock():
            return 0


def _notices_first(blocks: Sequence[DisplayBlock]) -> list[DisplayBlock]:
    """Put what is said of the first block before it."""
    notices = [block for block in blocks[1:] if isinstance(block, BriefBlock)]
    return [*notices, *blocks[:1], *(block for block in blocks[1:] if not isinstance(block, BriefBlock))]


class ApprovalBody(LineScrollView):
    """The text to approve; a long text scrolls, with what is said of it first. In a low terminal, changes take
    precedence over their context.
    """

    class FullyViewed(Message):
        """Posted when every line has been on screen."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.blocks: tuple[DisplayBlock, ...] = ()
        self.markdown = ""
        self.room = _ROOMY

    def give_room(self, rows: int) -> None:
        """Limit the height to that many rows."""
        self.styles.max_height = rows
        if rows != self.room:
            self.room = rows
            if any(isinstance(block, DiffBlock | BriefBlock) for block in self.blocks):
                self.redraw()

    def show(self, blocks: Sequence[DisplayBlock], *, markdown: str = "") -> None:
        """Show the blocks, and below them a Markdown text."""
        self.blocks, self.markdown = tuple(blocks), markdown
        self.redraw()

    def rows_at(self, width: int) -> int:
        """Return the rows of the blocks at a width; for very long texts, a number of rows that never fits."""
        if sum(map(_line_breaks, self.blocks)) > _VERY_LONG:
            return _VERY_LONG
        return len(approval_lines(self.blocks, width, widget_palette(self)))

    def lines(self, width: int, palette: Palette) -> list[Line]:
        whole = approval_lines(self.blocks, width, palette)
        if self.markdown:
            return [*whole, Line(), *render(reveal_hidden(self.markdown), width, palette)]
        if len(whole) <= self.room:
            return whole
        context = CONTEXT if self.room >= _ROOMY else 0
        return approval_lines(_notices_first(self.blocks), width, palette, context=context)  # defence: warnings-in-view

    def render_line(self, y: int) -> Strip:
        before = self.all_seen
        strip = super().render_line(y)
        if self.all_seen and not before:
            self.post_message(self.FullyViewed())
        return strip
