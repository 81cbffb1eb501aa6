"""The sandboxes of an ordinary user: the same tests, run as one."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.tools.ordinary_user import UID, run_as_ordinary_user

ROOT = Path(__file__).parents[3]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ["test_sandbox", "test_landlock", "test_sandbox_escapes"])
def test_an_ordinary_users_sandbox_passes_the_same_tests(name: str) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as scratch:
        Path(scratch).chmod(0o755)
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", f"--basetemp={scratch}/base", "-rs"]
        tests = [str(ROOT / f"tests/tools/shell_support/{name}.py")]
        elsewhere = Path(__file__).with_name(f"of-another-user-{os.getpid()}")
        elsewhere.mkdir()
        try:
            os.chown(elsewhere, UID, UID)
            command = ["-m", "pytest", *options, f"--rootdir={ROOT}", *tests]
            output = run_as_ordinary_user(
                command, Path(scratch), seconds=280, env={"KIMI_TUI_TEST_FOLDER": str(elsewhere)}
            )
        finally:
            shutil.rmtree(elsewhere)
        assert " passed" in output
