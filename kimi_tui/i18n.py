"""Messages of the layers below the UIs: English templates, marked so that a UI can translate them.

    tr("{folder} is not a folder", folder=folder)       values by name, never an f-string inside
    tr_n("{count} step", "{count} steps", 3)         `count` fills `{count}`, with commas

The result is plain text for the Wire, the record, and the English-only UIs. `make texts` collects the templates; the
TUI translates texts that match one. A value that is such a text itself is called `why`, `cause`, `state` or `facts`.
All other values stay unchanged.
"""

from typing import TypeAlias

UserText: TypeAlias = str
"""A text that the user reads. By this annotation of a parameter or a field, a guard finds the calls with such texts."""


def tr(form: str, /, **values: object) -> str:
    return form.format(**values) if values else form


def tr_n(one: str, many: str, count: int, /, **values: object) -> str:
    return (one if count == 1 else many).format(count=f"{count:,}", **values)
