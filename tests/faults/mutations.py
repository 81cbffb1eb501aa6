"""How a mutant differs from the source: the code that a marker names, and the change that is made to it.

A marker is the comment `# defence: NAME`, at the end of a line or on a line of its own above it. It names what begins
on that line: a statement, an `except`, a `case`, or the argument, element or operand of an expression over many lines.
Changes work on the syntax tree, so that renaming within the line changes nothing here. Only `Value`, `Instead`,
`Before`, `After` and `OnlyIf` hold code, each as little as can be.
"""

import ast
import io
import re
import tokenize
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

MARKER = re.compile(r"# defence: (.+)")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")

_OF_A_BLOCK = ast.stmt | ast.excepthandler | ast.match_case


class MutationError(Exception):
    """The change does not fit the code at the marker."""


@dataclass(frozen=True, slots=True)
class Place:
    """A node and where it hangs: `parent.field`, or its item `index`."""

    node: ast.AST
    parent: ast.AST
    field: str

    def replace(self, *nodes: ast.AST) -> None:
        """Put `nodes` there instead: exactly one, unless it hangs in a list."""
        siblings = getattr(self.parent, self.field)
        if isinstance(siblings, list):
            at = next(index for index, node in enumerate(siblings) if node is self.node)
            siblings[at : at + 1] = nodes
            if not siblings and self.field == "body":
                siblings.append(ast.Pass())
        elif len(nodes) == 1:
            setattr(self.parent, self.field, nodes[0])
        else:
            raise MutationError("one expression has to take the place of one")


class Mutation(ABC):
    @abstractmethod
    def apply(self, place: Place) -> None: ...


class _Removed(Mutation):
    def apply(self, place: Place) -> None:
        if isinstance(place.node, ast.stmt):
            place.replace(ast.Pass())
        else:
            place.replace()


class _Last(Mutation):
    def apply(self, place: Place) -> None:
        block: list[ast.AST] = getattr(place.parent, place.field)
        place.replace()
        block.append(place.node)


class _Unwrapped(Mutation):
    def apply(self, place: Place) -> None:
        match place.node:
            case ast.With() | ast.AsyncWith() | ast.If() | ast.For():
                place.replace(*place.node.body)
            case _:
                raise MutationError("it is no block")


class _Uncalled(Mutation):
    def apply(self, place: Place) -> None:
        match inner := _value_of(place):
            case Place(node=ast.Call(func=ast.Attribute(value=of), args=[])):
                inner.replace(of)
            case Place(node=ast.Call(args=[first, *_])):
                inner.replace(first)
            case _:
                raise MutationError("its value is no call")


@dataclass(frozen=True, slots=True)
class _Condition(Mutation):
    value: bool

    def apply(self, place: Place) -> None:
        match place.node:
            case ast.match_case():
                place.node.guard = None if self.value else ast.Constant(value=False)
            case ast.If() | ast.While() | ast.IfExp() | ast.Assert():
                place.node.test = ast.Constant(self.value)
            case node:
                inner = next((one for one in ast.walk(node) if isinstance(one, ast.IfExp)), None)
                if inner is not None:
                    inner.test = ast.Constant(self.value)
                else:
                    _value_of(place).replace(ast.Constant(self.value))


REMOVED = _Removed()
"""The statement does nothing; the argument, element or operand is gone."""
LAST = _Last()
"""The statement comes last in its block."""
UNWRAPPED = _Unwrapped()
"""The body of the `with`, `if` or `for` runs without it."""
UNCALLED = _Uncalled()
"""The value is what was to be changed: the first argument of the call, or what its method belongs to."""
ALWAYS = _Condition(True)
"""The condition is true: of an `if`, `while` or `case`, of `A if condition else B`, or the returned value itself."""
NEVER = _Condition(False)
"""The condition is false."""


@dataclass(frozen=True, slots=True)
class Value(Mutation):
    """The value is this: of an assignment, `return` or argument, what a `for` goes over, an `except` catches, ..."""

    code: str

    def apply(self, place: Place) -> None:
        _value_of(place).replace(_expression(self.code))


UNCAUGHT = Value("()")
"""The `except` catches nothing."""


@dataclass(frozen=True, slots=True)
class Instead(Mutation):
    """These statements take its place."""

    code: str

    def apply(self, place: Place) -> None:
        place.replace(*ast.parse(self.code).body)


@dataclass(frozen=True, slots=True)
class Before(Mutation):
    """These statements come before it."""

    code: str

    def apply(self, place: Place) -> None:
        place.replace(*ast.parse(self.code).body, place.node)


@dataclass(frozen=True, slots=True)
class After(Mutation):
    """These statements come after it."""

    code: str

    def apply(self, place: Place) -> None:
        place.replace(place.node, *ast.parse(self.code).body)


@dataclass(frozen=True, slots=True)
class OnlyIf(Mutation):
    """The statement runs only under this condition."""

    code: str

    def apply(self, place: Place) -> None:
        if not isinstance(place.node, ast.stmt):
            raise MutationError("it is no statement")
        place.replace(ast.If(test=_expression(self.code), body=[place.node], orelse=[]))


@dataclass(frozen=True, slots=True, init=False)
class Without(Mutation):
    """An operand of its `and` or `or` is gone: the number `path[0]`, from 1, or of that the number `path[1]`, ..."""

    path: tuple[int, ...]

    def __init__(self, *path: int) -> None:
        object.__setattr__(self, "path", path)

    def apply(self, place: Place) -> None:
        roots = [node for node in _within(place) if isinstance(node.node, ast.BoolOp)]
        if not roots:
            raise MutationError("it holds neither `and` nor `or`")
        *steps, last = self.path
        index = roots[0]
        for step in steps:
            index = Place(_operands(index)[step - 1], index.node, "values")
        left = list(_operands(index))
        del left[last - 1]
        if len(left) > 1:
            index.node.values = left  # type: ignore[attr-defined]
        else:
            index.replace(left[0])


@dataclass(frozen=True, slots=True, init=False)
class Lacks(Mutation):
    """These constants are gone from its list, tuple or set."""

    values: tuple[object, ...]

    def __init__(self, *values: object) -> None:
        object.__setattr__(self, "values", values)

    def apply(self, place: Place) -> None:
        for value in self.values:
            _one_constant(place, value).replace()


@dataclass(frozen=True, slots=True)
class Swapped(Mutation):
    """The one constant `old` in it is `new`."""

    old: object
    new: object

    def apply(self, place: Place) -> None:
        _one_constant(place, self.old).replace(ast.Constant(self.new))


@dataclass(frozen=True, slots=True)
class WithoutArgument(Mutation):
    """The one argument with this keyword is gone."""

    keyword: str

    def apply(self, place: Place) -> None:
        match [node for node in _within(place) if getattr(node.node, "arg", None) == self.keyword]:
            case [node]:
                node.replace()
            case _:
                raise MutationError(f"`{self.keyword}=` is not there once")


def markers(root: Path) -> Iterator[tuple[str, Path, int]]:
    """Each marker below `root`: its name, its file, and the line (from 1) that it names."""
    for file in sorted(root.rglob("*.py")):
        text = file.read_text("utf-8")
        if "# defence" in text:
            yield from ((name, file, line) for name, line in markers_of(text))


def markers_of(source: str) -> Iterator[tuple[str, int]]:
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or not (found := MARKER.fullmatch(token.string)):
            continue
        line = token.start[0]
        if not lines[line - 1][: token.start[1]].strip():
            line = next(index for index in range(line + 1, len(lines) + 1) if not _is_blank(lines[index - 1]))
        yield found[1], line


def mutated(source: str, changes: Sequence[tuple[int, Mutation]]) -> str:
    """`source` with the changes at the lines; raises `MutationError` where one does not fit, or changes nothing."""
    tree = ast.parse(source)
    places = [(place_at(tree, line), mutation) for line, mutation in changes]
    for place, mutation in places:
        before = ast.unparse(tree)
        mutation.apply(place)
        if ast.unparse(ast.fix_missing_locations(tree)) == before:
            raise MutationError(f"{mutation} changes nothing")
    return ast.unparse(tree) + "\n"


def place_at(tree: ast.AST, line: int) -> Place:
    """The outermost node that begins on the line, a statement or the like before an expression."""
    here = [place for place in _places(tree) if _line_of(place.node) == line]
    blocks = [place for place in here if isinstance(place.node, _OF_A_BLOCK)]
    if not here:
        raise MutationError(f"nothing begins on line {line}")
    return (blocks or here)[0]


def _places(node: ast.AST) -> Iterator[Place]:
    """Every node below, each before what it holds."""
    for field, siblings in ast.iter_fields(node):
        for child in siblings if isinstance(siblings, list) else [siblings]:
            if isinstance(child, ast.AST):
                yield Place(child, node, field)
                yield from _places(child)


def _within(place: Place) -> Iterator[Place]:
    yield place
    yield from _places(place.node)


def _line_of(node: ast.AST) -> int | None:
    return _line_of(node.pattern) if isinstance(node, ast.match_case) else getattr(node, "lineno", None)


_VALUES: tuple[tuple[type[ast.AST], str], ...] = (
    (ast.For, "iter"),
    (ast.AsyncFor, "iter"),
    (ast.If, "test"),
    (ast.While, "test"),
    (ast.match_case, "guard"),
    (ast.ExceptHandler, "type"),
    (ast.Raise, "exc"),
)


def _value_of(place: Place) -> Place:
    """The expression that a statement, an argument or an `except` is about; an expression is its own."""
    node = place.node
    if isinstance(node, ast.expr) and not isinstance(node, ast.Starred):
        return place
    field = next((field for kind, field in _VALUES if isinstance(node, kind)), "value")
    if not isinstance(value := getattr(node, field, None), ast.AST):
        raise MutationError("it has no value")
    return Place(value, node, field)


def _operands(place: Place) -> list[ast.expr]:
    if not isinstance(place.node, ast.BoolOp):
        raise MutationError("it is neither an `and` nor an `or`")
    return place.node.values


def _one_constant(place: Place, value: object) -> Place:
    def is_it(node: ast.AST) -> bool:
        return isinstance(node, ast.Constant) and type(node.value) is type(value) and node.value == value

    match [node for node in _within(place) if is_it(node.node)]:
        case [one]:
            return one
        case _:
            raise MutationError(f"{value!r} is not there once")


def _expression(code: str) -> ast.expr:
    return ast.parse(code, mode="eval").body


def _is_blank(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")
