"""How many values a message has: never fewer than a parser would find."""

import json

from hypothesis import given
from hypothesis import strategies as some

from kimi_tui.json_text import value_count
from kimi_tui.mcp.message_limit import MAX_VALUES, EventValues

_JSON = some.recursive(
    some.none() | some.integers() | some.text(some.sampled_from('a",[{\\\n\r')),
    lambda inner: some.lists(inner) | some.dictionaries(some.text(some.sampled_from('a"\\,')), inner),
)


def parts(value: object) -> int:
    """The lists and objects in a value, and what separates their items."""
    if not isinstance(value, list | dict):
        return 0
    items = list(value.values()) if isinstance(value, dict) else value
    return 1 + max(0, len(items) - 1) + sum(map(parts, items))


@given(_JSON)
def test_values_are_counted_and_marks_in_texts_are_not(value):
    assert value_count(json.dumps(value).encode()) == parts(value)


def test_a_text_longer_than_a_block_counts_as_one():
    text = '",\\"[' * 100_000
    assert value_count(json.dumps([text, text, 1]).encode()) == 3


@given(_JSON, some.sampled_from(["\n", "\r", "\r\n"]), some.integers(min_value=1, max_value=9))
def test_the_values_of_an_event_are_counted_however_its_lines_end_and_its_pieces_are_cut(value, end, size):
    lines = json.dumps(value, indent=0).split("\n")
    event = end.join((*(f"data: {line}" for line in lines), "", "")).encode() * 2
    values = EventValues()
    highest = max(values.add(event[start : start + size]) for start in range(0, len(event), size))
    assert highest == parts(value)
    assert highest <= MAX_VALUES
