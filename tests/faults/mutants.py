"""`python -m tests.faults.mutants [WORD ...]`: each defence is taken out of a copy, and its test has to fail.

A word is the number of a case, a part of its name, or a marker. Not part of CI: it takes long. Every case of the index
has at least one defence in `defences.py`. The exit status is 1 where a test passed although what it holds was gone, or
gave no answer: it did not run, or fails with the defence too.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from tests.faults.defences import DEFENCES, Defence
from tests.faults.index import CASES
from tests.faults.mutant_copy import ROOT, Answer, Copy, copy_tree
from tests.faults.mutations import Mutation, MutationError, markers, mutated

_SECONDS = 300
_SECONDS_OF_A_FILE = 1800
_T = TypeVar("_T")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.mutants")
    parser.add_argument("case", nargs="*", help="numbers of cases, words of their names, or markers")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--slice", type=_slice, default=(1, 1), metavar="N/OF", help="the first fifth is 1/5")
    options = parser.parse_args()
    wanted = [one for one in DEFENCES if not options.case or any(_is_about(one, word) for word in options.case)]
    files = part(by_file(wanted), *options.slice)
    jobs = min(options.jobs, len(files)) or 1
    copies: SimpleQueue[Copy] = SimpleQueue()
    verdicts: list[tuple[str, str]] = []

    def take_out(defences: Sequence[Defence]) -> None:
        copy = copies.get()
        for defence, verdict, said in _each_taken_out(defences, copy):
            line = f"{verdict}  {defence.case}: without {defence.what} ({defence.marker})\n           {said}\n"
            sys.stdout.write(line)
            sys.stdout.flush()
            verdicts.append((verdict, line))
        copies.put(copy)

    with tempfile.TemporaryDirectory(prefix="kimi-tui-mutants-", dir=ROOT.parent) as folder:
        Path(folder).chmod(0o755)  # tests of an ordinary user read it
        for number in range(jobs):
            copies.put(Copy(copy_tree(Path(folder) / str(number))))
        with ThreadPoolExecutor(jobs) as pool:
            for _ in pool.map(take_out, files):
                pass
        for _ in range(jobs):
            copies.get().close()
    missed = [line for verdict, line in verdicts if verdict != NOTICED]
    print(f"\n{len(verdicts)} defences taken out: {len(verdicts) - len(missed)} noticed, {len(missed)} not")
    print("".join(missed), end="")
    return 1 if missed else 0


NOTICED, PASSED, NO_ANSWER = "noticed  ", "PASSED   ", "NO ANSWER"


def _is_about(defence: Defence, word: str) -> bool:
    if word.isdigit():
        return defence.case.split()[0] == word
    return word in defence.case or word == defence.marker


def _slice(text: str) -> tuple[int, int]:
    number, _, of = text.partition("/")
    if not 1 <= int(number) <= int(of):
        raise ValueError(text)
    return int(number), int(of)


def part(files: Sequence[_T], number: int, of: int) -> Sequence[_T]:
    return files[len(files) * (number - 1) // of : len(files) * number // of]


def by_file(defences: Iterable[Defence]) -> list[list[Defence]]:
    """Those together whose tests are in the same file."""
    files: dict[str, list[Defence]] = {}
    for defence in defences:
        files.setdefault(tests_of(defence)[0].partition("::")[0], []).append(defence)
    return list(files.values())


def _each_taken_out(defences: Sequence[Defence], copy: Copy) -> Iterator[tuple[Defence, str, str]]:
    """Each with its verdict and what was said; first their tests run while nothing is taken out."""
    tests = list(dict.fromkeys(test for defence in defences for test in tests_of(defence)))
    passing = set(copy.run(tests, stop=False, seconds=_SECONDS_OF_A_FILE).passed)
    for defence in defences:
        yield defence, *_without(defence, copy, passing)


def _without(defence: Defence, copy: Copy, passing: set[str]) -> tuple[str, str]:
    try:
        after = sources_without(defence)
    except (KeyError, MutationError) as error:
        return NO_ANSWER, f"it cannot be taken out: {error}"
    before = {file: (copy.folder / file).read_text("utf-8") for file in after}
    modules = [".".join(file.with_suffix("").parts) for file in after]
    try:
        for file, content in after.items():
            (copy.folder / file).write_text(content, "utf-8")
        answer = copy.run(tests_of(defence), stop=True, seconds=_SECONDS, modules=modules)
    finally:
        for file, content in before.items():
            (copy.folder / file).write_text(content, "utf-8")
    return judged(answer, passing)


def judged(answer: Answer, passing: set[str]) -> tuple[str, str]:
    for test, why in answer.failed:
        return (NOTICED, f"{test}: {why}") if test in passing else (NO_ANSWER, f"{test} fails with it too: {why}")
    return (PASSED if answer.passed else NO_ANSWER), answer.said


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
