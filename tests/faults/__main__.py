"""`python -m tests.faults`: every test of the index, and at the end `N passed, N failed`."""

import re
import subprocess
import sys

from tests.faults.index import CASES


def main() -> int:
    """The exit status is pytest's."""
    tests = list(dict.fromkeys(test for case in CASES.values() for test in case))
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--timeout", "120", "-m", "", *tests, *sys.argv[1:]]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    sys.stdout.write(done.stdout)
    last = done.stdout.splitlines()[-1] if done.stdout else ""
    count = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error|skipped)", last)}
    failed = count.get("failed", 0) + count.get("error", 0)
    print(f"{len(CASES)} cases, {len(tests)} tests: {count.get('passed', 0)} passed, {failed} failed")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
