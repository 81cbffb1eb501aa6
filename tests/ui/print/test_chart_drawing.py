"""Charts in the text output on a terminal."""

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.ui.print.chart_drawing import ChartDrawing
from tests.ui.print.test_output_streams import at_a_terminal
from tests.ui.print.test_print import command

CHART = "```mermaid\nflowchart TD\n A[Read] --> B[Write]\n```\n"
BOX = """\
  ┌───────────┐
  │   Read    │
  └─────┬─────┘
        ▼
  ┌───────────┐
  │   Write   │
  └───────────┘
"""


def shown(text: str, pieces: int = 0) -> str:
    drawing = ChartDrawing()
    size = pieces or len(text) or 1
    return "".join(drawing.feed(text[at : at + size]) for at in range(0, len(text), size)) + drawing.flush()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_chart_is_drawn_however_its_text_is_split(size: int) -> None:
    assert shown(f"Look:\n\n{CHART}\nDone.", size) == f"Look:\n\n{BOX}\nDone."


def test_a_chart_is_drawn_as_soon_as_its_fence_closes() -> None:
    drawing = ChartDrawing()
    assert drawing.feed("Look:\n" + CHART.removesuffix("\n")) == "Look:\n"
    assert drawing.feed("\n") == BOX


def test_a_chart_whose_fence_ends_the_text_is_drawn() -> None:
    assert shown(CHART.removesuffix("\n")) == BOX


@pytest.mark.parametrize("prefix", ["   ", "        ", "> ", "> > ", ">  "])
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_chart_in_a_list_or_a_quotation_is_drawn_where_it_is(prefix: str, size: int) -> None:
    text = "".join(f"{prefix}{line}\n" for line in CHART.splitlines())
    assert shown(f"- here:\n{text}", size) == "- here:\n" + "".join(f"{prefix}{row}\n" for row in BOX.splitlines())


def test_a_chart_ends_with_the_quotation_that_it_is_in() -> None:
    text = "> ```mermaid\n> flowchart TD\n> a --> b\nand on it goes\n```\n"
    assert shown(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "```mermaid\nsequenceDiagram\nA->>B: hi\n```\n",
        "```mermaid\nflowchart TD\n A --> \n```\n",
        "```python\nprint(1)\n```\n",
        "see ```mermaid\nA --> B\n```\n",
        "```mermaid\nflowchart TD\n A --> B\n",
        "```mermaid\nflowchart TD\n A --> B\n``\nrest",
    ],
    ids=["another-kind", "broken", "another-language", "inside-a-line", "never-closed", "too-short-a-fence"],
)
def test_what_is_no_chart_stays_as_it_was_written(text: str) -> None:
    assert shown(text) == text


@given(
    st.lists(st.sampled_from(["```mermaid\n", "```", "~~~d2\n", "~~~", "\n", "> ", "a -> b\n", "`", " ", "x", "\r\n"])),
    st.integers(1, 9),
)
def test_no_letter_is_lost_or_drawn_twice_however_the_text_is_split(words: list[str], size: int) -> None:
    text = "".join(words)
    assert shown(text, size) == shown(text)


@pytest.mark.parametrize("extra", [(), ("--quiet",)], ids=["streamed", "final message only"])
def test_a_terminal_gets_the_drawing_and_a_pipe_the_source(tmp_path: Path, extra: tuple[str, ...]) -> None:
    argv = command(tmp_path, f"text: {json.dumps(CHART)}", extra=("-p", "draw it", *extra))
    assert at_a_terminal(argv).replace("\r\n", "\n") == BOX
    piped = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert piped.stdout == CHART


def test_a_terminal_that_has_no_box_characters_gets_the_source(tmp_path: Path) -> None:
    argv = command(tmp_path, f"text: {json.dumps(CHART)}", extra=("-p", "draw it"))
    assert at_a_terminal(argv, PYTHONIOENCODING="ascii").replace("\r\n", "\n") == CHART
