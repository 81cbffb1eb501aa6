"""`--ascii` and plain mode: replaces every glyph and box character by ASCII of the same width.

A line filter before painting, so that it covers everything: panes, borders, scroll bars, notices. External text keeps
its letters; only symbols that a limited terminal cannot show are replaced in it.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from kimi_tui.ui.tui.accessibility import DisplayOptions

_HORIZONTAL = "─━╌╍┄┅┈┉╴╶╸╺╼╾▁▂▔"
_VERTICAL = "│┃╎╏┆┇┊┋╵╷╹╻╽╿▌▐▍▎▏▕"
_BAR_ENDS = frozenset("▁▂▃▄▅▆▇")
_SIGNS = {
    "═": "=", "║": "#", "›": ">", "‹": "<", "…": "~", "·": "-", "•": "*", "◆": "#", "◇": "<", "✓": "*", "✗": "X",
    "×": "x", "⊘": "%", "■": "#", "□": "o", "▪": "*", "●": "@", "○": "o", "◦": "o", "◐": "+", "◓": "/", "◑": "-",
    "◒": "\\", "▶": ">", "◀": "<", "▲": "^", "▼": "v", "▸": ">", "▾": "v", "▴": "^", "◂": "<", "↑": "^", "↓": "v",
    "▷": ">", "◁": "<", "△": "^", "▽": "v",
    "←": "<", "→": ">", "↻": "&", "↶": "<", "⇲": "v", "▣": "#", "☐": "o", "☑": "*", "✻": "*", "☾": "(", "‖": '"',
    "−": "-", "–": "-", "—": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "≡": "=", "⋯": "~", "␛": "^", "█": "#",
    "▇": "#", "▆": "#", "▅": "#", "▄": "_", "▃": "_", "▀": "^", "≠": "!", "≤": "<", "↪": ">", "↖": "^",
    "⏎": "<", "␣": "_", "␡": "^",
}  # fmt: skip


def _table(*, boxes: bool) -> dict[int, str]:
    """The replacement table; without `boxes`, lines become spaces."""
    corners = {chr(code): "+" for code in range(0x2500, 0x2580)} | {chr(code): "+" for code in range(0x2596, 0x25A0)}
    lines = dict.fromkeys(_HORIZONTAL, "-") | dict.fromkeys(_VERTICAL, "|")
    drawn = corners | lines | {"═": "=", "║": "#", "╱": "/", "╲": "\\"}
    if not boxes:
        drawn = dict.fromkeys(drawn, " ")
    return {ord(sign): plain for sign, plain in (_SIGNS | drawn).items()}


ASCII: Mapping[int, str] = _table(boxes=True)
ASCII_WITHOUT_BOXES: Mapping[int, str] = _table(boxes=False)


class AsciiFilter(LineFilter):
    """Replaces characters by `table`; the line keeps its width."""

    def __init__(self, table: Mapping[int, str]) -> None:
        super().__init__()
        self._table = table

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment if segment.text.isascii() else Segment(self._plain(segment), *segment[1:])
            for segment in _to_ascii(segments)
        ]

    def _plain(self, segment: Segment) -> str:
        if segment.text in _BAR_ENDS and segment.style is not None and "@mouse.down" in segment.style.meta:
            return " "  # the end of a scroll bar, in eighths of a cell
        return segment.text.translate(self._table)


def _to_ascii(segments: list[Segment]) -> Iterator[Segment]:
    """The segments with `…` as three dots if three spaces follow it, two of which can be dropped."""
    taken = 0
    for segment, following in pairwise([*segments, Segment("")]):
        text, taken = segment.text[taken:], 0
        if "…" in text and not segment.control:
            text = text.replace("…   ", "... ")
            if text.endswith("…") and following.text.startswith("   ") and not following.control:
                text, taken = text[:-1] + "...", 2
        yield segment if text == segment.text else Segment(text, *segment[1:])


def ascii_filters(display_options: DisplayOptions) -> tuple[LineFilter, ...]:
    """Return the filters for these display options."""
    if display_options.plain:
        return (AsciiFilter(ASCII_WITHOUT_BOXES),)
    return (AsciiFilter(ASCII),) if display_options.ascii else ()
