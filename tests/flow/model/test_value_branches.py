"""Branches of a decision by a value, against the values that the variable can have."""

import pytest

from kimi_tui.flow import read_chart
from kimi_tui.flow.model.validation import lint


def told(setting: str, branches: str, *, field: str = "x", ways: str = "r --> h{How?}") -> list[tuple[int, str]]:
    labels = "\n".join(f"h -->|{label}| e{number}[Do]" for number, label in enumerate(branches.split()))
    chart = f"flowchart TD\nB([BEGIN]) --> r[Rate]\n{ways}\n{labels}\ne0 --> E([END])\n"
    notes = lint(read_chart(f'{chart}r@{{ {setting} }}\nh@{{ on: "${{r.{field}}}" }}\n', "mermaid"))
    return [(note.line, note.text) for note in notes if "never taken" in note.text or "`else`" in note.text]


@pytest.mark.parametrize(
    ("setting", "field", "branches"),
    [
        ('out: "x: low | high"', "x", "low else"),
        ('out: "x: low | high"', "x", "low high"),
        ('out: "x: bool"', "x", "true false"),
        ('out: "x: int"', "x", "0 -3 else"),
        ('out: "x: number"', "x", "1.0 else"),
        ('out: "x: text"', "x", "Yes else"),
        ('out: "x: int"', "text", "Yes else"),
        ('run: "make"', "output", "Yes else"),
    ],
)
def test_branches_that_the_value_can_take_are_fine(setting, field, branches):
    assert told(setting, branches, field=field) == []


@pytest.mark.parametrize(
    ("setting", "field", "branches", "values"),
    [
        ('out: "x: low | high"', "x", "low High else", "`low`, `high`"),
        ('out: "x: bool"', "x", "true no else", "`true`, `false`"),
        ('out: "x: int"', "x", "1 two else", "a whole number"),
        ('out: "x: number"', "x", "1.5 1 else", "a number with a decimal point, such as `1.0`"),
        ('out: "x: [text]"', "x", "[] none else", "a JSON list"),
        ('run: "make"', "status", "0 ok else", "`0`"),
        ('run: "make"', "status", "0 2 else", "`0`"),
    ],
)
def test_a_branch_that_no_value_takes_is_a_warning_at_its_edge(setting, field, branches, values):
    label = branches.split()[1]
    text = f"the branch `{label}` is never taken: the value of `${{r.{field}}}` is {values}"
    assert told(setting, branches, field=field) == [(5, text)]


def test_any_status_reaches_a_decision_after_a_command_that_branches_by_it():
    ways = "r -->|ok| h{How?}\nr -->|failed| h"
    texts = [text for _, text in told('run: "make"', "0 2 256 else", field="status", ways=ways)]
    assert texts == ["the branch `256` is never taken: the value of `${r.status}` is a status from 0 to 255"]


def test_a_value_without_a_branch_needs_else():
    text = "`h` has no branch `else`: a value without a branch stops the run"
    assert [
        told(f'out: "{out}"', "low high")[0][1] for out in ("x: low | mid | high", "x?: low | high", "x: text")
    ] == [text] * 3
