from kimi_tui.ui.tui.flow_pane.footer import FlowFooter, FooterFacts
from kimi_tui.ui.tui.themes.palette import Palette

BUTTONS = (("toggle", "Space pause"), ("stop", "x stop"), ("step", "n step"), ("menu", "…"))


def row(place: str, width: int) -> str:
    footer = FlowFooter()
    footer.show(FooterFacts("▶", role="accent", place=place, buttons=BUTTONS))
    return footer.lines(width, Palette())[-1].text


def test_a_node_name_is_whole_before_the_less_important_buttons_have_room() -> None:
    shown = row("Fix the flaky test", 49)
    assert "Fix the flaky test" in shown
    assert "Space pause" in shown
    assert "n step" not in shown
    assert "n step" in row("Fix it", 49)
