import json

from kimi_tui.jsonl import JsonlWriter
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.events import TurnBegin, TurnEnd
from kimi_tui.wire.parts import TextPart
from kimi_tui.wire.recorder import Recorder, read_recorded


def record(path, *messages, clock=lambda: 12.5):
    wire, writer = Wire(), JsonlWriter(path)
    wire.listen(Recorder(writer, clock=clock), merged=True)
    for message in messages:
        wire.send(message)
    wire.flush()
    writer.close()


def test_the_file_begins_with_the_protocol_and_has_a_time_on_every_message(tmp_path):
    path = tmp_path / "wire.jsonl"
    record(path, TurnBegin(user_input="你好"), TextPart(text="a"), TextPart(text="b"), TurnEnd())
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert lines[0] == {"type": "metadata", "protocol_version": "1.10"}
    assert lines[2] == {
        "timestamp": 12.5,
        "message": {"type": "ContentPart", "payload": {"type": "text", "text": "ab"}},
    }
    assert len(lines) == 4


def test_what_was_recorded_is_read_back_in_order_and_a_second_run_appends(tmp_path):
    path = tmp_path / "wire.jsonl"
    record(path, TurnBegin(user_input="a"), TurnEnd())
    record(path, TurnBegin(user_input="b"))
    messages = [recorded.message for recorded in read_recorded(path)]
    assert messages == [TurnBegin(user_input="a"), TurnEnd(), TurnBegin(user_input="b")]
    assert path.read_text().count("metadata") == 1


def test_lines_of_unknown_types_and_broken_ones_are_passed_over(tmp_path):
    path = tmp_path / "wire.jsonl"
    record(path, TurnBegin(user_input="a"))
    with path.open("a") as file:
        file.write('{"timestamp": 1, "message": {"type": "Weather", "payload": {}}}\n{nonsense\n[1]\n')
        file.write('{"timestamp": 1, "message": {"type": "StepBegin", "payload": {"n": "x"}}}\n')
    record(path, TurnEnd())
    assert [recorded.message for recorded in read_recorded(path)] == [TurnBegin(user_input="a"), TurnEnd()]
