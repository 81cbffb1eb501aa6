"""The record of a session in two parts: what a screen shows at once, and what it loads after that."""

from pathlib import Path

from kimi_tui.jsonl import JsonlWriter
from kimi_tui.session.record_tail import RECENT_BYTES
from kimi_tui.soul.session_replay import replayed_in_parts
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import StepBegin, TurnBegin, TurnEnd
from kimi_tui.wire.parts import TextPart
from kimi_tui.wire.recorder import Recorder

TURN = (TurnBegin(user_input="q"), StepBegin(n=1), TextPart(text="a"), TurnEnd())
LONG = "y" * (2 * RECENT_BYTES)


def recent(folder: Path, *messages: WireMessage, torn: str = "") -> list[WireMessage]:
    wire_file = folder / "wire.jsonl"
    writer = JsonlWriter(wire_file)
    recorder = Recorder(writer)
    for message in messages:
        recorder(message)
    writer.close()
    with wire_file.open("a", encoding="utf-8") as file:
        file.write(torn)
    return [one.message for one in replayed_in_parts(Recorder(JsonlWriter(wire_file)), wire_file).recent]


def test_a_record_that_ends_with_a_long_message_shows_that_one_at_once(tmp_path: Path) -> None:
    begun = TurnBegin(user_input=LONG)
    assert recent(tmp_path, *TURN, begun) == [begun]


def test_a_record_whose_last_line_was_cut_by_a_kill_shows_what_is_before_it(tmp_path: Path) -> None:
    assert recent(tmp_path, *TURN, torn='{"message": "' + LONG) == list(TURN)
