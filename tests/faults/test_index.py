"""Each case of the fault list is held by a test that is there."""

import re

import pytest

from tests.faults.defences import DEFENCES
from tests.faults.index import CASES
from tests.faults.mutants import ROOT, cases_without_a_defence
from tests.faults.mutants import tests_of as named_by


def test_every_number_of_the_list_is_there() -> None:
    numbers = [int(name.split()[0]) for name in CASES if name[0].isdigit()]
    assert numbers == list(range(1, 49))


@pytest.mark.parametrize("case", CASES)
def test_every_test_of_a_case_exists(case: str) -> None:
    for test in CASES[case]:
        file, _, name = test.partition("::")
        assert re.search(rf"^(?:async )?def {name}\(", (ROOT / file).read_text("utf-8"), re.MULTILINE), test


def test_every_case_has_a_defence_that_can_be_taken_out() -> None:
    assert list(cases_without_a_defence()) == []
    assert [defence for defence in DEFENCES if not named_by(defence)] == []


def test_what_is_taken_out_of_a_file_stands_there_once() -> None:
    places = [(file, text) for one in DEFENCES for file, text, _ in ((one.file, one.text, ""), *one.too)]
    assert [place for place in places if (ROOT / place[0]).read_text("utf-8").count(place[1]) != 1] == []
