"""kimi-tui installed in the workspace: what commands in the sandbox can change of it."""

import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import kimi_tui
from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.shell_support.program_files import program_files, unguarded_imports
from kimi_tui.tools.shell_support.sandbox import Sandbox
from tests.tools.harness import ToolHarness
from tests.tools.shell_support.test_sandbox import works

_RUN_IN_SANDBOX = """
import asyncio, os, sys
from pathlib import Path
from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.process_runner import run
from kimi_tui.tools.shell_support.sandbox import Sandbox

async def main():
    sandbox = Sandbox(SandboxConfig(network=False), Workspace(Path.cwd()), trusted=True)
    assert await sandbox.works()
    print("asks" if not sandbox.confines_commands else "runs", sandbox.writable_program)
    [command] = sandbox.wrapped(["/bin/bash", "-c", sys.argv[1]], git_alone=False)
    await run(command, cwd=Path.cwd(), env=sandbox.env(os.environ), on_text=lambda text: print(text, end=""))

asyncio.run(main())
"""


def _installed_in(project: Path) -> Path:
    """Install kimi-tui into a virtual environment of the project; return its packages."""
    venv.create(project / ".venv")
    (packages,) = (project / ".venv/lib").glob("python*/site-packages")
    shutil.copytree(Path(kimi_tui.__file__).parent, packages / "kimi_tui", ignore=shutil.ignore_patterns("__pycache__"))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return packages


def _run_in_sandbox(project: Path, command: str) -> str:
    python = project / ".venv/bin/python"
    ended = subprocess.run(
        [python, "-P", "-c", _RUN_IN_SANDBOX, command],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@works
def test_a_command_cannot_change_the_program_that_runs_it(tmp_path: Path) -> None:
    packages = _installed_in(tmp_path)
    supervisor = packages / "kimi_tui/tools/shell_support/supervisor.py"
    before = supervisor.read_bytes()
    files = (supervisor, tmp_path / ".venv/bin/planted", tmp_path / ".venv/pyvenv.cfg", packages / "planted.pth")
    attack = "; ".join(f"echo planted >> {file}" for file in files)
    output = _run_in_sandbox(tmp_path, f"{attack}; rm .venv/bin/python; mv .venv moved; mv .venv/lib .venv/moved")
    assert output.startswith("runs \n")
    assert supervisor.read_bytes() == before
    assert not (tmp_path / ".venv/bin/planted").exists()
    assert not (packages / "planted.pth").exists()
    assert "planted" not in (tmp_path / ".venv/pyvenv.cfg").read_text()
    assert _run_in_sandbox(tmp_path, "echo works > made; cat made") == "runs \nworks\n"


@works
def test_commands_are_asked_for_where_kimi_tui_imports_from_a_folder_of_the_project(tmp_path: Path) -> None:
    """Where the project itself is installed in editable mode, a module in its folder can run when kimi-tui starts."""
    packages = _installed_in(tmp_path)
    (tmp_path / "src").mkdir()
    (packages / "project.pth").write_text(f"{tmp_path}/src\n")
    output = _run_in_sandbox(tmp_path, "true")
    assert output == f"asks commands can write to `{tmp_path}/src`, which contains files that kimi-tui itself runs\n"


@works
def test_commands_are_asked_for_where_a_link_in_the_project_leads_to_kimi_tui(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    _installed_in(tmp_path)
    (project / ".venv").symlink_to(tmp_path / ".venv")
    assert _run_in_sandbox(project, "true").startswith("asks commands can write to `")


async def test_without_bubblewrap_the_user_is_told_that_commands_can_replace_kimi_tui(harness: ToolHarness) -> None:
    """Landlock cannot make a part of a writable folder read-only."""
    told: list[str] = []
    harness.workspace.add_dir(Path(sys.prefix))
    sandbox = Sandbox(
        SandboxConfig(), harness.workspace, notify=lambda _, text: told.append(text), find_bwrap=lambda _: None
    )
    if await sandbox.works():
        assert told[-1] == sandbox.writable_program
        assert "which contains files that kimi-tui itself runs" in told[-1]


def test_the_interpreter_and_the_package_are_guarded_and_other_projects_are_not(tmp_path: Path) -> None:
    assert any(Path(kimi_tui.__file__).resolve().is_relative_to(path) for path in program_files())
    assert any(Path(sys.executable).resolve().is_relative_to(path) for path in program_files())
    assert unguarded_imports((tmp_path,)) == ()
    assert unguarded_imports((program_files()[0],)) != ()
