from kimi_tui import documentation
from kimi_tui.soul.assemble import build_engine
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.wire.parts import TextPart
from tests.soul.scripted_engine import plan
from tests.ui.tui.test_screen import ready


async def test_help_on_the_screen_lists_the_screens_own_commands(tmp_path):
    app = KimiTui(lambda: build_engine(plan(tmp_path)), frame=0.0, motion=False)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        engine = app.session_controller.live_engine
        said = []
        engine.wire.listen(lambda message: said.append(message.text) if isinstance(message, TextPart) else None)
        await engine.prompt("/help")
        assert all(f"`/{name}`" in said[0] for name in ("compact", "sessions", "new", "theme", "settings", "exit"))
        await engine.prompt("/help flows")
        assert said[1].startswith("# Flows")
        assert all(f"`{topic}`" in said[0] for topic in documentation.topics())
