"""The panes of the screen one lives in: focus, zoom, the border between the columns."""

import pytest
from textual import events

from kimi_tui.ui.tui.screens.help import Help
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import TurnEnd
from tests.ui.tui import scenes
from tests.ui.tui.hands import Hands, Start


async def test_f_keys_go_to_the_panes_and_escape_back_to_the_message(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.flow_at_decision())
        for key, pane in (("f2", "talk"), ("f3", "flow"), ("f4", "todo")):
            await stage.press(key)
            assert stage.app.home.focused_pane == pane
        await stage.say(TurnEnd())
        await stage.press("escape")
        assert stage.app.home.composer.prompt.has_focus


PLACES = {"f2": "talk", "f3": "flow", "f4": "todo", "f5": "waiting"}


@pytest.mark.parametrize("messages", [[], scenes.flow_at_decision(), scenes.flow_done(), scenes.flow_asks()])
@pytest.mark.parametrize("key", ["f2", "f3", "f4"])
async def test_a_letter_in_a_pane_acts_or_is_refused_and_never_gets_into_the_message(
    start: Start, key: str, messages: list[WireMessage]
) -> None:
    async with start() as stage:
        await stage.say(*messages)
        await stage.press(key)
        home = stage.app.home
        if home.focused_pane is None:
            return  # there is nothing in it
        home.branch.close()
        for letter in "qu, w!中é7":
            stage.app.home.hints.say("")
            await stage.press("comma" if letter == "," else "space" if letter == " " else letter)
            where = home.focused_pane
            acts = letter == " " and messages and key == "f3"
            assert where == PLACES[key]
            assert acts or "i goes to the message" in hint(stage) or ": " in hint(stage), letter
        assert stage.composer == ""
        await stage.press("i", "o", "k")
        assert stage.composer == "ok"


async def test_a_click_into_the_conversation_leaves_the_focus_in_the_message(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.streaming())
        await stage.pilot.click("#transcript", offset=(20, 3))
        await stage.type("just say yes, kindly")
        assert stage.composer == "just say yes, kindly"


async def test_no_key_of_an_idle_chart_gets_into_the_message(start: Start) -> None:
    async with start() as stage:
        await stage.press("f3", "v", "b")
        assert "b: no flow is running; s starts one" in hint(stage)
        await stage.press("n", "x", "k")
        assert (stage.composer, stage.app.home.focused_pane) == ("", "flow")
        await stage.press("i", "s")
        assert stage.composer == "s"


async def test_a_text_pasted_in_a_pane_is_in_the_message_whole(start: Start) -> None:
    async with start() as stage:
        await stage.say(*scenes.streaming())
        await stage.press("f2")
        stage.app.post_message(events.Paste("just say yes\nkindly"))
        await stage.pilot.pause()
        await stage.press("!")
        assert stage.composer == "just say yes\nkindly!"


async def test_the_last_line_names_no_letter_that_would_be_refused(start: Start) -> None:
    async with start() as stage:
        for messages in ([], scenes.flow_at_decision(), scenes.flow_asks(), scenes.flow_done()):
            await stage.say(*messages)
            stage.app.home.branch.close()
            for keys in (["f2"], ["f3"], ["f3", "l"], ["f4"]):
                await stage.press(*keys)
                stage.app.hint()
                named = [key for key, _meaning in stage.app.home.hints.hints if len(key) == 1 and key.isalpha()]
                bound = stage.app.home.active_bindings
                assert [key for key in named if key not in bound or not bound[key].enabled] == []


def hint(stage: Hands) -> str:
    return stage.app.home.hints.render_line(0).text


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


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (60, 18)])
@pytest.mark.parametrize("key", ["f3", "f4", "f7"])
async def test_where_there_is_no_room_beside_it_a_pane_takes_the_place_of_the_conversation(
    start: Start, size: tuple[int, int], key: str
) -> None:
    async with start(size) as stage:
        await stage.say(*scenes.flow_at_decision())
        home = stage.app.home
        assert (home.right.display, home.strip.display) == (False, True)
        await stage.press(key)
        assert home.focused_pane == ("todo" if key == "f4" else "flow")
        assert (home.right.size.width, home.talk.is_on_screen, home.composer.is_on_screen) == (size[0], False, False)
        assert "Esc back" in hint(stage)
        await stage.press("i")
        assert home.composer.prompt.has_focus
        assert not home.right.display


async def test_a_pane_that_was_opened_goes_beside_the_conversation_when_there_is_room(start: Start) -> None:
    async with start((100, 30)) as stage:
        await stage.say(*scenes.flow_at_decision())
        await stage.press("f3")
        await stage.pilot.resize_terminal(140, 42)
        await stage.press("down")
        home = stage.app.home
        assert (home.zoomed, home.focused_pane, home.talk.is_on_screen) == (None, "flow", True)


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
