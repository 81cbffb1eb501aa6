"""Enter with a modifier, in terminals that do not speak kitty's protocol, and Esc before a text."""

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


@pytest.mark.parametrize(
    ("read", "keys"),
    [
        ("\x1bno", ["escape", "n", "o"]),
        ("a\x1bno\x1b[A", ["a", "escape", "n", "o", "up"]),
        ("\x1bNo, " + "word" * 10, ["escape", "N", "o", "comma", "space", *"word" * 10]),
        ("\x1b中文", ["escape", "中", "文"]),
        ("\x1b\x1bno", ["escape", "escape", "n", "o"]),
        ("\x1b[Ano", ["up", "n", "o"]),
        ("\x1bOPno", ["f1", "n", "o"]),
        ("\x1b\r", ["alt+enter"]),
    ],
)
def test_an_esc_that_comes_together_with_a_text_is_esc(read: str, keys: list[str]) -> None:
    key_sequences.register_alt_enter()
    feed = XTermParser(False).feed
    parsed = [key.key for key in key_sequences.parse_keys(read, feed) if isinstance(key, events.Key)]
    assert parsed == keys


@pytest.mark.parametrize(
    ("read", "keys"),
    [
        ("\x1b\x1b[A", ["alt+up"]),
        ("\x1b\x1bOB", ["alt+down"]),
        ("a\x1b\x1b[C\x1b\x1b[D", ["a", "alt+right", "alt+left"]),
        ("\x1b\x1b\x1b[A", ["escape", "escape", "up"]),
        ("\x1b[A", ["up"]),
    ],
)
def test_esc_and_an_arrow_that_come_together_are_alt_and_the_arrow(read: str, keys: list[str]) -> None:
    feed = XTermParser(False).feed
    parsed = [key.key for key in key_sequences.parse_keys(read, feed) if isinstance(key, events.Key)]
    assert parsed == keys


@pytest.mark.parametrize(
    "report",
    [
        "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
        "\x1b]4;1;rgb:ffff/0000/0000\x07",
        "\x1b]52;c;aGVsbG8=\x07",
        "\x1bP>|tmux 3.3a\x1b\\",
        "\x1bP!|00000000\x1b\\",
        "\x1bP1+r544e=787465726d\x1b\\",
        "\x1b_Gi=31;OK\x1b\\",
        "\x1b[?62;22c",
        "\x1b[>0;276;0c",
        "\x1b[?997;1n",
        "\x1b[?0u",
        "\x1b[?1;0;256S",
        "\x1b[8;30;100t",
    ],
)
def test_a_late_report_of_the_terminal_types_nothing_and_is_no_esc(report: str) -> None:
    feed = XTermParser(False).feed
    parsed = [key.key for key in key_sequences.parse_keys(f"a{report}b", feed) if isinstance(key, events.Key)]
    assert parsed == ["a", "b"]
