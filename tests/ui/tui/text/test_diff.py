from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.ui.tui.text.diff import DiffText, change_summary, count_changes, diff_rows
from kimi_tui.ui.tui.themes.palette import Palette

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c d\n", "中\n", "\n"]), max_size=12).map("".join)


@given(TEXTS, TEXTS)
def test_the_new_lines_of_all_rows_are_the_changed_part_of_the_new_text(old: str, new: str):
    for row in diff_rows(old, new):
        if row.new is not None:
            assert new.split("\n")[row.new.number - 1] == row.new.text
        if row.old is not None:
            assert old.split("\n")[row.old.number - 1] == row.old.text


def test_a_change_is_counted():
    assert count_changes("a\nb\n", "a\nc\nd\n") == (2, 1)
    assert change_summary("", "x\ny\n") == "+2 −0"


def test_what_changed_inside_a_line_is_marked():
    (row,) = diff_rows("open(path)\n", "open(path, encoding)\n")
    assert row.new is not None
    assert [row.new.text[start:end] for start, end in row.new.marks] == [", encoding"]


def test_lines_that_have_little_in_common_are_not_marked():
    (row,) = diff_rows("import os\n", "x = [1, 2, 3] + y\n")
    assert row.new is not None
    assert row.new.marks == ()


def test_a_changed_line_stands_beside_its_own_old_form():
    rows = diff_rows("value = read(path)\n", "import os\nvalue = read(path, 1)\n")
    assert [(row.old and row.old.number, row.new and row.new.number) for row in rows] == [(None, 1), (1, 2)]


def test_a_diff_is_unified_in_a_narrow_place():
    lines = DiffText("a.txt", "one\ntwo\n", "one\n2\n", 10, 10).lines(40, Palette())
    assert [line.text.rstrip() for line in lines] == [" 10   one", " 11 - two", " 11 + 2"]
    assert [line.copied for line in lines] == ["one", "two", "2"]


def test_a_diff_is_side_by_side_in_a_wide_place():
    lines = DiffText("a.txt", "one\ntwo\n", "one\n2\n").lines(130, Palette())
    assert [" ".join(line.text.split()) for line in lines] == ["1 one │ 1 one", "2 - two │ 2 + 2"]


def test_lines_that_were_left_out_are_shown_as_a_gap():
    old = "".join(f"{number}\n" for number in range(30))
    new = old.replace("2\n", "two\n", 1).replace("27\n", "x\n")
    assert any("⋯" in line.text for line in DiffText("a.txt", old, new).lines(60, Palette()))
