"""A session whose files are damaged is shown as far as it can be read; the screen stays."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kimi_tui import paths
from kimi_tui.ui.tui.accessibility import DisplayOptions
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.session.engine_factory import ConfigEngineFactory
from tests.session.test_damaged_files import (
    FILES,
    LITERALS,
    _hold,
    cut,
    replaced_by_folder,
    replaced_by_pipe,
    splice,
    swap_value,
)
from tests.soul.release_flow import write_skill
from tests.soul.scripted_engine import plan

DAMAGES: dict[str, Callable[[Path], None]] = {
    "pipe": replaced_by_pipe,
    "folder": replaced_by_folder,
    "half": cut(0.5),
    "garbage": splice(0.5, LITERALS[6]),
    "number": swap_value([3, 0, 1, 0], 10**40),
    "null": swap_value([4, 1, 1, 0], None),
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_the_screen_stays_and_says_what_it_cannot_open(tmp_path: Path, damage: str) -> None:
    write_skill(tmp_path / "work")
    session_id = await _hold(tmp_path)
    folder = next((paths.home() / "sessions").glob(f"*/{session_id}"))
    for name in FILES if damage not in ("pipe", "folder") else FILES[:5]:  # the lock is looked at apart
        DAMAGES[damage](folder / name)
    made = plan(tmp_path, "text: again")
    host = ConfigEngineFactory(lambda work_dir, standing: replace(made, session_id=session_id))
    app = KimiTui(host.make, engine_factory=host, frame=0.0, display_options=DisplayOptions(motion=False))
    async with app.run_test(size=(120, 40)) as pilot:
        while app.session_controller.starting:
            await pilot.pause()
        await pilot.pause()
        if damage in ("pipe", "folder"):
            words = str(app.presenter.state.conversation.items)
            assert "not a regular file" in words
            assert "Errno" not in words
        elif damage == "half":
            words = str(app.presenter.state.conversation.items)
            assert "state.json cannot be read (" in words
            assert "kept as state.json.broken" in words
        await pilot.press("f1")
        await pilot.pause()
        assert app.is_running
    assert app.fault is None
