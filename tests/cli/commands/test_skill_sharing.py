"""`kimi-tui skill add|update|remove`, as a user runs them, from a real repository on this disk."""

import io
import json
import subprocess
from pathlib import Path

import pytest

from kimi_tui.cli.main import main
from tests.skill.sharing.remotes import FLOW, SKILL, Content, Script, commit

ONE = SKILL.format(name="one")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    return tmp_path / "own"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def answer(monkeypatch: pytest.MonkeyPatch, text: str) -> Terminal:
    """Sit a user at a terminal who types this; returns what the user sees."""
    screen = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal(text))
    monkeypatch.setattr("sys.stdout", screen)
    return screen


def remote(tmp_path: Path, **files: Content) -> str:
    return commit(tmp_path / "remote", {name.replace("__", "/").replace("_md", ".md"): f for name, f in files.items()})


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def lock(home: Path) -> dict[str, dict[str, object]]:
    return json.loads((home / "skills-lock.json").read_text())["skills"]


def test_a_user_sees_what_a_skill_can_run_and_says_yes(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = remote(
        tmp_path, one__SKILL_md=FLOW.format(name="one", command="make -s test"), one__run=Script("#!/bin/sh\n"),
        one__data="x\u202ey",
    )  # fmt: skip
    screen = answer(monkeypatch, "y\n")
    assert main(["skill", "add", url]) == 0
    seen = screen.getvalue()
    assert "t: make -s test" in seen
    assert "  run (10 B)" in seen
    assert "data: U+202E" in seen
    assert seen.endswith("[y/N] Added one. Use it: /flow:one\n")
    assert (home / "skills/one/run").stat().st_mode & 0o777 == 0o700
    entry = lock(home)["one"]
    assert (entry["source"], entry["path"], entry["ref"]) == (url, "one", None)


def test_what_was_shown_is_kept_although_the_branch_moves_before_the_yes(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = remote(tmp_path, SKILL_md=ONE)
    shown = git(tmp_path / "remote", "rev-parse", "main")

    class Slow(Terminal):
        def readline(self, size: int | None = -1, /) -> str:
            remote(tmp_path, SKILL_md=ONE + "Worse.\n")
            return "y\n"

    screen = answer(monkeypatch, "")
    monkeypatch.setattr("sys.stdin", Slow())
    assert main(["skill", "add", url, "--ref", "main"]) == 0
    assert f"at {shown[:12]}" in screen.getvalue()
    assert (home / "skills/one/SKILL.md").read_text() == ONE
    assert lock(home)["one"]["commit"] == shown != git(tmp_path / "remote", "rev-parse", "main")


@pytest.mark.parametrize("text", ["n\n", "\n", "", "yes please\n"])
def test_without_a_yes_nothing_is_kept(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    screen = answer(monkeypatch, text)
    assert main(["skill", "add", remote(tmp_path, SKILL_md=ONE)]) == 1
    assert screen.getvalue().endswith("Not added.\n")
    assert sorted(path.name for path in home.rglob("*")) == ["skills"]


def test_without_a_terminal_a_yes_is_an_option(tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = remote(tmp_path, SKILL_md=ONE)
    assert main(["skill", "add", url]) == 2
    assert "--yes" in capsys.readouterr().err
    assert not (home / "skills/one").exists()
    assert main(["skill", "add", "--yes", url]) == 0
    assert (home / "skills/one/SKILL.md").read_text() == ONE
    assert main(["skill", "add", "--yes", url]) == 2
    assert "already added; update it" in capsys.readouterr().err


def test_an_update_shows_the_difference(tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = remote(tmp_path, SKILL_md=ONE)
    assert main(["skill", "add", "--yes", url]) == 0
    assert main(["skill", "update"]) == 0
    assert "one is up to date." in capsys.readouterr().out
    remote(tmp_path, SKILL_md=ONE + "Worse.\x1b[2J\n", run=Script("#!/bin/sh\n"))
    assert main(["skill", "update", "one"]) == 2
    assert (home / "skills/one/SKILL.md").read_text() == ONE
    assert main(["skill", "update", "one", "--yes"]) == 0
    out = capsys.readouterr().out
    assert "+Worse.\\u001b[2J\n" in out
    assert "--- /dev/null\n+++ run\n" in out
    assert "  run (10 B)" in out
    assert (home / "skills/one/run").exists()


def test_changes_of_the_user_are_shown_and_kept(tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = remote(tmp_path, SKILL_md=ONE)
    main(["skill", "add", "--yes", url])
    file = home / "skills/one/SKILL.md"
    file.write_text(ONE + "Mine.\n")
    remote(tmp_path, SKILL_md=ONE + "Theirs.\n")
    assert main(["skill", "update", "--yes"]) == 1
    seen = capsys.readouterr()
    assert "-Mine.\n+Theirs.\n" in seen.out
    assert "You changed SKILL.md" in seen.out
    assert "--replace keeps your version" in seen.err
    assert file.read_text() == ONE + "Mine.\n"
    assert main(["skill", "update", "--yes", "--replace"]) == 0
    assert file.read_text() == ONE + "Theirs.\n"
    assert (home / "skills/.kept/one-1/SKILL.md").read_text() == ONE + "Mine.\n"


def test_a_removed_skill_is_gone_and_others_stay(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["skill", "add", "--yes", remote(tmp_path, SKILL_md=ONE)])
    (home / "skills/mine").mkdir()
    assert main(["skill", "remove", "mine"]) == 2
    assert "it is yours" in capsys.readouterr().err
    assert main(["skill", "remove", "one"]) == 0
    assert [path.name for path in (home / "skills").iterdir()] == ["mine"]
    assert lock(home) == {}


def test_a_skill_deleted_by_hand_is_restored_from_the_lock(tmp_path: Path, home: Path) -> None:
    main(["skill", "add", "--yes", remote(tmp_path, SKILL_md=ONE)])
    (home / "skills/one/SKILL.md").unlink()
    (home / "skills/one").rmdir()
    assert main(["skill", "update", "--yes"]) == 0
    assert (home / "skills/one/SKILL.md").read_text() == ONE


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (SKILL.format(name="flow-writer"), "of its own"),
        (SKILL.format(name="../one"), "is not accepted"),
        (SKILL.format(name="one\x1b"), "not"),
        (SKILL.format(name="оne"), "is not accepted"),
        (SKILL.format(name="One"), "is not accepted"),
        (SKILL.format(name="con" * 30), "is not accepted"),
        (FLOW.format(name="one", command="x").replace("([END])", ""), "END"),
        ("---\nname: one\ndescription: [\n---\n", "SKILL.md:"),
        (ONE + "x" * 200_000, "is larger than 128 KiB"),
    ],
    ids=["bundled", "path", "control", "cyrillic", "capital", "long", "chart", "yaml", "large"],
)
def test_a_skill_with_a_name_or_a_chart_that_is_not_accepted_is_not_kept(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str], text: str, cause: str
) -> None:
    assert main(["skill", "add", "--yes", remote(tmp_path, SKILL_md=text)]) == 1
    assert cause in capsys.readouterr().err
    assert sorted(path.name for path in home.rglob("*")) == ["skills"]


def test_a_skill_with_a_broken_chart_beside_it_is_not_kept(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = commit(tmp_path / "remote", {"SKILL.md": ONE, "charts/x.mmd": "flowchart TD\nA -->"})
    assert main(["skill", "add", "--yes", url]) == 1
    assert "charts/x.mmd:" in capsys.readouterr().err
    assert not (home / "skills/one").exists()


@pytest.mark.parametrize("name", ["one/SKILL.md", "One.md"])
def test_a_skill_of_the_user_is_not_replaced(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    mine = home / "skills" / name
    mine.parent.mkdir(parents=True)
    mine.write_text("Mine.")
    assert main(["skill", "add", "--yes", remote(tmp_path, SKILL_md=ONE)]) == 1
    assert "one" in capsys.readouterr().err.lower()
    assert mine.read_text() == "Mine."
