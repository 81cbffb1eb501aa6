"""The branch a model names with `<choice>..</choice>`, and which label it means."""

import re
import unicodedata
from collections.abc import Sequence

_CHOICE = re.compile(r"<choice>([^<]*)</choice>")


def parse_choice(text: str) -> str | None:
    """The last choice in a message, trimmed; None where there is none."""
    found = _CHOICE.findall(text)
    return found[-1].strip() if found else None


def match_choice(choice: str, labels: Sequence[str]) -> str | None:
    """The label a choice means: the equal one, else the only one that differs in case or outer punctuation alone."""
    choice = choice.strip()
    for label in labels:
        if label.strip() == choice:
            return label
    wanted = _bare(choice)
    if not wanted:
        return None
    near = [label for label in labels if _bare(label) == wanted]
    return near[0] if len(near) == 1 else None


def _bare(text: str) -> str:
    """Case folded, in one width, without punctuation, symbols and blanks around it."""
    text = unicodedata.normalize("NFKC", text).casefold()
    start, end = 0, len(text)
    while start < end and _is_outer(text[start]):
        start += 1
    while end > start and _is_outer(text[end - 1]):
        end -= 1
    return " ".join(text[start:end].split())


def _is_outer(character: str) -> bool:
    return character.isspace() or unicodedata.category(character)[0] in "PSZC"
