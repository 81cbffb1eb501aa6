"""A session that is copied or imported is there as a whole, or not at all, wherever the process is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kimi_tui.session.importer import import_session
from kimi_tui.session.session import list_sessions, sessions_dir
from kimi_tui.session.session_index import fork
from tests.session.test_importer import a_zip

IMPORT = "from kimi_tui.session.importer import import_session; import_session(source, work, 'made')"
FORK = "from kimi_tui.session.session_index import fork; fork(source, work, title='made')"


def killed(code: str, source: Path, work_dir: Path) -> None:
    begin = f"from pathlib import Path; source, work = Path({str(source)!r}), Path({str(work_dir)!r})"
    environment = os.environ | {"KIMI_TUI_CRASH_AT": "session.before_rename"}
    child = subprocess.run([sys.executable, "-c", f"{begin}; {code}"], env=environment, timeout=50, check=False)
    assert child.returncode == -signal.SIGKILL


@pytest.mark.parametrize("code", [IMPORT, FORK])
def test_a_killed_import_or_fork_leaves_no_half_session(tmp_path: Path, code: str) -> None:
    file = a_zip(tmp_path / "a.zip")
    import_session(file, tmp_path, "source")
    source = sessions_dir(tmp_path) / "source"
    killed(code, file if code is IMPORT else source, tmp_path)
    assert [session.id for session in list_sessions(tmp_path)] == ["source"]
    import_session(file, tmp_path, "made")
    copy = fork(source, tmp_path, title="again")
    assert {session.id for session in list_sessions(tmp_path)} == {"source", "made", copy}


def test_what_a_killed_process_left_is_deleted_a_day_later(tmp_path: Path) -> None:
    file = a_zip(tmp_path / "a.zip")
    killed(IMPORT, file, tmp_path)
    (left,) = sessions_dir(tmp_path).joinpath(".unfinished").iterdir()
    import_session(file, tmp_path, "one")
    assert left.is_dir()  # another process may still write it
    day_ago = time.time() - 25 * 3600
    os.utime(left, (day_ago, day_ago))
    import_session(file, tmp_path, "two")
    assert {entry.name for entry in sessions_dir(tmp_path).iterdir()} == {"one", "two"}
