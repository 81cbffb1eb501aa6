"""Word boundaries for double clicks."""

import re

# Paths, addresses and options are words; sentence punctuation after them does not belong to them.
_WORD = re.compile(r"[\w~@#%&?=+$/\\-](?:[\w~@#%&?=+$/\\.:-]*[\w~@#%&=+$/\\-])?")


def word_around(text: str, place: int) -> tuple[int, int]:
    """Return the start and the exclusive end of the word at `place`; outside of words, those of the single
    character.
    """
    found = next((word for word in _WORD.finditer(text) if word.start() <= place < word.end()), None)
    return found.span() if found is not None else (place, min(place + 1, len(text)))
