"""The branches of a decision by a value (`on`), checked against the values that its variable can have."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kimi_tui.flow.model.result_type import ResultField, read_result_type
from kimi_tui.flow.model.settings import NodeSettings
from kimi_tui.flow.model.status_branches import ELSE, MAX_STATUS, OK
from kimi_tui.i18n import UserText, tr

_INTEGER = re.compile(r"0|-?[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class PossibleValues:
    """The values of a variable: those that `fits` accepts. `every` has them all if they are few and never empty."""

    shown: UserText
    fits: Callable[[str], bool]
    every: frozenset[str] | None = None


def possible_values(settings: NodeSettings, labels: Sequence[str], field: str) -> PossibleValues | None:
    """The values of a field of a node with these settings and branch labels; None if it can be any text."""
    if settings.run is not None:
        return _statuses(labels) if field == "status" else None
    if settings.out is None:
        return None
    if field == "choice":
        return _words(labels)
    typed = next((one for one in read_result_type(settings.out) if one.name == field), None)
    return None if typed is None else _of_type(typed)


def missing_branches(possible: PossibleValues | None, labels: Sequence[str]) -> bool:
    """Whether a value may have no branch."""
    return ELSE not in labels and (possible is None or possible.every is None or not possible.every <= {*labels})


def _statuses(labels: Sequence[str]) -> PossibleValues:
    """The statuses with which a command's node is left: with a single edge, or a single `ok`, only 0."""
    if len(labels) == 1 and labels[0] in ("", OK):
        return _words(["0"])
    words = frozenset(map(str, range(MAX_STATUS + 1)))
    return PossibleValues(tr("a status from 0 to {most}", most=MAX_STATUS), words.__contains__)


def _of_type(field: ResultField) -> PossibleValues | None:
    if field.many:
        return PossibleValues(tr("a JSON list"), _is_json_list)
    if field.words or field.plain == "bool":
        return _words(field.words or ("true", "false"), optional=field.optional)
    match field.plain:
        case "int":
            return PossibleValues(tr("a whole number"), lambda label: _INTEGER.fullmatch(label) is not None)
        case "number":
            return PossibleValues(tr("a number with a decimal point, such as `1.0`"), _is_number)
        case _:
            return None


def _words(words: Sequence[str], *, optional: bool = False) -> PossibleValues:
    named = ", ".join(f"`{word}`" for word in words)
    return PossibleValues(named, frozenset(words).__contains__, None if optional else frozenset(words))


def _is_number(label: str) -> bool:
    try:
        return json.dumps(float(label), allow_nan=False) == label
    except ValueError:
        return False


def _is_json_list(label: str) -> bool:
    try:
        return isinstance(json.loads(label), list)
    except (ValueError, RecursionError):
        return False
