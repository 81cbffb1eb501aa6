"""Tool calls put together from pieces."""

import time

import pytest

from kimi_tui.llm.tool_call_assembly import ToolCallOrder
from kimi_tui.wire.parts import ToolCall, ToolCallPart

Told = list[ToolCall | ToolCallPart]


@pytest.mark.parametrize("repeated", [None, "WriteFile"])
def test_many_pieces_of_long_arguments_cost_no_more_each_than_few(repeated: str | None) -> None:
    order, told = ToolCallOrder(set()), Told()
    begin = time.process_time()
    told += order.add(0, "a", "WriteFile", '{"text": "' + "x" * 1_000_000)
    told += order.add(1, "b", "WriteFile", '{"text": "')
    for _ in range(3_000):
        told += order.add(0, None, repeated, "y")
        told += order.add(1, None, None, "z")
    told += order.add(0, None, repeated, '"')
    told += order.add(0, None, None, " ")
    told += order.add(0, None, None, "}\n")
    told += order.add(1, None, None, '"}')
    assert time.process_time() - begin < 1
    assert [part.id for part in told if isinstance(part, ToolCall)] == ["a", "b"]
    assert "".join(part.arguments_part or "" for part in told if isinstance(part, ToolCallPart)) == (
        '{"text": "' + "x" * 1_000_000 + "y" * 3_000 + '" }\n{"text": "' + "z" * 3_000 + '"}'
    )
    assert list(order.finish()) == []
