"""A border stays in its column, however many cells a terminal gives to what stands before it."""

from collections.abc import Callable

import pyte
import pyte.screens
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from wcwidth import wcwidth

from kimi_tui.ui.tui.terminal.column_guard import _DISPUTED, pin_columns, renders_graphemes

CLUSTERS = (
    "a", " ", "é", "e\u0301\u0323\u0302", "中", "。", "한", "\u1112\u1161\u11ab", "ㅎ", "─", "✓", "✅", "▶", "…",
    "⚠", "⚠\ufe0f", "✈\ufe0e", "1\ufe0f\u20e3", "❤\ufe0f", "👍", "👍🏽", "👩\u200d👩\u200d👧\u200d👦",
    "🏳\ufe0f\u200d🌈", "🇨🇳", "🇩", "🏴\U000e0067\U000e007f", "हि", "न्दी", "क्ष", "ภา", "ำ", "ไ", "שלום", "שָׁ",
    "مرحبا", "مُ", "த", "🫩", "𝒳", "\U000e0067", "🏽", "ﷺ", "𒐫",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(CLUSTERS), max_size=12).map("".join)

# What terminals make of a character that they do not agree about.
TERMINALS: dict[str, Callable[[str], int]] = {
    "table": wcwidth,
    "narrow": lambda char: 1,
    "wide": lambda char: 2,
    "marks count": lambda char: max(1, wcwidth(char)),
    "newer pictures are unknown": lambda char: 1 if char >= "\U0001fa00" else wcwidth(char),
}


def screen(data: str) -> pyte.Screen:
    shown = pyte.Screen(120, 3)
    shown.reset_mode(7)  # as Textual leaves it: no wrapping
    stream = pyte.Stream(shown)
    stream.feed("\x1b[1;1H" + "z" * 120)
    stream.feed(data)
    return shown


@pytest.mark.parametrize("terminal", TERMINALS)
@given(left=TEXTS, right=TEXTS)
def test_borders_and_plain_words_stay_in_their_columns(terminal: str, left: str, right: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        disputed = TERMINALS[terminal]
        patch.setattr(pyte.screens, "wcwidth", lambda char: disputed(char) if _DISPUTED.search(char) else wcwidth(char))
        row = f"\x1b[1;5H│\x1b[1m{left}\x1b[0m│word\x1b[3m {right}\x1b[0m│end"
        shown = screen(pin_columns(row))
    first = 5 + 1 + cell_len(left)
    second = first + 6 + cell_len(right)
    text = {x: shown.buffer[0][x - 1].data for x in range(1, 121)}
    assert text[5] == "│"
    assert [text[x] for x in range(first, first + 5)] == list("│word")
    assert [text[x] for x in range(second, second + 4)] == list("│end")
    drawn = "".join(text[x] for x in range(5, second + 4))
    assert "z" not in drawn


@given(TEXTS)
def test_a_terminal_that_draws_them_whole_gets_all_of_it(text: str) -> None:
    kept = pin_columns(f"\x1b[2;3H{text}", whole=True)
    for char in text:
        assert char in kept


def test_what_all_terminals_agree_about_is_not_touched() -> None:
    for text in ("plain", "你好，世界。「全角」한글 かな", "── ◆ ● ▶ ✓ ✗ … “quoted” über", "\x1b[1;1H\x1b[1mé\x1b[0m"):
        assert pin_columns(text) is text


def test_pictures_of_several_are_drawn_as_the_first_and_flags_as_letters() -> None:
    assert pin_columns("👩\u200d💻 🇨🇳 👍🏽 ⚠\ufe0f 1\ufe0f\u20e3") == "👩 CN 👍 ⚠  1 "


def test_titles_links_and_unknown_places_get_no_columns() -> None:
    for data in ("\x1b]2;नमस्ते\x07", "नमस्ते", "\x1b[1;1H\x1b[4Cन", "\x1b[2;2Hab\nन"):
        assert pin_columns(data) == data
    link = "\x1b[1;1H\x1b]8;;http://x/न\x1b\\न\x1b]8;;\x1b\\x"
    assert pin_columns(link) == "\x1b[1;1H\x1b]8;;http://x/न\x1b\\ \x1b[1Gन\x1b[2G\x1b]8;;\x1b\\x"


def test_letters_that_a_terminal_draws_wider_take_the_blanks_beside_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most terminals give the signs that stand beside a letter a cell; we count none."""
    monkeypatch.setattr(pyte.screens, "wcwidth", lambda char: 1 if char in "िी" else wcwidth(char))
    for blanks in ("    ", "\x1b[4X\x1b[1;13H"):
        shown = screen(pin_columns(f"\x1b[1;1H│ हिन्दी यह{blanks}│"))
        assert shown.display[0].rstrip("z") == "│ हिन्दी यह  │"


@pytest.mark.parametrize(
    ("environ", "whole"),
    [
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, True),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, False),
        ({"TERM": "xterm-256color"}, False),
        ({}, False),
    ],
)
def test_terminals_are_known_by_name(environ: dict[str, str], whole: bool) -> None:
    assert renders_graphemes(environ) is whole
