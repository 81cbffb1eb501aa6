import sys
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.ui.tui.text.markdown import parse, render
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.transcript.streaming_markdown import StreamingMarkdown

PALETTE = Palette()

BLOCKS = [
    "A paragraph of *some* words, `code` and [a link](https://example.org/x) that is long enough to wrap.\n\n",
    "# Heading\n",
    "Setext\n===\n\n",
    "Two\n---\n",
    "- one\n- two\n  - nested\n  - more\n- three\n",
    "- one\n\n- two\n\n- three\n\n",
    "- one\n- two\n\n- now loose\n",
    "1. first\n2. second\n   continued\n\n   a paragraph more\n3. third\n",
    "* star\n+ plus\n- dash\n",
    "- [ ] open\n- [x] done\n",
    "```python\ndef f():\n    '''a\n    b'''\n```\n",
    "~~~\nplain\n\n~~~\n",
    "   ```\n   indented\n   ```\n",
    "````md\n```\nnot the end\n```\n````\n",
    "    indented code\n\n",
    "| a | b |\n|---|--:|\n| 1 | 中文 |\n| x | y |\n\n",
    "> quote\n> more\nlazy\n\n",
    "> - list in a quote\n\n",
    "***\n",
    "中文段落，没有空格，需要按照标点规则换行。（括号）也不例外！\n\n",
    "text\n- list after text\n",
    "text\n2. not a list\n\n",
    "<div>html</div>\n\n",
    "- item\n\n      code in an item\n- ```\n  fence in an item\n  ```\n",
    "\n",
    "-\n",
    "line one\nline two  \nline three\n\n",
    "```\nnever closed\n",
]


LETTERS = "ab -*_`#>|1.[]()\n\t中。~=\r\x00\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029\u00a0\u3000\u200b\ufeff"
LINE_ENDS = ["\n", "\r\n", "\r", "\x85", "\u2028", "\u2029", "\r\r\n", "\r\n\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e"]


@st.composite
def documents(draw: st.DrawFn) -> str:
    parts = draw(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=7))
    end = draw(st.sampled_from(LINE_ENDS)) if draw(st.booleans()) else "\n"
    return "".join(parts).replace("\n", end)


def pieces(text: str, sizes: list[int]) -> list[str]:
    out, at, turn = [], 0, 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        out.append(text[at : at + size])
        at += size
        turn += 1
    return out


def streamed(text: str, sizes: list[int], width: int = 40) -> StreamingMarkdown:
    doc = StreamingMarkdown(width, PALETTE)
    for piece in pieces(text, sizes):
        doc.feed(piece)
    return doc


def shown(lines: object) -> list[str]:
    return [line.text for line in lines]


@settings(max_examples=250, deadline=None)
@given(documents(), st.lists(st.integers(1, 23), min_size=1, max_size=5))
def test_a_document_streamed_in_any_pieces_is_the_document_rendered_at_once(text: str, sizes: list[int]):
    doc = streamed(text, sizes)
    doc.finish()
    assert doc.lines == render(text, 40, PALETTE)


@settings(max_examples=250, deadline=None)
@given(documents(), st.lists(st.integers(1, 23), min_size=1, max_size=5), st.integers(1, 60))
def test_a_long_open_end_that_is_drawn_in_pieces_ends_as_the_document(text: str, sizes: list[int], piece: int):
    doc = StreamingMarkdown(40, PALETTE, piece=piece)
    before = doc.lines
    for part in pieces(text, sizes):
        first = doc.feed(part)
        assert doc.lines[:first] == before[:first]
        before = doc.lines
    first = doc.finish()
    assert doc.lines[:first] == before[:first]
    assert doc.lines == render(text, 40, PALETTE)


def test_an_open_fence_names_its_language_as_a_closed_one():
    text = "~~~ a`b &amp;\x0bc d\nplain\n"
    assert shown(streamed(text, [1]).lines) == shown(render(text, 40, PALETTE))


@settings(max_examples=250, deadline=None)
@given(documents(), st.lists(st.integers(1, 23), min_size=1, max_size=5))
def test_before_the_end_too_what_is_closed_is_drawn_as_it_stays(text: str, sizes: list[int]):
    doc = streamed(text + "\n\nThe end.\n", sizes)
    whole = render(text + "\n\nThe end.\n", 40, PALETTE)
    assert shown(doc.lines) == shown(whole)


@settings(max_examples=250, deadline=None)
@given(st.text(alphabet=LETTERS, max_size=120), st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_any_text_streams_to_what_it_is_at_once(text: str, sizes: list[int]):
    doc = streamed(text, sizes, width=17)
    doc.finish()
    assert doc.lines == render(text, 17, PALETTE)


@settings(max_examples=250, deadline=None)
@given(documents(), st.lists(st.integers(1, 23), min_size=1, max_size=5))
def test_feed_names_the_first_line_that_changed(text: str, sizes: list[int]):
    doc = StreamingMarkdown(40, PALETTE)
    before = doc.lines
    for piece in pieces(text, sizes):
        first = doc.feed(piece)
        assert doc.lines[:first] == before[:first]
        before = doc.lines
    first = doc.finish()
    assert doc.lines[:first] == before[:first]


def test_a_marker_that_says_nothing_yet_is_held_back():
    doc = StreamingMarkdown(40, PALETTE)
    doc.feed("text\n-")
    assert shown(doc.lines) == ["text"]
    doc.feed(" item\n")
    assert shown(doc.lines) == ["text", "", "• item"]


def test_the_header_of_a_table_waits_for_its_rule():
    doc = StreamingMarkdown(40, PALETTE)
    doc.feed("| a | b |\n|--")
    assert shown(doc.lines) == []
    doc.feed("-|---|\n| 1")
    assert shown(doc.lines)[0].split() == ["a", "│", "b"]
    assert shown(doc.lines)[2].split() == ["1", "│"]


def test_lines_of_an_open_fence_are_settled_one_by_one():
    doc = StreamingMarkdown(40, PALETTE)
    doc.feed("```python\n")
    for number in range(5):
        doc.feed(f"x = {number}\n")
    settled = doc.settled
    assert settled == 6
    doc.feed("y =")
    assert doc.settled == settled
    assert shown(doc.lines)[-1] == "  y ="


def test_a_chart_is_code_until_its_fence_closes_and_then_drawn():
    doc = StreamingMarkdown(40, PALETTE)
    doc.feed("Look:\n\n```mermaid\nflowchart TD\n A --> B\n")
    assert shown(doc.lines)[2:] == ["  mermaid", "  flowchart TD", "   A --> B"]
    doc.feed("```\n")
    assert shown(doc.lines)[2:4] == ["  ┌───────────┐", "  │     A     │"]


def test_the_work_of_one_more_word_does_not_grow_with_the_document():
    def parsed_tail(blocks: int) -> int:
        doc = StreamingMarkdown(60, PALETTE)
        doc.feed("".join(f"- item {number} of a long list\n" for number in range(blocks)))
        doc.feed("- the last")
        return len(doc.lines) - doc.settled

    assert parsed_tail(2000) <= parsed_tail(20)


def test_the_end_of_a_long_document_draws_only_what_was_open():
    doc = StreamingMarkdown(60, PALETTE)
    doc.feed("# A\n\nwords\n\n- one\n- two\n\n" * 50 + "the last")
    before = doc.lines
    assert doc.finish() == doc.settled == len(before)
    drawn = [new for old, new in zip(before, doc.lines, strict=True) if old is not new and old.text]
    assert [line.text for line in drawn] == ["• two", "the last"]


@settings(max_examples=250, deadline=None)
@given(documents(), st.lists(st.integers(1, 23), min_size=1, max_size=5), st.integers(0, 200))
def test_another_width_in_the_middle_of_a_text_changes_only_the_width(text: str, sizes: list[int], cut: int):
    doc = streamed(text[:cut], sizes, width=60).redrawn(40, PALETTE)
    doc.feed(text[cut:])
    doc.finish()
    assert doc.lines == render(text, 40, PALETTE)


def test_a_progress_line_that_is_drawn_over_is_a_line_a_step():
    doc = streamed("50%\r75%\r\r100%\n", [3])
    doc.finish()
    assert shown(doc.lines) == ["50% 75%", "", "100%"]


OPEN_ENDS = {
    "lines of one paragraph": "line {} of many\n",
    "one line": "word {} and `code` ",
    "one Chinese line": "第{}个词，没有空格。",
    "a quote": "> line {} of many\n",
    "an item with blank lines": "  paragraph {}\n\n",
    "a table": "| {} | b |\n",
    "indented code": "    x = {}\n",
    "one line of code": "x = {}; ",
}
BEGINNINGS = {
    "an item with blank lines": "- item\n\n",
    "a table": "| a | b |\n|---|---|\n",
    "one line of code": "```py\n",
}


@pytest.mark.parametrize("kind", OPEN_ENDS)
def test_the_work_for_a_long_open_end_grows_with_its_length(kind: str):
    """Counted: the characters that are parsed and the lines that are drawn anew."""

    def work(count: int) -> int:
        doc, characters = StreamingMarkdown(60, PALETTE, piece=100), 0

        def count_parsed(frame: FrameType, event: str, _: object) -> None:
            nonlocal characters
            if event == "call" and frame.f_code is parse.__code__:
                characters += len(frame.f_locals["source"])

        profile = sys.getprofile()
        sys.setprofile(count_parsed)
        try:
            doc.feed(BEGINNINGS.get(kind, ""))
            for number in range(count):
                first = doc.feed(OPEN_ENDS[kind].format(number))
                characters += (len(doc.lines) - first) * 60
        finally:
            sys.setprofile(profile)
        return characters

    text = OPEN_ENDS[kind].format(1000)
    few, many = 1000 // len(text), 4000 // len(text)
    assert work(many) < 8 * work(few), (work(few), work(many))


@pytest.mark.parametrize("kind", OPEN_ENDS)
def test_what_is_added_to_a_long_open_end_is_seen_at_once(kind: str):
    doc = StreamingMarkdown(60, PALETTE, piece=100)
    doc.feed(BEGINNINGS.get(kind, ""))
    for number in range(1000, 1100):
        doc.feed(OPEN_ENDS[kind].format(number))
        assert str(number) in "".join(line.text for line in doc.lines[-3:])


def test_what_follows_a_long_paragraph_is_drawn_as_it_stays():
    doc = StreamingMarkdown(60, PALETTE, piece=400)
    text = "word and word\n" * 100 + "\nThe next one.\n"
    for letter in text:
        doc.feed(letter)
    assert shown(doc.lines) == shown(render(text, 60, PALETTE))
    doc.feed("```py\nx = 1\n")
    assert shown(doc.lines)[-1] == "  x = 1"


def test_a_long_paragraph_breaks_between_words_while_it_streams():
    doc = StreamingMarkdown(60, PALETTE, piece=100)
    for letter in "abcdefgh " * 200:
        doc.feed(letter)
        assert {word for line in doc.lines[:-1] for word in line.text.split()} <= {"abcdefgh"}
