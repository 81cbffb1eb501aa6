"""Removes secrets from text that leaves this machine."""

import re
from collections.abc import Iterable
from typing import cast

GONE = "[redacted]"
_SHORTEST = 8

# What looks like a key in any text. Each pattern keeps the prefix, so that a reader sees what kind of key it was.
_SHAPES = (
    re.compile(
        r"\b(sk-|pk-|rk-|ghp_|gho_|ghs_|ghr_|github_pat_|glpat-|xox[abprs]-|hf_|npm_|pypi-|tvly-)[A-Za-z0-9_-]{12,}"
    ),
    re.compile(r"\b(AKIA|ASIA|AIza)[A-Za-z0-9_-]{12,}"),
    re.compile(r"\b(eyJ)[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    re.compile(r"(?i)\b((?:proxy-)?authorization\\?[\"']?\s*[:=]\s*\\?[\"']?(?:bearer|basic|token)\s+)[^\s\"'\\]{6,}"),
    re.compile(
        r"(?i)\b([A-Z0-9_-]*(?:api[_-]?key|secret|password|passwd|access[_-]?token|auth[_-]?token)\\?[\"']?\s*[:=]\s*\\?[\"']?)"
        r"[^\s\"'\\,;&]{6,}"
    ),
    re.compile(r"(://[^/\s:@\"'\\]+:)[^/\s:@\"'\\]+(?=@)"),
)
_NAMES = re.compile(r"(?i).*(api[_-]?key|secret|password|passwd|access[_-]?token|auth[_-]?token)|authorization")
_PEM = re.compile(r"-----BEGIN ([A-Z ]*PRIVATE KEY)-----.*?(?:-----END \1-----|\Z)", re.DOTALL)


class Redactor:
    """Removes the values in `secrets` wherever they occur, and anything that looks like a key."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = sorted({secret for secret in secrets if len(secret) >= _SHORTEST}, key=len, reverse=True)

    def text(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, GONE)  # defence: secret-in-export
        if "PRIVATE KEY" in text:
            text = _PEM.sub(GONE, text)
        for shape in _SHAPES:
            text = shape.sub(lambda match: match[1] + GONE, text)
        return text

    def value(self, value: object) -> object:
        """JSON values without secrets: cleans every text, and removes the value of any key named like a secret."""
        match value:
            case str():
                return self.text(value)
            case dict():
                fields = cast(dict[str, object], value)
                return {name: self._field(name, inner) for name, inner in fields.items()}
            case list():
                return [self.value(inner) for inner in cast(list[object], value)]
            case _:
                return value

    def _field(self, name: str, value: object) -> object:
        if isinstance(value, str) and value and _NAMES.fullmatch(name):
            return GONE
        return self.value(value)
