"""Text from a server: of limited length, without characters that control a terminal or are invisible."""

import re
from collections.abc import Iterable
from typing import cast

from kimi_tui.text_safety import is_safe

_SHORTEST_SECRET = 8
_ELLIPSIS = "…"
_ADVERTISED = re.compile(r" For further information visit https://errors\.pydantic\.dev/\S+")


def clean(text: str, *, limit: int) -> str:
    """Return at most `limit` characters; removes what `text_safety` treats as unsafe (escapes, C1, bidi, tags)."""
    return shortened("".join(char for char in text[: limit * 4] if char in "\n\t" or is_safe(char)).strip(), limit)


def one_line(text: str, *, limit: int) -> str:
    """Like `clean`, on one line, without the addresses that pydantic's errors end with."""
    return clean(_ADVERTISED.sub("", " ".join(text[: limit * 4].split())), limit=limit)


def shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + _ELLIPSIS


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return the text with each secret masked, except secrets too short to be one."""
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "***")
    return text


def first_leaf(error: BaseException) -> BaseException:
    """Return the first leaf of an exception group, the SDK's form of an error."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error
