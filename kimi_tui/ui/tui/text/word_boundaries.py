"""What a double click takes for a word."""

import re

# A path, an address and an option are words; what ends a sentence after them is not a part of them.
_WORD = re.compile(r"[\w~@#%&?=+$/\\-](?:[\w~@#%&?=+$/\\.:-]*[\w~@#%&=+$/\\-])?")


def word_around(text: str, place: int) -> tuple[int, int]:
    """The first character of the word at `place`, and the one after its last; of what is no word, the character."""
    found = next((word for word in _WORD.finditer(text) if word.start() <= place < word.end()), None)
    return found.span() if found is not None else (place, min(place + 1, len(text)))
