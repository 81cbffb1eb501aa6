"""The mouse, as the driver reads it."""

import pytest
from textual import events

from kimi_tui.ui.tui.terminal.driver import _Parser


@pytest.mark.parametrize(("sent", "buttons"), [(0, [1]), (1, [2]), (2, [3]), (128, []), (129, [])])
def test_the_side_buttons_of_a_mouse_are_not_its_left_one(sent: int, buttons: list[int]) -> None:
    read = _Parser(False).feed(f"\x1b[<{sent};3;4M")
    assert [event.button for event in read if isinstance(event, events.MouseDown)] == buttons
