"""What a frame costs, told by what is asked of Textual for it and not by a clock."""

import asyncio
from pathlib import Path

from textual.events import Key

from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.main_screen.header import Header
from kimi_tui.wire.events import StepBegin, TurnBegin
from kimi_tui.wire.parts import TextPart
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.test_screen import ready


class Layouts:
    """How often the whole screen was laid out."""

    def __init__(self, app: KimiTui) -> None:
        self.count = 0
        app.main_screen.screen_layout_refresh_signal.subscribe(app.main_screen, self._heard, immediate=True)

    def _heard(self, _screen: object) -> None:
        self.count += 1


async def test_a_letter_in_a_line_lays_nothing_out(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        await pilot.press("a")
        layouts = Layouts(app)
        await pilot.press(*"bcdef", "backspace", "left")
        assert (app.main_screen.composer.text, layouts.count) == ("abcde", 0)


async def test_words_of_a_reply_lay_nothing_out(tmp_path: Path) -> None:
    engine = FakeEngine(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        for message in (TurnBegin(user_input="go"), StepBegin(n=1), TextPart(text="First words. ")):
            engine.say(message)
        await pilot.pause()
        await pilot.pause()
        layouts = Layouts(app)
        for number in range(8):
            engine.say(TextPart(text=f"And more of them, {number}. "))
            await pilot.pause()
        assert "them, 7" in app.main_screen.transcript.markdown()
        assert layouts.count == 0


async def test_a_letter_is_painted_at_once_and_what_else_changed_at_the_next_beat(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        home = app.main_screen
        home.apart_s = 0.0
        await pilot.press("a")
        await pilot.pause()
        home._update_timer.stop()  # pyright: ignore[reportPrivateUsage]
        home.query_one(Header).refresh()
        home.composer.prompt.post_message(Key("b", "b"))
        for _ in range(100):  # turns of the loop; a pause of the pilot would be a beat
            await asyncio.sleep(0)
        assert home.composer.text == "ab"
        assert home.query_one(Header) in home._dirty_widgets  # pyright: ignore[reportPrivateUsage]
        assert home.composer.prompt not in home._dirty_widgets  # pyright: ignore[reportPrivateUsage]
