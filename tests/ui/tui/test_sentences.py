"""Sentences that are typed at random moments in every state are nowhere by halves. `typist.py` does so at length."""

from pathlib import Path

import pytest

from tests.ui.tui.typist import STATES, type_in


@pytest.mark.parametrize("state", STATES)
async def test_a_sentence_is_in_one_place_whole_or_was_the_keys_of_a_pane(state: str, tmp_path: Path) -> None:
    counts = await type_in(tmp_path, state, 7, 1)
    assert counts["letters"] or counts.total() == 1
