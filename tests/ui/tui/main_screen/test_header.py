"""The header's facts in words."""

from typing import Literal

import pytest

from kimi_tui.ui.tui.main_screen.header import Header, HeaderFacts
from kimi_tui.ui.tui.themes.palette import Palette


@pytest.mark.parametrize(
    ("tier", "expected"),
    [(None, "m"), ("full", "m · ▣ sandbox"), ("files", "m · ◑ files only"), ("none", "m · □ no sandbox")],
)
def test_the_header_shows_what_holds_commands_once_that_is_known(
    tier: Literal["full", "files", "none"] | None, expected: str
) -> None:
    header = Header()
    header.facts = HeaderFacts(location="~/p", model="m", sandbox=tier)
    for width in (120, 80):
        [line] = header.lines(width, Palette())
        assert f"  {expected}  " in line.text, line.text


@pytest.mark.parametrize(("tier", "shown"), [("full", ""), ("files", "◑ files only"), ("none", "□ no sandbox")])
def test_without_room_the_header_leaves_out_the_full_sandbox_and_no_other(
    tier: Literal["full", "files", "none"], shown: str
) -> None:
    header = Header()
    header.facts = HeaderFacts(location="~/work/a-long-folder", model="a-model-with-quite-a-long-name", sandbox=tier)
    [line] = header.lines(80, Palette())
    assert shown in line.text
    assert "▣" not in line.text
    assert "starting" in line.text
