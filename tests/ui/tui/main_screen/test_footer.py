"""The footer shows the keys that fit."""

from kimi_tui.ui.tui.main_screen.footer import KeyFooter
from kimi_tui.ui.tui.themes.palette import Palette


def test_a_narrow_footer_begins_with_a_key() -> None:
    footer = KeyFooter()
    footer.hints = (("Shift+Enter", "a new line"), ("F1", "help"))
    (line,) = footer.lines(20, Palette())
    assert line.text == " F1 help"
