from pathlib import Path

import pytest

from kimi_tui.errors import SkillInstallError
from kimi_tui.skill.sharing import skill_package
from kimi_tui.skill.sharing.skill_package import (
    Entry,
    SkillPackage,
    check_names,
    hashes_of_folder,
    package_of_folder,
    read_package,
    skill_folder,
)


def package(files: dict[str, bytes], links: tuple[str, ...] = ()) -> SkillPackage:
    return read_package({name: Entry(link=name in links) for name in files}, lambda names: files)


@pytest.mark.parametrize(
    "name",
    ["..", "a/../b", "./a", "/a", "a//b", ".git/config", "a/.GIT/hooks/x", "-x", "a\x1b[2J", "a\nb", "a\u202eb", "a\\b",
     "a:b", "a ", " a", "a.", "\udcff", "\U000e0041", "x" * 241, "a/" * 12 + "b"],
)  # fmt: skip
def test_an_unsafe_name_is_refused(name: str) -> None:
    with pytest.raises(SkillInstallError):
        check_names(["SKILL.md", name])


@pytest.mark.parametrize("names", [("a", "A"), ("x/a", "X/b"), ("é", "e\u0301"), ("ﬁ", "fi")])
def test_names_that_are_one_file_on_some_systems_are_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(SkillInstallError, match="case"):
        check_names(["SKILL.md", *names])


def test_a_git_repository_in_a_skill_is_refused() -> None:
    with pytest.raises(SkillInstallError, match="Git repository"):
        check_names(["SKILL.md", "x/HEAD", "x/config", "x/objects/info/a"])
    check_names(["SKILL.md", "x/config", "x/y", ".env.example", "修复.md"])


def test_a_link_is_the_file_it_leads_to_in_the_skill() -> None:
    files = {"SKILL.md": b"s", "a/b": b"../c", "c": b"text"}
    assert package(files, ("a/b",)).files["a/b"].content == b"text"


@pytest.mark.parametrize("target", [b"/etc/passwd", b"../../x", b"..", b"../other", b"b", b"missing", b"\xff"])
def test_a_link_out_of_the_skill_or_to_a_link_is_refused(target: bytes) -> None:
    with pytest.raises(SkillInstallError, match="link"):
        package({"SKILL.md": b"s", "a/b": target, "a/a/b": b"x"} | {"other": b"SKILL.md"}, ("a/b", "other"))


def test_the_size_and_the_number_of_files_are_bounded() -> None:
    big = b"x" * (skill_package.MAX_FILE_BYTES + 1)
    with pytest.raises(SkillInstallError, match="too large"):
        package({"SKILL.md": big})
    with pytest.raises(SkillInstallError, match="too large"):
        package({str(number): big[:-1] for number in range(5)})
    with pytest.raises(SkillInstallError, match="1000 files"):
        check_names(map(str, range(1001)))


def test_a_file_in_lfs_is_refused() -> None:
    with pytest.raises(SkillInstallError, match="LFS"):
        package({"SKILL.md": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"})


def test_a_folder_is_read_as_it_is_and_its_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text("s")
    (tmp_path / "run").write_text("#!/bin/sh\n")
    (tmp_path / "run").chmod(0o755)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/x.pyc").write_text("")
    found = package_of_folder(tmp_path)
    assert {name: file.executable for name, file in found.files.items()} == {"SKILL.md": False, "run": True}
    assert hashes_of_folder(tmp_path) == found.hashes
    (tmp_path / "out").symlink_to("/etc")
    with pytest.raises(SkillInstallError, match="link"):
        package_of_folder(tmp_path)


@pytest.mark.parametrize(
    ("names", "path", "found"),
    [
        (["SKILL.md", "a/SKILL.md"], "", ""),
        (["skills/a/SKILL.md", "README.md"], "", "skills/a"),
        (["skills/a/SKILL.md", "skills/b/SKILL.md"], "skills/b", "skills/b"),
        (["skills/a/SKILL.md", "skills/b/SKILL.md"], "b", "skills/b"),
        (["x/y/a/SKILL.md", "b/SKILL.md"], "x", "x/y/a"),
    ],
)
def test_the_skill_is_found_in_its_repository(names: list[str], path: str, found: str) -> None:
    assert skill_folder(names, path) == found


def test_several_skills_are_listed() -> None:
    with pytest.raises(SkillInstallError, match="several skills; add one by its path: a, b"):
        skill_folder(["a/SKILL.md", "b/SKILL.md"], "")
    with pytest.raises(SkillInstallError, match=r"x has no SKILL\.md"):
        skill_folder(["a/SKILL.md", "b/SKILL.md"], "x")
