"""The moving picture of the README: what GitHub shows in a page, made from the screens of a terminal."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pyte
import pytest

from tests.demo_picture import COLUMNS, OUT, ROWS, STILL, Frame, Row, _cell, svg

SVG = "{http://www.w3.org/2000/svg}"


def rows(text: str) -> tuple[Row, ...]:
    """What a terminal shows of a text with escape sequences."""
    screen = pyte.Screen(COLUMNS, ROWS)
    pyte.Stream(screen).feed(text.replace("\n", "\r\n"))
    return tuple(tuple(_cell(screen.buffer[y][x]) for x in range(COLUMNS)) for y in range(ROWS))


def frames(*texts: str) -> list[Frame]:
    return [Frame(float(at), rows(text), "y  yes" if at == 2 else "") for at, text in enumerate((STILL, *texts))]


def test_the_picture_of_the_readme_is_small_and_needs_nothing_else():
    text = OUT.read_text("utf-8")
    assert len(text) < 600_000
    root = ElementTree.fromstring(text)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "desc", "style", "defs", "g", "use", "rect", "circle", "text", "path"
    }  # fmt: skip
    assert not re.search(r"https?:", text.replace("http://www.w3.org/2000/svg", ""))
    ids = {element.get("id") for element in root.iter(f"{SVG}g")}
    assert {(use.get("href") or "").removeprefix("#") for use in root.iter(f"{SVG}use")} <= ids
    assert "prefers-reduced-motion" in text
    assert Path(f"snapshots/{OUT.name}").as_posix() in (OUT.parents[1] / "README.md").read_text("utf-8")


def test_each_row_is_stored_once_and_each_frame_is_a_step():
    text = svg(frames("one\ntwo", "one\nthree"))
    assert len(re.findall(r'<g id="r\d+">', text)) == 4
    assert text.count(">one</text>") == 1
    assert [float(left) for left in re.findall(r"%\{transform:translateX\((-?[\d.]+)px", text)] == [0, -1044.8, -2089.6]


def test_a_run_of_letters_is_as_wide_as_its_cells_and_markup_is_escaped():
    root = ElementTree.fromstring(svg(frames("  \x1b[1ma < b & c\x1b[0m 中")))
    texts = {element.text: element for element in root.iter(f"{SVG}text")}
    assert texts["a < b & c"].get("textLength") == "75.6"
    assert texts["a < b & c"].get("x") == "16.8"
    assert "b" in (texts["a < b & c"].get("class") or "").split()
    assert "m" in (texts["中"].get("class") or "").split()


@pytest.mark.parametrize(
    ("sign", "paths"),
    [
        ("──", ["M0 9H16.8"]),
        ("╭", ["M8.4 9Q4.2 9 4.2 18"]),
        ("━", ["M0 9H8.4"]),
        ("┠", ["M4.2 9L8.4 9", "M4.2 9L4.2 0M4.2 9L4.2 18"]),
    ],
)
def test_lines_are_drawn(sign: str, paths: list[str]):
    root = ElementTree.fromstring(svg(frames(sign)))
    assert [path.get("d") for path in root.iter(f"{SVG}path")] == paths


def test_colours_and_grounds_are_those_of_the_screen():
    text = svg(frames("\x1b[38;2;1;2;3m\x1b[48;2;4;5;6mred\x1b[0m"))
    assert "{color:#010203}" in text
    assert "{color:#040506}" in text
    root = ElementTree.fromstring(text)
    assert any(rect.get("width") == "25.5" for rect in root.iter(f"{SVG}rect"))


def test_the_key_that_was_pressed_is_shown():
    assert svg(frames("one", "two")).count(">yes</text>") == 1
