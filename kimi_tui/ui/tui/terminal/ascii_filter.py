"""`--ascii` and plain mode: every sign and box that we draw, as a sign of ASCII of the same width.

A filter over what is about to be painted, so that nothing can be forgotten: panes, borders, scroll bars, notices.
Text from outside keeps its letters; only signs that a poor terminal cannot show are replaced in it.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from kimi_tui.ui.tui.accessibility import DisplayOptions

_HORIZONTAL = "─━╌╍┄┅┈┉╴╶╸╺╼╾▁▂▔"
_VERTICAL = "│┃╎╏┆┇┊┋╵╷╹╻╽╿▌▐▍▎▏▕"
_SIGNS = {
    "═": "=", "║": "#", "›": ">", "‹": "<", "…": "~", "·": "-", "•": "*", "◆": "#", "◇": "#", "✓": "v", "✗": "x",
    "×": "x", "⊘": "/", "■": "#", "□": "o", "▪": "*", "●": "*", "○": "o", "◦": "o", "◐": "%", "◓": "/", "◑": "-",
    "◒": "\\", "▶": ">", "◀": "<", "▲": "^", "▼": "v", "▸": ">", "▾": "v", "▴": "^", "◂": "<", "↑": "^", "↓": "v",
    "←": "<", "→": ">", "↻": "@", "↶": "<", "⇲": "v", "▣": "#", "☐": "o", "☑": "v", "✻": "*", "☾": "(", "‖": "=",
    "−": "-", "–": "-", "—": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "≡": "=", "⋯": "~", "␛": "^", "█": "#",
    "▇": "#", "▆": "#", "▅": "#", "▄": "_", "▃": "_", "▀": "^", "≠": "!", "↪": ">", "↖": "^",
    "⏎": "<", "␣": "_", "␡": "^",
}  # fmt: skip


def _table(*, boxes: bool) -> dict[int, str]:
    """What is replaced; without `boxes` lines become blanks."""
    corners = {chr(code): "+" for code in range(0x2500, 0x2580)} | {chr(code): "+" for code in range(0x2596, 0x25A0)}
    lines = dict.fromkeys(_HORIZONTAL, "-") | dict.fromkeys(_VERTICAL, "|")
    drawn = corners | lines | {"═": "=", "║": "#"}
    if not boxes:
        drawn = dict.fromkeys(drawn, " ")
    return {ord(sign): plain for sign, plain in (_SIGNS | drawn).items()}


ASCII: Mapping[int, str] = _table(boxes=True)
ASCII_WITHOUT_BOXES: Mapping[int, str] = _table(boxes=False)


class AsciiFilter(LineFilter):
    """Replaces signs by those of `table`; the line keeps its width."""

    def __init__(self, table: Mapping[int, str]) -> None:
        super().__init__()
        self._table = table

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment if segment.text.isascii() else Segment(segment.text.translate(self._table), *segment[1:])
            for segment in _to_ascii(segments)
        ]


def _to_ascii(segments: list[Segment]) -> Iterator[Segment]:
    """The segments with `…` as three dots where three blanks follow it, of which two can be given up."""
    taken = 0
    for segment, following in pairwise([*segments, Segment("")]):
        text, taken = segment.text[taken:], 0
        if "…" in text and not segment.control:
            text = text.replace("…   ", "... ")
            if text.endswith("…") and following.text.startswith("   ") and not following.control:
                text, taken = text[:-1] + "...", 2
        yield segment if text == segment.text else Segment(text, *segment[1:])


def ascii_filters(manners: DisplayOptions) -> tuple[LineFilter, ...]:
    """The filters that these manners ask for."""
    if manners.plain:
        return (AsciiFilter(ASCII_WITHOUT_BOXES),)
    return (AsciiFilter(ASCII),) if manners.ascii else ()
