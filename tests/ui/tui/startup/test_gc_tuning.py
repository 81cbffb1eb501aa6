import gc
from collections.abc import Iterator

import pytest

from kimi_tui.ui.tui.startup import gc_tuning


@pytest.fixture
def looking() -> Iterator[None]:
    """The interpreter looks for rubbish as it did before, afterwards."""
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    gc.enable()


def test_after_a_start_without_looking_what_is_there_is_set_aside(looking: None) -> None:
    gc.disable()
    gc_tuning.freeze_startup_objects()
    assert gc.isenabled()
    assert gc.get_freeze_count() > 10_000


def test_a_process_that_looks_is_left_as_it_is(looking: None) -> None:
    before = gc.get_threshold(), gc.get_freeze_count()
    gc_tuning.freeze_startup_objects()
    assert (gc.get_threshold(), gc.get_freeze_count()) == before
