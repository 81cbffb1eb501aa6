"""The table of earlier runs, two of them on one chart, and all of them counted."""

from pathlib import Path

import pytest

from kimi_tui import jsonl
from kimi_tui.flow.render.run_export import flow_of_view
from kimi_tui.flow.run.journal import Journal
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.turn_protocol import NO_RULES, TurnResult, TurnRules
from kimi_tui.session.session import sessions_dir
from kimi_tui.ui.tui.replay.run_comparison import frequency_style, two_run_style
from kimi_tui.ui.tui.replay.run_index import load_run_view, stored_runs
from kimi_tui.ui.tui.replay.run_table import Runs
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.events import TurnBegin, TurnEnd
from kimi_tui.wire.parts import TextPart, UserInput
from kimi_tui.wire.recorder import Recorder
from tests.ui.tui.flow_pane.flow_driver import FIX, open_flow
from tests.ui.tui.flow_pane.flow_scenarios import flow_of_text


class Answers:
    """Takes the turns of a run with these choices, one a decision."""

    def __init__(self, wire: Wire, choices: list[str]) -> None:
        self._wire, self._choices = wire, choices
        self.runner: FlowRunner | None = None

    async def take_turn(self, prompt: UserInput, rules: TurnRules = NO_RULES) -> TurnResult:
        assert self.runner is not None
        said = f"<choice>{self._choices.pop(0)}</choice>" if self.runner.branches else "Done."
        self._wire.send(TurnBegin(user_input=prompt))
        self._wire.send(TextPart(text=said))
        self._wire.send(TurnEnd())
        return TurnResult("finished", said, 1)


async def keep_run(work_dir: Path, session: str, choices: list[str], chart: str = FIX) -> None:
    folder = sessions_dir(work_dir) / session
    folder.mkdir(parents=True)
    wire = Wire()
    writer = jsonl.JsonlWriter(folder / "wire.jsonl")
    wire.listen(Recorder(writer), merged=True)
    taker = Answers(wire, choices)
    taker.runner = FlowRunner(
        flow_of_text(chart), name="release", taker=taker, send=wire.send, interactive=False, text=chart,
        journal=Journal(folder / "flow.jsonl"), run_id=session,
    )  # fmt: skip
    await taker.runner.run()
    wire.flush()
    writer.close()


@pytest.fixture
async def work_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))
    work = tmp_path / "work"
    work.mkdir()
    await keep_run(work, "straight", ["yes"])
    await keep_run(work, "twice", ["no", "yes"])
    await keep_run(work, "often", ["no", "no", "yes"])
    return work


async def test_runs_of_all_sessions_are_found_with_what_they_chose(work_dir: Path) -> None:
    assert [(run.id, run.path, run.state.moves) for run in stored_runs(work_dir)] == [
        ("often", "no → no → yes", 8),
        ("twice", "no → yes", 6),
        ("straight", "yes", 4),
    ]


async def test_a_run_whose_wire_is_lost_is_drawn_from_its_journal(work_dir: Path) -> None:
    run = stored_runs(work_dir)[1]
    (run.folder / "wire.jsonl").unlink()
    picture = load_run_view(run)
    assert (picture.status, picture.nodes["fix"].visits) == ("finished", 2)


async def test_two_runs_on_one_chart_tell_what_only_one_of_them_did(work_dir: Path) -> None:
    often, _, straight = (load_run_view(run) for run in stored_runs(work_dir))
    flow = flow_of_view(often)
    faces = two_run_style(flow, straight, often)
    assert (faces.node("look").sign, faces.node("fix").sign, faces.node("tag").sign) == ("=", "≠", "=")
    back = next(index for index, edge in enumerate(flow.edges) if edge.label == "no")
    assert (faces.edge(back).line, faces.edge(back).count) == ("double", "0:2")


async def test_two_runs_of_charts_that_differ_say_how_and_show_both(work_dir: Path) -> None:
    chart = FIX.replace("tag[Tag it]", "tag[Tag it well]").replace("tag --> E", "tag --> docs[Write docs] --> E")
    await keep_run(work_dir, "later", ["yes"], chart)
    async with open_flow(work_dir) as one:
        await one.press("f3", "h", "space", "down", "space", "c")
        shown = one.shown()
        assert "only in A's chart: “Write docs”" in shown
        assert "reworded in B: “Tag it well”" in shown
        assert "only in A" in shown


async def test_all_runs_on_one_chart_tell_how_often_each_way_was_gone(work_dir: Path) -> None:
    pictures = [load_run_view(run) for run in stored_runs(work_dir)]
    flow = flow_of_view(pictures[0])
    faces = frequency_style(flow, pictures)
    assert faces.node("fix").words[0] == "3 of 3 runs"
    assert faces.node("fix").notes[0] == "6 visits"
    back = next(index for index, edge in enumerate(flow.edges) if edge.label == "no")
    assert (faces.edge(back).line, faces.edge(back).count) == ("heavy", "×3")


async def test_the_table_compares_counts_shows_and_replays_by_keys(work_dir: Path) -> None:
    async with open_flow(work_dir) as one:
        await one.press("f3", "h")
        assert isinstance(one.app.screen, Runs)
        assert "no → no → yes" in one.shown()
        await one.press("space", "down", "down", "space", "c")
        assert one.pane.showing == "overlay"
        assert "two runs of release" in one.shown()
        assert "3:1" in one.shown()
        await one.press("h", "f")
        assert "3 of 3 runs" in one.shown()
        await one.press("h", "enter")
        assert one.pane.overlay_is_shown is not None
        assert one.pane.overlay_is_shown.run_id == "often"
        await one.press("l")
        assert one.pane.showing == "list"
        await one.press("h", "p")
        assert one.app.time_travel.is_open
        await one.press("down", "down", "down")
        assert "Look at the test" in one.shown()
        await one.press("end")
        assert not one.app.time_travel.is_open
        assert one.app.presenter.shown_state.flow.run is None


async def test_the_table_of_one_flow_names_it_in_its_title_only(work_dir: Path) -> None:
    def rows() -> list[str]:
        return [row for row in one.shown().split("\n") if "✓ finished" in row]

    async with open_flow(work_dir) as one:
        await one.press("f3", "h")
        assert ["release" in row for row in rows()] == [True] * 3
        await one.press("tab")
        assert "runs of release" in one.shown()
        assert ["release" in row for row in rows()] == [False] * 3


async def test_the_table_is_used_by_mouse_alone(work_dir: Path) -> None:
    async with open_flow(work_dir) as one:
        await one.press("f3", "h")
        screen = one.app.screen
        assert isinstance(screen, Runs)
        await one.pilot.click(screen.table, offset=(10, 2))
        await one.pilot.click(screen.table, offset=(10, 2))
        await one.settle()
        assert one.pane.overlay_is_shown is not None
        assert one.pane.overlay_is_shown.run_id == "twice"
