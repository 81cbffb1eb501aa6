import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.styled_line import cells, code_runs, cut, cut_start, width_of
from kimi_tui.ui.tui.text.wrap import break_text, wrap_runs

PLAIN = Style()
MIXED = st.text(alphabet="ab c中文，。（）「」/-é한 ", max_size=80)


def rows(text: str, width: int) -> list[str]:
    return [text[start:end] for start, end, _ in break_text(text, width)]


@given(MIXED, st.integers(2, 30))
def test_no_row_is_wider_than_it_may_be(text: str, width: int):
    assert all(cells(row.rstrip()) <= width for row in rows(text, width))


@given(MIXED, st.integers(2, 30))
def test_rows_and_what_their_breaks_swallowed_are_the_text(text: str, width: int):
    broken = break_text(text, width)
    whole = "".join(text[start:end] + swallowed for start, end, swallowed in broken)
    assert whole.rstrip() == text[broken[0][0] :].rstrip()


def test_words_break_at_spaces():
    assert rows("the quick brown fox", 10) == ["the quick", "brown fox"]


def test_chinese_breaks_anywhere_but_not_before_closing_or_after_opening_punctuation():
    assert rows("这是一段文字，用来测试（换行）。", 12) == ["这是一段文", "字，用来测试", "（换行）。"]


def test_chinese_and_latin_break_where_they_meet():
    assert rows("混排without空格", 7) == ["混排", "without", "空格"]


def test_a_path_that_does_not_fit_breaks_after_a_slash():
    assert rows("/home/somebody/project/file.py", 20) == ["/home/somebody/", "project/file.py"]


def test_a_character_wider_than_the_row_still_ends():
    assert rows("中中", 1) == ["中", "中"]


def test_styles_stay_with_their_characters():
    bold = Style(bold=True)
    wrapped = wrap_runs([("one ", PLAIN), ("two three", bold)], 8)
    assert wrapped == [((("one ", PLAIN), ("two", bold)), " "), ((("three", bold),), None)]


def test_line_ends_inside_a_run_are_real_ends():
    assert [join for _, join in wrap_runs([("a\nb c", PLAIN)], 2)] == [None, " ", None]


@given(MIXED, st.integers(0, 20))
def test_cut_text_fits(text: str, width: int):
    assert cells(cut(text, width)) <= width
    assert cells(cut_start(text, width)) <= width


def test_a_run_is_measured_in_columns():
    assert width_of([("ab", PLAIN), ("中", PLAIN)]) == 4


@pytest.mark.parametrize(("piece", "times"), [("é", 200_000), ("\u0300", 50_000)])
def test_a_word_of_any_length_costs_no_more_for_each_row(piece: str, times: int) -> None:
    text = "a" + piece * times
    begin = time.process_time()
    rows = wrap_runs([(text, Style())], 100)
    assert time.process_time() - begin < 10
    shown = "".join(run[0] for row, _ in rows for run in row)
    assert len(shown) == len(sanitize(text))


def test_code_in_a_text_of_our_own_is_bold_without_its_backticks_and_a_lone_one_stays() -> None:
    bold = PLAIN + Style(bold=True)
    assert code_runs("end it with `|` or `%%` here", PLAIN) == [
        ("end it with ", PLAIN), ("|", bold), (" or ", PLAIN), ("%%", bold), (" here", PLAIN),
    ]  # fmt: skip
    assert code_runs("a lone ` stays", PLAIN) == [("a lone ` stays", PLAIN)]
