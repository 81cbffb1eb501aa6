from kimi_tui.wire.channel import Wire
from kimi_tui.wire.events import StepBegin, TurnEnd
from kimi_tui.wire.parts import FunctionBody, TextPart, ThinkPart, ToolCall, ToolCallPart

CALL = ToolCall(id="c", function=FunctionBody(name="Shell"))


def received(*messages, flush=True):
    wire, raw, merged = Wire(), [], []
    wire.listen(raw.append)
    wire.listen(merged.append, merged=True)
    for message in messages:
        wire.send(message)
    if flush:
        wire.flush()
    return raw, merged


def test_a_raw_listener_hears_every_piece():
    pieces = [TextPart(text="a"), TextPart(text="b"), TurnEnd()]
    assert received(*pieces)[0] == pieces


def test_a_merged_listener_hears_adjacent_pieces_of_one_kind_as_one():
    merged = received(
        ThinkPart(think="x"), ThinkPart(think="y", encrypted="s"), ThinkPart(think="z"),
        TextPart(text="a"), TextPart(text="b"), StepBegin(n=1), TextPart(text="c"),
    )[1]  # fmt: skip
    assert merged == [
        ThinkPart(think="xy", encrypted="s"),
        ThinkPart(think="z"),
        TextPart(text="ab"),
        StepBegin(n=1),
        TextPart(text="c"),
    ]


def test_the_parts_of_a_tool_call_go_into_the_call_before_them():
    parts = [ToolCallPart(arguments_part='{"a"'), ToolCallPart(), ToolCallPart(arguments_part=":1}")]
    merged = received(CALL, *parts, CALL)[1]
    assert [call.function.arguments for call in merged] == ['{"a":1}', None]


def test_what_is_held_back_is_heard_before_what_follows_and_at_the_latest_on_flush():
    assert received(TextPart(text="a"), flush=False)[1] == []
    assert received(TextPart(text="a"))[1] == [TextPart(text="a")]


def test_a_listener_that_fails_does_not_keep_others_from_hearing(caplog):
    wire, after = Wire(), []
    wire.listen(lambda _: 1 / 0)
    wire.listen(after.append)
    wire.send(TurnEnd())
    assert after == [TurnEnd()]
    assert "a listener failed on TurnEnd" in caplog.text


def test_who_has_stopped_listening_hears_nothing_more():
    wire, messages = Wire(), []
    unlisten = wire.listen(messages.append)
    unlisten()
    unlisten()
    wire.send(TurnEnd())
    assert messages == []
