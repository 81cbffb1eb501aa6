"""The header's facts in words."""

from dataclasses import replace
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


def test_the_branch_is_shown_where_it_fits_after_the_folder() -> None:
    header = Header()
    facts = HeaderFacts(location="~/proj", branch="main", model="kimi-k2", model_note="scripted model", waiting=1)
    header.facts = replace(facts, max_context_tokens=200_000)
    [line] = header.lines(80, Palette())
    assert "~/proj (main)  kimi-k2 scripted model · 0% of 200k" in line.text
    header.facts = replace(header.facts, branch="feature/a-long-name-of-a-branch")
    assert all(len(header.lines(width, Palette())[0].text) == width for width in range(60, 120))


def test_without_room_the_context_goes_before_what_holds_for_actions() -> None:
    header = Header()
    header.facts = HeaderFacts(
        location="~/work", model="s", model_note="scripted model", sandbox="none", yolo=True, plan_mode=True,
        max_context_tokens=100_000, waiting=2, ready=True,
    )  # fmt: skip
    shown = {width: header.lines(width, Palette())[0].text.split("  ")[2].split(" ? ")[0] for width in (100, 80, 64)}
    assert shown == {
        100: "s scripted model · yolo · □ no sandbox · plan · 0% of 100k",
        80: "s · yolo · □ no sandbox · plan · 0%",
        64: "s · yolo · □ no sandbox · plan",
    }
