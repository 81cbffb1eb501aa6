"""`NO_COLOR`: not one code for a colour is sent; weight, underline and reverse say what colours said.

See https://no-color.org: set to anything but nothing. Signs, words and kinds of line tell the meanings in any case.
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
MainScreen #talk:focus-within, MainScreen FlowPane:focus-within, MainScreen TodoPane:focus,
MainScreen ApprovalsPane:focus,
MainScreen Composer:focus-within {
    border-title-style: bold reverse;
}
Toast { border: round $foreground; padding: 0 1; }
"""
"""Rules of style for what is Textual's own, over those that tell by colour."""


def is_requested(environ: Mapping[str, str]) -> bool:
    """Whether the person wants no colours."""
    return bool(environ.get("NO_COLOR"))


class NoColorFilter(LineFilter):
    """Takes the colours from what is about to be painted, and nothing else."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment if style is None else Segment(text, _without_colours(style), control)
            for segment in segments
            for text, style, control in (segment,)
        ]


@lru_cache(maxsize=1024)
def _without_colours(style: Style) -> Style:
    return style.without_color
