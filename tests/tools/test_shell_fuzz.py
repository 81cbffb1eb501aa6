"""Command lines without a risk do under the real Bash what was read in them. `shell_fuzz.py` does so for long."""

import random
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kimi_tui.tools.shell_support.command_parser import parse_command_line
from tests.tools.shell_fuzz import Range, any_line, difference, runnable, scratch_range


@pytest.fixture(scope="module")
def place() -> Generator[Range]:
    with scratch_range() as place:
        yield place


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False).map(any_line))
@example("sort </dev/null -x2>&1")
@example("ls 2>&-1")
@example("git grep a </dev/null -Oa3>&1")
@example("printf -v 'a[$(EVIL)]' x")
@example("test -v 'a[$(EVIL)]'")
@example("ls -*")
@example("time -p -p ls")
@example("ls a* '*' x[!2] ~/a ~+ a\\*")
def test_bash_does_what_was_read_in_a_line_without_doubts(
    place: Range, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setenv("HOME", str(place.home))
    read = parse_command_line(line)
    if runnable(line) and not read.risks:
        assert difference(line, read, place) is None


def test_the_comparison_sees_what_is_read_wrongly(place: Range) -> None:
    """Each is a reading that is not Bash's."""
    for line, other in [
        ("ls a", "ls b"), ("ls; rm a", "ls"), ("ls a*", "ls 'a*'"), ("cat <in", "cat"), ("ls >out", "ls"),
        ("test -v 'a[$(EVIL)]'", "ls"), ("sort </dev/null -x2>&1", "sort </dev/null"),
    ]:  # fmt: skip
        assert difference(line, parse_command_line(other), place) is not None, line


def test_enough_of_the_lines_leave_no_doubt() -> None:
    rng = random.Random(7)
    lines = {any_line(rng) for _ in range(2_000)}
    assert sum(not parse_command_line(line).risks for line in lines) > 300
