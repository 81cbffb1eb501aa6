"""The panes of the screen one lives in: focus, zoom, drawer, the border between the columns."""

from kimi_tui.ui.tui.screens.help import Help
from kimi_tui.wire.events import TurnEnd
from tests.ui.tui import scenes
from tests.ui.tui.hands import Start


async def test_f_keys_go_to_the_panes_and_escape_back_to_the_message(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_at_decision())
        for key, pane in (("f2", "talk"), ("f3", "flow"), ("f4", "todo")):
            await stage.press(key)
            assert stage.app.home.focused_pane == pane
        await stage.say(TurnEnd())
        await stage.press("escape")
        assert stage.app.home.composer.prompt.has_focus


async def test_a_letter_typed_in_the_conversation_begins_a_message(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.streaming())
        await stage.press("f2", "w", "h", "y")
        assert stage.composer == "why"


async def test_zoom_gives_a_pane_the_whole_screen_and_gives_it_back(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_at_decision())
        await stage.press("f3", "f11")
        assert stage.app.home.flow.size.width == 140
        assert not stage.app.home.talk.is_on_screen
        await stage.press("f11")
        assert stage.app.home.flow.size.width < 70


async def test_who_goes_to_write_leaves_the_zoom_of_another_pane(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_at_decision())
        await stage.press("f3", "f11")
        stage.app.home.composer.prompt.focus()
        await stage.press("h", "i")
        assert stage.app.home.zoomed is None
        assert stage.app.home.composer.is_on_screen
        assert stage.app.home.composer.text == "hi"


async def test_the_focus_goes_to_the_composer_where_there_is_nothing_else_to_see(start: Start) -> None:
    async with start() as stage:
        home = stage.app.home
        for keys in (("f2",), ("f6", "f6", "f6"), ("f3", "f2")):
            await stage.press(*keys)
            assert home.focused is not home.transcript
        assert home.focused is home.composer.prompt
        await stage.press("f3")
        assert home.focused is not home.composer.prompt
        stage.engine.skills.change()
        for _ in range(3):  # what is hidden gives the focus up when it is laid out, and it is looked for after that
            await stage.pilot.pause()
        assert home.focused is home.composer.prompt


async def test_in_a_medium_terminal_the_right_side_is_a_drawer(start: Start) -> None:
    async with start((100, 30)) as stage:
        await stage.say(*scenes.flow_at_decision())
        home = stage.app.home
        assert (home.right.display, home.strip.display) == (False, True)
        await stage.press("f7")
        assert home.right.display
        await stage.press("f7")
        assert not home.right.display


async def test_the_border_between_the_columns_can_be_dragged(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_at_decision())
        home = stage.app.home
        width = home.right.size.width
        await stage.pilot.mouse_down("#divider", offset=(0, 5))
        await stage.pilot.hover("#divider", offset=(-10, 5))
        await stage.pilot.mouse_up("#divider", offset=(-10, 5))
        await stage.pilot.pause()
        assert home.right.size.width > width


async def test_f1_lists_the_keys_that_act_here(start: Start) -> None:
    async with start() as stage:
        await stage.press("f1")
        assert isinstance(stage.app.screen, Help)
        await stage.press("escape")
        assert not isinstance(stage.app.screen, Help)
        await stage.press("f1", "f1")
        assert not isinstance(stage.app.screen, Help)
