"""The sandbox of an ordinary user: the same tests, run as one."""

import os
import shutil
import tempfile
from pathlib import Path

from tests.tools.ordinary_user import UID, run_as_ordinary_user

ROOT = Path(__file__).parents[3]


def test_an_ordinary_users_sandbox_passes_the_same_tests() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as scratch:
        Path(scratch).chmod(0o755)
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", f"--basetemp={scratch}/base", "-rs"]
        tests = [str(ROOT / "tests/tools/shell_support/test_sandbox.py")]
        elsewhere = Path(__file__).with_name(f"of-another-user-{os.getpid()}")
        elsewhere.mkdir()
        try:
            os.chown(elsewhere, UID, UID)
            command = ["-m", "pytest", *options, f"--rootdir={ROOT}", *tests]
            output = run_as_ordinary_user(command, Path(scratch), env={"KIMI_TUI_TEST_FOLDER": str(elsewhere)})
        finally:
            shutil.rmtree(elsewhere)
        assert " passed" in output
