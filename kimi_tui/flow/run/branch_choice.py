"""Parses the `<choice>..</choice>` of a model and matches it to a branch label."""

import re
import unicodedata
from collections.abc import Sequence

_TAG = re.compile(r"<(/?)choice>", re.IGNORECASE)
_THOUGHT = re.compile(r"<think>(?:(?!</?think>).)*</think>", re.IGNORECASE | re.DOTALL)
_KEPT_SYMBOLS = frozenset("<>=≤≥≠±")
"""Symbols at the edge of a label that are part of its meaning."""


def parse_choice(text: str) -> str | None:
    """The last choice in a message, trimmed; None if there is none. Text within `<think>` is ignored."""
    choice: str | None = None
    tag_start: int | None = None
    text = _without_thoughts(text)
    for tag in _TAG.finditer(text):
        if not tag.group(1):
            tag_start = tag.end()
        elif tag_start is not None:  # defence: last-choice-counts
            choice, tag_start = text[tag_start : tag.start()].strip(), None
    return choice


def _without_thoughts(text: str) -> str:
    """Remove closed thoughts, and those whose start or end tag is missing."""
    if "think>" not in text.lower():
        return text
    text = _THOUGHT.sub("", text)
    end = text.lower().rfind("</think>")
    if end >= 0:
        text = text[end + len("</think>") :]
    return "" if text.lstrip().lower().startswith("<think>") else text


def match_choice(choice: str, labels: Sequence[str]) -> str | None:
    """The label that a choice names: the equal one, else the only one that differs in case or outer punctuation."""
    choice = choice.strip()
    for label in labels:
        if label.strip() == choice:
            return label
    bare_choice = _bare(choice)
    if not bare_choice:
        return None
    matches = [label for label in labels if _bare(label) == bare_choice]
    return matches[0] if len(matches) == 1 else None  # defence: near-choice


def _bare(text: str) -> str:
    """Case folded, in one width, without spaces, and without punctuation and symbols around it."""
    text = unicodedata.normalize("NFKC", text).casefold()
    start, end = 0, len(text)
    while start < end and _is_outer(text[start]):
        start += 1
    while end > start and _is_outer(text[end - 1]):
        end -= 1
    return "".join(text[start:end].split())


def _is_outer(character: str) -> bool:
    return character not in _KEPT_SYMBOLS and unicodedata.category(character)[0] in "PSZC"
