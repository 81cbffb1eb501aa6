"""Which fenced block of a skill holds the chart, and where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.skill.chart_block import ChartBlock, first_chart


def find(text: str, skip: int = 0) -> ChartBlock | None:
    return first_chart(text.split("\n"), skip=skip)


@pytest.mark.parametrize("info", ["mermaid", "Mermaid", "MERMAID", "mermaid title=x", "{mermaid}"])
def test_the_info_word_counts_in_any_case(info: str) -> None:
    block = find(f"text\n\n```{info}\nA --> B\n```\n")
    assert block is not None
    assert (block.source, block.text, block.line, block.closed) == ("mermaid", "A --> B\n", 3, True)


def test_tildes_fence_too() -> None:
    block = find("~~~~ d2\na -> b\n~~~\nb -> c\n~~~~\n")
    assert block is not None
    assert (block.source, block.text) == ("d2", "a -> b\n~~~\nb -> c\n")


def test_a_fence_inside_another_block_is_text() -> None:
    block = find("````markdown\n```mermaid\nwrong\n```\n````\n\n```d2\nright\n```\n")
    assert block is not None
    assert block.text == "right\n"


def test_an_indented_code_block_is_no_fence() -> None:
    assert find("text\n\n    ```mermaid\n    A --> B\n    ```\n") is None


def test_a_fence_in_a_comment_is_no_fence() -> None:
    assert find("<!--\n```mermaid\nA\n```\n-->\n") is None


@pytest.mark.parametrize(
    ("text", "indents"),
    [
        ("  ```mermaid\n  A\n    B\n ```", (2, 2)),
        ("1. step\n\n   ```mermaid\n   A\n     B\n   ```", (3, 3)),
        ("> ```mermaid\n> A\n>   B\n> ```", (2, 2)),
    ],
)
def test_columns_are_those_of_the_file(text: str, indents: tuple[int, ...]) -> None:
    block = find(text)
    assert block is not None
    assert block.text == "A\n  B\n"
    assert block.indents == indents
    assert block.closed
    assert block.place(2, 3) == (block.line + 2, 3 + indents[1])


def test_the_frontmatter_counts_in_the_line() -> None:
    block = find("---\nname: x\n---\n\n```mermaid\nA\n```", skip=3)
    assert block is not None
    assert block.line == 5
    assert block.place(None, None) == (5, None)


def test_a_block_that_is_not_closed_says_so() -> None:
    block = find("```mermaid\nA --> B\n\nmore text")
    assert block is not None
    assert not block.closed
    assert block.text == "A --> B\n\nmore text"


def test_a_block_without_lines_is_an_empty_chart() -> None:
    block = find("```mermaid\n```")
    assert block is not None
    assert (block.text, block.closed) == ("", True)


def test_the_first_chart_is_taken_whatever_its_language() -> None:
    block = find("```python\nx\n```\n```d2\na\n```\n```mermaid\nb\n```")
    assert block is not None
    assert block.source == "d2"


@given(
    st.lists(st.sampled_from(["```mermaid", "~~~d2", "```", "~~~", "> ", "- ", "  ", "\t", "A", "\n", "<!--", "-->"]))
)
def test_any_text_has_a_chart_or_none(parts: list[str]) -> None:
    text = "".join(parts)
    lines = text.split("\n")
    block = first_chart(lines)
    if block is not None:
        assert 1 <= block.line <= len(lines)
        assert block.text.count("\n") <= len(lines)
