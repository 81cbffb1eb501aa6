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
from pathlib import Path
from queue import SimpleQueue

from tests.faults.defences import DEFENCES, Defence
from tests.faults.index import CASES

ROOT = Path(__file__).parents[2]
_COPIED = ("kimi_tui", "tests", "skills", "themes", "snapshots", "pyproject.toml", "README.md", "CHANGELOG.md")
_SECONDS = 300


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.mutants")
    parser.add_argument("case", nargs="*", help="numbers of cases, or words of their names")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    wanted = [one for one in DEFENCES if not options.case or any(_is_about(one, word) for word in options.case)]
    copies: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory(prefix="kimi-tui-mutants-") as folder:
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
    file = copy / defence.file
    whole = file.read_text("utf-8")
    if whole.count(defence.text) != 1:
        return False, f"{defence.file} does not hold this once: {defence.text!r}"
    file.write_text(whole.replace(defence.text, defence.instead), "utf-8")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-m", "", "--timeout", "90", "-p", "no:cacheprovider",
             *tests_of(defence)],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return True, f"did not end within {_SECONDS} s"
    finally:
        file.write_text(whole, "utf-8")
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    return done.returncode == 1 and bool(failed), (failed or done.stdout.splitlines()[-1:] or [done.stderr[-300:]])[0]


def tests_of(defence: Defence) -> list[str]:
    """The tests of its case, or those of them that it names."""
    return [test for test in CASES[defence.case] if not defence.test or test.endswith(f"::{defence.test}")]


def cases_without_a_defence() -> Iterator[str]:
    known = {defence.case for defence in DEFENCES}
    return (case for case in CASES if case not in known)


if __name__ == "__main__":
    sys.exit(main())
