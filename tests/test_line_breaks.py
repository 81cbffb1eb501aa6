from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.line_breaks import unbreakable_units

CLOSING, OPENING = "，。）」…”,.)", "（「“("


@given(st.text())
def test_the_units_are_the_whole_text_in_order(text: str):
    assert "".join(text[start:end] for start, end, _ in unbreakable_units(text)) == text


@given(st.text(alphabet="中文かな한a b" + CLOSING + OPENING))
def test_no_unit_starts_with_a_closing_mark_after_a_letter_or_ends_with_an_opening_one(text: str):
    units = unbreakable_units(text)
    for (start, end, is_space), (_, _, next_is_space) in pairwise(units):
        if not is_space and not next_is_space:
            assert text[end] not in CLOSING
            assert text[end - 1] not in OPENING
        assert start < end


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("one two", ["one", " ", "two"]),
        ("中文，标点", ["中", "文，", "标", "点"]),
        ("看（这里）", ["看", "（这", "里）"]),
        ("文,then", ["文,", "then"]),
        ("a,b", ["a,b"]),
    ],
)
def test_lines_break_between_chinese_characters_and_at_spaces(text: str, units: list[str]):
    assert [text[start:end] for start, end, _ in unbreakable_units(text)] == units
