from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.surrogates import SurrogateJoiner, has_surrogates, without_surrogates

HALVES = st.sampled_from(["\ud83d", "\ude00", "\ud800", "a", "é", "😀"])


def test_halves_are_joined_or_replaced_in_all_that_a_value_holds():
    value = {"\ud800": ["\ud83d\ude00", ("a\udcff", 1)], "b": None}
    assert without_surrogates(value) == {"\ufffd": ["😀", ("a\ufffd", 1)], "b": None}


@given(pieces=st.lists(st.lists(HALVES, max_size=4).map("".join), max_size=6))
def test_a_stream_in_pieces_says_what_it_says_in_one(pieces):
    joiner = SurrogateJoiner()
    told = "".join(joiner.feed(piece) for piece in pieces) + joiner.flush()
    assert told == without_surrogates("".join(pieces))
    told.encode()


JSON = st.recursive(
    st.none() | st.integers() | st.lists(HALVES, max_size=3).map("".join),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(HALVES, inner, max_size=3) | st.tuples(inner, inner),
    max_leaves=8,
)


@given(value=JSON)
def test_a_value_has_surrogates_if_and_only_if_cleaning_changes_it(value):
    assert has_surrogates(value) == (without_surrogates(value) != value)
