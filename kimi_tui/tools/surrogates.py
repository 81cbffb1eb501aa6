"""Halves of characters, which no UTF-8 text can hold: from a model's broken JSON, or from file names."""

from typing import cast


def without_surrogates(value: object) -> object:
    """The same value, halves that belong together joined and the others replaced, in strings at any depth."""
    match value:
        case str():
            return _joined(value)
        case dict():
            items = cast(dict[object, object], value).items()
            return {without_surrogates(key): without_surrogates(item) for key, item in items}
        case list():
            return [without_surrogates(item) for item in cast(list[object], value)]
        case tuple():
            return tuple(without_surrogates(item) for item in cast(tuple[object, ...], value))
        case _:
            return value


def _joined(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
