"""The header's facts in words."""

from typing import Literal

import pytest

from kimi_tui.ui.tui.main_screen.header import Header, HeaderFacts
from kimi_tui.ui.tui.themes.palette import Palette


@pytest.mark.parametrize(
    ("tier", "roomy", "narrow"),
    [
        (None, "m", "m"),
        ("full", "m · ▣ sandbox", "m · ▣"),
        ("files", "m · ◑ files only", "m · ◑"),
        ("none", "m · □ no sandbox", "m · □"),
    ],
)
def test_the_header_shows_what_holds_commands_once_that_is_known(
    tier: Literal["full", "files", "none"] | None, roomy: str, narrow: str
) -> None:
    header = Header()
    header.facts = HeaderFacts(location="~/p", model="m", sandbox=tier)
    for width, expected in ((120, roomy), (80, narrow)):
        [line] = header.lines(width, Palette())
        text = line.text
        assert f"  {expected}  " in text, text
