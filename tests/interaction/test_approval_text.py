"""An approval as text."""

from kimi_tui.interaction.approval_text import MAX_CHARS, approval_text
from kimi_tui.wire.display import BriefBlock, DiffBlock, ShellBlock


def test_a_text_shows_changes_arguments_and_reasons_but_nothing_twice() -> None:
    change = DiffBlock(path="a.py", old_text="one\ntwo", new_text="one\n2", old_start=7)
    summary = DiffBlock(path="b", old_text="1 line", new_text="10001 lines", is_summary=True)
    arguments = ShellBlock(language="json", command='{"a": 1}')
    reason = BriefBlock(text="Needs approval: it is protected")
    assert approval_text("Edit", (change, summary, arguments, reason)).splitlines() == [
        *("Edit", "a.py, line 7:", " one", "-two", "+2"),
        *("b: too long to show, 1 line before and 10001 lines after", '{"a": 1}', "Needs approval: it is protected"),
    ]
    assert approval_text("Run command `ls`", (ShellBlock(command="ls"),)) == "Run command `ls`"


def test_a_very_long_text_says_how_much_is_missing() -> None:
    change = DiffBlock(path="a", old_text="", new_text="\n".join(["x" * 99] * 2_500))
    text = approval_text("Edit", (change,))
    assert len(text) < MAX_CHARS + 100
    assert text.endswith("more characters are not shown]")
