import pyte
from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.style import Style

from kimi_tui.ui.tui.terminal.output_optimizer import optimize_sgr

STYLES = st.builds(
    Style,
    color=st.sampled_from([None, "red", "#112233", "bright_blue", "color(99)", "default"]),
    bgcolor=st.sampled_from([None, "#445566", "green", "default"]),
    bold=st.sampled_from([None, True]),
    dim=st.sampled_from([None, True]),
    italic=st.sampled_from([None, True]),
    underline=st.sampled_from([None, True]),
    reverse=st.sampled_from([None, True]),
)
TEXTS = st.sampled_from(["word", " ", "  ", "            ", "text         ", "end"])
ROWS = st.lists(st.tuples(st.integers(0, 5), st.lists(st.tuples(TEXTS, STYLES), max_size=4)), max_size=6)


def written(rows: list[tuple[int, list[tuple[str, Style]]]]) -> str:
    out = []
    for y, runs in rows:
        out.append(f"\x1b[{y + 1};1H")
        out.extend(style.render(text, color_system=ColorSystem.TRUECOLOR) for text, style in runs)
        out.append("\n")
    return "".join([*out, "\x1b[1;1H"])


def screen(data: str) -> list[list[object]]:
    shown = pyte.Screen(80, 8)
    stream = pyte.Stream(shown)
    stream.feed("\x1b[?25h" + "".join(f"\x1b[{y};1H{'z' * 60}" for y in range(1, 8)))
    stream.feed(data)
    return [[shown.buffer[y][x] for x in range(80)] for y in range(8)]


@given(ROWS)
def test_the_picture_is_the_same(rows: list[tuple[int, list[tuple[str, Style]]]]):
    data = written(rows)
    assert screen(optimize_sgr(data)) == screen(data)
    assert screen(optimize_sgr(data, erase=False)) == screen(data)


def test_a_colour_that_stays_is_not_sent_again():
    red = Style(color="#ff0000", bgcolor="#000000")
    data = "\x1b[1;1H" + red.render("a") + (red + Style(bold=True)).render("b")
    assert optimize_sgr(data) == "\x1b[1;1H\x1b[38;2;255;0;0;48;2;0;0;0ma\x1b[1mb\x1b[0m"


def test_a_long_blank_before_a_move_is_an_erase():
    style = Style(bgcolor="#000000")
    data = "\x1b[1;1H" + style.render("x" + " " * 40) + "\x1b[2;1H" + style.render("y")
    assert "\x1b[40X" in optimize_sgr(data)


def test_what_it_does_not_know_stays_as_it_is():
    data = "\x1b[38;2;1;2;3;58;5;1mx\x1b[0m"
    assert optimize_sgr(data) == data
