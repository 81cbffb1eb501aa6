"""The command lines of the page about sharing skills: each is run, over https and ssh on loopback."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from kimi_tui.cli.main import main
from tests.cli.commands.test_skill_sharing import answer
from tests.skill.sharing.git_server import git_server
from tests.skill.sharing.remotes import FLOW, commit
from tests.test_docs import commands

LINES = [argv for page, argv in commands() if page == "sharing.md"]
ADDED = [argv for argv in LINES if argv[1] == "add"]
NEW, OLD = (FLOW.format(name="release", command=f"make -s {target}") for target in ("new", "old"))


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository of the page on its hosts, and its folder in the working directory."""
    flows = tmp_path / "served/acme/flows.git"
    flows.parent.mkdir(parents=True)
    commit(flows, {"skills/release/SKILL.md": OLD})
    subprocess.run(["git", "-C", str(flows), "tag", "v1.2"], check=True)
    commit(flows, {"skills/release/SKILL.md": NEW})
    flows.with_suffix("").symlink_to(flows)
    own = tmp_path / "work/my-skills/release/SKILL.md"
    own.parent.mkdir(parents=True)
    own.write_text(OLD)
    monkeypatch.chdir(tmp_path / "work")
    with git_server(tmp_path / "served", tmp_path, "github.com", "git.example.org") as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        yield flows


def test_the_page_has_each_way_to_name_a_source_and_each_other_command():
    assert len(ADDED) == 5
    assert {argv[1] for argv in LINES if argv not in ADDED} == {"update", "remove"}
    assert all(argv[0] == "skill" for argv in LINES)


@pytest.mark.parametrize("argv", ADDED, ids=" ".join)
def test_a_skill_is_added_from_each_source_after_a_yes(
    argv: list[str], served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = answer(monkeypatch, "y\n")
    assert main(argv) == 0, screen.getvalue()
    target = "old" if "v1.2" in argv[2] or argv[2].startswith("./") else "new"
    assert f"t: make -s {target}" in screen.getvalue()
    home = Path(os.environ["KIMI_TUI_HOME"])
    assert f"make -s {target}" in (home / "skills/release/SKILL.md").read_text()
    entry = json.loads((home / "skills-lock.json").read_text())["skills"]["release"]
    assert (entry["commit"] is None) == argv[2].startswith("./")


def test_the_commands_of_the_page_update_and_remove_it(
    served: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["skill", "add", "acme/flows", "--yes"]) == 0
    file = Path(os.environ["KIMI_TUI_HOME"], "skills/release/SKILL.md")
    for number, argv in enumerate(argv for argv in LINES if argv[1] == "update"):
        commit(served, {"skills/release/SKILL.md": NEW + f"{number}\n"})
        if "--replace" in argv:
            file.write_text(file.read_text() + "Mine.\n")
        screen = answer(monkeypatch, "y\n")
        assert main(argv) == 0
        assert f"+{number}\n" in screen.getvalue()
        assert file.read_text() == NEW + f"{number}\n"
    (remove,) = (argv for argv in LINES if argv[1] == "remove")
    assert main(remove) == 0
    assert not file.exists()
