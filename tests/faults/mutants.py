"""`python -m tests.faults.mutants [NUMBER OR WORD ...]`: each defence is taken out of a copy, and its test has to fail.

Not part of CI: it takes long. Every case of the index has at least one defence in `defences.py`. The exit status is 1
where a test passed although what it holds was gone.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from queue import SimpleQueue

from tests.faults.defences import DEFENCES, Defence
from tests.faults.index import CASES
from tests.faults.mutations import Mutation, MutationError, markers, mutated

ROOT = Path(__file__).parents[2]
_COPIED = ("kimi_tui", "tests", "skills", "themes", "snapshots", "pyproject.toml", "README.md", "CHANGELOG.md")
_SUPERVISOR = ROOT / "kimi_tui/tools/shell_support/supervisor.py"
_SECONDS = 300
_MAX_KIB = 4 << 20


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.mutants")
    parser.add_argument("case", nargs="*", help="numbers of cases, or words of their names")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    wanted = [one for one in DEFENCES if not options.case or any(_is_about(one, word) for word in options.case)]
    copies: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory(prefix="kimi-tui-mutants-", dir=ROOT.parent) as folder:
        for number in range(options.jobs):
            copies.put(_copy(Path(folder) / str(number)))

        def judge(defence: Defence) -> tuple[Defence, bool, str]:
            copy = copies.get()
            try:
                return defence, *_without(defence, copy)
            finally:
                copies.put(copy)

        held = 0
        with ThreadPoolExecutor(options.jobs) as pool:
            for defence, failed, said in pool.map(judge, wanted):
                held += failed
                print(f"{'failed' if failed else 'PASSED'}  {defence.case}: without {defence.what}\n        {said}")
                sys.stdout.flush()
    print(f"{len(wanted)} defences taken out: {held} noticed, {len(wanted) - held} not")
    return 0 if held == len(wanted) else 1


def _is_about(defence: Defence, word: str) -> bool:
    return defence.case.split()[0] == word if word.isdigit() else word in defence.case


def _copy(target: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__", ".pytest_cache", ".hypothesis")
    target.mkdir()
    for name in _COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=ignored)
        else:
            shutil.copy(source, target / name)
    return target


def _without(defence: Defence, copy: Path) -> tuple[bool, str]:
    """Whether a test failed, and which; a test that cannot even be collected has not."""
    try:
        after = sources_without(defence)
    except (KeyError, MutationError) as error:
        return False, f"it cannot be taken out: {error}"
    before = {file: (copy / file).read_text("utf-8") for file in after}
    try:
        for file, content in after.items():
            (copy / file).write_text(content, "utf-8")
        lines = _run(copy, tests_of(defence))
    except subprocess.TimeoutExpired:
        return True, f"did not end within {_SECONDS} s"
    finally:
        for file, content in before.items():
            (copy / file).write_text(content, "utf-8")
    failed = [line for line in lines if line.startswith("FAILED")]
    return bool(failed), (failed or lines[-1:] or ["it ended without a word"])[0]


def _run(copy: Path, tests: list[str]) -> list[str]:
    """What pytest says. The supervisor (of this tree, not of the copy) ends whatever the tests leave behind, and all
    of it when the time is up or we are gone; memory is bounded, for without its defence a test may fill it."""
    bounded = ["/bin/sh", "-c", f'ulimit -v {_MAX_KIB}; exec "$@"', "sh"]
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "", "--timeout", "90", "-p", "no:cacheprovider"]
    closes, held = os.pipe()
    with Path(os.devnull).open("wb") as status:
        supervisor = [sys.executable, "-I", "-S", str(_SUPERVISOR), "0", str(status.fileno()), "0"]
        running = subprocess.Popen(
            [*supervisor, *bounded, *pytest, *tests],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=closes,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(status.fileno(),),
            text=True,
        )
    os.close(closes)
    with running:
        try:
            return running.communicate(timeout=_SECONDS)[0].splitlines()
        finally:
            os.close(held)


def sources_without(defence: Defence) -> dict[Path, str]:
    """The files, relative to `ROOT`, that differ without it. Raises `KeyError` for a marker that is not there, and
    `MutationError`."""
    changes: dict[Path, list[tuple[int, Mutation]]] = {}
    for marker, change in defence.changes:
        file, line = places()[marker]
        changes.setdefault(file, []).append((line, change))
    return {file: mutated((ROOT / file).read_text("utf-8"), of_file) for file, of_file in changes.items()}


@cache
def places() -> dict[str, tuple[Path, int]]:
    """The file, relative to `ROOT`, and the line that each marker names."""
    return {name: (file.relative_to(ROOT), line) for name, file, line in markers(ROOT / "kimi_tui")}


def tests_of(defence: Defence) -> list[str]:
    """The tests of its case, or those of them that it names."""
    name, bracket, parameters = defence.test.partition("[")
    tests = [test for test in CASES[defence.case] if not name or test.endswith(f"::{name}")]
    return [test + bracket + parameters for test in tests]


def cases_without_a_defence() -> Iterator[str]:
    known = {defence.case for defence in DEFENCES}
    return (case for case in CASES if case not in known)


if __name__ == "__main__":
    sys.exit(main())
