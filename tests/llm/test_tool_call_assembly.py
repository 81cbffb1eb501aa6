"""Tool calls put together from pieces."""

import time

import pytest

from kimi_tui.errors import ProviderError
from kimi_tui.llm.reply_limits import MAX_CALLS, MAX_ID, MAX_NAME
from kimi_tui.llm.tool_call_assembly import ToolCallOrder
from kimi_tui.wire.parts import ToolCall, ToolCallPart

Told = list[ToolCall | ToolCallPart]


@pytest.mark.parametrize("letter", ["y", "}"])
@pytest.mark.parametrize("repeated", [None, "WriteFile"])
def test_many_pieces_of_long_arguments_cost_no_more_each_than_few(repeated: str | None, letter: str) -> None:
    order, told = ToolCallOrder(set()), Told()
    begin = time.process_time()
    told += order.add(0, "a", "WriteFile", '{"text": "' + "x" * 1_000_000)
    told += order.add(1, "b", "WriteFile", '{"text": "')
    for _ in range(3_000):
        told += order.add(0, None, repeated, letter)
        told += order.add(1, None, None, "z")
    told += order.add(0, None, repeated, '"')
    told += order.add(0, None, None, " ")
    told += order.add(0, None, None, "}\n")
    told += order.add(1, None, None, '"}')
    assert time.process_time() - begin < 1
    assert [part.id for part in told if isinstance(part, ToolCall)] == ["a", "b"]
    assert "".join(part.arguments_part or "" for part in told if isinstance(part, ToolCallPart)) == (
        '{"text": "' + "x" * 1_000_000 + letter * 3_000 + '" }\n{"text": "' + "z" * 3_000 + '"}'
    )
    assert list(order.finish()) == []


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        (('{"a": "}"', ""), False),
        (('{"a": "\\', '"}', '"}'), True),
        (("{}", " \n"), True),
        (("{}", "{}"), False),
        (("}{",), False),
        (("{bad}",), False),
        (('{"a": {}', "}"), True),
    ],
)
def test_a_name_begins_another_call_once_the_arguments_are_whole(pieces: tuple[str, ...], whole: bool) -> None:
    order, told = ToolCallOrder(set()), Told()
    for number, piece in enumerate(pieces):
        told += order.add(None, None, None if number else "Shell", piece)
    told += order.add(None, None, "ReadFile", "{}")
    told += order.finish()
    assert len([part for part in told if isinstance(part, ToolCall)]) == 1 + whole


def test_a_reply_has_a_bound_on_its_calls() -> None:
    order = ToolCallOrder(set())
    for number in range(MAX_CALLS):
        list(order.add(number, f"c{number}", "ReadFile", "{}"))
    with pytest.raises(ProviderError, match="size limit"):
        list(order.add(MAX_CALLS, "one", "ReadFile", "{}"))


def test_an_id_that_is_too_long_is_replaced_and_a_name_is_cut() -> None:
    order = ToolCallOrder(set())
    told = [*order.add(0, "i" * (MAX_ID + 1), "n" * (MAX_NAME + 1), "{}"), *order.add(1, "j" * MAX_ID, "A", "{}")]
    first, second = (part for part in told if isinstance(part, ToolCall))
    assert first.id.startswith("call_")
    assert first.function.name == "n" * MAX_NAME
    assert second.id == "j" * MAX_ID
