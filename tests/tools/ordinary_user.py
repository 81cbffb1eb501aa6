"""Runs Python as an ordinary user where the tests run as root. The user is a bare number: nothing is set up for it."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

UID = 54_321


def python_for_all() -> str | None:
    """A Python of our version that every user can start, which may be another one than ours."""
    for program in (sys.executable, "/usr/bin/python3", f"/usr/bin/python3.{sys.version_info.minor}"):
        version = f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
        if Path(program).exists() and _ended([program, "-c", version], Path("/")).returncode == 0:
            return program
    return None


def run_as_ordinary_user(
    arguments: Sequence[str], folder: Path, *, seconds: float = 120, env: Mapping[str, str] | None = None
) -> str:
    """What Python prints with these arguments, at status 0. `folder` is the user's own, and its home."""
    program = python_for_all()
    if os.geteuid() != 0 or program is None:
        pytest.skip("only root can become another user, who can start Python")
    os.chown(folder, UID, UID)
    ended = _ended([program, *arguments], folder, seconds=seconds, more=env)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def _ended(
    command: Sequence[str], folder: Path, *, seconds: float = 10, more: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    libraries = [str(root), *(entry for entry in sys.path if entry.endswith("site-packages"))]
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "PYTHONPATH": ":".join(libraries)}
    env |= {"PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8", "TMPDIR": os.environ.get("TMPDIR", "/tmp")}
    env |= more or {}
    who = {"user": UID, "group": UID, "extra_groups": []} if os.geteuid() == 0 else {}
    try:
        return subprocess.run(
            command, cwd=folder, env=env, timeout=seconds, capture_output=True, text=True, check=False, **who
        )
    except OSError as error:
        return subprocess.CompletedProcess(command, 126, "", str(error))
