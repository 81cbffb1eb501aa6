"""Removes secrets from text that leaves this machine."""

import os
import re
from collections.abc import Iterable
from typing import cast

from kimi_tui.secret_names import is_secret_name

GONE = "[redacted]"
_SHORTEST = 8

# What looks like a key in any text. Each pattern keeps the prefix, so that a reader sees what kind of key it was.
# The text is untrusted: a pattern that begins with a repetition begins only where a word does, or it takes quadratic
# time.
_SHAPES = (
    re.compile(
        r"\b(sk-|pk-|rk-|ghp_|gho_|ghs_|ghr_|github_pat_|glpat-|xox[abprs]-|hf_|npm_|pypi-|tvly-)[A-Za-z0-9_-]{12,}"
    ),
    re.compile(r"\b((?:sk|pk|rk)_(?:live|test)_|ghu_|whsec_|dop_v1_)[A-Za-z0-9_-]{12,}"),
    re.compile(r"\b(AKIA|ASIA|AIza)[A-Za-z0-9_-]{12,}"),
    re.compile(r"(?i)\b((?:proxy-)?authorization\\?[\"']?\s*[:=]\s*\\?[\"']?(?:bearer|basic|token)\s+)[^\s\"'\\]{6,}"),
    re.compile(r"(://[^/\s:@\"'\\]+:)[^/\s:@\"'\\]+(?=@)"),
)
_DOTTED = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]++(?:\.[A-Za-z0-9_-]++){2,}+")
_TOKEN = re.compile(r"\b(eyJ)[A-Za-z0-9_-]{8,}\Z")
"""The first part of a JSON Web Token; two more parts follow."""
_NAMED = re.compile(  # defence: words-redacted-once
    r"(?<![A-Za-z0-9_-])([A-Za-z0-9_-]++)\\?[\"']?\s*[:=]\s*\\?[\"']?"
)
_VALUE = re.compile(r"[^\s\"'\\,;&]{6,}")
_CERTAIN = re.compile(r"(?i)(?:api[_-]?key|secret|password|passwd|access[_-]?token|auth[_-]?token)\Z")
"""Ends of names whose value is redacted whatever it is; the value of another secret's name, if it may be a key."""
_MAY_BE_KEY = re.compile(r"(?=[^\s\"'\\,;&]{8})(?=[^\s\"'\\,;&]{0,200}?[0-9])(?=[^\s\"'\\,;&]{0,200}?[A-Za-z])")
_PEM = re.compile(r"-----BEGIN ([A-Z ]*PRIVATE KEY)-----.*?(?:-----END \1-----|\Z)", re.DOTALL)


class Redactor:
    """Removes the values in `secrets` wherever they occur, those of our environment, and anything that looks like a
    key.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        ours = (value for name, value in os.environ.items() if _is_secret(name, value, 0))  # defence: secret-variables
        self._secrets = sorted(
            {secret for secret in (*secrets, *ours) if len(secret) >= _SHORTEST}, key=len, reverse=True
        )

    def text(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, GONE)  # defence: secret-in-export
        if "PRIVATE KEY" in text:
            text = _PEM.sub(GONE, text)
        if "eyJ" in text:
            text = _DOTTED.sub(lambda match: _without_token(match[0]), text)
        for shape in _SHAPES:
            text = shape.sub(lambda match: match[1] + GONE, text)
        return _without_named(text)

    def value(self, value: object) -> object:
        """Return a JSON value without secrets: cleans every text and every key, and removes the value of any key named
        like a secret.
        """
        match value:
            case str():
                return self.text(value)
            case dict():
                fields = cast(dict[str, object], value)
                return {self.text(name): self._field(name, inner) for name, inner in fields.items()}
            case list():
                return [self.value(inner) for inner in cast(list[object], value)]
            case _:
                return value

    def _field(self, name: str, value: object) -> object:
        if isinstance(value, str) and value and (name.lower() == "authorization" or _is_secret(name, value, 0)):
            return GONE
        return self.value(value)


def _without_named(text: str) -> str:
    """Remove the values of secrets' names: `NAME=value`, `"name": "value"`."""
    pieces: list[str] = []
    end = 0
    for named in _NAMED.finditer(text):
        if named.start() >= end and _is_secret(named[1], text, named.end()):
            value = _VALUE.match(text, named.end())
            if value is not None:
                pieces += text[end : named.end()], GONE
                end = value.end()
    return "".join((*pieces, text[end:]))


def _is_secret(name: str, text: str, start: int) -> bool:
    """Whether the value at `start` is one: by the names that are left out of the environment of commands too."""
    if _CERTAIN.search(name[-100:]):
        return True
    return is_secret_name(name) and _MAY_BE_KEY.match(text, start) is not None  # defence: secret-names-in-export


def _without_token(dotted: str) -> str:
    """Remove the JSON Web Token from words that are joined by dots."""
    parts = dotted.split(".")
    for index, part in enumerate(parts[:-2]):
        token = _TOKEN.search(part)
        if token is not None and min(len(parts[index + 1]), len(parts[index + 2])) >= _SHORTEST:
            return ".".join((*parts[:index], part[: token.end(1)] + GONE, *parts[index + 3 :]))
    return dotted
