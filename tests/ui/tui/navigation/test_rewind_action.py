"""Going back from the screen, on a real engine."""

from kimi_tui.ui.tui.screens.rewind import Rewind
from kimi_tui.ui.tui.state.items import SeparatorItem
from tests.ui.tui.house import Open


async def test_two_escapes_while_nothing_runs_offer_to_go_back(open_house: Open) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        await house.submit("first")
        await house.submit("second")
        await house.pilot.press("escape")
        await house.pilot.press("escape")
        await house.on(Rewind)
        await house.pilot.press("enter")
        await house.until(lambda: isinstance(house.app.stage.state.conversation.items[-1], SeparatorItem))
        assert house.said() == ["first"]
        assert house.app.home.composer.text == "second"
