from kimi_tui.soul.assemble import build_engine
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.main_screen.header import Header
from kimi_tui.ui.tui.screens.tasks import Tasks
from tests.soul.scripted_engine import plan, tool_call
from tests.soul.test_soul import until
from tests.ui.tui.screen_text import app_rows
from tests.ui.tui.test_screen import ready


async def test_a_background_task_stands_in_the_header_and_a_click_opens_the_list(tmp_path):
    call = tool_call("Shell", command="sleep 1000", run_in_background=True, description="build it")
    made = plan(tmp_path, call, "text: It runs.", yolo=True)
    app = KimiTui(lambda: build_engine(made), frame=0.0, motion=False)
    async with app.run_test(size=(120, 30)) as pilot:
        await ready(pilot)
        engine = app.session_controller.live_engine
        await engine.prompt("go")
        await pilot.pause()
        await until(lambda: app.main_screen.facts.background == 1)
        await pilot.pause()
        row = app_rows(app)[0]
        assert "◆ 1 in the background" in row
        (task,) = engine.services.background.tasks
        await pilot.click(app.main_screen.query_one(Header), offset=(row.index("in the background"), 0))
        await until(lambda: isinstance(app.screen, Tasks))
        await engine.services.background.stop(task.id)
        await until(lambda: app.main_screen.facts.background == 0)
