"""Nothing of a folder acts before its yes, in any face, and no file of it holds a face up."""

import importlib.metadata
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.mcp.harness import everyday
from tests.soul.scripted_engine import tool_call
from tests.ui.untrusted_folder import FACES, options_for

pytestmark = pytest.mark.timeout(120)


def planted_modules(folder: Path, marks: Path) -> None:
    """A module of each name that any Python of ours could look for; one that is run leaves its name in `marks`."""
    names = {name for name in sys.stdlib_module_names if not name.startswith("_")} | {"sitecustomize", "usercustomize"}
    names |= {name for name in importlib.metadata.packages_distributions() if name.isidentifier()}
    source = f"import os\nos.makedirs({str(marks)!r}, exist_ok=True)\nopen({str(marks)!r} + '/' + __name__, 'w')\n"
    for name in names - {"kimi_tui"}:
        (folder / f"{name}.py").write_text(source)
    package = folder / "kimi_tui"
    package.mkdir()
    for name in ("__init__", "__main__"):
        (package / f"{name}.py").write_text(source)


@pytest.mark.parametrize("face", FACES)
async def test_a_module_that_the_folder_brings_is_run_by_no_python_of_ours(tmp_path: Path, face: str) -> None:
    folder, marks, home = tmp_path / "theirs", tmp_path / "ran", tmp_path / "mcp.json"
    folder.mkdir()
    planted_modules(folder, marks)
    home.write_text(json.dumps({"mcpServers": {"mine": everyday()}}))
    used = tool_call("Shell", command="echo from the shell")
    options = options_for(tmp_path, used, "text: Alldone")
    said = await FACES[face](folder, [*options, "--mcp-config-file", str(home)])
    assert "Alldone" in said or face == "web"
    assert not marks.exists(), [mark.name for mark in marks.iterdir()]


BROUGHT = (
    ".mcp.json", ".kimi-tui/mcp.json", ".kimi-tui/AGENTS.md", ".kimi/AGENTS.md", "AGENTS.md",
    "agents.md", "CLAUDE.md", ".gitignore", ".ignore", ".rgignore", ".env", ".gitmodules", ".netrc", "pyvenv.cfg",
    ".kimi-tui/skills/a/SKILL.md", ".kimi/skills/b.md", ".claude/skills/c/SKILL.md", ".agents/skills/d.md",
    ".codex/skills/e/SKILL.md", "config.yaml", "keyringrc.cfg", "src/.gitignore", "src/AGENTS.md",
)  # fmt: skip
"""What a folder may bring that a face, or a program that it starts, would look for."""

GIT = (".git/HEAD", ".git/config", ".git/commondir", ".git/gitdir", ".git/info/exclude", ".git/index")


def pipe(file: Path) -> None:
    os.mkfifo(file)


def endless(file: Path) -> None:
    file.symlink_to("/dev/zero")


@pytest.mark.parametrize(("make", "git"), [(pipe, (".git",)), (pipe, GIT), (endless, GIT)])
@pytest.mark.parametrize("face", FACES)
async def test_a_pipe_or_a_device_in_the_place_of_a_file_holds_no_face_up(
    tmp_path: Path, face: str, make: Callable[[Path], None], git: Sequence[str]
) -> None:
    folder = tmp_path / "theirs"
    for name in (*BROUGHT, *git):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        make(folder / name)
    used = tool_call("Glob", pattern="*.md")
    said = await FACES[face](folder, options_for(tmp_path, used, "text: Alldone"))
    assert "Alldone" in said or face == "web"


@pytest.mark.parametrize("make", [pipe, endless])
@pytest.mark.parametrize("face", sorted({*FACES} - {"web"}))
async def test_a_pipe_or_a_device_in_the_place_of_the_configuration_is_an_error_at_once(
    tmp_path: Path, face: str, make: Callable[[Path], None]
) -> None:
    folder = tmp_path / "theirs"
    (folder / ".kimi-tui").mkdir(parents=True)
    make(folder / ".kimi-tui/config.yaml")
    with pytest.raises(AssertionError, match="this is not a regular file"):
        await FACES[face](folder, options_for(tmp_path, "text: Alldone"))
