"""Skill files that are no text, or no files."""

import os
from pathlib import Path

import pytest

from kimi_tui.errors import SkillError
from kimi_tui.skill.skill import Scope, read_skill
from kimi_tui.skill.skill_file import MAX_BYTES, read_source


def refusal(path: Path) -> SkillError:
    with pytest.raises(SkillError) as caught:
        read_source(path)
    assert caught.value.file == path
    return caught.value


def test_line_ends_and_the_byte_order_mark_are_evened_out(tmp_path: Path) -> None:
    file = tmp_path / "SKILL.md"
    file.write_bytes(b"\xef\xbb\xbf---\r\nname: a\r---\n")
    assert read_source(file) == "---\nname: a\n---\n"


def test_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "SKILL.md")
    assert "not a regular file" in refusal(tmp_path / "SKILL.md").cause


def test_a_device_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").symlink_to("/dev/zero")
    assert "not a regular file" in refusal(tmp_path / "SKILL.md").cause


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").mkdir()
    assert "not a regular file" in refusal(tmp_path / "SKILL.md").cause


def test_a_link_to_itself_says_so(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").symlink_to("SKILL.md")
    assert "leads back to itself" in refusal(tmp_path / "SKILL.md").cause


def test_a_link_to_nothing_says_so(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").symlink_to("nowhere")
    assert "no such file" in refusal(tmp_path / "SKILL.md").cause


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text("x")
    (tmp_path / "SKILL.md").chmod(0)
    assert "permission denied" in refusal(tmp_path / "SKILL.md").cause


def test_a_file_over_one_mebibyte_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "SKILL.md"
    file.write_bytes(b"x" * MAX_BYTES)
    assert len(read_source(file)) == MAX_BYTES
    file.write_bytes(b"x" * (MAX_BYTES + 1))
    assert "1 MiB" in refusal(file).cause


@pytest.mark.parametrize(
    ("data", "line", "cause"),
    [
        (b"one\ntwo\n\xff\xfeno", 3, "not UTF-8"),
        ("\ufeffname".encode("utf-16-le"), None, "UTF-16"),
        (b"one\nt\0wo", 2, "NUL"),
        ("名".encode("gbk"), 1, "not UTF-8"),
    ],
)
def test_what_is_not_utf_8_text_is_refused(tmp_path: Path, data: bytes, line: int | None, cause: str) -> None:
    (tmp_path / "SKILL.md").write_bytes(data)
    error = refusal(tmp_path / "SKILL.md")
    assert cause in error.cause
    assert error.line == line


def test_a_link_to_a_file_that_is_not_markdown_is_no_skill(tmp_path: Path) -> None:
    text = "---\nname: a\ndescription: b\n---\nKEY=1\n"
    for name in ("secrets.yml", "id_rsa", ".env"):
        (tmp_path / name).write_text(text)
        skill = tmp_path / f"of-{name}/SKILL.md"
        skill.parent.mkdir()
        skill.symlink_to(tmp_path / name)
        with pytest.raises(SkillError, match="not a Markdown file"):
            read_skill(skill, Scope.PROJECT)
    (tmp_path / "other.MD").write_text(text)
    (tmp_path / "a.md").symlink_to(tmp_path / "other.MD")
    assert read_skill(tmp_path / "a.md", Scope.USER).name == "a"
