"""Fuzzy matching of a few typed letters against names and paths."""

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def score(query: str, text: str) -> float | None:
    """Return how well `text` matches `query` (higher is better), or None if a letter is missing."""
    return score_folded(query.casefold(), text.casefold())


def score_folded(query: str, text: str) -> float | None:
    """Like `score`, for case-folded texts."""
    if not query:
        return 0.0
    at = text.find(query)
    if at >= 0:
        start = at == 0 or not text[at - 1].isalnum()
        base = text.rfind("/") + 1
        return 1000 + (200 if at in (0, base) else 100 if start else 0) - at * 0.1 - len(text) * 0.5
    total, place, run = 0.0, -1, 0
    for letter in query:
        found = text.find(letter, place + 1)
        if found < 0:
            return None
        run = run + 1 if found == place + 1 else 0
        total += 10 + 8 * run + (12 if found == 0 or not text[found - 1].isalnum() else 0)
        place = found
    return total - len(text) * 0.5


def best(query: str, things: Iterable[tuple[str, T]], limit: int) -> list[T]:
    """Return the candidates whose names match `query`, best first; ties keep their order."""
    scored = [
        (value, index, thing) for index, (name, thing) in enumerate(things) if (value := score(query, name)) is not None
    ]
    scored.sort(key=lambda entry: (-entry[0], entry[1]) if query else (0, entry[1]))
    return [thing for _, _, thing in scored[:limit]]
