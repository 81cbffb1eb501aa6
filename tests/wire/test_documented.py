"""`kimi_tui/docs/wire.md` names every message and field that we add to the Wire."""

import re
from pathlib import Path

from kimi_tui.wire.codec import FLOW_EVENTS

TEXT = (Path(__file__).parents[2] / "kimi_tui/docs/wire.md").read_text("utf-8")


def test_every_flow_event_is_there_with_all_its_fields():
    rows = dict(re.findall(r"^\| `(Flow\w+)` \| (.*?) \|", TEXT, re.MULTILINE))
    assert set(rows) == {event.__name__ for event in FLOW_EVENTS}
    for event in FLOW_EVENTS:
        told = set(re.findall(r"`(\w+)\??`", rows[event.__name__]))
        assert set(event.model_fields) - {"run_id"} <= told, event.__name__


def test_the_fields_of_other_messages_are_there():
    for field in ("scope", "taken", "model"):
        assert f"`{field}?`" in TEXT
