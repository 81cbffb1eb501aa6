"""The one argument that names a tool call, read from JSON that may still be arriving."""

import json
import re
from collections.abc import Mapping
from typing import cast

from kimi_tui import json_text
from kimi_tui.surrogates import without_surrogates

# The first of these that a call has is what a person wants to read on its card.
_NAMING_ARGUMENTS = (
    "command",
    "pattern",
    "path",
    "file_path",
    "url",
    "query",
    "question",
    "description",
    "name",
    "title",
)
_VALUE = {key: re.compile(rf'"{key}"\s*:\s*"((?:[^"\\]|\\.)*)("?)', re.S) for key in _NAMING_ARGUMENTS}
_LOOK_AT = 4000


def call_summary(arguments: str) -> str:
    """One line that names the call, "" while nothing of it is known."""
    head = arguments[:_LOOK_AT]
    for key in _NAMING_ARGUMENTS:
        if f'"{key}"' in head and (found := _VALUE[key].search(head)):
            return one_line(_unescape(found[1]))
    return ""


def is_complete(arguments: str) -> bool:
    """Whether more arguments cannot change the headline."""
    if len(arguments) >= _LOOK_AT:
        return True
    found = _VALUE[_NAMING_ARGUMENTS[0]].search(arguments)
    return bool(found and found[2])


def parse_partial_arguments(arguments: str | None) -> Mapping[str, object]:
    """The arguments as a mapping, empty while they are not whole JSON; what follows the object is passed over."""
    try:
        value: object = without_surrogates(json.JSONDecoder().raw_decode((arguments or "{}").lstrip())[0])
    except (ValueError, RecursionError):
        return {}
    return cast(Mapping[str, object], value) if isinstance(value, dict) else {}


def one_line(text: str) -> str:
    """`text` with every run of white space as one blank."""
    return " ".join(text.split())


def _unescape(text: str) -> str:
    while text:
        try:
            return str(json_text.loads(f'"{text}"', strict=False))
        except ValueError:
            text = text[:-1]
    return ""
