"""D2's patterns (globs): rules for every matching shape or connection, also for later ones.

A rule is applied after the whole text is parsed. A later statement about a shape by name overrides the rule; the rule
overrides an earlier one. `suspend` and `unsuspend` apply at once, to the existing shapes.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from kimi_tui.flow.parsing.chart_builder import MAX_EDGES
from kimi_tui.flow.parsing.d2.keywords import BOARDS
from kimi_tui.flow.parsing.d2.statement import Link
from kimi_tui.flow.parsing.d2.strings import Key, Scalar, Variable
from kimi_tui.flow.parsing.d2.tree import TABLES, Edge, Field, Tree
from kimi_tui.i18n import UserText, tr

_RULE_KEYS = frozenset({"label", "class", "shape"})
_NOT_IN_RULES = BOARDS | {"vars", "classes"}
_SPECIAL_SHAPES = TABLES | {"sequence_diagram"}


class Filter(NamedTuple):
    """A filter of a pattern.

    `&shape: circle`, or with `!&` its opposite.
    """

    names: tuple[str, ...]
    value: str
    negated: bool


@dataclass(slots=True, eq=False)
class Rule:
    """A rule for all shapes on a path, or for all connections like a link.

    `inner`: it is within the braces of another rule, or has a filter in an unsupported place.
    """

    scope: Field
    template: Field
    offset: int
    path: Sequence[Key] = ()
    link: Link | None = None
    filters: list[Filter] = field(default_factory=list[Filter])
    deletes: bool = False
    suspends: bool | None = None
    inner: bool = False


class PatternConnection(NamedTuple):
    """A connection between patterns."""

    scope: Field
    link: Link
    shared: Field
    offset: int


class Match(NamedTuple):
    """A shape, or a connection with the ends as written."""

    shape: Field | None = None
    edge: Edge | None = None
    ends: tuple[Field, Field] | None = None


class Patterns:
    """The rules of one text."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._pending: list[Rule | PatternConnection] = []
        self._filled: Set[Field] = frozenset()
        self._touched = 0
        self._suspending: set[str] = set()
        self._first_suspends: Rule | None = None

    def add(self, rule: Rule | PatternConnection) -> None:
        """Add a rule or connection. Call it after the whole statement, with its braces, is parsed."""
        if isinstance(rule, Rule) and rule.suspends is not None:
            self._check(rule)
            for match in [*self._matches(rule)]:
                suspend(match, suspended=rule.suspends)
        else:
            self._pending.append(rule)

    def settle(self, filled: Set[Field]) -> None:
        """Apply the rules; twice, so that they also apply to the shapes that other rules create.

        `filled` are the shapes filled by a variable with shapes or attributes, and their new contents.
        """
        self._filled = filled
        if self._first_suspends is not None and self._tree.classes_matter():
            self._refuse(tr("`suspend` is not supported together with classes that set labels"), self._first_suspends)
        active = [rule for rule in self._pending if isinstance(rule, PatternConnection) or self._check(rule)]
        for rule in active:
            if isinstance(rule, PatternConnection):
                self._connect(rule)
            else:
                self._apply(rule)
        for rule in active:
            if isinstance(rule, Rule):
                self._apply(rule)

    def count(self, touched: int, offset: int) -> None:
        self._touched += touched
        if self._touched > MAX_EDGES:
            raise self._tree.positions.error(
                tr("patterns and indices up to here affect more than {most} shapes and edges", most=MAX_EDGES), offset
            )

    def _check(self, rule: Rule) -> bool:
        """Whether the rule changes anything that the parser uses; raises an error if it does but is not supported."""
        changes = rule.deletes or rule.suspends is not None or self._changes(rule.template)
        if not changes:
            return False
        cause = ""
        if rule.inner:
            cause = tr("nested patterns are not supported")
        elif any(condition.names[0] == "level" for condition in rule.filters):
            cause = tr("the filter `&level` is not supported")
        elif any(child.name.lower() in _NOT_IN_RULES for child in rule.template.children.values() if child.reserved):
            cause = tr("patterns that set variables, classes or boards are not supported")
        elif rule.link is None and rule.deletes:
            cause = tr("patterns that delete shapes are not supported")
        elif rule.suspends is not None and self._is_repeated(rule):
            cause = tr("only one suspending pattern is supported")
        elif any(condition.names[0] == "connected" for condition in rule.filters) and self._connects():
            cause = tr("the filter `&connected` is not supported together with connections between patterns")
        elif rule.link is None and any(key.text == "**" for key in rule.path) and any(rule.template.shapes()):
            cause = tr("a `**` pattern that creates shapes would never end")
        elif any("**" in key.text and key.text != "**" for key in rule.path if key.pattern):
            cause = tr("`**` must stand alone between dots")
        if cause:
            self._refuse(cause, rule)
        return True

    def _refuse(self, cause: UserText, rule: Rule) -> NoReturn:
        raise self._tree.positions.error(tr("{cause}; name the shapes", cause=cause), rule.offset)

    def _is_repeated(self, rule: Rule) -> bool:
        link = rule.link
        names = [[key.text for key in keys] for keys in ([link.source, link.target] if link else [rule.path])]
        key = repr((names, rule.suspends, rule.filters))
        is_known = key in self._suspending
        self._suspending.add(key)
        self._first_suspends = self._first_suspends or rule
        return is_known

    def _connects(self) -> bool:
        return any(isinstance(rule, PatternConnection) for rule in self._pending)

    def _changes(self, template: Field) -> bool:
        if template.value is not None or any(template.shapes()):
            return True
        for name in ("vars", "classes", "label"):
            if template.attribute(name) is not None:
                return True
        shape, class_field = template.attribute("shape"), template.attribute("class")
        if shape is not None and shape.value is not None and shape.value.text.lower() in _SPECIAL_SHAPES:
            return True
        return class_field is not None and self._tree.classes_matter()

    def _apply(self, rule: Rule) -> None:
        for match in [*self._matches(rule)]:
            if match.shape is not None:
                self._apply_to_shape(rule, match.shape)
            elif match.edge is not None:
                if rule.deletes and match.edge.offset > rule.offset:
                    self._refuse(tr("a pattern that deletes connections must come after all of them"), rule)
                match.edge.deleted |= rule.deletes
                if rule.template not in match.edge.layers:
                    match.edge.layers.append(rule.template)
                    match.edge.layers.sort(key=lambda layer: layer.offset)

    def _apply_to_shape(self, rule: Rule, shape: Field) -> None:
        if shape in self._filled:
            self._refuse(
                tr(
                    "patterns that label or create shapes are not supported together with variables that contain shapes"
                ),
                rule,
            )
        todo = [(shape, rule.template)]
        while todo:
            into, source = todo.pop()
            self.count(1, rule.offset)
            if source.value is not None and into.value is not None and into.value_offset > source.value_offset:
                self._check_variable(rule, into.value)
            if source.value is not None and (into.value is None or into.value_offset < source.value_offset):
                into.value, into.value_offset = source.value, source.value_offset
            if source.values and into.value is None and not into.values:
                into.values = source.values
            for child in source.children.values():
                if not child.reserved or child.name.lower() in _RULE_KEYS:
                    copy = self._tree.child(into, child.name, child.offset, bare=child.reserved)
                    todo.append((copy, child))

    def _check_variable(self, rule: Rule, value: Scalar) -> None:
        if any(key.text == "**" for key in rule.path) and any(isinstance(piece, Variable) for piece in value.pieces):
            self._refuse(
                tr("a `**` pattern that labels shapes is not supported together with labels from variables"), rule
            )

    def _connect(self, rule: PatternConnection) -> None:
        link = rule.link
        targets = [*self.shapes(rule.scope, link.target, making=link.offset)]
        for source in [*self.shapes(rule.scope, link.source, making=link.offset)]:
            for target in targets:
                if source is not target:
                    self.count(1, link.offset)
                    self._tree.connect(source, link.arrow, target, layers=[rule.shared], offset=link.offset)

    def _matches(self, rule: Rule) -> Iterator[Match]:
        if rule.link is None:
            matches = (Match(shape) for shape in self.shapes(rule.scope, rule.path))
        else:
            matches = self._edges(rule.scope, rule.link)
        return (match for match in matches if all(self._passes(match, condition) for condition in rule.filters))

    def _edges(self, scope: Field, link: Link) -> Iterator[Match]:
        sources, targets = {*self.shapes(scope, link.source)}, {*self.shapes(scope, link.target)}
        self.count(len(self._tree.by_link), link.offset)
        for (source, arrow, target), edges in self._tree.by_link.items():
            if arrow == link.arrow and source in sources and target in targets:
                self.count(len(edges), link.offset)
                yield from (Match(None, edge, (source, target)) for edge in edges)

    def connections(self, scope: Field, link: Link) -> list[Edge]:
        """The existing connections between two shapes."""
        source, target = next(self.shapes(scope, link.source), None), next(self.shapes(scope, link.target), None)
        return [] if source is None or target is None else self._tree.by_link.get((source, link.arrow, target), [])

    def shapes(self, scope: Field, path: Sequence[Key], *, making: int | None = None) -> Iterator[Field]:
        """The shapes that a path may match.

        `making` is the place of a connection, which creates the shapes that it names: for it, `**` matches only shapes
        without inner shapes.
        """
        scopes = [scope]
        for index, key in enumerate(path):
            if key.bare and key.text == "_":
                scopes = [each.parent for each in scopes if each.parent is not None]
                continue
            fields: list[Field] = []
            for each in scopes:
                self.count(1 + len(each.children), key.offset)
                if key.pattern and key.text == "**":
                    fields += self._descendants(each, key.offset, leaves=making is not None and index + 1 == len(path))
                elif key.pattern:
                    parts = key.text.lower().split("*")
                    fields += [shape for shape in each.shapes() if _is_like(shape.name.lower(), parts)]
                elif making is not None:
                    fields.append(self._tree.child(each, key.text, key.offset, bare=False))
                elif child := each.children.get((key.text.lower(), False)):
                    fields.append(child)
            scopes = fields
        return iter(scopes)

    def _descendants(self, top: Field, offset: int, *, leaves: bool) -> Iterator[Field]:
        pending = [*top.shapes()]
        while pending:
            shape = pending.pop()
            inner = [*shape.shapes()]
            self.count(1, offset)
            if not leaves or not inner:
                yield shape
            pending += inner

    def _passes(self, match: Match, condition: Filter) -> bool:
        return self._satisfies(match, condition.names, condition.value) is not condition.negated

    def _satisfies(self, match: Match, names: tuple[str, ...], value: str) -> bool:
        tree, shape = self._tree, match.shape
        if shape is None:
            if match.edge is None or match.ends is None:
                return False
            if names[0] in ("src", "dst"):
                end = match.ends[names[0] == "dst"]
                return (
                    self._satisfies(Match(end), names[1:], value) if names[1:] else _equal(tree.field_path(end), value)
                )
            return any(_equal(text, value) for layer in match.edge.layers for text in tree.texts(layer, names))
        match names:
            case ("connected",):
                if any(shape.shapes()):
                    raise tree.positions.error(tr("`&connected` is not supported for containers"), shape.offset)
                connected = any(shape in ends for ends in tree.edge_ends())
                self.count(len(tree.by_link), shape.offset)
                return str(connected).lower() == value.lower()
            case ("leaf",):
                return str(not any(shape.shapes())).lower() == value.lower()
            case ("shape",):
                shape_name = tree.shape_name(shape)
                return _equal(shape_name or "rectangle", value.lower()) if shape_name or "*" not in value else False
            case ("label",):
                return _equal(tree.field_text(shape), value)
            case _:
                return any(_equal(text, value) for text in tree.texts(shape, names))


def suspend(match: Match, *, suspended: bool) -> None:
    """Suspend or restore a shape or a connection; restoring a connection restores its ends and their containers."""
    if match.shape is not None:
        match.shape.suspended = suspended
    if match.edge is not None:
        match.edge.suspended = suspended
        for end in match.ends or ():
            scopes: Field | None = None if suspended else end
            while scopes is not None:
                scopes.suspended = False
                scopes = scopes.parent


def _equal(text: str, pattern: str) -> bool:
    return _is_like(text, pattern.split("*")) if "*" in pattern else text == pattern


def _is_like(name: str, parts: list[str]) -> bool:
    """Whether a name consists of these parts in order, with anything between them."""
    if len(parts) == 1:
        return name == parts[0]
    if not name.startswith(parts[0]):
        return False
    pos = len(parts[0])
    for part in parts[1:-1]:
        index = name.find(part, pos)
        if index < 0:
            return False
        pos = index + len(part)
    return len(name) - pos >= len(parts[-1]) and name.endswith(parts[-1])
