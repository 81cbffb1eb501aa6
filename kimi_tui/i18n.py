"""What the layers below the faces say to a person: English, marked so that a face can find it again.

    said("{folder} is no folder", folder=folder)       values by name, never an f-string inside
    said_n("{count} step", "{count} steps", 3)         `count` fills `{count}`, with commas

What comes of it is plain text: so it goes over the Wire, into the record, and to the faces that speak English only.
`make texts` collects these forms; the screen says in its own language what has one (`ui/tui/from_below.py`). A value
that is such a text itself is called `why`, `cause`, `state` or `facts`. All others stay as they are.
"""


def tr(form: str, /, **values: object) -> str:
    return form.format(**values) if values else form


def tr_n(one: str, many: str, count: int, /, **values: object) -> str:
    return (one if count == 1 else many).format(count=f"{count:,}", **values)
