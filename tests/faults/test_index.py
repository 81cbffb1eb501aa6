"""Each case of the fault list is held by a test that is there."""

import ast
import builtins
import re
from functools import cache
from pathlib import Path
from symtable import SymbolTable, symtable

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


def test_every_name_in_the_code_of_a_change_is_known_where_it_stands() -> None:
    """Otherwise a test would fail at a name that is gone, and not for want of the defence."""
    unknown = [
        (defence.marker, unknown)
        for defence in DEFENCES
        if (names := {name for _, change in defence.changes for name in _names_in(getattr(change, "code", ""))})
        for source in sources_without(defence).values()
        if (unknown := names & _unknown_in(symtable(source, defence.marker, "exec")))
    ]
    assert unknown == []


def test_every_member_that_a_change_uses_is_named_in_its_file() -> None:
    strange = [
        (marker, strange)
        for defence in DEFENCES
        for marker, change in defence.changes
        if (strange := _members_in(getattr(change, "code", "")) - _words_of(places()[marker][0]) - {"__dict__"})
    ]
    assert strange == []


def _names_in(code: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


def _unknown_in(module: SymbolTable) -> set[str]:
    """Names that are neither local, nor of the module, nor built in."""
    known = {symbol.get_name() for symbol in module.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    scopes = [module]
    used: set[str] = set()
    for scope in scopes:
        scopes += scope.get_children()
        used |= {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global()}
    return used - known - set(dir(builtins)) - {"__doc__", "__file__", "__name__", "__package__"}


def _members_in(code: str) -> set[str]:
    return {node.attr for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute) and _is_self(node.value)}


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


@cache
def _words_of(file: Path) -> set[str]:
    return set(re.findall(r"\w+", (ROOT / file).read_text("utf-8")))
