"""Charts inside a text."""

from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from kimi_tui.flow.model.graph import ChartSource
from kimi_tui.flow.render.inline_chart import inline_chart
from kimi_tui.text_safety import is_safe


def drawn(text: str, source: ChartSource = "mermaid", width: int = 60) -> list[str] | None:
    rows = inline_chart(text, source, width)
    return None if rows is None else ["".join(span.text for span in row).rstrip() for row in rows]


def test_a_chart_that_could_not_run_is_drawn() -> None:
    text = "graph LR\n user[User] --> page{Logged in?}\n page -- yes --> home[Home]\n page -- no --> user"
    assert drawn(text) == [
        "┌───────────┐  ╱────────────╲  yes  ┌───────────┐",
        "│   User    ├─▶│ Logged in? ├──────▶│   Home    │",
        "└───────────┘  ╲─────┬──────╱       └───────────┘",
        "      ▲      no      │",
        "      ╰──────────────╯",
    ]


def test_a_round_shape_of_a_chart_that_could_not_run_has_round_corners() -> None:
    assert drawn("graph TD\n s([Start]) --> w[Work at it]\n w --> d((Done))") == [
        "  ╭───────╮",
        "  │ Start │",
        "  ╰───┬───╯",
        "      ▼",
        "┌────────────┐",
        "│ Work at it │",
        "└─────┬──────┘",
        "      ▼",
        "   ╭──────╮",
        "   │ Done │",
        "   ╰──────╯",
    ]


def test_a_chart_without_a_beginning_is_drawn_with_all_its_parts() -> None:
    rows = drawn("flowchart TD\n A --> B\n C --> D\n subgraph G\n E --> C\n end")
    assert rows is not None
    assert all(any(name in row for row in rows) for name in "ABCDE")


def test_a_d2_chart_is_drawn() -> None:
    assert drawn("a -> b: hi", "d2") == [
        "┌───────────┐",
        "│     a     │",
        "└─────┬─────┘",
        "      │ hi",
        "      ▼",
        "┌───────────┐",
        "│     b     │",
        "└───────────┘",
    ]


def test_a_chart_that_is_wider_lies_down_no_longer_or_becomes_compact() -> None:
    text = "graph LR\n" + "".join(f" n{i}[Step number {i}] --> n{i + 1}[Step number {i + 1}]\n" for i in range(4))
    wide, narrow = drawn(text, width=120), drawn(text, width=30)
    assert wide is not None
    assert narrow is not None
    assert len(wide) < 5 < len(narrow)


def test_what_does_not_fit_or_is_no_chart_is_not_drawn() -> None:
    assert drawn("graph TD\n A --> B", width=4) is None
    assert drawn("sequenceDiagram\n A->>B: hi") is None
    assert drawn("graph TD\n A[alone]") is None
    assert drawn("graph TD\n" + "".join(f" n{i} --> n{i + 1}\n" for i in range(200))) is None


LABELS = st.text(st.characters(codec="utf-8", exclude_characters='"\n\r'), min_size=1, max_size=30)


@given(st.lists(LABELS, min_size=2, max_size=6), st.integers(10, 90))
def test_no_label_breaks_the_grid_or_reaches_the_terminal(labels: list[str], width: int) -> None:
    text = "flowchart TD\n" + "".join(f' n{i}["{label}"]\n' for i, label in enumerate(labels))
    text += "".join(f" n{i} --> n{i + 1}\n" for i in range(len(labels) - 1))
    rows = inline_chart(text, "mermaid", width)
    for row in rows or ():
        line = "".join(span.text for span in row)
        assert all(is_safe(char) for char in line)
        assert wcswidth(line) <= width
