"""The skills that ship with the program."""

import os
import subprocess
from pathlib import Path

import pytest

from kimi_tui import paths
from kimi_tui.flow import NodeKind
from kimi_tui.flow.model.command_template import read_command
from kimi_tui.skill.roots import skill_files
from kimi_tui.skill.skill import Scope, Skill, SkillKind, read_skill
from tests.tools.harness import git, repository_with_a_commit

SKILLS = [read_skill(file, Scope.BUNDLED) for file in skill_files(paths.bundled("skills"))[0]]
FLOWS = [skill for skill in SKILLS if skill.declared_kind is SkillKind.FLOW]


def by_name(skill: Skill) -> str:
    return skill.name


def test_all_of_them_are_there() -> None:
    assert [skill.name for skill in SKILLS] == [
        "bug-hunt",
        "code-review",
        "demo-fix-until-green",
        "fix-until-green",
        "flow-writer",
        "kimi-tui-help",
        "release-checklist",
        "research-then-answer",
        "write-and-polish",
        "write-email",
    ]


@pytest.mark.parametrize("skill", SKILLS, ids=by_name)
def test_none_has_a_problem(skill: Skill) -> None:
    assert [str(problem) for problem in skill.problems] == []
    assert skill.kind is skill.declared_kind
    assert skill.description.endswith(".")


@pytest.mark.parametrize("skill", FLOWS, ids=by_name)
def test_each_flow_decides_and_its_prompts_say_something(skill: Skill) -> None:
    assert skill.flow is not None
    nodes = skill.flow.nodes.values()
    assert any(node.kind is NodeKind.DECISION for node in nodes)
    prompts = [node.title for node in nodes if node.kind in (NodeKind.TASK, NodeKind.DECISION)]
    assert all(len(prompt) > 20 for prompt in prompts)


def test_the_pattern_in_the_flow_writer_is_a_flow_without_problems() -> None:
    writer = next(skill for skill in SKILLS if skill.name == "flow-writer")
    pattern = writer.text.split("````markdown\n")[1].split("````\n")[0]
    from kimi_tui.skill.skill import parse_skill

    made = parse_skill(pattern, writer.path.parent.parent / "triage-a-bug" / "SKILL.md", Scope.USER)
    assert made.kind is SkillKind.FLOW
    assert made.problems == ()


def test_a_release_is_not_tagged_while_a_new_file_is_not_in_it(tmp_path: Path) -> None:
    repository = repository_with_a_commit(tmp_path / "repository")
    release = next(skill for skill in SKILLS if skill.name == "release-checklist").flow
    assert release is not None
    bound = read_command(release.nodes["TAG"].settings.run or "").bind(lambda variable: f"1.{variable.field}")

    def tag() -> int:
        env = {**os.environ, **bound.env}
        return subprocess.run(["bash", "-c", bound.line], cwd=repository, env=env, check=False).returncode

    (repository / "f").write_text("1.0\n")
    (repository / "CHANGELOG.md").write_text("# 1.0\n")
    assert tag() == 1
    git(repository, "add", "CHANGELOG.md")
    assert tag() == 0
    shown = subprocess.run(
        ["git", "ls-tree", "--name-only", "1.tag"], cwd=repository, check=True, capture_output=True, text=True
    )
    assert "CHANGELOG.md" in shown.stdout.split()
