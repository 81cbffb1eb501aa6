"""Going back from the screen, on a real engine."""

from kimi_tui.ui.tui.screens.rewind import Rewind
from kimi_tui.ui.tui.state.items import SeparatorItem
from tests.ui.tui.app_harness import Open


async def test_two_escapes_while_nothing_runs_offer_to_go_back(open_app: Open) -> None:
    async with open_app() as harness:
        await harness.until(lambda: harness.app.engine)
        await harness.submit("first")
        await harness.submit("second")
        await harness.pilot.press("escape")
        await harness.pilot.press("escape")
        await harness.on(Rewind)
        await harness.pilot.press("enter")
        await harness.until(lambda: isinstance(harness.app.presenter.state.conversation.items[-1], SeparatorItem))
        assert harness.user_messages() == ["first"]
        assert harness.app.main_screen.composer.text == "second"
