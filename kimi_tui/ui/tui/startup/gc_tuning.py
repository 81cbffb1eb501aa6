"""Garbage collector tuning: off during start-up, then rare, so that no frame waits for a full collection.

Objects loaded at start-up live until exit, and scanning half a million of them takes a tenth of a second, about once a
second while a reply streams; so they are frozen. Garbage from streaming (Markdown trees, strips with reference cycles)
is young, and the young collections find it.
"""

import gc

_GEN0_THRESHOLD, _GEN1_THRESHOLD, _GEN2_THRESHOLD = 2_000, 15, 10


def freeze_startup_objects() -> None:
    """Freeze everything allocated so far and re-enable the collector, which start-up had disabled."""
    if gc.isenabled():  # not disabled by our start-up: a test or an embedding process
        return
    gc.freeze()
    gc.set_threshold(_GEN0_THRESHOLD, _GEN1_THRESHOLD, _GEN2_THRESHOLD)
    gc.enable()
