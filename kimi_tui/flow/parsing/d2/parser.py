"""Parses D2's shapes and connections as D2's own compiler interprets them.

One pass with a stack of open braces, so depth costs no recursion; `tree` has the resulting tree, `statement` the parts
of statements, `globs` the patterns. Only the root board is parsed. References to other files, and the few unsupported
patterns, are errors with their place.
"""

from enum import Enum, auto
from itertools import takewhile
from typing import NamedTuple

from kimi_tui.flow.model.graph import Chart
from kimi_tui.flow.parsing.chart_builder import ChartBuilder
from kimi_tui.flow.parsing.d2.globs import Filter, Match, PatternConnection, Patterns, Rule, suspend
from kimi_tui.flow.parsing.d2.keywords import BOARDS, RESERVED, STYLE_WORDS
from kimi_tui.flow.parsing.d2.statement import SEPARATORS, Link, Path, StatementScanner, Value
from kimi_tui.flow.parsing.d2.substitutions import Spreads, substitute
from kimi_tui.flow.parsing.d2.tree import Edge, Field, Tree
from kimi_tui.flow.parsing.source_position import check_size
from kimi_tui.i18n import tr


def read_d2(text: str) -> Chart:
    """Nodes and edges as written. Raises `FlowParseError` with line and column for text that cannot be parsed."""
    return _Reader(check_size(text)).read()


class _BlockKind(Enum):
    """The kind of braces around a statement: of shapes, of a pattern, or of another board."""

    SHAPE = auto()
    PATTERN = auto()
    BOARD = auto()


class _Open(NamedTuple):
    """An open brace: the field that its statements apply to, and the place of the brace."""

    scope: Field
    offset: int
    inside: _BlockKind = _BlockKind.SHAPE
    rule: Rule | None = None


class _Reader:
    def __init__(self, text: str) -> None:
        self.scan = StatementScanner(text)
        self.tree = Tree(self.scan.positions)
        self.open = [_Open(self.tree.root, 0)]
        self.patterns = Patterns(self.tree)
        self.spreads: Spreads = {}

    def read(self) -> Chart:
        scan = self.scan
        scan.skip(SEPARATORS)
        while scan.pos < len(scan.text):
            self._statement()
            scan.skip(SEPARATORS)
        if len(self.open) > 1:
            scan.fail(tr("this `{sign}` is never closed; end it with `{end}`", sign="{", end="}"), self.open[-1].offset)
        filled = substitute(self.tree, self.spreads) if "${" in scan.text else set[Field]()
        self.patterns.settle(filled)
        builder = ChartBuilder(scan.positions)
        self.tree.fill(builder)
        return builder.chart("d2")

    def _statement(self) -> None:
        scan, start = self.scan, self.scan.pos
        text = scan.text
        if text[start] == "}":
            self._close()
        elif text.startswith("...${", start):
            self._spread(start)
        elif text.startswith("...", start) or text[start] == "@":
            scan.fail(tr("imports (`@file`) are not supported; write their contents here"))
        elif text[start] == "&" or text.startswith("!&", start):
            self._filter(start)
        else:
            self._keys_or_connections(start)

    def _close(self) -> None:
        if len(self.open) == 1:
            self.scan.fail(tr("unmatched `{sign}`", sign="}"))
        block = self.open.pop()
        if block.rule is not None and self.open[-1].rule is not block.rule:
            self.patterns.add(block.rule)
        self.scan.pos += 1
        self.scan.end()

    def _spread(self, start: int) -> None:
        variable, self.scan.pos = self.scan.spread()
        self.scan.end()
        scope, _, kind, rule = self.open[-1]
        if kind is _BlockKind.PATTERN or rule is not None:
            self.scan.fail(tr("variables cannot be spread in a pattern; write their contents here"), start)
        if kind is _BlockKind.SHAPE:
            self.spreads.setdefault(scope, []).append(variable)

    def _filter(self, start: int) -> None:
        scan, rule = self.scan, self.open[-1].rule
        if self.open[-1].inside is _BlockKind.SHAPE:
            scan.fail(tr("a filter (`&`) is only allowed inside the braces of a pattern"))
        scan.pos = scan.text.index("&", start) + 1
        names = tuple(key.text.lower() for key in scan.path())
        value = scan.value()
        if rule is not None:
            rule.inner |= not names or value.scalar is None or self.open[-1].scope is not rule.template
            text = "" if value.scalar is None else value.scalar.text
            rule.filters.append(Filter(names or ("",), text, scan.text[start] == "!"))

    def _keys_or_connections(self, start: int) -> None:
        scan, scope, kind = self.scan, self.open[-1].scope, self.open[-1].inside
        path = scan.path()
        if kind is _BlockKind.BOARD:
            self._other_board(path, start)
        elif kind is _BlockKind.PATTERN and (scan.at_arrow() or scan.text.startswith("(", scan.pos)):
            scan.fail(tr("patterns that create connections are not supported; name the shapes"), start)
        elif scan.text.startswith("(", scan.pos):
            self._bracketed(scope, path, start)
        elif scan.at_arrow():
            self._connections(scope, scan.chain(path, start), start)
        elif not path:
            scan.fail(tr("expected a name here, found `{found}`", found=scan.remaining_text()))
        else:
            self._keys(scope, path, start)

    def _other_board(self, path: Path, start: int) -> None:
        """Parse a statement of a board other than the first; it has no effect."""
        scan = self.scan
        if scan.text.startswith("(", scan.pos):
            scan.bracketed()
            scan.index()
            scan.dotted()
        elif scan.at_arrow():
            scan.chain(path, start)
        elif not path:
            scan.fail(tr("expected a name here, found `{found}`", found=scan.remaining_text()))
        value = scan.value()
        if value.brace is not None:
            self.open.append(_Open(self.open[-1].scope, value.brace, _BlockKind.BOARD))

    def _keys(self, scope: Field, path: Path, start: int) -> None:
        value = self.scan.value()
        if any(key.pattern for key in path):
            self._pattern(path, value, start)
            return
        if self.open[-1].inside is _BlockKind.PATTERN and value.null:
            self.scan.fail(tr("patterns that delete an attribute are not supported; name the shapes"), value.offset)
        first = path[0]
        if first.bare and first.text.lower() in BOARDS:
            if scope.parent is not None or first.text not in BOARDS:
                self.scan.fail(
                    tr(
                        "`{name}` is reserved for D2 boards at the top level; quote it to name a shape",
                        name=first.text,
                    ),
                    first.offset,
                )
            if value.brace is not None:
                self.open.append(_Open(scope, value.brace, _BlockKind.BOARD))
            return
        if value.null and value.brace is None:
            self._delete(scope, path)
            return
        field = self._field(scope, path)
        if value.suspends is not None and not field.reserved:
            suspend(Match(field), suspended=value.suspends)
            value = value.without_text()
        if value.scalar is not None and field.value is not None and value.scalar.text != field.value.text:
            self.tree.replaced[field] = value.offset
        self._set_text(value, field)

    def _connections(self, scope: Field, links: list[Link], start: int) -> None:
        for link in links:
            for key in link.keys:
                if key.bare and key.text.lower() in RESERVED:
                    self.scan.fail(
                        tr("`{name}` is a D2 keyword; quote it to name a shape", name=key.text),
                        key.offset,
                    )
        value = self.scan.value()
        if value.null and value.brace is None:
            return
        if value.suspends is not None:
            value = value.without_text()
        shared = Field("", scope, start)
        for link in links:
            if link.pattern:
                self.patterns.add(PatternConnection(scope, link, shared, start))
                for keys in (link.source, link.target):
                    plain = [*takewhile(lambda key: not key.pattern, keys)]
                    if any(key.text != "_" for key in plain):
                        self._field(scope, plain)
            else:
                source, target = self._field(scope, link.source), self._field(scope, link.target)
                self.tree.connect(source, link.arrow, target, layers=[shared], offset=link.offset)
        self._set_text(value, shared)

    def _bracketed(self, scope: Field, prefix: Path, start: int) -> None:
        """`(a -> b)`, or with an index, the existing connections of that name: `(a -> b)[0].style.x: y`."""
        scan, start_pos = self.scan, self.scan.pos
        if prefix:
            scope = self._field(scope, prefix)
        links = scan.bracketed()
        index = scan.index()
        if index is None:
            self._connections(scope, links, start)
            return
        attribute = scan.dotted()
        value = scan.value()
        if index == "*":
            for link in links:
                self._rule(Rule(scope, Field("", None, start), start, link=link), attribute, value)
            return
        if any(link.pattern for link in links):
            scan.fail(tr("patterns with an index are not supported; write `[*]` or name the shapes"), start_pos)
        edges = self._indexed(scope, links, int(index), start_pos, may_lack=value.null and not attribute)
        template = Field("", scope, start)
        if not attribute and value.brace is None and (value.null or value.suspends is not None):
            for edge in edges:
                edge.deleted |= value.null
                if value.suspends is not None:
                    suspend(Match(None, edge, (edge.src, edge.dst)), suspended=value.suspends)
            return
        for edge in edges:
            edge.layers.append(template)
        self._set_text(value, self._field(template, attribute) if attribute else template)

    def _indexed(self, scope: Field, links: list[Link], index: int, start_pos: int, *, may_lack: bool) -> list[Edge]:
        found: list[Edge] = []
        for link in links:
            edges = self.patterns.connections(scope, link)
            if index >= len(edges):
                if may_lack:
                    continue
                self.scan.fail(tr("no such connection above this line"), start_pos)
            found.append(edges[index])
            self.patterns.count(1, start_pos)
        return found

    def _set_text(self, value: Value, field: Field) -> None:
        """Set a field's value, and open its braces if they follow."""
        if value.scalar is not None:
            field.value, field.value_offset = value.scalar, value.offset
        if value.items:
            if field.reserved and field.name.lower() == "class" and any(item.spread for item in value.items):
                self.scan.fail(tr("classes cannot be spread; write their names here"), value.offset)
            field.values = list(value.items)
        if value.brace is not None:
            self.open.append(_Open(field, value.brace, self.open[-1].inside, self.open[-1].rule))

    def _delete(self, scope: Field, path: Path) -> None:
        parent = self._parent_scope(scope, path)
        for key in path:
            if key.bare and key.text == "_":
                continue
            child = parent.children.get((key.text.lower(), key.bare and key.text.lower() in RESERVED))
            if child is None:
                return
            parent = child
        if parent.parent is not None:
            parent.parent.children.pop((parent.name.lower(), parent.reserved), None)

    def _field(self, scope: Field, path: Path) -> Field:
        """The field of a path; creates it and its parents if necessary."""
        parent = self._parent_scope(scope, path)
        for index, key in enumerate(path):
            if key.bare and key.text == "_":
                if index and not (path[index - 1].bare and path[index - 1].text == "_"):
                    self.scan.fail(tr("`_` (the parent) is only allowed at the start of a path"), key.offset)
                continue
            child = self.tree.child(parent, key.text, key.offset, bare=key.bare)
            if child.reserved and not parent.reserved and child.name.lower() in STYLE_WORDS:
                self.scan.fail(
                    tr("`{name}` must be `style.{name}`; put it in quotes to name a shape", name=key.text), key.offset
                )
            parent = child
        if path[-1].bare and path[-1].text == "_":
            self.scan.fail(tr("`_` means the parent; name a shape after it, as in `_.a`"), path[-1].offset)
        return parent

    def _parent_scope(self, scope: Field, path: Path) -> Field:
        for key in path:
            if not (key.bare and key.text == "_"):
                break
            if scope.parent is None:
                self.scan.fail(tr("`_` means the parent, but this shape has no parent"), key.offset)
            scope = scope.parent
        return scope

    def _pattern(self, path: Path, value: Value, start: int) -> None:
        """Parse a statement about all matching shapes."""
        scope, patterns = self.open[-1].scope, [index for index, key in enumerate(path) if key.pattern]
        prefix = path[: patterns[0]]
        if any(key.text != "_" for key in prefix):
            self._field(scope, prefix)
        else:
            self._parent_scope(scope, prefix)
        rule = Rule(scope, Field("", None, start), start, path[: patterns[-1] + 1])
        self._rule(rule, path[patterns[-1] + 1 :], value)

    def _rule(self, rule: Rule, attribute: Path, value: Value) -> None:
        """Add a rule for an attribute, or for all; it is complete when its braces are closed."""
        field = rule.template
        for key in attribute:
            field = self.tree.child(field, key.text, key.offset, bare=key.bare)
        if not attribute:
            rule.deletes, rule.suspends = value.null, value.suspends
            value = value.without_text() if value.null or value.suspends is not None else value
        elif value.null or value.suspends is not None:
            self.scan.fail(
                tr("patterns that delete or suspend an attribute are not supported; name the shapes"), value.offset
            )
        rule.inner = self.open[-1].inside is _BlockKind.PATTERN
        self._set_text(value, field)
        if value.brace is None:
            self.patterns.add(rule)
        else:
            self.open[-1] = _Open(field, value.brace, _BlockKind.PATTERN, rule)
