"""Where skills are looked for, and which files of a folder are skills."""

from pathlib import Path

import pytest

from kimi_tui.skill.roots import SkillRoots, skill_files
from kimi_tui.skill.skill import Scope
from tests.skill.skill_files import roots_in, write_skill

PROJECT = (".kimi-tui/skills", ".kimi/skills", ".claude/skills", ".codex/skills", ".agents/skills")
USER = (".kimi/skills", ".claude/skills", ".codex/skills", ".config/agents/skills", ".agents/skills")


def make_all(base: Path) -> None:
    for name in PROJECT:
        (base / "project" / name).mkdir(parents=True)
    for name in USER:
        (base / "home" / name).mkdir(parents=True)
    (base / "own" / "skills").mkdir(parents=True)
    (base / "bundled").mkdir()


def found(roots: SkillRoots, base: Path) -> list[str]:
    return [str(root.path.relative_to(base)) for root in roots.existing()]


def test_the_projects_folders_come_before_the_users_and_ours_first(tmp_path: Path) -> None:
    make_all(tmp_path)
    (tmp_path / "more").mkdir()
    roots = roots_in(tmp_path, extra_dirs=(str(tmp_path / "more"),))
    assert found(roots, tmp_path) == [
        *(f"project/{name}" for name in PROJECT),
        "own/skills",
        *(f"home/{name}" for name in USER[:4]),  # of the two generic ones only the first
        "more",
        "bundled",
    ]
    assert [root.scope for root in roots.existing()][-2:] == [Scope.EXTRA, Scope.BUNDLED]


def test_folders_of_a_project_that_nobody_trusts_come_last(tmp_path: Path) -> None:
    make_all(tmp_path)
    (tmp_path / "more").mkdir()
    (tmp_path / "project/docs").mkdir()
    roots = roots_in(tmp_path, extra_dirs=("docs", str(tmp_path / "more")), project_last=True)
    assert found(roots, tmp_path) == [
        "own/skills",
        *(f"home/{name}" for name in USER[:4]),
        "more",
        "bundled",
        *(f"project/{name}" for name in PROJECT),
        "project/docs",
    ]


def test_without_merging_only_the_first_brand_counts_and_the_generic_one(tmp_path: Path) -> None:
    make_all(tmp_path)
    (tmp_path / "project/.kimi-tui/skills").rmdir()
    (tmp_path / "own/skills").rmdir()
    assert found(roots_in(tmp_path, merge_all=False), tmp_path) == [
        "project/.kimi/skills",
        "project/.agents/skills",
        "home/.kimi/skills",
        "home/.config/agents/skills",
        "bundled",
    ]


def test_the_second_generic_folder_counts_where_the_first_is_missing(tmp_path: Path) -> None:
    (tmp_path / "home/.agents/skills").mkdir(parents=True)
    assert found(roots_in(tmp_path), tmp_path) == ["home/.agents/skills"]


def test_skills_dirs_replace_what_is_discovered(tmp_path: Path) -> None:
    make_all(tmp_path)
    (tmp_path / "project/mine").mkdir()
    (tmp_path / "project/more").mkdir()
    roots = roots_in(tmp_path, skills_dirs=(Path("mine"),), extra_dirs=("more",))
    assert found(roots, tmp_path) == ["project/mine", "project/more", "bundled"]
    assert roots.existing()[0].scope is Scope.EXTRA


def test_a_project_that_is_not_trusted_adds_nothing(tmp_path: Path) -> None:
    make_all(tmp_path)
    assert not any(name.startswith("project") for name in found(roots_in(tmp_path, with_project=False), tmp_path))


def test_a_project_that_waits_is_looked_for_and_does_not_count(tmp_path: Path) -> None:
    make_all(tmp_path)
    roots = roots_in(tmp_path, project_waits=True)
    assert found(roots, tmp_path) == found(roots_in(tmp_path, with_project=False), tmp_path)
    waiting = {root.path for root in roots.waiting()}
    assert waiting
    assert waiting == {root.path for root in roots_in(tmp_path).existing() if root.scope is Scope.PROJECT}


@pytest.mark.parametrize("git", ["file", "folder"])
def test_the_project_is_the_nearest_folder_with_git(tmp_path: Path, git: str) -> None:
    work_dir = tmp_path / "outer" / "inner" / "src"
    work_dir.mkdir(parents=True)
    (tmp_path / "outer" / ".git").mkdir()
    inner = tmp_path / "outer" / "inner" / ".git"
    inner.mkdir() if git == "folder" else inner.write_text("gitdir: elsewhere")
    assert SkillRoots(work_dir).project_root() == tmp_path / "outer" / "inner"


def test_a_work_dir_without_git_is_its_own_project(tmp_path: Path) -> None:
    assert SkillRoots(tmp_path).project_root() == tmp_path


def test_extra_folders_may_begin_in_the_home_or_in_the_project(tmp_path: Path) -> None:
    roots = roots_in(tmp_path, extra_dirs=("~/team", "docs/skills", "~"))
    named = [root.path for root in roots.candidates() if root.named]
    assert named == [tmp_path / "home/team", tmp_path / "project/docs/skills", tmp_path / "home"]


def test_a_folder_with_two_names_counts_once(tmp_path: Path) -> None:
    (tmp_path / "project/.agents/skills").mkdir(parents=True)
    (tmp_path / "project/.claude").mkdir()
    (tmp_path / "project/.claude/skills").symlink_to("../.agents/skills")
    assert found(roots_in(tmp_path), tmp_path) == ["project/.claude/skills"]


def test_in_the_home_folder_the_skills_are_the_users(tmp_path: Path) -> None:
    (tmp_path / ".kimi/skills").mkdir(parents=True)
    roots = SkillRoots(tmp_path, user_home=tmp_path, own_home=tmp_path / "own", bundled=tmp_path / "none")
    assert [root.scope for root in roots.existing()] == [Scope.USER]


def test_a_folders_skills_are_folders_and_flat_files_in_order(tmp_path: Path) -> None:
    write_skill(tmp_path, "beta")
    (tmp_path / "alpha.md").write_text("flat")
    (tmp_path / "beta.md").write_text("loses against the folder")
    (tmp_path / "notes.txt").write_text("no skill")
    (tmp_path / ".hidden.md").write_text("no skill")
    (tmp_path / "empty").mkdir()
    files, problems = skill_files(tmp_path)
    assert [str(file.relative_to(tmp_path)) for file in files] == ["alpha.md", "beta/SKILL.md"]
    assert problems == []


def test_a_folder_that_is_itself_a_skill_is_that_one(tmp_path: Path) -> None:
    write_skill(tmp_path, "one")
    (tmp_path / "one" / "reference.md").write_text("no skill")
    assert skill_files(tmp_path / "one")[0] == [tmp_path / "one" / "SKILL.md"]


def test_links_that_lead_in_circles_are_reported_and_left(tmp_path: Path) -> None:
    write_skill(tmp_path, "good")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "up").symlink_to(".")
    files, problems = skill_files(tmp_path)
    assert [file.parent.name for file in files] == ["good"]
    assert [(problem.path.name, problem.text) for problem in problems] == [
        ("self", "is a link that leads back to itself")
    ]


def test_a_folder_that_cannot_be_listed_is_reported(tmp_path: Path) -> None:
    files, problems = skill_files(tmp_path / "missing")
    assert files == []
    assert "no such file" in problems[0].text
