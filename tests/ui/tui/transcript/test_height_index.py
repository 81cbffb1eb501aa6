from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.ui.tui.transcript.height_index import HeightIndex

HEIGHTS = st.lists(st.integers(0, 9), max_size=40)


@given(HEIGHTS, HEIGHTS, st.lists(st.tuples(st.integers(0, 79), st.integers(0, 9)), max_size=10), st.integers(0, 80))
def test_sums_and_searches_are_those_of_a_plain_list(
    first: list[int], more: list[int], changes: list[tuple[int, int]], cut: int
):
    heights, plain = HeightIndex(first), list(first)
    for value in more:
        heights.append(value)
        plain.append(value)
    for index, value in changes:
        if index < len(plain):
            heights.set(index, value)
            plain[index] = value
    heights.truncate(min(cut, len(plain)))
    del plain[cut:]
    heights.append(3)
    plain.append(3)
    assert [heights.top(index) for index in range(len(plain) + 1)] == [
        sum(plain[:index]) for index in range(len(plain) + 1)
    ]
    for row in range(sum(plain)):
        index, within = heights.find(row)
        assert sum(plain[:index]) + within == row
        assert 0 <= within < plain[index]
    assert heights.find(sum(plain) + 2) == (len(plain), 2)
