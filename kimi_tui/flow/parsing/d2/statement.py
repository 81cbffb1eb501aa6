"""Scans the parts of D2 statements: paths, chains of connections, values and lists.

`pos` is the current place. The scanner does not interpret statements.
"""

import re
from typing import NamedTuple, NoReturn

from kimi_tui.flow.parsing.d2.strings import (
    VARIABLE,
    Key,
    Scalar,
    Variable,
    read_bare_value,
    read_block,
    read_double,
    read_key,
    read_single,
)
from kimi_tui.flow.parsing.source_position import SourcePositions
from kimi_tui.i18n import UserText, tr

SEPARATORS = re.compile(r'(?:[\s;]+|#[^\n]*|"""(?:[^"]|"(?!""))*""")*')
_SPACES = re.compile(r"(?:[^\S\n]|\\\n)*")
_ARROW = re.compile(r"(?:<-*|-+(?=[->])-*)>?")
_INDEX = re.compile(r"\[\s*([0-9]{1,9}|\*)\s*\]")
_LIST_GAP = re.compile(r"(?:[\s;]+|#[^\n]*)*")

_NEVER_SKIPPED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:<>-{}.")

Path = list[Key]


class Link(NamedTuple):
    """Two ends and the arrow between them, normalized to one of `->`, `<-`, `<->` and `-`."""

    source: Path
    arrow: str
    target: Path
    offset: int

    @property
    def keys(self) -> Path:
        return [*self.source, *self.target]

    @property
    def pattern(self) -> bool:
        return any(key.pattern for key in self.keys)


class Value(NamedTuple):
    """The value after a name: a text, a list, braces that open here, or several of them; or nothing."""

    scalar: Scalar | None = None
    items: tuple[Scalar, ...] = ()
    brace: int | None = None
    offset: int = 0

    @property
    def null(self) -> bool:
        return self._is_word("null")

    @property
    def suspends(self) -> bool | None:
        """True for `suspend`, False for `unsuspend`; None for anything else."""
        return True if self._is_word("suspend") else False if self._is_word("unsuspend") else None

    def without_text(self) -> "Value":
        return Value(None, self.items, self.brace, self.offset)

    def _is_word(self, word: str) -> bool:
        scalar = self.scalar
        return scalar is not None and scalar.bare and len(scalar.pieces) == 1 and scalar.text.lower() == word


class StatementScanner:
    """Scans one text from `pos` on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.positions = SourcePositions(text)

    def path(self, *, bracketed: bool = False) -> Path:
        """The parts of `a.b.c`; skips the spaces behind it. Within brackets, a bracket ends it."""
        path: Path = []
        while True:
            self.skip(_SPACES)
            if self.text.startswith("(", self.pos):
                return path
            read = read_key(self.text, self.pos, self.positions, bracketed=bracketed)
            if read is None:
                return path
            key, self.pos = read
            path.append(key)
            self.skip(_SPACES)
            if not self.text.startswith(".", self.pos):
                return path
            self.pos += 1

    def at_arrow(self) -> bool:
        return _ARROW.match(self.text, self.pos) is not None

    def chain(self, first: Path, start: int, *, bracketed: bool = False) -> list[Link]:
        """The links of `a -> b <- c`, from the first arrow on."""
        links: list[Link] = []
        source = first
        while arrow := _ARROW.match(self.text, self.pos):
            pos, arrow_text = self.pos, arrow.group()
            if not source:
                self.fail(tr("this connection has no source; name a shape before the arrow"), start)
            self.pos = arrow.end()
            target = self.path(bracketed=bracketed)
            if not target:
                self.fail(tr("this connection has no destination; name a shape after the arrow"), pos)
            arrow_sign = ("<" if arrow_text[0] == "<" else "") + "-" + (">" if arrow_text[-1] == ">" else "")
            links.append(Link(source, arrow_sign, target, pos))
            source = target
        return links

    def bracketed(self) -> list[Link]:
        """The links of `(a -> b)`, whose bracket is at the current place."""
        start_pos = self.pos
        self.pos += 1
        start = self.pos
        links = self.chain(self.path(bracketed=True), start, bracketed=True)
        self.skip(_SPACES)
        if not links or not self.text.startswith(")", self.pos):
            self.fail(
                tr("parentheses at the start of a line must contain a connection, as in `(a -> b)[0]`"), start_pos
            )
        self.pos += 1
        self.skip(_SPACES)
        return links

    def index(self) -> str | None:
        match = _INDEX.match(self.text, self.pos)
        if match is None:
            return None
        self.pos = match.end()
        return match.group(1)

    def dotted(self) -> Path:
        """The path after an index: `.style.fill`, or nothing."""
        if not self.text.startswith(".", self.pos):
            self.skip(_SPACES)
            return []
        self.pos += 1
        return self.path()

    def value(self) -> Value:
        """`: text`, `: {`, ` {`, `: text {`, `: [list]`, or nothing. Skips an opening brace."""
        start = self.pos
        if self.text.startswith("{", start):
            self.pos += 1
            return Value(brace=start, offset=start)
        if not self.text.startswith(":", start):
            self.end()
            return Value(offset=start)
        self.pos += 1
        self.skip(_SPACES)
        offset = self.pos
        if self.text.startswith("{", offset):
            self.pos += 1
            return Value(brace=offset, offset=offset)
        if self.text.startswith("[", offset):
            items = self._list()
            self.end()
            return Value(items=items, offset=offset)
        scalar = self._scalar()
        self.skip(_SPACES)
        if self.text.startswith("{", self.pos):
            self.pos += 1
            return Value(scalar, (), self.pos - 1, offset)
        self.end()
        return Value(scalar, (), None, offset)

    def spread(self) -> tuple[Variable, int]:
        """`...${x}` at the current place, and the offset after it."""
        variable = VARIABLE.match(self.text, self.pos + 3)
        if variable is None:
            self.fail(tr("this variable is never closed; end it with `{end}`", end="}"))
        return Variable(variable.group(1).strip(), self.pos), variable.end()

    def _scalar(self) -> Scalar:
        text, pos = self.text, self.pos
        if pos >= len(text) or text[pos] in "\n;}]#":
            self.fail(tr("missing value after `:`"), pos - 1)
        if text.startswith("...${", pos):
            variable, self.pos = self.spread()
            return Scalar((variable,), True, True)
        if text[pos] == "@" or text.startswith("...@", pos):
            self.fail(tr("imports (`@file`) are not supported; write their contents here"))
        if text[pos] == '"':
            scalar, self.pos = read_double(text, pos, self.positions)
        elif text[pos] == "'":
            single, self.pos = read_single(text, pos, self.positions)
            scalar = Scalar((single,))
        elif text[pos] == "|":
            scalar, self.pos = read_block(text, pos, self.positions)
        else:
            scalar, self.pos = read_bare_value(text, pos)
        return scalar

    def _list(self) -> tuple[Scalar, ...]:
        """The texts of `[a; b]`; skips lists and braces within it."""
        start_pos, closers = self.pos, ["]"]
        self.pos += 1
        items: list[Scalar] = []
        while closers:
            self.skip(_LIST_GAP)
            if self.pos >= len(self.text):
                self.fail(tr("this `{sign}` is never closed; end it with `{end}`", sign="[", end="]"), start_pos)
            character = self.text[self.pos]
            if character == closers[-1]:
                closers.pop()
                self.pos += 1
            elif character in "[{":
                closers.append("]" if character == "[" else "}")
                self.pos += 1
            elif character in "]}":
                self.fail(
                    tr("expected `{expected}` here, found `{character}`", expected=closers[-1], character=character)
                )
            else:
                item = self._scalar()
                if len(closers) == 1:
                    items.append(item)
        return tuple(items)

    def end(self) -> None:
        """Check that the statement ends here."""
        self.skip(_SPACES)
        if self.text.startswith("-", self.pos):
            self.fail(tr("a name cannot end with a dash; complete the connection (`->`, `--`), or quote the name"))
        if self.pos < len(self.text) and self.text[self.pos] not in "\n;}#":
            self.fail(
                tr(
                    "unexpected `{found}`; end the statement with a line break or `;`, or quote the text",
                    found=self.remaining_text(),
                )
            )

    def remaining_text(self) -> str:
        return self.text[self.pos : self.pos + 16].split("\n", 1)[0]

    def skip(self, pattern: re.Pattern[str]) -> None:
        if self.text[self.pos : self.pos + 1] in _NEVER_SKIPPED:
            return
        match = pattern.match(self.text, self.pos)
        if match is not None:
            self.pos = match.end()

    def fail(self, cause: UserText, offset: int | None = None) -> NoReturn:
        raise self.positions.error(cause, self.pos if offset is None else offset)
