"""When the interpreter looks for rubbish in rings: not during a start, and then seldom, so that no frame waits for it.

What a start loads stays to the end, and half a million objects take a tenth of a second to look through, which would
be once a second while a reply streams. So they are set aside. What streaming leaves behind (trees of Markdown, strips
that know themselves) is young and found by the short looks.
"""

import gc

_YOUNG, _OLDER, _OLDEST = 2_000, 15, 10


def freeze_startup_objects() -> None:
    """The start, which turned all looking off, is over: what is there now is no longer looked at."""
    if gc.isenabled():  # nobody turned it off: a test, or somebody else's process
        return
    gc.freeze()
    gc.set_threshold(_YOUNG, _OLDER, _OLDEST)
    gc.enable()
