"""Pastes and keys in what a terminal sends."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.ui.tui.terminal.bracketed_paste import END, START, BracketedPasteParser, PastedText

PIECES = st.lists(
    st.one_of(
        st.text("ab\x1b[20~;m\r", min_size=1, max_size=8).map(lambda text: (text, False)),
        st.text("ab\x1b[31m0~\r\n中", max_size=12).map(lambda text: (text, True)),
    ),
    max_size=5,
)


def read(chunks: list[str]) -> tuple[list[str], str]:
    """The pastes, and all the keys."""
    reader = BracketedPasteParser()
    got = [one for chunk in (*chunks, "") for one in reader.read(chunk)]
    return [str(one) for one in got if isinstance(one, PastedText)], "".join(
        one for one in got if not isinstance(one, PastedText)
    )


@given(PIECES, st.data())
def test_however_the_stream_is_cut_pastes_are_whole_and_keys_are_all_there(
    pieces: list[tuple[str, bool]], data: st.DataObject
) -> None:
    pieces = [(text, is_paste) for text, is_paste in pieces if START not in text and END not in text]
    keys = "".join(text for text, is_paste in pieces if not is_paste)
    stream = "".join(f"{START}{text}{END}" if is_paste else text for text, is_paste in pieces)
    if stream.count(START) != sum(is_paste for _, is_paste in pieces) or stream.count(END) != stream.count(START):
        return  # keys and marks that make another mark together
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(stream) - 1)))))
    # Less than three characters of a mark are not held back: the parser behind gets that mark, as it did before.
    cuts = [cut for cut in cuts if not stream[:cut].endswith(("\x1b", "\x1b["))]
    chunks = [stream[start:end] for start, end in pairwise([0, *cuts, len(stream)])] if stream else []
    assert read(chunks) == ([text for text, is_paste in pieces if is_paste], keys)


def test_colour_codes_and_what_looks_like_keys_stay_in_the_paste() -> None:
    assert read([f"a{START}\x1b[31mred\x1b[0m\x1b[A\x03{END}b"]) == (["\x1b[31mred\x1b[0m\x1b[A\x03"], "ab")


def test_a_key_that_begins_like_a_paste_is_let_go_at_the_next_pause() -> None:
    reader = BracketedPasteParser()
    assert reader.read("\x1b[2") == []
    assert reader.read("") == ["\x1b[2"]


def test_escape_is_not_waited_for() -> None:
    assert BracketedPasteParser().read("\x1b") == ["\x1b"]


def test_a_pause_within_a_paste_ends_nothing() -> None:
    reader = BracketedPasteParser()
    assert reader.read(f"{START}one\x1b[20") == []
    assert reader.read("") == []
    assert reader.read("1~") == ["one"]
