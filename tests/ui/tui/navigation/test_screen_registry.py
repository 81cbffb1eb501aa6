"""The further screens: which words open one."""

from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.navigation.screen_registry import SCREEN_COMMANDS
from tests.ui.tui.house import Open


async def test_a_command_that_has_arguments_goes_to_the_engine(open_house: Open) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        assert not house.app.doors.handle_slash("/model small")
        assert not house.app.doors.handle_slash("/nothing")
        assert not house.app.doors.handle_slash("model")


async def test_every_door_opens_and_closes(open_house: Open) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        for door in SCREEN_COMMANDS:
            if door.name in ("new", "trust", "exit"):
                continue
            assert house.app.doors.handle_slash(f"/{door.name}")
            await house.until(lambda: not isinstance(house.app.screen, MainScreen) and house.app.screen.is_mounted)
            await house.pilot.pause()
            await house.pilot.press("escape")
            await house.on(MainScreen)
