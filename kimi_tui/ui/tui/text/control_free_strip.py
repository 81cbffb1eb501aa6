"""Keeps control characters of edited text from the terminal.

Text fields show their value as it is: it may come from a paste, a file name, a chart or an imported session.
"""

import re

from rich.segment import Segment
from textual.strip import Strip

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def control_free(strip: Strip) -> Strip:
    """The strip without control characters, which have no width."""
    if not any(_CONTROL.search(segment.text) for segment in strip):
        return strip
    segments = [Segment(_CONTROL.sub("", text), style, control) for text, style, control in strip]
    return Strip(segments, strip.cell_length)
