"""Handles lone surrogates, which are invalid in UTF-8: from broken JSON, split streams, and file names."""

import json
from typing import TypeVar, cast

T = TypeVar("T")


def without_surrogates(value: T) -> T:
    """Return the value with surrogate pairs joined and lone halves replaced, in strings at any depth."""
    return cast(T, _clean(value))


def has_surrogates(value: object) -> bool:
    """Whether any string in a JSON value has a lone surrogate; much faster than copying the value without them."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _clean(value: object) -> object:
    # Not `match`: it takes twice as long, and each request's new messages go through here.
    if isinstance(value, str):
        return value if value.isascii() else _joined(value)
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in cast(dict[object, object], value).items()}
    if isinstance(value, list):
        return [_clean(item) for item in cast(list[object], value)]
    if isinstance(value, tuple):
        return tuple([_clean(item) for item in cast(tuple[object, ...], value)])
    return value


def _joined(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class SurrogateJoiner:
    """Joins characters that a stream has split; a lone half becomes U+FFFD."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """Return the complete text so far; a first half at the end is held back."""
        if not self._held and text.isascii():
            return text
        text = self._held + text
        self._held = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return _joined(text[: len(text) - len(self._held)])

    def flush(self) -> str:
        """Return the held-back half at the end of the stream."""
        held, self._held = self._held, ""
        return "\ufffd" if held else ""
