import pytest

from kimi_tui.llm.message import Message, user_message
from kimi_tui.soul.side_questions import whole
from kimi_tui.wire.parts import FunctionBody, TextPart, ToolCall


def calls(*ids):
    made = tuple(ToolCall(id=call_id, function=FunctionBody(name="Shell", arguments="{}")) for call_id in ids)
    return Message(role="assistant", content=(TextPart(text="I look"),), tool_calls=made)


def result(call_id):
    return Message(role="tool", content=(TextPart(text="out"),), tool_call_id=call_id)


ASKED = user_message("go")


@pytest.mark.parametrize(
    ("history", "length"),
    [
        ([], 0),
        ([ASKED], 1),
        ([ASKED, calls("a"), result("a")], 3),
        ([ASKED, calls("a", "b"), result("a"), result("b"), user_message("note")], 5),
        ([ASKED, calls("a")], 1),
        ([ASKED, calls("a", "b"), result("a")], 1),
    ],
)
def test_calls_that_are_being_answered_just_now_are_left_out_of_a_side_question(history, length):
    assert whole(history) == history[:length]
