import json
from pathlib import Path
from typing import get_args

import pytest

from kimi_tui.wire import codec
from kimi_tui.wire.codec import UnknownMessage, WireFormatError, decode, encode
from kimi_tui.wire.display import UnknownBlock
from kimi_tui.wire.events import ApprovalResponse, SubagentEvent
from kimi_tui.wire.parts import ToolResult

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))


@pytest.mark.parametrize("envelope", GOLDEN, ids=lambda envelope: envelope["type"])
def test_a_golden_message_is_the_same_after_reading_and_writing(envelope):
    assert encode(decode(envelope)) == envelope


def test_every_message_type_of_the_wire_has_a_golden_message():
    content = {cls.__name__ for cls in get_args(codec.ContentMessage)}
    named = {cls.__name__ for cls in get_args(codec.WireMessage)} - content | {"ContentPart"}
    assert {envelope["type"] for envelope in GOLDEN} == named


def test_a_type_that_nobody_knows_is_kept_as_it_came():
    assert decode({"type": "Weather", "payload": {"rain": True}}) == UnknownMessage("Weather", {"rain": True})


def test_a_display_block_of_an_unknown_type_keeps_all_its_fields():
    envelope = next(e for e in GOLDEN if e["type"] == "ToolResult")
    result = decode(envelope)
    assert isinstance(result, ToolResult)
    block = result.return_value.display[-1]
    assert isinstance(block, UnknownBlock)
    assert block.model_dump() == {"type": "background_task", "task_id": "t", "kind": "shell"}


def test_the_old_names_of_a_field_and_of_a_type_are_read():
    old = decode({"type": "SubagentEvent", "payload": {"task_tool_call_id": "c", "event": {"type": "X"}}})
    assert isinstance(old, SubagentEvent)
    assert old.parent_tool_call_id == "c"
    settled = decode({"type": "ApprovalRequestResolved", "payload": {"request_id": "r", "response": "approve"}})
    assert isinstance(settled, ApprovalResponse)


@pytest.mark.parametrize(
    ("envelope", "cause"),
    [
        (None, "an object with type and payload"),
        ({"payload": {}}, "an object with type and payload"),
        ({"type": "TurnBegin", "payload": []}, "an object with type and payload"),
        ({"type": "StepBegin", "payload": {"n": 0}}, "StepBegin: n: "),
        ({"type": "ContentPart", "payload": {"type": "smell"}}, "ContentPart: "),
        ({"type": "QuestionRequest", "payload": {"id": "q", "tool_call_id": "c", "questions": []}}, "questions"),
    ],
)
def test_a_message_that_is_none_is_refused_with_its_cause(envelope, cause):
    with pytest.raises(WireFormatError, match=cause.replace("(", r"\(")):
        decode(envelope)
