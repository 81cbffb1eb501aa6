"""A D-Mail through the program: sent in print, seen on the screen that goes on with the session."""

import json
import subprocess

from kimi_tui import paths
from kimi_tui.soul.assemble import build_engine
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.state.items import SeparatorItem
from kimi_tui.wire.events import TurnEnd
from kimi_tui.wire.recorder import read_recorded
from tests.soul.scripted_engine import plan, tool_call
from tests.ui.print.test_print import command
from tests.ui.tui.screen_text import app_rows
from tests.ui.tui.test_screen import ready

MAIL = "big.log holds nothing; read small.txt"
REPLIES = (
    "text: First the big one.\n" + tool_call("ReadFile", "r1", path="big.log"),
    tool_call("SendDMail", "d", message=MAIL, checkpoint_id=1),
    "text: The small one at once.\n" + tool_call("ReadFile", "r2", path="small.txt"),
    "text: It is 42.",
)


async def test_the_second_attempt_differs_and_resuming_shows_the_seam_with_what_came_before_it(tmp_path):
    argv = command(tmp_path, *REPLIES, extra=("--agent", "okabe", "-S", "back", "-p", "find it"))
    for name, text in (("big.log", "a\nb\n"), ("small.txt", "42\n")):
        (tmp_path / "work" / name).write_text(text)
    done = subprocess.run(argv, capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "It is 42.")

    folder = next(paths.home().glob("sessions/*/back"))
    remembered = [json.loads(line) for line in (folder / "context.jsonl").read_text().splitlines()]
    said = json.dumps([row for row in remembered if row["role"] != "_system_prompt"])
    assert "big one" not in said
    assert MAIL in said
    recorded = [one.message for one in read_recorded(folder / "wire.jsonl")]
    assert any("big one" in str(message) for message in recorded)
    assert isinstance(recorded[-1], TurnEnd)

    made = plan(tmp_path, session_id="back")
    app = KimiTui(lambda: build_engine(made), frame=0.0, motion=False)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        items = app.presenter.state.conversation.items
        assert [item.kind for item in items if isinstance(item, SeparatorItem)] == ["dmail", "resume"]
        app.main_screen.transcript.focus()
        seen: list[object] = []
        while getattr(app.main_screen.transcript.block, "kind", "") != "dmail":
            assert len(seen) < len(items), seen
            await pilot.press("k")
            seen.append(app.main_screen.transcript.block)
        await pilot.press("enter")
        await pilot.pause()
        shown = "\n".join(app_rows(app))
        before, after = shown.index("First the big one."), shown.index("The small one at once.")
        assert before < shown.index("D-Mail sent to checkpoint 1") < shown.index(MAIL) < after
