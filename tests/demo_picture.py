"""`make demo-picture`: plays the demo in a terminal and writes `snapshots/demo.svg`, the moving picture of the README.

The SVG is a strip of frames, side by side, that an animation in CSS moves behind a window. Each distinct row of the
screen is stored once. It holds no script and loads nothing, so GitHub shows it within a page.
"""

import itertools
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from xml.sax.saxutils import escape

from pyte.screens import Char
from wcwidth import wcwidth

from tests.faults.terminal import Terminal

OUT = Path(__file__).parents[1] / "snapshots/demo.svg"
COLUMNS, ROWS = 122, 41
CELL_X, CELL_Y, TITLE, PAD = 8.4, 18, 34, 10
"""In SVG units: a cell, the title bar, the space around the screen."""
SAMPLE_S, FRAME_S, KEY_S, QUIET_S = 0.02, 0.3, 1.5, 0.05
"""How often the screen is looked at, and the shortest times for a frame and a key: what is faster is slowed down;
and how long a paint may take."""
STILL = "Shell asks to run"
"""The frame that is shown where nothing moves: the first with this text."""
_HEADING = "conversation"
"""The frames begin when the screen has this text."""
KEYS: tuple[tuple[str, float, str, str], ...] = (
    ("Shell asks to run", 2.4, "a", "approve for this session"),
    ("Edit asks to", 2.6, "y", "approve this edit"),
    ("Edit asks to", 2.2, "y", "approve this edit"),
)
"""What is pressed: the text on the screen, the seconds after it, the key, what it means."""
END, END_S = "· finished ·", 5.0

_LINES = {
    "─": "lr", "│": "ud", "╭": "rd", "╮": "ld", "╰": "ru", "╯": "lu", "├": "udr", "┤": "udl", "┬": "lrd", "┴": "lru",
    "┼": "lrud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu", "━": "LR", "┃": "UD", "┏": "RD", "┓": "LD", "┗": "RU",
    "┛": "LU", "┣": "UDR", "┫": "UDL", "┳": "LRD", "┻": "LRU", "╋": "LRUD", "┠": "UDr", "┨": "UDl", "┯": "LRd",
    "┷": "LRu", "┝": "udR", "┥": "udL", "┰": "lrD", "┸": "lrU",
}  # fmt: skip
"""The sides of its cell that each sign joins, in capitals where the line is heavy."""
_ROUND = frozenset("╭╮╰╯")
_PLAIN = re.compile(r"[\x20-\x7e…·“”‘’–—×]")

Cell = tuple[str, str, str, bool, bool]
"""Text, colour, background, bold, underlined."""
Row = tuple[Cell, ...]


@dataclass
class Frame:
    """A screen, when it was first seen (seconds), and the last key that was pressed."""

    at: float
    rows: tuple[Row, ...]
    key: str = ""


@dataclass
class Strip:
    """The distinct rows, and the classes of their texts."""

    rows: dict[Row, str] = field(default_factory=dict)
    colours: dict[str, str] = field(default_factory=dict)

    def row(self, row: Row) -> str:
        return self.rows.setdefault(row, f"r{len(self.rows)}")

    def colour(self, colour: str) -> str:
        return self.colours.setdefault(colour, f"c{len(self.colours)}")


# -- recording -----------------------------------------------------------------------------------------------------


def record() -> list[Frame]:
    """Play the demo and return its frames."""
    with tempfile.TemporaryDirectory() as home:
        env = {"KIMI_TUI_HOME": home, "HOME": home, "COLORTERM": "truecolor", "TMPDIR": "/tmp"}
        with Terminal(["--demo"], cwd=Path(home), env=env, rows=ROWS, columns=COLUMNS) as terminal:
            return list(_play(terminal))


def _play(terminal: Terminal) -> Iterator[Frame]:
    frames: list[Frame] = []
    began, keys, key, seen_at, gone = time.monotonic(), list(KEYS), "", 0.0, ""
    while True:
        until = time.monotonic() + SAMPLE_S
        while (left := until - time.monotonic()) > 0:
            terminal.read(left)
        while terminal.read(0.01) and time.monotonic() < until + QUIET_S:
            pass  # it paints
        now = time.monotonic() - began
        rows = tuple(_row(terminal, y) for y in range(ROWS))
        if _HEADING in terminal.text and (not frames or rows != frames[-1].rows):
            frames.append(Frame(now, rows, key))
            yield frames[-1]
        text = terminal.text
        wanted = keys[0][0] if keys else END
        if gone and gone not in text:
            gone = ""
        if wanted not in text or gone:
            seen_at = 0.0
            if now > 90:
                raise SystemExit(f"{wanted!r} does not come; on screen:\n{text}")
            continue
        seen_at = seen_at or now
        if not keys:
            break
        _text, wait, name, meaning = keys[0]
        if now - seen_at >= wait:
            terminal.type(name.encode())
            key, gone, seen_at = f"{name}  {meaning}", wanted, 0.0
            del keys[0]


def _row(terminal: Terminal, y: int) -> Row:
    return tuple(_cell(terminal.screen.buffer[y][x]) for x in range(COLUMNS))


def _cell(char: Char) -> Cell:
    colour, ground = (char.bg, char.fg) if char.reverse else (char.fg, char.bg)
    return char.data, colour, ground, char.bold, char.underscore


# -- drawing -------------------------------------------------------------------------------------------------------


_FONTS = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace'
_STYLE = f"""\
text{{{{font:14px {_FONTS};white-space:pre;fill:currentColor}}}}
.b{{{{font-weight:700}}}} .u{{{{text-decoration:underline}}}} .m{{{{text-anchor:middle}}}} rect{{{{fill:currentColor}}}}
path{{{{fill:none;stroke:currentColor;stroke-width:1.2}}}} path.h{{{{stroke-width:2.4}}}}
{{colours}}
.strip{{{{transform:translateX({{still:g}}px);animation:play {{seconds}}s step-end infinite}}}}
@media (prefers-reduced-motion:reduce){{{{.strip{{{{animation:none}}}}}}}}
@keyframes play{{{{{{steps}}}}}}"""


def svg(frames: list[Frame]) -> str:
    """The picture: `frames` side by side, and the animation that shows one after the other."""
    strip = Strip()
    width, height = COLUMNS * CELL_X + 2 * PAD, ROWS * CELL_Y + TITLE + PAD
    still = next(index for index, frame in enumerate(frames) if STILL in _text(frame))
    starts = _starts(frames)
    total = starts[-1] + END_S
    keys = _keys_shown(frames, starts)
    placed = "\n".join(_frame(frame, keys[at], strip, at * width) for at, frame in enumerate(frames))
    steps = " ".join(
        f"{100 * start / total:.2f}%{{transform:translateX({-index * width:g}px)}}"
        for index, start in enumerate(starts)
    )
    rows = "\n".join(f'<g id="{name}">{"".join(_drawn(row, strip))}</g>' for row, name in strip.rows.items())
    colours = "".join(f".{name}{{color:#{colour}}}" for colour, name in strip.colours.items())
    style = _STYLE.format(colours=colours, still=-still * width, seconds=f"{total:.1f}", steps=steps)
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img">
<title>kimi-tui --demo</title>
<desc>A model runs the tests of a small project, needs a yes for each command and edit, and follows a flow chart.</desc>
<style>
{style}
</style>
<defs>
{rows}
</defs>
<rect width="{width:g}" height="{height:g}" rx="9" color="#10131b"/>
<circle cx="18" cy="17" r="5.5" fill="#ec8590"/><circle cx="37" cy="17" r="5.5" fill="#e1b96f"/>\
<circle cx="56" cy="17" r="5.5" fill="#8ac79b"/>
<text x="{width / 2:g}" y="21.5" color="#8d95aa" class="m">kimi-tui --demo</text>
<g class="strip">
{placed}
</g>
</svg>
"""


def _starts(frames: list[Frame]) -> list[float]:
    """When each frame begins, in seconds."""
    starts = [0.0]
    for before, after in itertools.pairwise(frames):
        starts.append(starts[-1] + max(FRAME_S, after.at - before.at))
    return starts


def _keys_shown(frames: list[Frame], starts: list[float]) -> list[str]:
    """The key that each frame shows: that of the last press, for a while."""
    shown: list[str] = []
    pressed = 0.0
    for at, frame in enumerate(frames):
        if at == 0 or frame.key is not frames[at - 1].key:
            pressed = starts[at]
        shown.append(frame.key if starts[at] - pressed < KEY_S else "")
    return shown


def _frame(frame: Frame, key: str, strip: Strip, left: float) -> str:
    uses = "".join(
        f'<use href="#{strip.row(row)}" y="{y * CELL_Y}"/>' for y, row in enumerate(frame.rows) if not _is_empty(row)
    )
    return f'<g transform="translate({left + PAD:g} {TITLE})">{uses}{_key(key)}</g>'


def _key(key: str) -> str:
    """The key that was pressed, at the right of the title bar."""
    if not key:
        return ""
    name, meaning = key.split("  ")
    right, top = COLUMNS * CELL_X, -TITLE + 7
    end = right - (len(meaning) * CELL_X + 10)
    return (
        f'<text x="{right:g}" y="{top + 14.5:g}" color="#d3d8e4" text-anchor="end">{meaning}</text>'
        f'<rect x="{end - 24:g}" y="{top}" width="22" height="20" rx="4" color="#e1b96f"/>'
        f'<text x="{end - 13:g}" y="{top + 14.5:g}" color="#10131b" class="b m">{name}</text>'
    )


def _text(frame: Frame) -> str:
    return "\n".join("".join(cell[0] for cell in row) for row in frame.rows)


def _is_empty(row: Row) -> bool:
    return all(not cell[0].strip() and cell[2] in _GROUND for cell in row)


_GROUND = ("default", "10131b")
_DEFAULT = "d3d8e4"


def _drawn(row: Row, strip: Strip) -> Iterator[str]:
    x = 0
    for ground, cells in groupby(row, key=lambda cell: cell[2]):
        count = len(list(cells))
        if ground not in _GROUND:
            yield (
                f'<rect class="{strip.colour(ground)}" x="{x * CELL_X:g}" width="{count * CELL_X + 0.3:g}" '
                f'height="{CELL_Y + 0.3:g}"/>'
            )
        x += count
    yield from _texts(row, strip)


def _texts(row: Row, strip: Strip) -> Iterator[str]:
    """Runs of letters are stretched to their cells; lines are drawn, and each other sign stands in its own cell."""
    x = 0
    for (kind, colour, bold, underlined), cells in groupby(_styles(row), key=itemgetter(0)):
        text = "".join(cell[1] for cell in cells)
        columns = sum(max(1, wcwidth(char)) for char in text)
        named = strip.colour(_DEFAULT if colour == "default" else colour) if text.strip() else ""
        if text.strip() and kind == "text":
            shown = text.rstrip()
            blank = len(shown) - len(shown.lstrip())
            shown = shown.lstrip()
            classes = " ".join((named, *(["b"] if bold else []), *(["u"] if underlined else [])))
            yield (
                f'<text class="{classes}" x="{(x + blank) * CELL_X:.4g}" y="13.5" '
                f'textLength="{len(shown) * CELL_X:.4g}">{escape(shown)}</text>'
            )
        elif kind == "line":
            yield from _lines(text, x, named)
        elif kind == "bar":
            for at, char in enumerate(text):
                yield _bar(char, x + at, named)
        elif text.strip():
            at = x
            for char in text:
                yield (
                    f'<text class="{named} m{" b" if bold else ""}" x="{(at + wcwidth(char) / 2) * CELL_X:.4g}" '
                    f'y="13.5">{escape(char)}</text>'
                )
                at += max(1, wcwidth(char))
        x += columns


def _styles(row: Row) -> Iterator[tuple[tuple[str, str, bool, bool], str]]:
    """Each cell's kind and style, and its text; a space has the style of the letters before it."""
    before = ("", "", False, False)
    for text, colour, _ground, bold, underlined in row:
        char = text or " "
        if char != " " or before[0] != "text":
            before = (_kind(char), colour, bold, underlined)
        yield before, text


def _kind(char: str) -> str:
    if char in _LINES:
        return "line"
    return "bar" if "▁" <= char <= "▐" else "text" if _PLAIN.fullmatch(char) else "sign"


def _lines(text: str, x: int, colour: str) -> Iterator[str]:
    """Lines from the middle of each cell to its sides; the corners of a box are rounded."""
    middle_y, light, heavy = CELL_Y / 2, "", ""
    for char, run in groupby(text):
        count = len(list(run))
        if char in "─━":
            piece = f"M{x * CELL_X:.4g} {middle_y:g}H{(x + count) * CELL_X:.4g}"
            light, heavy = (light + piece, heavy) if char == "─" else (light, heavy + piece)
        else:
            for at in range(x, x + count):
                light += _joined(char, at, str.islower)
                heavy += _joined(char, at, str.isupper)
        x += count
    if light:
        yield f'<path class="{colour}" d="{light}"/>'
    if heavy:
        yield f'<path class="{colour} h" d="{heavy}"/>'


def _joined(char: str, x: int, of_weight: Callable[[str], bool]) -> str:
    middle_x, middle_y = (x + 0.5) * CELL_X, CELL_Y / 2
    ends = {
        "l": (x * CELL_X, middle_y),
        "r": ((x + 1) * CELL_X, middle_y),
        "u": (middle_x, 0.0),
        "d": (middle_x, CELL_Y),
    }
    sides = [ends[side.lower()] for side in _LINES[char] if of_weight(side)]
    if char in _ROUND and sides:
        (from_x, from_y), (to_x, to_y) = sides
        return f"M{from_x:.4g} {from_y:g}Q{middle_x:.4g} {middle_y:g} {to_x:.4g} {to_y:g}"
    return "".join(f"M{middle_x:.4g} {middle_y:g}L{to_x:.4g} {to_y:g}" for to_x, to_y in sides)


def _bar(char: str, x: int, colour: str) -> str:
    """A block element: a part of the cell from below, or from the left."""
    if "▁" <= char <= "█":
        high = (ord(char) - ord("▁") + 1) / 8 * CELL_Y
        return (
            f'<rect class="{colour}" x="{x * CELL_X:.4g}" y="{CELL_Y - high:g}" width="{CELL_X + 0.2:g}" '
            f'height="{high:g}"/>'
        )
    wide = (ord("█") - ord(char) + 8) / 8 * CELL_X if char != "▐" else CELL_X / 2
    return f'<rect class="{colour}" x="{x * CELL_X:.4g}" width="{wide:.4g}" height="{CELL_Y}"/>'


def main() -> None:
    frames = record()
    text = svg(frames)
    OUT.write_text(text, "utf-8")
    print(f"{OUT}: {len(frames)} frames, {frames[-1].at + END_S:.0f} s, {len(text) // 1024} KB", file=sys.stderr)


if __name__ == "__main__":
    main()
