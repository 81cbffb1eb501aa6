"""A defence is noticed by a test that fails without it, and by nothing else that can go wrong."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.defences import DEFENCES
from tests.faults.mutant_copy import Answer, Copy
from tests.faults.mutants import NO_ANSWER, NOTICED, PASSED, by_file, judged, part

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are adopted and waited for as Linux can")

_TEST = "tests/test_part.py::test_it"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    folder = tmp_path_factory.mktemp("copy")
    for name in ("kimi_tui", "tests"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").touch()
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\nfilterwarnings = ['error']\n", "utf-8")
    copy = Copy(folder)
    yield copy
    copy.close()


def _said(copy: Copy, test: str, module: str = "VALUE = 1", seconds: float = 30) -> Answer:
    (copy.folder / "kimi_tui/part.py").write_text(module, "utf-8")
    (copy.folder / "tests/test_part.py").write_text(test, "utf-8")
    return copy.run([_TEST], seconds=seconds, modules=["kimi_tui.part"])


@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        ("def test_it(): pass", PASSED),
        ("def test_it(): assert 0", NOTICED),
        ("def warn(): raise Warning\ndef test_it(request):\n request.config.add_cleanup(warn)\n assert 0", NOTICED),
        ("import pytest\ndef test_it(): pytest.skip()", NO_ANSWER),
        ("import kimi_tui.no_such_part\ndef test_it(): pass", NO_ANSWER),
        ("import pytest\n@pytest.fixture\ndef a(): assert 0\ndef test_it(a): pass", NO_ANSWER),
        ("def test_it(): no_such_name", NO_ANSWER),
        ("def test_it():\n try: no_such_name\n finally: assert 0", NO_ANSWER),
        ("def test_it(): raise ExceptionGroup('', [NameError()])", NO_ANSWER),
        ("def test_another(): pass", NO_ANSWER),
        ("import os\ndef test_it(): os._exit(1)", NO_ANSWER),
        ("import os, signal\ndef test_it(): os.kill(os.getpid(), signal.SIGKILL)", NO_ANSWER),
    ],
)
def test_a_defence_is_noticed_by_a_test_that_fails(copy: Copy, test: str, verdict: str) -> None:
    assert judged(_said(copy, test), {_TEST})[0] == verdict


def test_a_test_that_fails_with_the_defence_too_is_no_answer(copy: Copy) -> None:
    assert judged(_said(copy, "def test_it(): assert 0"), set())[0] == NO_ANSWER


@pytest.mark.parametrize("module", ["import no_such_part", "def f(:", "raise ValueError"])
def test_a_failure_is_no_answer_where_the_changed_module_cannot_be_imported(copy: Copy, module: str) -> None:
    assert judged(_said(copy, "def test_it(): assert 0", module), {_TEST})[0] == NO_ANSWER


def test_a_test_that_does_not_end_is_no_answer_and_is_ended(copy: Copy) -> None:
    said = _said(copy, "import signal\ndef test_it(): signal.pause()", seconds=0.1)
    assert judged(said, {_TEST}) == (NO_ANSWER, "did not end within 0.1 s")
    assert judged(_said(copy, "def test_it(): pass"), {_TEST})[0] == PASSED


def test_the_changed_module_is_what_the_test_and_its_programs_import(copy: Copy) -> None:
    test = """
import subprocess, sys
from kimi_tui.part import VALUE
def test_it():
    program = "from kimi_tui.part import VALUE; exit(VALUE)"
    assert VALUE == subprocess.call([sys.executable, "-c", program]) == {value}
"""
    for value in (1, 2, 1):
        assert _said(copy, test.replace("{value}", str(value)), f"VALUE = {value}").passed == [_TEST]


@pytest.mark.parametrize(("then", "said"), [("0", "1 passed"), ("os.kill(os.getppid(), 9)", "the server ended")])
def test_nothing_that_a_test_starts_is_left(copy: Copy, then: str, said: str) -> None:
    test = f"""
import os, pathlib, subprocess
def test_it():
    pid = subprocess.check_output(["/bin/sh", "-c", "setsid sleep 1000 > /dev/null & echo $!"])
    pathlib.Path("pid").write_bytes(pid)
    {then}
"""
    assert said in _said(copy, test).said
    assert not Path("/proc", (copy.folder / "pid").read_text("ascii").strip()).exists()
    assert judged(_said(copy, "def test_it(): pass"), {_TEST})[0] == PASSED


def test_slices_hold_each_defence_once() -> None:
    files = by_file(DEFENCES)
    sliced = [defence for number in range(1, 6) for file in part(files, number, 5) for defence in file]
    assert sorted(map(repr, sliced)) == sorted(map(repr, DEFENCES))
