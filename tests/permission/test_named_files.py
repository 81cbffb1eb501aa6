"""The files of a project that the command of an MCP server names."""

from pathlib import Path

import pytest

from kimi_tui.permission.named_files import files_named


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["node", "build/a.js"], "build/a.js"),
        (["./tools/a.py"], "tools/a.py"),
        (["uv", "--directory", "tools", "run", "a.py"], "tools/a.py"),
        (["uv", "--directory=./tools", "run", "a.py"], "tools/a.py"),
        (["sh", "-c", "cd tools && exec node a.js"], "tools/a.js"),
        (["node", "--import=./tools/a.js", "x"], "tools/a.js"),
        (["python", "-m", "tools.a"], "tools/a.py"),
        (["sh", "-c", "python3 -m tools"], "tools/__main__.py"),
        (["node", "${PWD:-.}/tools/a.js"], "tools/a.js"),
    ],
)
def test_a_file_is_named_in_each_of_these_ways(tmp_path: Path, words: list[str], name: str) -> None:
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text("")
    (tmp_path / "other.py").write_text("")
    assert set(files_named(words, tmp_path, tmp_path)) == {tmp_path / name}


def test_files_outside_of_the_project_are_not_named(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "a.py").write_text("")
    assert not list(files_named(["../a.py", str(tmp_path / "a.py")], tmp_path / "project", tmp_path / "project"))
