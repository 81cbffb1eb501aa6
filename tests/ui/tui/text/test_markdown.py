import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.ui.tui.text.markdown import render
from kimi_tui.ui.tui.text.markdown_inline import safe_link
from kimi_tui.ui.tui.text.styled_line import width_of
from kimi_tui.ui.tui.themes.palette import Palette

PALETTE = Palette()


def text_of(source: str, width: int = 40) -> str:
    return "\n".join(line.text.rstrip() for line in render(source, width, PALETTE))


GOLDEN = [
    ("para one\nsame para\n\npara two", "para one same para\n\npara two"),
    ("# One\ntext", "One\n\ntext"),
    ("- a\n- b\n  - c\n    - d", "• a\n• b\n  ◦ c\n    ▪ d"),
    ("- a\n\n- b", "• a\n\n• b"),
    ("9. nine\n10. ten", "9. nine\n10. ten"),
    ("3) three", "3) three"),
    ("- [ ] open\n- [x] done", "☐ open\n☑ done"),
    ("> quote\n>\n> more", "▎ quote\n▎\n▎ more"),
    ("```\na\n  b\n```", "  a\n    b"),
    ("```sh\nls\n```", "  sh\n  ls"),
    ("a\n\n---", "a\n\n" + "─" * 40),
    ("a  \nb", "a\nb"),
    ("![pic](a.png)", "▣ pic (a.png)"),
    ("~~gone~~ <b>kept</b>", "gone <b>kept</b>"),
    ("中文\n换行", "中文换行"),
    ("| a | 中文 |\n|--:|:-:|\n| 1 | x |", "a │ 中文\n──┼─────\n1 │  x"),
]


@pytest.mark.parametrize(("source", "lines"), GOLDEN, ids=[source.split("\n")[0] for source, _ in GOLDEN])
def test_markdown_becomes_these_lines(source: str, lines: str):
    assert text_of(source) == lines


def test_a_table_that_is_too_wide_wraps_its_cells():
    source = "| name | what it is |\n|---|---|\n| x | a long explanation that does not fit |\n| y | short |"
    assert text_of(source, 25) == (
        "name │ what it is\n─────┼───────────────────\nx    │ a long explanation\n     │ that does not fit\n"
        "─────┼───────────────────\ny    │ short"
    )


def test_a_table_with_more_columns_than_room_becomes_records():
    source = "| a | b | c | d |\n|---|---|---|---|\n| 1111 | 2222 | 3333 | 4444 |\n"
    assert text_of(source, 16) == "a: 1111\nb: 2222\nc: 3333\nd: 4444"


def test_wrapped_code_is_one_line_again_when_copied():
    lines = render("```\n" + "x" * 50 + "\n```", 30, PALETTE)
    assert [line.join for line in lines] == ["", None]
    assert "".join(line.copied for line in lines) == "x" * 50


def links(source: str) -> list[str | None]:
    return [style.link for line in render(source, 80, PALETTE) for _, style in line.runs if style.link]


def test_a_web_link_is_given_to_the_terminal():
    assert links("[docs](https://example.org/a)") == ["https://example.org/a"]
    assert text_of("[docs](https://example.org/a)") == "docs"


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "file:///etc/passwd", "https://good.org@evil.org/", "vscode://x"]
)
def test_a_link_that_is_not_plainly_safe_shows_where_it_goes(url: str):
    assert not safe_link(url)
    assert links(f"[click]({url})") == []
    assert url.partition(":")[0] in text_of(f"[click]({url})", 80)


def test_a_link_that_pretends_to_be_another_shows_where_it_goes():
    assert text_of("[https://good.org/](https://evil.org/)", 80) == "https://good.org/ (https://evil.org/)"


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab -*_`#>|1.[]()\n中。~=\x1b\u202e", max_size=200), st.integers(12, 60))
def test_no_line_is_wider_than_the_width_or_holds_an_escape(source: str, width: int):
    for line in render(source, width, PALETTE):
        assert width_of(line.runs) <= max(width, 3 * 12)
        assert "\x1b" not in line.text
        assert "\u202e" not in line.text


def test_the_name_of_a_file_is_no_link_though_its_suffix_is_a_country() -> None:
    lines = render("README.md, 读取.py, run.sh; https://example.com/a.md and me@example.com", 80, Palette())
    assert [text for text, style in lines[0].runs if style.link] == ["https://example.com/a.md", "me@example.com"]


CHART = "```mermaid\nflowchart TD\n A --> B\n```"


@pytest.mark.parametrize("source", [CHART, CHART.replace("mermaid", "Mermaid"), "~~~d2\nA -> B\n~~~"])
def test_a_chart_in_a_text_is_drawn(source: str):
    drawing = [
        "┌───────────┐",
        "│     A     │",
        "└─────┬─────┘",
        "      ▼",
        "┌───────────┐",
        "│     B     │",
        "└───────────┘",
    ]
    assert text_of(source).split("\n") == [f"  {row}" for row in drawing]


def test_a_chart_that_cannot_be_drawn_stays_code():
    assert text_of("```mermaid\nsequenceDiagram\nA->>B: hi\n```") == "  mermaid\n  sequenceDiagram\n  A->>B: hi"
    assert "flowchart" in text_of("```mermaid\nflowchart LR\n A --> B[a word that needs room]\n```", width=12)


def test_without_charts_the_source_is_shown():
    lines = render(CHART, 40, PALETTE, charts=False)
    assert [line.text for line in lines] == ["  mermaid", "  flowchart TD", "   A --> B"]


def test_each_level_of_headings_looks_different():
    looks = [render("#" * level + " One", 40, PALETTE)[0].runs[0][1] for level in (1, 2, 3)]
    assert len({str(look) for look in looks}) == 3


def test_a_block_of_plain_text_has_no_line_for_its_language():
    assert [line.text.strip() for line in render("```text\nfile\n```\n", 20, Palette())] == ["file"]


def test_the_language_of_a_code_block_is_not_copied():
    assert [line.copied for line in render("```sh\nls\n```", 40, PALETTE)] == ["", "ls"]
