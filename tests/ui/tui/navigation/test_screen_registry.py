"""The further screens: which words open one."""

from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.screens.screen_commands import SCREEN_COMMANDS
from tests.ui.tui.app_harness import Open


async def test_a_command_that_has_arguments_goes_to_the_engine(open_app: Open) -> None:
    async with open_app() as harness:
        await harness.until(lambda: harness.app.engine)
        assert not harness.app.screen_router.handle_slash("/model small")
        assert not harness.app.screen_router.handle_slash("/nothing")
        assert not harness.app.screen_router.handle_slash("model")


async def test_every_door_opens_and_closes(open_app: Open) -> None:
    async with open_app() as harness:
        await harness.until(lambda: harness.app.engine)
        for screen in SCREEN_COMMANDS:
            if screen.name in ("new", "trust", "exit"):
                continue
            assert harness.app.screen_router.handle_slash(f"/{screen.name}")
            await harness.until(
                lambda: not isinstance(harness.app.screen, MainScreen) and harness.app.screen.is_mounted
            )
            await harness.pilot.pause()
            await harness.pilot.press("escape")
            await harness.on(MainScreen)
