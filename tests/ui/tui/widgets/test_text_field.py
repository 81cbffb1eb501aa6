"""Fields that show a text as it is."""

import pytest
from rich.segment import Segment
from textual import events
from textual.app import App, ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from kimi_tui.ui.tui.composer.cjk_wrap import CjkTextArea
from kimi_tui.ui.tui.text.control_free_strip import control_free
from kimi_tui.ui.tui.widgets.text_field import TextField

CONTROLS = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0))))
WITH_CONTROLS = "".join(f"x{char}" for char in CONTROLS if char not in "\t\n\r\x0b\x0c\x1c\x1d\x1e\x85")


class Fields(App[None]):
    def compose(self) -> ComposeResult:
        yield TextField(WITH_CONTROLS, compact=True)
        yield CjkTextArea(WITH_CONTROLS)


@pytest.mark.parametrize("kind", [TextField, CjkTextArea])
async def test_no_control_character_of_the_value_reaches_the_terminal(kind: type[Widget]) -> None:
    app = Fields()
    async with app.run_test(size=(100, 12)) as pilot:
        await pilot.pause()
        strip = app.query_one(kind).render_line(0)
        assert strip.text.count("x") == WITH_CONTROLS.count("x")
        assert not set(CONTROLS) & set(strip.text)


@pytest.mark.parametrize(
    ("pasted", "value"), [("one\ntwo\r\nthree", "one two three"), ("one\n", "one"), ("\none", " one")]
)
async def test_a_paste_of_several_lines_is_taken_whole(pasted: str, value: str) -> None:
    app = Fields()
    async with app.run_test(size=(100, 12)) as pilot:
        field = app.query_one(TextField)
        field.value = ""
        field.focus()
        await pilot.pause()
        app.post_message(events.Paste(pasted))
        await pilot.pause()
        assert field.value == value


def test_a_strip_without_control_characters_is_as_wide_as_with_them() -> None:
    strip = control_free(Strip([Segment(f"ab{CONTROLS}中"), Segment("\x9b2J")]))
    assert strip.text == "ab中2J"
    assert strip.cell_length == Strip(list(strip)).cell_length == 6
