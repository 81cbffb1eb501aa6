"""Text from a server: of limited length, without characters that control a terminal or are invisible."""

from collections.abc import Iterable
from typing import cast

from kimi_tui.text_safety import is_safe

_SHORTEST_SECRET = 8
_ELLIPSIS = "…"


def clean(text: str, *, limit: int) -> str:
    """At most `limit` characters; removes what is not safe by `text_safety` (escapes, C1, bidi, tags)."""
    return shortened("".join(char for char in text[: limit * 4] if char in "\n\t" or is_safe(char)).strip(), limit)


def one_line(text: str, *, limit: int) -> str:
    """Like `clean`, on one line."""
    return clean(" ".join(text[: limit * 4].split()), limit=limit)


def shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + _ELLIPSIS


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """The text with each secret masked, unless it is too short to be one."""
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "***")
    return text


def first_leaf(error: BaseException) -> BaseException:
    """The first leaf of an exception group, which is the SDK's form of an error."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error
