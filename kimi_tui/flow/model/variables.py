"""The variables of a flow's texts: `${ARGS}`, `${item}`, `${NODE.field}` and `${"a.b".field}`.

Anything else in `${..}` is plain text. `$${` is a literal `${`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

ARGS_NAME = "ARGS"
ITEM = "item"
_FIELD = r"[A-Za-z][A-Za-z0-9_]*"
_VARIABLE = re.compile(
    r"(?P<escape>\$\$\{)"
    rf"|\$\{{(?:(?P<args>ARGS)|(?P<item>item(?:\.{_FIELD})?)"
    rf'|(?:"(?P<quoted>[^"\n{{}}]+)"|(?P<plain>[^\s{{}}"\'`$:?!/#%^,@=+|&<>()\[\]*\\]+))\.(?P<field>{_FIELD}))\}}'
)
_NEARLY = re.compile(
    r"(?<!\$)(?:(?P<shell>(?-i:\$ARGS))\b|\$\{\s*(?:(?P<args>args?)(?![\w.\[(:?-])"
    rf'|(?:"(?P<quoted>[^"\n{{}}]+)"|(?P<plain>[^\s{{}}"\'`$:?!/#%^,@=+|&<>()\[\]*\\]+))\.(?P<field>{_FIELD}))\s*\}}?)',
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Variable:
    """A reference to a value: `node` is empty for `${ARGS}` (field `ARGS`) and for `${item..}` (field `item..`)."""

    node: str
    field: str

    def __str__(self) -> str:
        if not self.node:
            return f"${{{self.field}}}"
        return f'${{"{self.node}".{self.field}}}' if "." in self.node else f"${{{self.node}.{self.field}}}"


ARGS_VARIABLE = Variable("", ARGS_NAME)


@dataclass(frozen=True, slots=True)
class Reference:
    """A variable at its place in a text, as offsets; `variable` is None for the escape `$${`."""

    variable: Variable | None
    start: int
    end: int


def references(text: str) -> Iterator[Reference]:
    """The variables and escapes of a text, in order."""
    if "${" not in text:
        return
    for match in _VARIABLE.finditer(text):
        yield Reference(_variable(match), match.start(), match.end())


def variables(text: str) -> list[Variable]:
    """The variables of a text, in order."""
    return [reference.variable for reference in references(text) if reference.variable is not None]


def misspelled_variables(text: str) -> Iterator[tuple[str, Variable]]:
    """Texts that are nearly a variable, such as `${ARGS` and `${ args }`, with the variable that was probably meant."""
    if "$" not in text:
        return
    starts = {reference.start for reference in references(text)}
    for match in _NEARLY.finditer(text):
        if match.start() not in starts:
            is_args = match["shell"] or match["args"]
            meant = ARGS_VARIABLE if is_args else Variable(match["quoted"] or match["plain"], match["field"])
            yield match.group().strip(), meant


def expand(text: str, value_of: Callable[[Variable], str | None]) -> str:
    """The text with values in place of its variables, in one pass; a variable whose value is None stays as written."""
    parts: list[str] = []
    here = 0
    for reference in references(text):
        value = "${" if reference.variable is None else value_of(reference.variable)
        if value is not None:
            parts += (text[here : reference.start], value)
            here = reference.end
    return "".join(parts) + text[here:]


def _variable(match: re.Match[str]) -> Variable | None:
    if match["escape"]:
        return None
    if match["args"]:
        return ARGS_VARIABLE
    if match["item"]:
        return Variable("", match["item"])
    return Variable(match["quoted"] or match["plain"], match["field"])
