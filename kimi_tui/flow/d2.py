"""Reads D2's shapes and connections: a chart means here what it means to D2's own compiler.

One pass with a stack of open braces, so depth costs no recursion; the tree it fills is in `d2_tree`, the parts of
statements in `d2_statement`. Only the root board is read. What would take another file, or D2's whole engine of
patterns, is refused with its place: imports, spreads, `suspend`, and patterns that do more than style or connect.
"""

from enum import Enum, auto
from typing import NamedTuple

from kimi_tui.flow.chart_builder import MOST_EDGES, ChartBuilder
from kimi_tui.flow.d2_statement import BETWEEN, Link, Path, StatementScanner, Value
from kimi_tui.flow.d2_tree import Edge, Field, Tree
from kimi_tui.flow.d2_words import BOARDS, MEANINGFUL, RESERVED, STYLE_WORDS
from kimi_tui.flow.graph import Chart
from kimi_tui.flow.place import checked


def read_d2(text: str) -> Chart:
    """Nodes and edges as written; raises `FlowParseError` with line and column for what cannot be read."""
    return _Reader(checked(text)).read()


class _Inside(Enum):
    """What braces are open around a statement: those of shapes, of a pattern, or of another board."""

    SHAPE = auto()
    PATTERN = auto()
    BOARD = auto()


class _Open(NamedTuple):
    """An open brace: the field that what follows is said of, and where the brace stands."""

    scope: Field
    offset: int
    inside: _Inside = _Inside.SHAPE


class _Matching(NamedTuple):
    """A connection between patterns. It holds for shapes that come later as well, so it is made at the end."""

    scope: Field
    link: Link
    shared: Field


class _Reader:
    def __init__(self, text: str) -> None:
        self.scan = StatementScanner(text)
        self.tree = Tree(self.scan.places)
        self.open = [_Open(self.tree.root, 0)]
        self.written: dict[tuple[Field, str, Field], list[Edge]] = {}
        self.matching: list[_Matching] = []
        self.touched = 0

    def read(self) -> Chart:
        scan = self.scan
        scan.skip(BETWEEN)
        while scan.at < len(scan.text):
            self._statement()
            scan.skip(BETWEEN)
        if len(self.open) > 1:
            scan.fail("this `{` is never closed; end it with `}`", self.open[-1].offset)
        for matching in self.matching:
            self._connect_matches(matching)
        builder = ChartBuilder(scan.places)
        self.tree.fill(builder)
        return builder.chart("d2")

    def _statement(self) -> None:
        scan, start = self.scan, self.scan.at
        text = scan.text
        if text[start] == "}":
            self._close()
        elif text.startswith("...", start) or text[start] == "@":
            scan.fail("imports and spreads (`@file`, `...`) are not read; write their contents here")
        elif text[start] == "&" or text.startswith("!&", start):
            if self.open[-1].inside is _Inside.SHAPE:
                scan.fail("a filter (`&`) stands within the braces of a pattern only")
            scan.at = text.index("&", start) + 1
            scan.path()
            self._say(scan.value(), Field("", None, start))
        else:
            self._keys_or_connections(start)

    def _close(self) -> None:
        if len(self.open) == 1:
            self.scan.fail("this `}` closes nothing")
        closed = self.open.pop()
        if closed.inside is _Inside.PATTERN:
            self._check_pattern(closed.scope)
        self.scan.at += 1
        self.scan.end()

    def _keys_or_connections(self, start: int) -> None:
        scan, scope, inside = self.scan, self.open[-1].scope, self.open[-1].inside
        path = scan.path()
        if inside is _Inside.BOARD:
            self._other_board(path, start)
        elif inside is _Inside.PATTERN and (scan.at_arrow() or scan.text.startswith("(", scan.at)):
            scan.fail("a pattern that makes connections is not read; name the shapes", start)
        elif scan.text.startswith("(", scan.at):
            self._bracketed(scope, path, start)
        elif scan.at_arrow():
            self._connections(scope, scan.chain(path, start), start)
        elif not path:
            scan.fail(f"a name is expected here, but found `{scan.rest()}`")
        else:
            self._keys(scope, path, start)

    def _other_board(self, path: Path, start: int) -> None:
        """A statement of a board that is not the first: it is read, and means nothing here."""
        scan = self.scan
        if scan.text.startswith("(", scan.at):
            scan.bracketed()
            scan.index()
            scan.dotted()
        elif scan.at_arrow():
            scan.chain(path, start)
        elif not path:
            scan.fail(f"a name is expected here, but found `{scan.rest()}`")
        value = scan.value()
        if value.brace is not None:
            self.open.append(_Open(self.open[-1].scope, value.brace, _Inside.BOARD))

    def _keys(self, scope: Field, path: Path, start: int) -> None:
        value = self.scan.value()
        if any(key.pattern for key in path):
            self._pattern(path, value, start)
            return
        first = path[0]
        if first.bare and first.text.lower() in BOARDS:
            if scope.parent is not None or first.text not in BOARDS:
                self.scan.fail(
                    f"`{first.text}` is D2's own word for boards, at the top of a chart; quote it to name a shape",
                    first.offset,
                )
            if value.brace is not None:
                self.open.append(_Open(scope, value.brace, _Inside.BOARD))
            return
        if value.null and value.brace is None:
            self._delete(scope, path)
            return
        field = self._field(scope, path)
        if value.suspends and not field.reserved:
            self.scan.fail(
                "`suspend` and `unsuspend` are not read; put the word in quotes if it is a label", value.offset
            )
        self._say(value, field)

    def _connections(self, scope: Field, links: list[Link], start: int) -> None:
        for link in links:
            for key in link.keys:
                if key.bare and key.text.lower() in RESERVED:
                    self.scan.fail(f"`{key.text}` is a word of D2's own; put it in quotes to name a shape", key.offset)
        value = self.scan.value()
        if value.null and value.brace is None:
            return
        shared = Field("", scope, start)
        for link in links:
            if link.pattern:
                self.matching.append(_Matching(scope, link, shared))
                for keys in (link.source, link.target):
                    if not any(key.pattern for key in keys):
                        self._field(scope, keys)
            else:
                source, target = self._field(scope, link.source), self._field(scope, link.target)
                self._connect(source, link.arrow, target, shared=shared, offset=link.offset)
        self._say(value, shared)

    def _bracketed(self, scope: Field, prefix: Path, start: int) -> None:
        """`(a -> b)`, or with an index, the connections of that name that are there: `(a -> b)[0].style.x: y`."""
        scan, opened = self.scan, self.scan.at
        if prefix:
            scope = self._field(scope, prefix)
        links = scan.bracketed()
        index = scan.index()
        if index is None:
            self._connections(scope, links, start)
            return
        attribute = scan.dotted()
        value = scan.value()
        if any(link.pattern for link in links):
            self._pattern(attribute, value, start)
            return
        edges = self._indexed(scope, links, index, opened)
        said = Field("", scope, start)
        if value.null and value.brace is None and not attribute:
            for edge in edges:
                edge.gone = True
            return
        for edge in edges:
            edge.layers.append(said)
        self._say(value, self._field(said, attribute) if attribute else said)

    def _indexed(self, scope: Field, links: list[Link], index: str, opened: int) -> list[Edge]:
        found: list[Edge] = []
        for link in links:
            ends = self._field(scope, link.source), link.arrow, self._field(scope, link.target)
            edges = self.written.get(ends, [])
            if index == "*":
                found += edges
            elif int(index) < len(edges):
                found.append(edges[int(index)])
            else:
                self.scan.fail("there is no such connection above this line", opened)
            self._count(len(edges) if index == "*" else 1, opened)
        return found

    def _say(self, value: Value, field: Field) -> None:
        """Puts a value into a field, and opens its braces if they follow."""
        if value.scalar is not None:
            field.value, field.value_offset = value.scalar, value.offset
        if value.items:
            field.values = list(value.items)
        if value.brace is not None:
            self.open.append(_Open(field, value.brace, self.open[-1].inside))

    def _delete(self, scope: Field, path: Path) -> None:
        here = self._above(scope, path)
        for key in path:
            if key.bare and key.text == "_":
                continue
            found = here.children.get((key.text.lower(), key.bare and key.text.lower() in RESERVED))
            if found is None:
                return
            here = found
        if here.parent is not None:
            here.parent.children.pop((here.name.lower(), here.reserved), None)

    def _field(self, scope: Field, path: Path) -> Field:
        """The field of a path, made with all above it where it is not there yet."""
        here = self._above(scope, path)
        for at, key in enumerate(path):
            if key.bare and key.text == "_":
                if at and not (path[at - 1].bare and path[at - 1].text == "_"):
                    self.scan.fail("`_`, the parent, stands only at the beginning of a path", key.offset)
                continue
            made = self.tree.child(here, key.text, key.offset, bare=key.bare)
            if made.reserved and not here.reserved and made.name.lower() in STYLE_WORDS:
                self.scan.fail(f"`{key.text}` must be `style.{key.text}`; put it in quotes to name a shape", key.offset)
            here = made
        if path[-1].bare and path[-1].text == "_":
            self.scan.fail("`_` means the parent; name a shape after it, as in `_.a`", path[-1].offset)
        return here

    def _above(self, scope: Field, path: Path) -> Field:
        for key in path:
            if not (key.bare and key.text == "_"):
                break
            if scope.parent is None:
                self.scan.fail("`_` means the parent, and there is none here", key.offset)
            scope = scope.parent
        return scope

    def _connect(self, source: Field, arrow: str, target: Field, *, shared: Field, offset: int) -> None:
        edge = Edge(source, target, arrow, shared=shared, offset=offset)
        self.tree.edges.append(edge)
        self.written.setdefault((source, arrow, target), []).append(edge)

    def _connect_matches(self, matching: _Matching) -> None:
        link = matching.link
        sources, targets = self._matches(matching.scope, link.source), self._matches(matching.scope, link.target)
        for source in sources:
            for target in targets:
                if source is not target:
                    self._count(1, link.offset)
                    self._connect(source, link.arrow, target, shared=matching.shared, offset=link.offset)

    def _matches(self, scope: Field, keys: Path) -> list[Field]:
        last = keys[-1]
        if any(key.pattern for key in keys[:-1]) or "**" in last.text:
            self.scan.fail(
                "this pattern is not read in a connection; use one `*` at its end, or name the shapes", last.offset
            )
        if not last.pattern:
            return [self._field(scope, keys)]
        inner = self._field(scope, keys[:-1]) if len(keys) > 1 else scope
        parts = last.text.lower().split("*")
        self._count(len(inner.children) * len(parts), last.offset)
        return [shape for shape in inner.shapes() if _is_like(shape.name.lower(), parts)]

    def _count(self, touched: int, offset: int) -> None:
        self.touched += touched
        if self.touched > MOST_EDGES:
            self.scan.fail(f"patterns and indices up to here touch more than {MOST_EDGES} shapes and edges", offset)

    def _pattern(self, path: Path, value: Value, start: int) -> None:
        """What is said of all shapes that match. Styles have no meaning here; anything else is refused."""
        patterns = [at for at, key in enumerate(path) if key.pattern] or [-1]
        if patterns[0] > 0:
            self._field(self.open[-1].scope, path[: patterns[0]])
        named = path[patterns[-1] + 1 :]
        said = Field("", None, start)
        field = said
        for key in named:
            field = self.tree.child(field, key.text, key.offset, bare=key.bare)
        self._say(value, field)
        if value.brace is not None:
            self.open[-1] = _Open(field, value.brace, _Inside.PATTERN)
        only_name = not named and (value.scalar is not None or value.brace is None)
        if only_name or patterns[-1] - patterns[0] >= len(patterns):
            self.scan.fail(
                "a pattern that makes, labels, deletes or suspends shapes is not read; name the shapes", start
            )
        self._check_pattern(said)

    def _check_pattern(self, said: Field) -> None:
        for field in said.children.values():
            if not field.reserved or field.name.lower() in MEANINGFUL:
                self.scan.fail("a pattern that makes or labels shapes is not read; name the shapes", field.offset)


def _is_like(name: str, parts: list[str]) -> bool:
    """Whether a name is made of these parts in order, with anything between them."""
    if not name.startswith(parts[0]):
        return False
    at = len(parts[0])
    for part in parts[1:-1]:
        found = name.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return len(name) - at >= len(parts[-1]) and name.endswith(parts[-1])
