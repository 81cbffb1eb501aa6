"""Which folders a person trusts."""

from pathlib import Path

import pytest

from kimi_tui import trust


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(trust.TRUST_VARIABLE, raising=False)


def project(tmp_path: Path, *files: str) -> Path:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("{}", "utf-8")
    return root


def test_a_project_that_brings_nothing_asks_nothing(tmp_path: Path) -> None:
    assert trust.brought_by(project(tmp_path, "README.md")) == ()


def test_skills_and_servers_of_the_project_are_named_from_below_too(tmp_path: Path) -> None:
    root = project(tmp_path, ".kimi/skills/a/SKILL.md", ".mcp.json", "src/x.py")
    brought = trust.brought_by(root / "src")
    assert [(one.path.relative_to(root).as_posix(), one.what) for one in brought] == [
        (".kimi/skills", "skills"),
        (".mcp.json", "MCP servers"),
    ]


def test_nothing_is_known_of_a_new_folder(tmp_path: Path) -> None:
    assert trust.answer_for(tmp_path) is None


def test_an_answer_is_kept_for_the_whole_project(tmp_path: Path) -> None:
    root = project(tmp_path, "src/x.py")
    trust.remember(root / "src", True)
    assert trust.answer_for(root) is True
    assert trust.answer_for(tmp_path) is None


def test_the_nearest_answer_counts(tmp_path: Path) -> None:
    root = project(tmp_path, "x")
    trust.remember(tmp_path, True)
    trust.remember(root, False)
    assert trust.answer_for(root) is False
    assert trust.answer_for(tmp_path / "other") is True


def test_a_broken_file_of_answers_says_nothing(tmp_path: Path) -> None:
    trust.remember(tmp_path, True)
    (tmp_path / "home" / "trusted.json").write_text("[", "utf-8")
    assert trust.answer_for(tmp_path) is None


def test_the_environment_can_say_yes_to_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trust.remember(tmp_path, False)
    monkeypatch.setenv(trust.TRUST_VARIABLE, "1")
    assert trust.answer_for(tmp_path) is True
