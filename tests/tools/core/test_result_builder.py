import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.tools.core.result_builder import MARKER, NOTE, ResultBuilder


def built(*pieces: str, max_chars: int = 100, max_line_chars: int | None = 20, tail_chars: int = 0) -> str:
    builder = ResultBuilder(max_chars=max_chars, max_line_chars=max_line_chars, tail_chars=tail_chars)
    for piece in pieces:
        builder.write(piece)
    return builder.build()


def test_what_fits_comes_out_as_it_went_in() -> None:
    builder = ResultBuilder()
    builder.write("a\r\n\x0cb\u2028c")
    assert builder.build() == "a\r\n\x0cb\u2028c"
    assert not builder.truncated
    assert builder.note("Done.") == "Done."


def test_a_long_line_is_cut_wherever_the_pieces_end() -> None:
    assert built("a" * 30 + "\nb") == "a" * 20 + MARKER + "\nb"
    assert built(*("a" * 30), "\n", "b") == "a" * 20 + MARKER + "\nb"


def test_a_line_of_just_the_length_is_not_cut() -> None:
    assert built("a" * 20, "\n") == "a" * 20 + "\n"


def test_the_end_is_dropped_with_a_note() -> None:
    builder = ResultBuilder(max_chars=10)
    builder.write("123456789\nmore\n")
    builder.write("and more")
    assert builder.build() == "123456789\n" + MARKER
    assert builder.note("Done.") == f"Done. {NOTE}"


def test_with_a_tail_the_middle_is_dropped() -> None:
    text = built(*(f"line {number}\n" for number in range(100)), max_chars=40, tail_chars=20)
    assert text == f"line 0\nline 1\nline 2\n{MARKER}\nline 98\nline 99\n"


@given(st.lists(st.text(st.sampled_from("ab\n你"), max_size=200), max_size=20), st.sampled_from([0, 30]))
def test_however_it_comes_it_is_bounded_and_its_start_is_true(pieces: list[str], tail: int) -> None:
    whole = "".join(pieces)
    text = built(*pieces, tail_chars=tail)
    assert len(text) <= 100 + 2 * len(MARKER) + 2
    assert max((len(line) for line in text.split("\n")), default=0) <= 20 + len(MARKER)
    if text != whole:
        assert MARKER in text
    head = text.partition(MARKER)[0].rstrip("\n")
    assert whole.startswith(head)


def test_the_marker_of_a_cut_line_is_whole_where_the_text_ends() -> None:
    lines = ("b" * 11 + "\n") * 6
    assert built(lines, *("a" * 30), "\nmore") == f"{lines}{'a' * 20}{MARKER}\n{MARKER}"


@pytest.mark.parametrize("tail", [0, 10_000])
def test_a_flood_is_not_kept(tail: int) -> None:
    builder = ResultBuilder(tail_chars=tail)
    for _ in range(20):
        builder.write("y\n" * 100_000)
        builder.write("a" * 200_000)
    builder.write("\nthe end\n")
    assert len(builder.build()) <= 50_100
    assert builder.build().endswith("the end\n") == bool(tail)
