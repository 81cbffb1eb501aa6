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
        (["node", "build/index"], "build/index.js"),
        (["python", "tools/a"], "tools/a.py"),
        (["python", "tools"], "tools/__main__.py"),
        (["python", "-mtools.a"], "tools/a.py"),
        (["node", "./build"], "build/index.js"),
        (["npm", "--prefix", "build", "start"], "build/package.json"),
        (["node", "-r./tools/a.js"], "tools/a.js"),
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


def test_of_a_folder_that_is_run_its_package_names_the_program(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"main": "lib/start"}')
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "start.js").write_text("")
    assert set(files_named(["node", "."], tmp_path, tmp_path)) == {
        tmp_path / "package.json",
        tmp_path / "lib" / "start.js",
    }


def test_of_a_command_with_very_many_words_only_the_first_ones_are_looked_for(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    many = " ".join(f"word{number}" for number in range(1_000))
    assert set(files_named(["sh", "-c", f"python a.py {many}"], tmp_path, tmp_path)) == {tmp_path / "a.py"}
    assert not list(files_named(["sh", "-c", f"{many} a.py"], tmp_path, tmp_path))
