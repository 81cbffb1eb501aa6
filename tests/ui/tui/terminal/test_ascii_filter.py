"""Signs of ASCII in the place of others."""

import ast
import unicodedata
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from kimi_tui.flow.layout.geometry import PlacedNode
from kimi_tui.flow.model.graph import NodeKind
from kimi_tui.flow.render.box_drawing import SIDES, SOUTH, arrow_char, draw_box, line_char
from kimi_tui.flow.render.chart_style import LineKind, NodeStyle
from kimi_tui.flow.render.node_signs import ASCII_KIND_SIGNS, ASCII_SIGNS, KIND_SIGNS, SIGNS
from kimi_tui.ui.tui.terminal.ascii_filter import ASCII, ASCII_WITHOUT_BOXES, AsciiFilter
from kimi_tui.ui.tui.text.styled_line import cells
from tests import texts

GROUND = Color.parse("black")
STYLES = (NodeStyle(), NodeStyle(current=True), NodeStyle(selected=True))


def test_a_node_has_the_same_sign_in_a_chart_of_ascii_and_on_a_screen_of_ascii() -> None:
    pairs = [*zip(SIGNS.values(), ASCII_SIGNS.values(), strict=True)]
    pairs += zip(KIND_SIGNS.values(), ASCII_KIND_SIGNS.values(), strict=True)
    assert [shown(sign) for sign, _plain in pairs] == [plain for _sign, plain in pairs]
    states = {sign for sign in SIGNS.values() if sign.strip()}
    assert states.isdisjoint(KIND_SIGNS.values())


def shown(*texts: str) -> str:
    return "".join(one.text for one in AsciiFilter(ASCII).apply([Segment(text) for text in texts], GROUND))


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        (("  n  No, and say why…", "     "), "  n  No, and say why...   "),
        (("Edit it…   yes",), "Edit it... yes"),
        (("a long na…", " │"), "a long na~ |"),
        (("a long na…",), "a long na~"),
        (("… more",), "~ more"),
        (("修改后再运行…", "    "), "修改后再运行...  "),
        (("▶ run", "…", "  ", "◆"), "> run~  #"),
    ],
)
def test_an_ellipsis_is_three_dots_where_there_is_room(texts: tuple[str, ...], line: str) -> None:
    assert shown(*texts) == line


def test_a_decision_of_a_chart_in_an_answer_is_slanted_in_ascii_too() -> None:
    assert shown("╱──╲", "╲──╱") == "/--\\\\--/"
    assert "".join(one.text for one in AsciiFilter(ASCII_WITHOUT_BOXES).apply([Segment("╱──╲")], GROUND)) == "    "


def test_the_end_of_a_scroll_bar_is_blank() -> None:
    ends = [Segment("▅", Style(meta={"@mouse.down": "grab"})), Segment("▅", Style())]
    assert "".join(one.text for one in AsciiFilter(ASCII).apply(ends, GROUND)) == " #"


@given(st.lists(st.text("a …◆│是", max_size=8), max_size=6))
def test_a_line_keeps_its_width(texts: list[str]) -> None:
    for table in (ASCII, ASCII_WITHOUT_BOXES):
        segments = [Segment(text) for text in texts]
        made = AsciiFilter(table).apply(segments, GROUND)
        assert cells("".join(one.text for one in made)) == cells("".join(texts))
        assert len(made) == len(segments)


HOLDS_ANY_SIGN = {"ascii_filter.py", "column_guard.py", "output_optimizer.py", "paste_chips.py"}
"""Modules about text from outside; like all of `text`, they name characters that are never shown."""


def test_every_sign_of_the_source_has_one_of_ascii() -> None:
    tui = texts.ROOT / "kimi_tui" / "ui" / "tui"
    lacking: set[str] = set()
    for file in tui.rglob("*.py"):
        if file.parent.name == "text" or file.name in HOLDS_ANY_SIGN:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                signs = {sign for sign in node.value if not sign.isascii() and ord(sign) not in ASCII}
                lacking |= {sign for sign in signs if unicodedata.east_asian_width(sign) not in "WF"}
    assert lacking == set()


def test_a_state_in_ascii_is_no_line_no_arrow_head_and_no_frame() -> None:
    kinds: list[LineKind] = ["light", "heavy", "double", "dashed"]
    drawn = {arrow_char(side, ascii=True) for side in SIDES}
    for arms in (sides for count in range(1, 5) for sides in combinations(SIDES, count)):
        drawn |= {line_char(dict.fromkeys(arms, kind), ascii=True) for kind in kinds}
    for kind, height, style in product(NodeKind, (1, 2, 3), STYLES):
        node = PlacedNode("a", 0, 0, 9, height, ("Fix",), kind, bare=height < 3)
        rows = draw_box(node, style, {(4, height - 1): SOUTH}, ascii=True)
        drawn |= {char for row in rows for part in row for char in part.text}
    telling = {ASCII_SIGNS[status] for status in ASCII_SIGNS if status not in ("waiting", "running", "skipped")}
    assert telling.isdisjoint(drawn)
    assert len(telling) == len({SIGNS[status] for status in ASCII_SIGNS}) - 3
