import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from kimi_tui.text_safety import is_safe
from kimi_tui.ui.tui.text.sanitize import plain_output, sanitize

DANGEROUS = [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F]
HIDDEN = [
    0x00AD,
    0x200B,
    0x2060,
    0xFEFF,
    0x115F,
    0x3164,
    0x180E,
    0xE0001,
    0xE0041,
    0xE007F,
    0xE0100,
    0xD800,
    0xDFFF,
    0x0378,
    0x13430,
    0x1BCA0,
]


@pytest.mark.parametrize("code", [*DANGEROUS, *HIDDEN], ids=lambda code: f"U+{code:04X}")
def test_a_character_that_acts_or_hides_is_replaced_by_something_to_see(code: int):
    shown = sanitize(f"a{chr(code)}b")
    assert chr(code) not in shown
    assert (shown[0], shown[-1]) == ("a", "b")
    assert cell_len(shown) > 2


@given(st.text())
def test_nothing_that_acts_on_a_terminal_is_left(text: str):
    assert all(is_safe(char) or unicodedata.category(char) == "Co" for char in sanitize(text))


@given(st.text())
def test_making_text_safe_twice_changes_nothing_more(text: str):
    assert sanitize(sanitize(text)) == sanitize(text)


@pytest.mark.parametrize(
    "text", ["plain", "中文，标点。", "naïve café", "a → b ✓", "می\u200cخواهم", "🎉", "한국어", "\ue0b0 main"]
)
def test_good_text_stays_as_it_is(text: str):
    assert sanitize(text) == text


def test_an_escape_sequence_is_spelled_out():
    assert sanitize("\x1b]52;c;x\x07") == "␛]52;c;x␇"
    assert sanitize("\u202eevil") == "‹U+202E›evil"


def test_joined_pictures_stand_side_by_side():
    assert sanitize("👨\u200d👩\u200d👧 ⚠\ufe0f") == "👨👩👧 ⚠"


def test_the_output_of_a_program_loses_colours_and_drawn_over_lines():
    assert plain_output("\x1b[32mok\x1b[0m\r\n10%\r50%\r100%\n\x1b]0;title\x07end") == "ok\n100%\nend"


@pytest.mark.parametrize("mark", ["\u0300", "\u1161", "\u20dd", "\u0f71"])
def test_more_marks_on_one_character_than_any_script_has_are_spelled_out(mark: str) -> None:
    assert sanitize("a" + mark * 8) == "a" + mark * 8
    shown = sanitize("a" + mark * 10 + "b")
    assert shown == "a" + mark * 8 + f"‹U+{ord(mark):04X}›" * 2 + "b"
    assert sanitize(shown) == shown
