"""Text in cells: as long as somebody made it, and shown in no more than its room."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.flow.layout.cell_text import ELLIPSIS, MAX_CHARACTERS, cell_width, clean_label, collapse, truncate, wrap

_TEXT = st.text(st.sampled_from("abXY 1/_-.,;()中文，。（）👍🏽🇩🇪é\u0301—\n"), max_size=80)


@given(text=_TEXT, width=st.integers(2, 30))
def test_no_line_is_wider_than_its_room_and_no_character_is_lost(text: str, width: int) -> None:
    text = clean_label(text)
    lines = collapse(text, width)
    assert all(cell_width(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_width(line) <= width for line in wrap(text, width))


@given(text=_TEXT, width=st.integers(1, 30))
def test_what_is_clipped_says_so_and_fits(text: str, width: int) -> None:
    flat = " ".join(clean_label(text).split())
    short = truncate(flat, width)
    assert cell_width(short) <= width
    assert short == flat or short.endswith(ELLIPSIS)


@pytest.mark.parametrize("piece", ["a", "中", "a/", "Aa", "e\u0301", "👍🏽", "\u0301", "a "])
def test_a_long_word_is_folded_in_time_that_grows_with_its_length_alone(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    began = time.process_time()
    collapse(text, 26)
    wrap(text, 26)
    truncate(text, 26)
    assert time.process_time() - began < 5


def test_a_label_is_cut_where_nobody_reads_on() -> None:
    assert clean_label("中" * MAX_CHARACTERS) == "中" * MAX_CHARACTERS
    assert clean_label("中" * 100_000) == "中" * (MAX_CHARACTERS - 1) + ELLIPSIS


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("**Important**: the gateway keeps `state`", "Important: the gateway keeps `state`"),
        ("## What is left\n- one\n* two", "What is left\n• one\n• two"),
        ("2**8 and 3**2, a ** b ** c, ****", "2**8 and 3**2, a ** b ** c, ****"),
        ("#12 and -x", "#12 and -x"),
        (r"Step one\nwrite it down", "Step one\nwrite it down"),
        (r"Look in C:\new and src\new\test", r"Look in C:\new and src\new\test"),
    ],
)
def test_a_label_shows_no_markdown_signs_and_breaks_at_written_breaks(label: str, shown: str) -> None:
    assert clean_label(label) == shown
