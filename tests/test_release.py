"""What a release needs before it is built: no placeholder in place of the address, and one version everywhere."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from kimi_tui import __version__
from kimi_tui.yaml_text import reader
from tests.docs_site import ROOT
from tests.release import PLACEHOLDER, problems, set_address, texts
from tests.test_docs import blocks

URL = "https://github.com/acme/kimi"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the files in which users meet the address."""
    for file in (*texts(ROOT), ROOT / "kimi_tui/__init__.py"):
        copy = tmp_path / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    changes = tmp_path / "CHANGELOG.md"
    changes.write_text(changes.read_text("utf-8").replace("## [Unreleased]", f"## [{__version__}]", 1), "utf-8")
    return tmp_path


def test_a_release_is_refused_while_a_file_names_the_placeholder(tree: Path) -> None:
    (tree / "README.md").write_text(f"See {PLACEHOLDER}.")
    assert "README.md: names OWNER/kimi-tui" in problems(tree)
    set_address(tree, URL)
    assert problems(tree) == []


def test_one_command_writes_the_address_everywhere(tree: Path) -> None:
    set_address(tree, f"{URL}.git")
    assert problems(tree) == []
    project = tomllib.loads((tree / "pyproject.toml").read_text())["project"]
    assert project["urls"]["Issues"] == f"{URL}/issues"
    assert project["scripts"]
    assert json.loads((tree / "acp-registry/kimi-tui/agent.json").read_text())["repository"] == URL
    page = (tree / "kimi_tui/docs/headless.md").read_text()
    tables = [reader("safe").load(body) for _page, body in blocks("yaml", {"headless.md": page})]
    (hooks,) = (table for table in tables if "repos" in table)
    assert hooks["repos"][0]["repo"] == URL
    used = [step.get("uses", "") for table in tables for job in table.get("jobs", {}).values() for step in job["steps"]]
    assert sum(one.startswith("acme/kimi@v") for one in used) == 2
    assert set_address(tree, URL) == []


@pytest.mark.parametrize("url", ["", "acme/kimi", "http://github.com/a/b", "https://github.com/a", f"{URL}\nx", "-x"])
def test_another_address_is_refused(tree: Path, url: str) -> None:
    with pytest.raises(ValueError, match="is not the https address"):
        set_address(tree, url)


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        ("pyproject.toml", f'version = "{__version__}"', 'version = "0.0.9"', "__version__ is not 0.0.9"),
        ("kimi_tui/docs/headless.md", f"rev: v{__version__}", "rev: v0.0.9", "names version 0.0.9"),
        ("kimi_tui/docs/headless.md", f"@v{__version__}", "@v0.0.9", "names version 0.0.9"),
        ("acp-registry/kimi-tui/agent.json", f'"version": "{__version__}"', '"version": "0.0.9"', "version is 0.0.9"),
        ("CHANGELOG.md", f"[{__version__}]", "[Unreleased]", f"has no section {__version__}"),
    ],
)
def test_a_release_is_refused_if_a_file_names_another_version(
    tree: Path, file: str, old: str, new: str, problem: str
) -> None:
    set_address(tree, URL)
    text = (tree / file).read_text("utf-8")
    assert old in text
    (tree / file).write_text(text.replace(old, new), "utf-8")
    assert problem in "\n".join(problems(tree))
