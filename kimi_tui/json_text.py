"""Parses untrusted JSON: from a client, a service, a model, a file."""

import json
import math
import re
from codecs import BOM_UTF8
from itertools import accumulate
from typing import Any, NoReturn

from kimi_tui.surrogates import without_surrogates

MAX_DEPTH = 200
"""The maximum nesting depth: above that of real data, and far below Python's recursion limit for later traversals."""
MAX_VALUES = 1_000_000
"""The maximum number of values, each of which takes about a hundred bytes: above that of real data."""
_MAX_DIGITS = 300
# A string may lack its end: to look for it again from each later quote would take quadratic time.
_BESIDE_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[^\[\]{}"]++', re.DOTALL)  # defence: strings-without-end
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_BLOCK = 1 << 16
_OTHERS = bytes(set(range(256)) - set(b'",[{'))
_TEXT = re.compile(rb'"[^"]*"?')


def loads(text: str | bytes | bytearray, *, strict: bool = True) -> Any:
    """Parse a JSON text; half surrogates become U+FFFD.

    Raises ValueError for invalid JSON, NaN and Infinity included, for numbers beyond the range of a float, for
    nesting deeper than MAX_DEPTH and for more than MAX_VALUES values. With `strict` off, strings may contain control
    characters.
    """
    if len(text) > MAX_VALUES and has_too_many_values(
        text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    ):
        raise ValueError("too many values")
    if not isinstance(text, str):
        # The codec that skips the mark is slow.
        name = "utf-8-sig" if text.startswith(BOM_UTF8) else "utf-8"  # defence: byte-order-mark-in-json
        text = text.decode(name, "surrogatepass")
    try:
        if _depth(text) > MAX_DEPTH:  # defence: bound-json-depth
            raise ValueError("nested too deeply")
        value = (_STRICT if strict else _LENIENT).decode(text)
        return without_surrogates(value) if not text.isascii() or ("\\u" in text and _HALF.search(text)) else value
    except RecursionError:
        raise ValueError("nested too deeply") from None


def has_too_many_values(line: bytes | bytearray) -> bool:
    """Whether a line of JSON may have more than MAX_VALUES values."""
    return len(line) > MAX_VALUES and value_count(line) > MAX_VALUES  # defence: bound-json-values


def value_count(line: bytes | bytearray) -> int:
    """Return how many values a line of JSON has at most: items of lists, and fields. A text has no line break."""
    marks = line.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _OTHERS)
    count, is_text = 0, False
    for start in range(0, len(marks), _BLOCK):
        block = marks[start : start + _BLOCK]
        count += len(_TEXT.sub(b"", b'"' + block if is_text else block))
        is_text ^= block.count(b'"') % 2 == 1
    return count


def _depth(text: str) -> int:
    """Return the nesting depth of a text's brackets; if there are few, their number."""
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
    raise ValueError(f"{constant} is not JSON")


def _decoder(*, strict: bool) -> json.JSONDecoder:
    return json.JSONDecoder(strict=strict, parse_constant=_refuse, parse_int=_int, parse_float=_float)


# `json.loads` would make one for each text, which costs more than to parse a short line.
_STRICT, _LENIENT = _decoder(strict=True), _decoder(strict=False)
