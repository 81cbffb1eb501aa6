"""Enter with a modifier, in terminals that do not speak kitty's protocol."""

from pathlib import Path

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from kimi_tui.ui.tui.terminal import key_sequences
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.test_screen import ready


@pytest.mark.parametrize(
    "sent", ["\x1b\r", "\x1b\n", "\x1b[13;2u", "\x1b[13;3u", "\x1b[13;5u", "\x1b[27;2;13~", "\x1b[27;5;13~"]
)
async def test_enter_with_a_modifier_breaks_the_line_and_does_not_send(tmp_path: Path, sent: str) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test() as pilot:
        await ready(pilot)
        await pilot.press("a")
        keys = [key for key in XTermParser(False).feed(sent) if isinstance(key, events.Key)]
        for key in keys:
            app.main_screen.composer.prompt.post_message(key)
        await pilot.pause()
        assert app.main_screen.composer.text == "a\n"
        assert engine.prompts == []


def test_other_keys_keep_their_names() -> None:
    assert [key_sequences.normalize_key_name(key) for key in ("enter", "shift+enter", "a", "shift+\r")] == [
        "enter", "shift+enter", "a", "shift+enter",
    ]  # fmt: skip
