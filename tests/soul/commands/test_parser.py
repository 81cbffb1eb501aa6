"""What begins with a slash: a command, or a message to the model."""

from pathlib import Path

import pytest

from kimi_tui.soul.commands.parser import slash_command

NAMES = frozenset({"fork", "sessions", "flow:release"})


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("/fork", ("fork", "")),
        ("/fork this one", ("fork", "this one")),
        ("/flow:release 1.2", ("flow:release", "1.2")),
        ("/forc it", ("forc", "it")),
        ("/fork/sessions", ("fork/sessions", "")),
        ("/fork, please", ("fork,", "please")),
        ("/", ("", "")),
    ],
)
def test_a_slash_and_a_name_are_a_command_known_or_not(text: str, line: tuple[str, str]) -> None:
    assert slash_command(text, NAMES) == line


@pytest.mark.parametrize(
    "text", ["", "fork", "/etc what is in it?", "/etc: what is it?", "/api/users returns 500", "// a comment", "/* one"]
)
def test_a_path_or_a_comment_is_a_message(text: str) -> None:
    assert slash_command(text, NAMES) is None


def test_a_file_that_exists_is_a_message_and_a_command_of_its_name_is_not(tmp_path: Path) -> None:
    file = tmp_path / "fork"
    file.touch()
    assert slash_command(f"{file}, what is it?", NAMES) is None
    assert slash_command(f"{file}", NAMES) is None
    assert slash_command("/tmp", NAMES | {"tmp"}) == ("tmp", "")
