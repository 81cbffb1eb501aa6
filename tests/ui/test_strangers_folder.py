"""Nothing of a folder acts before its yes, in any face, and no file of it holds a face up."""

import importlib.metadata
import json
import sys
from pathlib import Path

import pytest

from tests.mcp.kit import everyday
from tests.soul.engines import tool_call
from tests.ui.strangers_folder import FACES, options_for

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
