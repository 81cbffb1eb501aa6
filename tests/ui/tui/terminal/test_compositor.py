"""The screen's compositor against Textual's own: the same screen, with fewer rows asked for."""

import pytest
from textual._compositor import Compositor
from textual.app import App
from textual.geometry import Region, Size
from textual.widgets import Static

from kimi_tui.ui.tui.terminal.compositor import CroppingCompositor
from tests.ui.tui import wire_scenarios
from tests.ui.tui.test_screen import MEDIUM, TINY, WIDE, play

SCENES = {
    "streaming": (wire_scenarios.streaming, WIDE),
    "decision": (wire_scenarios.flow_at_decision, WIDE),
    "approval": (wire_scenarios.approval, MEDIUM),
    "chinese": (wire_scenarios.chinese, TINY),
}


def textuals(ours: CroppingCompositor) -> Compositor:
    """Textual's, of the same widgets in the same places."""
    compositor = Compositor()
    vars(compositor).update(vars(ours))
    return compositor


@pytest.mark.parametrize("scene", SCENES)
async def test_every_row_is_what_textual_makes_of_it(scene: str) -> None:
    messages, size = SCENES[scene]
    app, run = play(messages())
    async with app.run_test(size=size) as pilot:
        await run(pilot)
        for pane in (None, "flow"):
            app.main_screen.zoom(pane)
            await pilot.pause()
            ours = app.main_screen._compositor
            assert isinstance(ours, CroppingCompositor)
            theirs = textuals(ours)
            assert ours.render_strips() == theirs.render_strips()
            for y in range(size[1]):
                for x, width in ((0, size[0]), (0, 1), (size[0] // 2, 3), (size[0] - 1, 1)):
                    crop = Region(x, y, width, 1)
                    ends = zip(theirs.cuts[y], theirs.cuts[y][1:], strict=False)
                    painted = [cut for cut, end in ends if cut < crop.right and end > crop.x]
                    want, got = (one._render_chops(crop, {y}.__contains__)[y] for one in (theirs, ours))
                    assert [got[cut] for cut in painted] == [want[cut] for cut in painted]


async def test_for_one_row_no_other_row_is_asked_for() -> None:
    app, run = play(wire_scenarios.streaming())
    async with app.run_test(size=WIDE) as pilot:
        await run(pilot)
        transcript = app.main_screen.transcript.region
        asked = list(app.main_screen._compositor._get_renders(Region(transcript.x, transcript.bottom - 2, 20, 1)))
        assert {len(strips) for _, _, strips in asked} == {1}
        assert len(asked) < len(list(app.main_screen._compositor._get_renders())) / 2


async def test_a_widget_mounted_before_a_question_for_a_region_is_told_its_size() -> None:
    size = Size(80, 24)
    async with App[None]().run_test(size=size) as pilot:
        compositor, screen = CroppingCompositor(), pilot.app.screen
        compositor.reflow(screen, size)
        compositor.reflow_visible(screen, size)  # as after a scroll: the map of all widgets is made when asked for
        late = Static("late")
        await screen.mount(late)
        assert late in compositor.full_map
        assert late in compositor.reflow(screen, size).shown
        assert late not in compositor.reflow(screen, size).shown
