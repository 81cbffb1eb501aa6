"""Reading the conversation while it goes on, and what is long in it."""

from pathlib import Path

from kimi_tui.ui.tui.transcript.below import NewBelow
from kimi_tui.wire.events import StepBegin, TurnBegin, TurnEnd
from kimi_tui.wire.parts import TextPart
from tests.ui.tui.stand_in import StandIn, make_app
from tests.ui.tui.test_screen import ready

LONG = "\n\n".join(f"paragraph {n}" for n in range(80))


def shown(app) -> str:
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def test_what_comes_below_while_one_reads_above_is_told_and_one_click_away(tmp_path: Path) -> None:
    engine = StandIn(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        engine.say(TurnBegin(user_input="go"), StepBegin(n=1), TextPart(text=LONG))
        await pilot.pause()
        await pilot.pause()
        await pilot.press("f2", "pageup", "pageup")
        assert not app.home.below.display
        engine.say(TextPart(text="\n\nmore"), TurnEnd(), TurnBegin(user_input="again"))
        await pilot.pause()
        await pilot.pause()
        await pilot.pause()
        assert "↓ 2 new · End" in shown(app)
        await pilot.click(NewBelow)
        await pilot.pause()
        assert app.home.transcript.follow
        assert not app.home.below.display


async def test_a_long_message_is_folded_to_its_first_lines_and_opens(tmp_path: Path) -> None:
    engine = StandIn(tmp_path)
    app, _ = make_app(engine)
    async with app.run_test(size=(100, 40)) as pilot:
        await ready(pilot)
        engine.say(TurnBegin(user_input="\n".join(f"line {n}" for n in range(24))))
        await pilot.pause()
        await pilot.pause()
        assert "… 16 more lines ▸" in shown(app)
        assert "line 8" not in shown(app)
        await pilot.press("f2", "k", "enter")
        assert "line 23" in shown(app)
