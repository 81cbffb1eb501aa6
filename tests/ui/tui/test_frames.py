"""What a frame costs, told by what is asked of Textual for it and not by a clock."""

from pathlib import Path

from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.wire.events import StepBegin, TurnBegin
from kimi_tui.wire.parts import TextPart
from tests.ui.tui.stand_in import StandIn, make_app
from tests.ui.tui.test_screen import ready


class Layouts:
    """How often the whole screen was laid out."""

    def __init__(self, app: KimiTui) -> None:
        self.count = 0
        app.home.screen_layout_refresh_signal.subscribe(app.home, self._heard, immediate=True)

    def _heard(self, _screen: object) -> None:
        self.count += 1


async def test_a_letter_in_a_line_lays_nothing_out(tmp_path: Path) -> None:
    app, _ = make_app(StandIn(tmp_path))
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        await pilot.press("a")
        layouts = Layouts(app)
        await pilot.press(*"bcdef", "backspace", "left")
        assert (app.home.composer.text, layouts.count) == ("abcde", 0)


async def test_words_of_a_reply_lay_nothing_out(tmp_path: Path) -> None:
    engine = StandIn(tmp_path)
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
        assert "them, 7" in app.home.transcript.plain_text()
        assert layouts.count == 0
