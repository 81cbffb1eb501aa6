"""Each case of the fault list is held by a test that is there."""

import ast
import builtins
import re
from functools import cache
from pathlib import Path

import pytest

from tests.faults.defences import DEFENCES
from tests.faults.index import CASES
from tests.faults.mutant_copy import ROOT
from tests.faults.mutants import cases_without_a_defence, places, sources_without
from tests.faults.mutants import tests_of as named_by
from tests.faults.mutations import NAME, markers


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


def test_every_marker_of_the_source_stands_there_once_and_has_a_defence() -> None:
    marked = [name for name, _, _ in markers(ROOT / "kimi_tui")]
    assert [name for name in marked if not NAME.fullmatch(name)] == []
    assert sorted(marked) == sorted({marker for defence in DEFENCES for marker, _ in defence.changes})


@pytest.mark.parametrize("case", sorted({defence.case for defence in DEFENCES}))
def test_every_change_fits_the_code_at_its_marker(case: str) -> None:
    for defence in DEFENCES:
        if defence.case == case:
            assert sources_without(defence), defence


def test_code_of_a_change_uses_only_names_of_the_file_that_it_changes() -> None:
    """Otherwise a test would fail at a name that is gone, and not for want of the defence."""
    strange = [
        (marker, strange)
        for defence in DEFENCES
        for marker, change in defence.changes
        if (strange := _names_in(getattr(change, "code", "")) - _names_of(places()[marker][0]))
    ]
    assert strange == []


def _names_in(code: str) -> set[str]:
    nodes = list(ast.walk(ast.parse(code)))
    own = {arg.arg for node in nodes if isinstance(node, ast.arguments) for arg in (*node.args, node.kwarg) if arg}
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
    own |= {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    members = {node.attr for node in nodes if isinstance(node, ast.Attribute) and _is_self(node.value)}
    return ({node.id for node in names} | members) - own - set(dir(builtins)) - {"__dict__"}


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


@cache
def _names_of(file: Path) -> set[str]:
    return set(re.findall(r"\w+", (ROOT / file).read_text("utf-8")))
