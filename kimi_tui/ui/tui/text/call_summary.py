"""Finds the argument that identifies a tool call, in JSON that may be incomplete."""

import json
import re
from collections.abc import Mapping
from typing import cast

from kimi_tui import json_text
from kimi_tui.surrogates import without_surrogates

# The first of these arguments that a call has is shown on its card.
_NAMING_ARGUMENTS = (
    "command",
    "pattern",
    "path",
    "file_path",
    "url",
    "query",
    "plan",
    "question",
    "description",
    "name",
    "title",
)
_VALUE = {key: re.compile(rf'"{key}"\s*:\s*"((?:[^"\\]|\\.)*)("?)', re.S) for key in _NAMING_ARGUMENTS}
_ANY_VALUE = re.compile(r':\s*"((?:[^"\\]|\\.)*)"?', re.S)
_LOOK_AT = 4000


def call_summary(arguments: str, *, or_any: bool = False) -> str:
    """Return a one-line summary of the call, "" if nothing is known yet.

    `or_any`: of a call without an argument that names it, the first text of its arguments.
    """
    head = arguments[:_LOOK_AT]
    for key in _NAMING_ARGUMENTS:
        if f'"{key}"' in head and (found := _VALUE[key].search(head)):
            text = _unescape(found[1])
            return one_line(text.strip().split("\n")[0].lstrip("# ") if key == "plan" else text)
    found = _ANY_VALUE.search(head) if or_any else None
    return one_line(_unescape(found[1])) if found else ""


def is_complete(arguments: str) -> bool:
    """Whether the headline is final, whatever arguments follow."""
    if len(arguments) >= _LOOK_AT:
        return True
    found = _VALUE[_NAMING_ARGUMENTS[0]].search(arguments)
    return bool(found and found[2])


def parse_partial_arguments(arguments: str | None) -> Mapping[str, object]:
    """Return the arguments as a mapping, empty until the JSON is complete; text after the object is ignored."""
    try:
        value: object = without_surrogates(json.JSONDecoder().raw_decode((arguments or "{}").lstrip())[0])
    except (ValueError, RecursionError):
        return {}
    return cast(Mapping[str, object], value) if isinstance(value, dict) else {}


def one_line(text: str) -> str:
    """Return `text` with every run of white space as one space."""
    return " ".join(text.split())


def _unescape(text: str) -> str:
    while text:
        try:
            return str(json_text.loads(f'"{text}"', strict=False))
        except ValueError:
            text = text[:-1]
    return ""
