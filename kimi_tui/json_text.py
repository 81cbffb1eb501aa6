"""Parses untrusted JSON: from a client, a service, a model, a file."""

import json
import math
import re
from itertools import accumulate
from typing import Any, NoReturn

from kimi_tui.surrogates import without_surrogates

MAX_DEPTH = 200
"""Far below what Python can walk, whatever walks it next, and above what anybody writes."""
_MAX_DIGITS = 300
_BESIDE_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+"|[^\[\]{}"]++', re.DOTALL)
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def loads(text: str | bytes | bytearray, *, strict: bool = True) -> Any:
    """The value of a JSON text; half surrogates become U+FFFD.

    Raises ValueError for what is no JSON, NaN and Infinity among it, for numbers beyond what a float can be, and for
    what is nested more than MAX_DEPTH deep.
    With `strict` off, control characters may stand in strings.
    """
    if not isinstance(text, str):
        text = text.decode("utf-8-sig", "surrogatepass")
    try:
        if _depth(text) > MAX_DEPTH:
            raise ValueError("nested too deeply")
        value = json.loads(text, strict=strict, parse_constant=_refuse, parse_int=_int, parse_float=_float)
        return without_surrogates(value) if not text.isascii() or _HALF.search(text) else value
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _depth(text: str) -> int:
    """How deep the brackets of a text go; where there are few, how many there are."""
    most = text.count("[") + text.count("{")
    if most <= MAX_DEPTH:
        return most
    return max(accumulate(_STEPS.get(char, 0) for char in _BESIDE_BRACKETS.sub("", text)), default=0)


def _int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError("a number is too long")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError("a number is too large")
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
