import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.text_safety import dump_json, escape_unsafe, for_terminal, is_safe, one_line, without_controls

ACTS = [
    "\x1b]52;c;aGk=\x07", "\x1b]0;title\x1b\\", "\x1b[2J", "\x9b31m", "\x9d0;x\x9c", "\x1bP1$r\x1b\\", "\x1bc", "\b",
    "\x7f", "\x00", "\u202e", "\u2066", "\u200e", "\ufeff", "\u2028", "\U000e0041", "\ue000", "\ud800", "\x0b", "\x85",
]  # fmt: skip
STAYS = [
    "plain text",
    "中文，全角　空格",
    "é e\u0301",
    "👩‍💻🇩🇪👍🏽🫨",
    "नमस्ते क्‍ष",
    "می‌خواهم",
    "עברית",
    "a\u00a0b",
    "→ │ ✓",
]


@pytest.mark.parametrize("text", ACTS)
def test_nothing_that_a_terminal_would_obey_is_left(text: str) -> None:
    lines = (
        escape_unsafe(text),
        one_line(f"a{text}b"),
        for_terminal(text),
        dump_json(text),
        dump_json([text], indent=2),
    )
    for char in "".join(lines).replace("\n", ""):
        assert unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"), repr(char)


@pytest.mark.parametrize("text", STAYS)
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert escape_unsafe(text) == for_terminal(text) == text
    assert dump_json(text) == f'"{text}"'


@given(st.text(st.characters()))
def test_json_reads_back_as_what_it_was_and_is_one_safe_line(text: str) -> None:
    line = dump_json({text: [text]})
    assert json.loads(line) == {text: [text]}
    assert all(map(is_safe, line))


@given(st.text(st.characters(), max_size=30))
def test_only_letters_marks_numbers_signs_and_blanks_reach_a_terminal(text: str) -> None:
    for char in for_terminal(text):
        assert unicodedata.category(char) not in ("Cc", "Cs", "Co", "Zl", "Zp") or char in "\n\t"


def test_line_ends_of_windows_are_line_ends() -> None:
    assert for_terminal("a\r\nb\r") == "a\nb"
    assert for_terminal("50%\r75%") == "50%\\u000d75%"


def test_numbers_that_are_none_are_null_in_json() -> None:
    assert dump_json({"a": [float("nan"), 1.5, (float("inf"),)]}) == '{"a": [null, 1.5, [null]]}'


def test_a_text_without_controls_keeps_its_lines_tabs_and_letters() -> None:
    assert (
        without_controls("a\x01b\x7fc\x9b2Jd\te\r\nf\rg\x0bh\x85中\u200d\u3000") == "abc2Jd\te\nf\ng\nh\n中\u200d\u3000"
    )
    assert without_controls("plain 中文\u200d\u3000") == "plain 中文\u200d\u3000"
