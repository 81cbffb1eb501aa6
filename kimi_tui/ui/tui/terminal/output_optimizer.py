"""SGR output optimizer: sends style changes as differences, to save bytes.

Textual ends every styled segment with a reset and starts the next with all of its codes. `optimize_sgr` tracks the
state and sends the changes; it resets the state before any unknown sequence, and at the end.
"""

import re
from functools import lru_cache

from textual.driver import Driver

from kimi_tui.ui.tui.terminal.column_guard import pin_columns

_PIECE = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|(\x1b)")

# Attribute -> the code that ends it; 1 and 2 share theirs.
_OFF = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "8": "28", "9": "29"}

State = tuple[str, str, frozenset[str]]  # foreground, background, attributes
_NONE: State = ("", "", frozenset())
_SEEN_ON_BLANKS = frozenset("479")  # underline, reverse, strike
_HIDE_CARET, _SHOW_CARET = "\x1b[?25l", "\x1b[?25h"
_SHORTEST = 8  # minimum run of spaces for an erase


@lru_cache(maxsize=4096)
def _state(codes: str) -> State | None:
    """The state that an SGR sequence after a reset sets; None if it contains an unknown code."""
    foreground = background = ""
    attributes: set[str] = set()
    parts = codes.split(";")
    at = 0
    while at < len(parts):
        code = parts[at]
        if code in ("38", "48"):
            size = {"2": 5, "5": 3}.get(parts[at + 1] if at + 1 < len(parts) else "")
            if size is None or at + size > len(parts):
                return None
            colour = ";".join(parts[at : at + size])
            at += size
        elif code in _OFF:
            attributes.add(code)
            at += 1
            continue
        elif code.isdigit() and (30 <= int(code) <= 49 or 90 <= int(code) <= 107):
            colour = code
            at += 1
        else:
            return None
        if colour[0] == "3" or colour[0] == "9":
            foreground = colour
        else:
            background = colour
    return foreground, background, frozenset(attributes)


@lru_cache(maxsize=8192)
def _between(old: State, new: State) -> str:
    """The shortest sequence from one state to another."""
    if old == new:
        return ""
    whole = ";".join([*sorted(new[2]), *filter(None, new[:2])])
    reset = f"\x1b[0;{whole}m" if whole else "\x1b[0m"
    codes: list[str] = []
    gone = old[2] - new[2]
    kept = new[2] & old[2]
    for attribute in sorted(gone):
        if _OFF[attribute] not in codes:
            codes.append(_OFF[attribute])
    if "22" in codes:
        kept -= {"1", "2"}
    codes += sorted(new[2] - kept)
    for index, default in ((0, "39"), (1, "49")):
        if old[index] != new[index]:
            codes.append(str(new[index]) or default)
    change = f"\x1b[{';'.join(codes)}m"
    return change if len(change) < len(reset) else reset


class _Writer:
    """Collects output: styles as differences, a long run of spaces before a cursor move as one erase."""

    def __init__(self, *, erase: bool) -> None:
        self.out: list[str] = []
        self.now = self.wanted = _NONE
        self._erase = erase
        self._blanks = 0

    def text(self, text: str) -> None:
        if text == "\n":  # between rows, before a cursor move
            return
        self.settle()
        kept = text.rstrip(" ") if self._erase and not self.wanted[2] & _SEEN_ON_BLANKS else text
        if len(text) - len(kept) < _SHORTEST:
            kept = text
        if kept:
            self.out.append(kept)
        self._blanks = len(text) - len(kept)

    def settle(self) -> None:
        """Write the pending spaces, and apply the requested state."""
        if self._blanks:
            self.out.append(" " * self._blanks)
            self._blanks = 0
        self.out.append(_between(self.now, self.wanted))
        self.now = self.wanted

    def move(self, sequence: str) -> None:
        """Write a cursor move to an absolute position."""
        if self._blanks:
            self.out.append(f"\x1b[{self._blanks}X")
            self._blanks = 0
        self.out.append(sequence)

    def other(self, sequence: str) -> None:
        """Write a sequence unchanged."""
        self.settle()
        self.out.append(sequence)


def optimize_sgr(data: str, *, erase: bool = True) -> str:
    """Return `data` with the same effect in fewer bytes; it starts and ends with a reset state.

    `erase` is for terminals that erase with the current background ("bce"), which all but GNU screen do.
    """
    if "\x1b[0m" not in data:
        return data
    writer = _Writer(erase=erase)
    at = 0
    for match in _PIECE.finditer(data):
        start, at_before = match.start(), at
        at = match.end()
        if start > at_before:
            writer.text(data[at_before:start])
        codes, final, _ = match.groups()
        if final == "m":
            state = _NONE if codes in ("", "0") else _state(codes) if writer.wanted == _NONE else None
            if state is None:  # nested or unknown codes: not shortened
                return data
            writer.wanted = state
        elif final == "H":
            writer.move(match.group())
        else:
            writer.wanted, before = _NONE, writer.wanted
            writer.other(match.group())
            writer.wanted = before
    if at < len(data):
        writer.text(data[at:])
    writer.wanted = _NONE
    writer.settle()
    return "".join(writer.out)


def optimizing_driver(
    driver: type[Driver], *, erase: bool = True, whole: bool = False, caret: bool = False
) -> type[Driver]:
    """Return a driver class that optimizes the output of `driver` and pins every column.

    `whole`: the terminal draws composed pictographs as one. `caret`: the terminal's own cursor stays visible, because
    screen readers follow it. For `App.get_driver_class`.
    """

    class TerseDriver(driver):
        def write(self, data: str) -> None:
            if caret and data == _HIDE_CARET:
                data = _SHOW_CARET
            super().write(pin_columns(optimize_sgr(data, erase=erase), whole=whole))

    return TerseDriver
