"""The further screens: which words open one."""

from kimi_tui.ui.tui.main_screen.screen import Home
from kimi_tui.ui.tui.navigation.screen_registry import DOORS
from tests.ui.tui.house import Open


async def test_a_command_that_has_arguments_goes_to_the_engine(open_house: Open) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        assert not house.app.doors.takes("/model small")
        assert not house.app.doors.takes("/nothing")
        assert not house.app.doors.takes("model")


async def test_every_door_opens_and_closes(open_house: Open) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        for door in DOORS:
            if door.name in ("new", "trust", "exit"):
                continue
            assert house.app.doors.takes(f"/{door.name}")
            await house.until(lambda: not isinstance(house.app.screen, Home) and house.app.screen.is_mounted)
            await house.pilot.pause()
            await house.pilot.press("escape")
            await house.on(Home)
