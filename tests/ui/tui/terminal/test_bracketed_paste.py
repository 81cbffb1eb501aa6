"""Pastes and keys in what a terminal sends."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import XTermParser

from kimi_tui.ui.tui.terminal.bracketed_paste import (
    END,
    SILENCE,
    START,
    BracketedPasteParser,
    PastedText,
    StartedKeys,
    UnfinishedPaste,
)

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
    keys = "".join(one for one in got if not isinstance(one, PastedText))
    assert keys.count(START + END) == sum(isinstance(one, StartedKeys) for one in got)
    return [str(one) for one in got if isinstance(one, PastedText)], keys.replace(START + END, "")


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


SLOW_PASTE = st.lists(st.one_of(st.text("ab\x03\x1b[20~\r中", min_size=1, max_size=6), st.just("")), max_size=90)


@given(SLOW_PASTE, st.integers(0, 2 * SILENCE))
def test_no_text_of_a_paste_acts_as_keys_however_long_it_pauses(chunks: list[str], pauses: int) -> None:
    reader = BracketedPasteParser()
    assert reader.read(START) == []
    got: list[str] = []
    for chunk in chunks:
        if chunk.strip("\x03"):  # Ctrl+C by itself after a silence is a key of the user
            got += [one for part in (chunk, *[""] * pauses) for one in reader.read(part)]
    if END not in "".join(chunks):
        assert all(isinstance(one, UnfinishedPaste) for one in got)
        got += reader.read(END)
        assert "".join(got) == "".join(chunk for chunk in chunks if chunk.strip("\x03"))


def test_a_paste_without_its_end_is_returned_after_a_silence_and_goes_on() -> None:
    reader = BracketedPasteParser()
    assert reader.read(f"{START}one") == []
    assert [one for _ in range(SILENCE) for one in reader.read("")] == ["one"]
    assert [one for _ in range(SILENCE) for one in reader.read("")] == []
    assert reader.read("two\r") == []
    (rest,) = reader.read(f"{END}x")[:1]
    assert rest == "two\r"
    assert isinstance(rest, PastedText)


@pytest.mark.parametrize("ctrl_c", ["\x03", "\x03\x03", "\x1b[99;5u", "\x1b[99:67;69:1;99u", "\x1b[27;5;99~"])
def test_ctrl_c_by_itself_ends_a_paste_without_its_end(ctrl_c: str) -> None:
    reader = BracketedPasteParser()
    reader.read(f"{START}one\x1b")
    reader.read("")
    assert reader.read(ctrl_c) == []
    assert [one for _ in range(SILENCE) for one in reader.read("")] == ["one"]
    assert reader.read("keys") == ["keys"]


def test_ctrl_c_in_a_slow_paste_ends_nothing() -> None:
    reader = BracketedPasteParser()
    reader.read(f"{START}one")
    for _ in range(SILENCE):
        reader.read("")
    assert reader.read("\x03") == []
    assert reader.read("") == []
    assert reader.read("rm -rf\r") == []
    assert reader.read(END) == ["rm -rf\r"]


def test_a_paste_whose_start_comes_in_pieces_and_with_pauses_is_a_paste() -> None:
    reader = BracketedPasteParser()
    got = [one for chunk in ("\x1b", "", "[", "2", "", "00", "~y\r", END) for one in reader.read(chunk)]
    assert [one for one in got if not isinstance(one, PastedText | StartedKeys)] == ["\x1b", "[", "2"]
    assert [one for one in got if isinstance(one, PastedText)] == ["y\r"]


def test_textuals_parser_gets_no_paste_that_it_could_not_end() -> None:
    reader, parser = BracketedPasteParser(), XTermParser()
    got = [piece for chunk in ("\x1b[", "200~") for piece in reader.read(chunk)]
    for piece in got:
        list(parser.feed(piece))
    assert [key.key for key in parser.feed("a") if isinstance(key, events.Key)] == ["a"]
