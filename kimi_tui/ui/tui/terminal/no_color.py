"""`NO_COLOR`: sends no colour codes; weight, underline and reverse replace them.

See https://no-color.org: active if set to a non-empty value. Glyphs, labels and line kinds carry the meaning in any
case.
"""

from collections.abc import Mapping
from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

SHOWN_ATTRIBUTES = """
TextArea .text-area--cursor, Input > .input--cursor { text-style: reverse; }
TextArea .text-area--selection, Input > .input--selection { text-style: reverse; }
TextArea .text-area--placeholder, Input > .input--placeholder { text-style: dim; }
Input, Input:focus { text-style: underline; }
MainScreen #conversation:focus-within, MainScreen FlowPane:focus-within, MainScreen TodoPane:focus,
MainScreen ApprovalsPane:focus,
MainScreen Composer:focus-within {
    border-title-style: bold reverse;
}
ModalScreen { background: $background !important; }
Toast { border: round $foreground; padding: 0 1; }
"""
"""Style rules for Textual's widgets: text attributes in place of colours. What is around a card cannot be dimmed, and
is hidden."""


def is_requested(environ: Mapping[str, str]) -> bool:
    """Whether the user disabled colours."""
    return bool(environ.get("NO_COLOR"))


class NoColorFilter(LineFilter):
    """Removes the colours, and nothing else, before painting."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment if style is None else Segment(text, _without_colours(style), control)
            for segment in segments
            for text, style, control in (segment,)
        ]


@lru_cache(maxsize=1024)
def _without_colours(style: Style) -> Style:
    return style.without_color
