"""Reads JSON that others wrote: a client, a service, a model, a file."""

import json
import math
import re
from typing import Any, NoReturn

from kimi_tui.surrogates import without_surrogates

_MAX_DIGITS = 300
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def loads(text: str | bytes | bytearray, *, strict: bool = True) -> Any:
    """The value of a JSON text; half surrogates become U+FFFD.

    Raises ValueError for what is no JSON, NaN and Infinity among it, for numbers beyond what a float can be, and for
    what is nested too deeply to be read.
    With `strict` off, control characters may stand in strings.
    """
    if not isinstance(text, str):
        text = text.decode("utf-8-sig", "surrogatepass")
    try:
        value = json.loads(text, strict=strict, parse_constant=_refuse, parse_int=_int, parse_float=_float)
        return without_surrogates(value) if not text.isascii() or _HALF.search(text) else value
    except RecursionError:
        raise ValueError("nested too deeply") from None


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
