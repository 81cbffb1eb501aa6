"""A run is never lost: torn files, foreign lines, kill -9 at each crash point."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kimi_tui.flow.run.journal import Journal, load_runs, read_journal
from kimi_tui.flow.run.journal_records import NodeEntered, RunEnded, RunStarted
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.run_view import fold_run_views
from kimi_tui.flow.run.turn_protocol import TurnResult, TurnRules
from kimi_tui.jsonl import JsonlWriter
from kimi_tui.wire.parts import TokenUsage
from kimi_tui.wire.recorder import Recorder, read_recorded
from tests.flow.runner_harness import LOOP, RunnerHarness, flow_of

YES, NO = "<choice>yes</choice>", "<choice>no</choice>"
REPLIES = ["ok", "hm", NO, "ok", YES]
"""What the model says on its way through LOOP: A, D twice, A, D."""


def begun(run: str) -> RunStarted:
    return RunStarted(run=run, name="n", source="mermaid", text="", sha256="", max_moves=9, node="BEGIN")


async def test_the_runner_has_at_each_message_what_the_journal_has(tmp_path: Path) -> None:
    def compare(harness: RunnerHarness, _message: object) -> None:
        assert harness.journalled() == harness.runner.state

    harness = RunnerHarness(flow_of(*LOOP), REPLIES, path=tmp_path / "flow.jsonl", on_message=compare)
    harness.runner.toggle_breakpoint("A")
    await harness.until_paused()
    harness.runner.choose("no", node_id="D")
    harness.runner.step()
    await harness.until_paused()
    harness.runner.edit_prompt("A", "other")
    harness.runner.continue_run()
    await harness.until_paused()
    await harness.cancel()
    assert harness.journalled() == harness.runner.state


async def test_the_first_record_holds_all_that_a_resume_needs(tmp_path: Path) -> None:
    harness = RunnerHarness(
        flow_of(*LOOP), REPLIES, path=tmp_path / "flow.jsonl", text="the chart", args="now", max_moves=50
    )
    await harness.run()
    first = json.loads((tmp_path / "flow.jsonl").read_text("utf-8").splitlines()[0])
    assert {key: first[key] for key in ("r", "name", "source", "text", "args", "max_moves")} == {
        "r": "begin", "name": "test", "source": "mermaid", "text": "the chart", "args": "now", "max_moves": 50,
    }  # fmt: skip
    state = harness.journalled()
    assert (state.chart_changed("the chart"), state.chart_changed("the chart ")) == (False, True)


async def test_a_file_cut_at_any_byte_resumes_to_the_same_end(tmp_path: Path) -> None:
    flow, path = flow_of(*LOOP), tmp_path / "flow.jsonl"
    whole = RunnerHarness(flow, [TurnResult("finished", "ok", 1, TokenUsage(output=3)), *REPLIES[1:]], path=path)
    await whole.run()
    data = path.read_bytes()
    cut = tmp_path / "cut.jsonl"
    first_line = data.index(b"\n")
    before: RunState | None = None
    for size in range(len(data)):
        for tail in (b"", b"\0" * 40) if size % 20 == 0 else (b"",):
            cut.write_bytes(data[:size] + tail)
            runs = load_runs(cut)
            if size < first_line:
                assert runs == []
                continue
            (state,) = runs
            if not state.can_resume or (state == before and size % 40):
                continue
            before = state
            decided = [(d.choice, d.move) for d in state.decisions]
            again = RunnerHarness(flow, rest_of(state), path=cut, resume=state)
            outcome = await again.run()
            assert (outcome.status, outcome.moves) == ("finished", 4), (size, again.told)
            (after,) = load_runs(cut)
            assert after == again.runner.state
            assert after.visits == {"A": 2, "D": 2}
            assert [(d.choice, d.move) for d in after.decisions] == [("no", 2), ("yes", 4)]
            assert [(d.choice, d.move) for d in after.decisions][: len(decided)] == decided
            cut.unlink()


def rest_of(state: RunState) -> list[str]:
    """What the model of REPLIES has still to say to a run that stands there."""
    moves = state.moves - (1 if state.entered else 0)
    if moves < 1:
        return REPLIES
    if moves < 2:
        return REPLIES[2:] if state.invalid else REPLIES[1:]
    return REPLIES[3:] if moves < 3 else REPLIES[4:]


def test_a_bad_line_in_the_middle_is_skipped_and_told(tmp_path: Path) -> None:
    path = tmp_path / "flow.jsonl"
    journal = Journal(path)
    for record in (begun("r"), NodeEntered(run="r", node="A", move=1), NodeEntered(run="r", node="B", move=2)):
        journal.append(record)
    journal.close()
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = b"\xff\x00{" + lines[1]
    lines.insert(2, b'{"r":"enter","run":"r","node":7}\n')
    path.write_bytes(b"".join(lines))
    read = read_journal(path)
    assert read.bad_lines == (2, 3)
    assert (read.runs[0].node_id, read.runs[0].moves) == ("B", 2)


def test_runs_of_one_session_are_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "flow.jsonl"
    journal = Journal(path)
    for record in (
        begun("one"), begun("two"), NodeEntered(run="one", node="A", move=1), NodeEntered(run="two", node="X", move=1),
        RunEnded(run="two", status="finished", moves=1), NodeEntered(run="lost", node="A", move=1),
    ):  # fmt: skip
        journal.append(record)
    journal.close()
    one, two = load_runs(path)
    assert (one.run_id, one.node_id, one.open) == ("one", "A", True)
    assert (two.run_id, two.node_id, two.open) == ("two", "X", False)
    assert read_journal(path).bad_lines == (6,)


def test_no_file_is_no_runs(tmp_path: Path) -> None:
    assert load_runs(tmp_path / "none.jsonl") == []


async def test_a_disk_that_cannot_be_written_does_not_stop_the_run(tmp_path: Path) -> None:
    (tmp_path / "flow.jsonl").mkdir()
    assert (await RunnerHarness(flow_of(*LOOP), REPLIES, path=tmp_path / "flow.jsonl").run()).status == "finished"


async def test_an_open_choice_waits_again_after_a_crash_and_the_model_is_not_asked(tmp_path: Path) -> None:
    flow, path = flow_of(*LOOP), tmp_path / "flow.jsonl"
    first = RunnerHarness(flow, ["ok", NO], path=path)
    first.runner.ask_at_decisions("always")
    await first.until_paused()
    copy = path.read_bytes()
    await first.cancel()
    path.write_bytes(copy)  # as a kill leaves it
    second = RunnerHarness(flow, ["must not be asked"], path=path, resume=first.journalled())
    await second.until_paused()
    assert (second.way, second.told[-1]) == ([], "paused at D: choice")
    second.runner.choose("yes")
    assert (await second.outcome()).status == "finished"


async def test_with_nobody_there_an_open_choice_goes_the_way_the_model_named(tmp_path: Path) -> None:
    flow, path = flow_of(*LOOP), tmp_path / "flow.jsonl"
    first = RunnerHarness(flow, ["ok", YES], path=path)
    first.runner.ask_at_decisions("always")
    await first.until_paused()
    await first.cancel()
    second = RunnerHarness(flow, ["must not be asked"], path=path, resume=first.journalled(), interactive=False)
    assert (await second.run()).status == "finished"
    assert second.way == []


async def test_breakpoints_prompts_and_choices_in_advance_outlive_the_process(tmp_path: Path) -> None:
    flow, path = flow_of(*LOOP), tmp_path / "flow.jsonl"
    first = RunnerHarness(flow, [TurnResult("rejected")], path=path)
    first.runner.toggle_breakpoint("D")
    first.runner.edit_prompt("A", "other A")
    first.runner.choose("yes", node_id="D")
    await first.until_paused()
    await first.cancel()
    second = RunnerHarness(flow, ["ok"], path=path, resume=first.journalled())
    await second.until_paused()
    assert second.told[-1] == "paused at D: breakpoint"
    assert second.script.prompts == ["other A"]
    second.runner.continue_run()
    assert (await second.outcome()).status == "finished"
    assert second.script.prompts[1:] == ["Do D"]


async def test_a_breakpoint_the_run_stood_at_is_not_hit_again_by_the_resume(tmp_path: Path) -> None:
    flow, path = flow_of(*LOOP), tmp_path / "flow.jsonl"
    first = RunnerHarness(flow, ["ok", YES], path=path)
    first.runner.toggle_breakpoint("A")
    await first.until_paused()
    await first.cancel()
    second = RunnerHarness(flow, ["ok", YES], path=path, resume=first.journalled())
    assert (await second.run()).status == "finished"


async def test_a_resume_with_a_new_chart_goes_on_by_it_and_says_so_in_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "flow.jsonl"
    first = RunnerHarness(flow_of(*LOOP), ["ok", TurnResult("cancelled")], path=path, text="old")
    await first.until_paused()
    first.runner.choose(None, node_id="A")
    await first.cancel()
    new = flow_of("BEGIN -> A", "A -> D", "D -> Z: yes", "D -> A: no", "Z -> END")
    second = RunnerHarness(new, [YES, "ok"], path=path, text="new", resume=first.journalled())
    await second.run()
    assert second.way == ["D", "Z"]
    assert not second.journalled().chart_changed("new")


CRASH_POINTS = [
    "journal.after_begin", "journal.after_enter", "journal.after_enter:2", "journal.after_turn", "journal.after_turn:2",
    "journal.after_decision", "journal.after_decision:2", "journal.before_append:4", "journal.after_append:7",
    "journal.after_go", "journal.before_append:12", "journal.after_turn:3", "journal.after_turn:5", "journal.after_end",
]  # fmt: skip


@pytest.mark.parametrize("crash_at", CRASH_POINTS)
async def test_a_kill_at_each_crash_point_resumes_at_the_right_node(tmp_path: Path, crash_at: str) -> None:
    path, wire = tmp_path / "flow.jsonl", tmp_path / "wire.jsonl"
    asked = run_in_a_process(path, crash_at)
    (state,) = load_runs(path)
    if crash_at == "journal.after_end":
        assert state.status == "finished"
        return
    assert state.status is None
    assert state.open
    recorder = Recorder(JsonlWriter(wire))
    again = RunnerHarness(
        flow_of(*LOOP), rest_of(state), path=path, resume=state, on_message=lambda _stage, message: recorder(message)
    )
    outcome = await again.run()
    assert (outcome.status, outcome.moves) == ("finished", 4)
    after = again.journalled()
    (picture,) = fold_run_views((each.timestamp, each.message) for each in read_recorded(wire))
    assert {node.id: (node.visits, node.steps) for node in picture.nodes.values() if node.visits} == {
        node_id: (after.visits[node_id], after.node_usage[node_id].steps) for node_id in after.visits
    }
    assert [(d.node_id, d.choice, d.move) for d in picture.decisions] == [("D", "no", 2), ("D", "yes", 4)]
    assert [edge.taken for edge in picture.edges] == [1, 2, 1, 1]
    assert after.visits == {"A": 2, "D": 2}
    assert [(d.choice, d.move) for d in after.decisions] == [("no", 2), ("yes", 4)]
    decided = len(state.decisions)
    assert sum("Available branches" in str(prompt) for prompt in again.script.prompts) <= 3 - decided - state.invalid
    assert asked + len(again.script.prompts) in (5, 6)  # a turn that a kill cut short is taken again, no other


def run_in_a_process(path: Path, crash_at: str) -> int:
    """Run LOOP with REPLIES until it is killed; returns how many turns were begun."""
    child = subprocess.run(
        [sys.executable, "-m", "tests.flow.run.test_journal", str(path)],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"KIMI_TUI_CRASH_AT": crash_at},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr
    return child.stdout.count("turn\n")


def _main(path: Path) -> None:
    recorder = Recorder(JsonlWriter(path.with_name("wire.jsonl")))
    harness = RunnerHarness(flow_of(*LOOP), REPLIES, path=path, on_message=lambda _stage, message: recorder(message))
    take = harness.script.take_turn

    async def take_aloud(prompt: object, rules: TurnRules) -> TurnResult:
        print("turn", flush=True)
        return await take(prompt, rules)  # type: ignore[arg-type]

    harness.script.take_turn = take_aloud  # type: ignore[method-assign]
    asyncio.run(harness.run())


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
