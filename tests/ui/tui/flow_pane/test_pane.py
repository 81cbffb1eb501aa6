"""The pane between runs: charts that are saved, broken, exported; and a run that was cut off."""

import json
from collections.abc import Sequence
from pathlib import Path

from kimi_tui.flow import build_flow, read_mermaid
from kimi_tui.flow.run.run_state import RunState, text_hash
from kimi_tui.skill.library import SkillLibrary
from kimi_tui.skill.roots import SkillRoots
from kimi_tui.soul.flows.resume import ChartNow
from kimi_tui.ui.tui.dialogs.choice_dialog import ChoiceDialog
from kimi_tui.ui.tui.flow_pane.node_details import NodeDetails, NodeDetailsText
from kimi_tui.ui.tui.flow_pane.start_flow import StartFlow
from kimi_tui.ui.tui.widgets.key_guard import KeyGuard
from kimi_tui.wire.flow_events import FlowNodeBegin
from tests.ui.tui import wire_scenarios
from tests.ui.tui.fake_engine import FakeEngine, FakeSkills, Info, Skill
from tests.ui.tui.flow_pane import flow_scenarios
from tests.ui.tui.flow_pane.flow_driver import FIX, FlowDriver, open_flow
from tests.ui.tui.screen_text import notices

BAD = FIX.replace("|no|", "|no")


class Shelf:
    """A library of real files, and an engine that has it."""

    def __init__(self, work_dir: Path) -> None:
        self.folder = work_dir / "skills"
        self.write(FIX)
        self.library = SkillLibrary.load(SkillRoots(work_dir, skills_dirs=(self.folder,)))
        self.engine = FakeEngine(work_dir, skills=self.library)  # type: ignore[arg-type]

    def write(self, chart: str) -> None:
        file = self.folder / "release" / "SKILL.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        head = "---\nname: release\ndescription: Releases it.\ntype: flow\n---\n"
        file.write_text(f"{head}```mermaid\n{chart}```\n", "utf-8")

    async def save(self, one: FlowDriver, chart: str) -> None:
        self.write(chart)
        self.library.reload()
        await one.settle()


async def test_home_end_and_the_page_keys_take_the_cursor_of_the_list_along(tmp_path: Path) -> None:
    flow = build_flow(read_mermaid(FIX))
    skills = FakeSkills([Skill(f"flow {n}", "Does it.", flow) for n in range(30)])
    async with open_flow(tmp_path, engine=FakeEngine(tmp_path, skills=skills)) as one:
        listing = one.pane.listing
        await one.press("f3", "end")
        assert (listing.cursor, "› flow 29" in one.shown()) == (29, True)
        await one.press("pageup")
        assert 0 < listing.cursor < 29
        assert f"› flow {listing.cursor}" in one.shown()
        await one.press("home")
        assert (listing.cursor, "› flow 0" in one.shown()) == (0, True)
        await one.press("pagedown")
        assert listing.cursor > 1


async def test_the_menu_of_commands_shows_the_first_nodes_of_the_flow_under_its_cursor(tmp_path: Path) -> None:
    class Flows(FakeEngine):
        def commands(self) -> Sequence[Info]:
            return (Info("flow:release", "Releases it."), Info("zoo", "Opens the zoo."))

    skills = FakeSkills([Skill("release", "Releases it.", build_flow(read_mermaid(FIX)))])
    async with open_flow(tmp_path, size=(80, 24), engine=Flows(tmp_path, skills=skills)) as one:
        await one.press(*"/flow:rel")
        assert "Look at the test → Fix it → Green? → …" in one.shown()
        await one.press(*["backspace"] * 8, *"zoo")
        assert "Look at the test →" not in one.shown()


async def test_a_long_description_in_the_list_ends_at_a_word(tmp_path: Path) -> None:
    flow = build_flow(read_mermaid(FIX.replace("Look at the test", "Look at\\nthe test")))
    skills = FakeSkills([Skill("release", "Unforgettable words " * 40, flow), Skill("short", "Opens it.", flow)])
    async with open_flow(tmp_path, engine=FakeEngine(tmp_path, skills=skills)) as one:
        rows = [row.split("│")[-1].strip() for row in one.shown().split("\n")]
        about = [row for row in rows if "nforgettable" in row]
        assert len(about) == 3
        assert about[-1].endswith(("words…", "Unforgettable…"))
        assert "Opens it." in one.shown()
        assert "Look at the test → Fix it → Green? → …" in one.shown(), "a written line break is a space"


async def test_a_saved_chart_is_shown_at_once(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    async with open_flow(tmp_path, engine=shelf.engine) as one:
        assert one.pane.showing == "list"
        await shelf.save(one, FIX.replace("Tag it", "Tag it twice"))
        assert one.pane.showing == "chart"
        assert "Tag it twice" in one.shown()


async def test_a_broken_chart_shows_its_error_with_the_line_and_the_last_good_chart_dimmed(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    async with open_flow(tmp_path, engine=shelf.engine) as one:
        await shelf.save(one, BAD)
        shown = one.shown()
        assert "SKILL.md:12" in shown
        assert "green -->|no fix" in shown
        assert "last valid chart" in shown
        assert "Tag it" in shown
        assert one.pane.chart.dimmed
        await shelf.save(one, FIX)
        assert not one.pane.chart.dimmed
        assert "SKILL.md" not in one.shown()


async def test_a_broken_flow_is_listed_and_enter_shows_what_is_wrong(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.write(BAD)
    shelf.library.reload()
    async with open_flow(tmp_path, engine=shelf.engine) as one:
        assert "✗" in one.shown()
        names = [skill.name for skill in one.pane.listing.flows]
        await one.press("f3")
        assert "Enter start" in one.shown()
        assert "s start" not in one.shown(), "said once"
        await one.press(*["down"] * names.index("release"))
        assert "Enter show the error" in one.shown()
        assert "s start" not in one.shown()
        await one.press("enter")
        assert "SKILL.md:12" in one.shown()
        assert "cannot run" in one.shown()
        assert "laying out" not in one.shown()
        assert not isinstance(one.app.screen, StartFlow)
        await one.press("l")
        assert one.pane.showing == "list"


async def test_a_run_under_way_keeps_its_chart_when_the_file_changes(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    async with open_flow(tmp_path, engine=shelf.engine) as one:
        await one.run()
        await shelf.save(one, BAD)
        assert one.pane.showing == "run"
        assert "this run uses the earlier chart" in one.shown()
        await shelf.save(one, FIX.replace("Tag it", "Tag it twice"))
        assert "Tag it twice" not in one.shown()
        await one.reply("I looked.")
        assert one.runner.node_id == "fix"


async def test_v_shows_a_listed_chart_s_starts_it_and_l_goes_back(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.press("f3", "v")
        assert (one.pane.showing, "Draft a plan" in one.shown()) == ("chart", True)
        await one.press("l")
        assert one.pane.showing == "list"
        await one.press("v", "s")
        assert isinstance(one.app.screen, StartFlow)
        await one.press("x", "enter")
        assert one.engine.prompts == ["/flow:plan x"]


async def test_a_run_is_never_exported_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "flow-release-run.mmd").symlink_to(tmp_path / "elsewhere")
    async with open_flow(tmp_path) as one:
        await one.say(*wire_scenarios.flow_done())
        await one.press("f3", "e", "m")
        assert not (tmp_path / "elsewhere").exists()
        assert (tmp_path / "flow-release-run-2.mmd").is_file()


async def test_an_exported_run_has_no_key_of_the_configuration(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*wire_scenarios.flow_done())
        one.engine.secrets = ("failing test",)
        await one.press("f3")
        for key in ("m", "s", "j", "t"):
            await one.press("e", key)
        exports = [path.read_text("utf-8") for path in tmp_path.glob("flow-*")]
        assert len(exports) == 4
        assert all("redacted" in text and "failing" not in text for text in exports)


async def test_a_run_is_exported_in_each_format_and_nothing_is_written_over(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*wire_scenarios.flow_done())
        await one.press("f3")
        for key in ("enter", "s", "j", "t", "m"):
            await one.press("e")
            assert isinstance(one.app.screen, ChoiceDialog)
            await one.press(key)
        names = sorted(path.name for path in tmp_path.glob("flow-*"))
        assert names == [
            "flow-release-run-2.mmd", "flow-release-run.json", "flow-release-run.md", "flow-release-run.mmd",
            "flow-release-run.svg",
        ]  # fmt: skip
        mermaid = (tmp_path / "flow-release-run.mmd").read_text("utf-8")
        assert "class" in mermaid
        assert set(build_flow(read_mermaid(mermaid)).nodes) == {"b", "look", "fix", "green", "tag", "e"}
        assert json.loads((tmp_path / "flow-release-run.json").read_text("utf-8"))["moves"] == 6
        assert any("written to flow-release-run" in note for note in notices(one.app))


async def test_a_chart_that_is_not_running_is_exported_as_it_is(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.press("f3", "v", "e", "s")
        assert (tmp_path / "flow-plan.svg").read_text("utf-8").startswith("<svg")


class Runs:
    """A run that did not end, and the chart of its flow as it is now."""

    def __init__(self, now: ChartNow | None = None) -> None:
        self.now = now

    def open_runs(self) -> list[RunState]:
        return [
            RunState("run", "release", "mermaid", FIX, text_hash(FIX), "", 1000, "green", moves=5, updated_at=1_000.0)
        ]

    def chart_now(self, run: RunState) -> ChartNow | None:
        return self.now


class CutOff(FakeEngine):
    """An engine whose session has such a run."""

    flows: Runs


def cut_off(folder: Path, now: ChartNow | None = None) -> CutOff:
    engine = CutOff(folder, record=wire_scenarios.timed(wire_scenarios.flow_at_decision(), 1_000.0))
    engine.flows = Runs(now)
    return engine


def stood_a_while(dialog: object) -> None:
    """The dialog that opened by itself has been on screen long enough for its keys to count."""
    assert isinstance(dialog, ChoiceDialog)
    dialog.guard = KeyGuard(lambda: 0.0, quiet_s=0.0)


async def test_a_run_that_was_cut_off_is_offered_again(tmp_path: Path) -> None:
    async with open_flow(tmp_path, engine=cut_off(tmp_path)) as one:
        assert isinstance(one.app.screen, ChoiceDialog)
        shown = one.shown()
        assert "at “Green?”" in shown
        assert "5 moves" in shown
        stood_a_while(one.app.screen)
        await one.press("g")
        assert one.engine.prompts == ["/flow-resume run"]


CHANGED = ChartNow(FIX, flow_scenarios.flow_of_text(FIX.replace("Tag it", "Tag the release").replace("look", "read")))


async def test_a_run_whose_chart_has_changed_goes_on_with_either(tmp_path: Path) -> None:
    async with open_flow(tmp_path, engine=cut_off(tmp_path, CHANGED)) as one:
        assert "removed: “Look at the test”" in one.shown()
        assert "reworded: “Tag the release”" in one.shown()
        stood_a_while(one.app.screen)
        await one.press("n")
        assert one.engine.prompts == ["/flow-resume run new"]
        await one.press("f3", "g", "g")
        assert one.engine.prompts == ["/flow-resume run new", "/flow-resume run"]


async def test_a_chart_that_lost_the_node_cannot_be_gone_on_with(tmp_path: Path) -> None:
    engine = cut_off(tmp_path, ChartNow(trouble="it has no node green any more"))
    async with open_flow(tmp_path, engine=engine) as one:
        assert "it has no node green any more" in one.shown()
        stood_a_while(one.app.screen)
        await one.press("n")
        assert isinstance(one.app.screen, ChoiceDialog)


async def test_a_run_that_was_cut_off_stands_still_until_it_is_resumed(tmp_path: Path) -> None:
    record = wire_scenarios.timed(wire_scenarios.flow_at_decision(), 1_000.0)
    async with open_flow(tmp_path, engine=FakeEngine(tmp_path, record=record)) as one:
        assert not one.app.presenter.needs_ticks
        assert "interrupted" in one.shown()
        begin = wire_scenarios.RELEASE.model_copy(update={"resumed_at": "green"})
        await one.say(begin, FlowNodeBegin(run_id="run", node_id="green", move=5))
        run = one.app.presenter.state.flow.run
        assert run is not None
        assert (run.active, len(one.app.presenter.state.flow.turn_keys["green"])) == (True, 3)
        assert run.nodes["green"].visits == 2


async def test_markup_and_escapes_in_labels_are_shown_and_do_nothing(tmp_path: Path) -> None:
    begin = flow_scenarios.begin_of(FIX.replace("Fix it", "Fix [red]it[/red]"), name="[b]re[/b]lease")
    async with open_flow(tmp_path) as one:
        await one.say(begin)
        shown = one.shown()
        assert "Fix [red]it[/red]" in shown
        assert "[b]re[/b]lease" in shown


ASKS = FIX.replace("Look at the test", "Look at ${ARGS}")


async def test_a_label_shows_what_the_run_was_started_with_and_a_chart_alone_a_gap(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    async with open_flow(tmp_path, engine=shelf.engine) as one:
        await shelf.save(one, ASKS)
        assert "Look at …" in one.shown()
        await one.run(ASKS, args="the parser")
        assert "◀" in one.shown()
        assert "┃ Look at the parser" in one.shown()
        assert "□ Look at the parser" in one.shown()
        assert "${ARGS}" not in one.shown()


async def test_the_chart_to_be_started_shows_the_arguments_as_they_are_written(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.write(ASKS)
    shelf.library.reload()
    async with open_flow(tmp_path, engine=shelf.engine) as one:
        await one.press("f3", "enter")
        assert "Look at …" in one.shown()
        await one.press("i", "o")
        assert "Look at io" in one.shown()
        await one.press("enter")
        assert shelf.engine.prompts == ["/flow:release io"]


async def test_a_node_of_a_chart_that_is_not_running_is_opened_too(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.press("f3", "v", "down", "enter")
        assert isinstance(one.app.screen, NodeDetails)
        assert "outgoing edges" in one.shown()
        assert "not run yet" not in one.shown()


async def test_a_flow_that_has_ended_is_started_again_from_its_chart(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    async with open_flow(tmp_path, engine=shelf.engine) as one:
        await one.run()
        await one.reply("Looked.", "Fixed.", "Yes. <choice>yes</choice>", "Tagged.")
        await one.press("f3", "s")
        assert isinstance(one.app.screen, StartFlow)


async def test_a_node_is_opened_with_what_the_file_says_of_it(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.write(f"{FIX}%% look: read the newest log first\n")
    shelf.library.reload()
    async with open_flow(tmp_path, engine=shelf.engine) as one:
        await one.press("f3", "v", "down", "enter")
        assert isinstance(one.app.screen, NodeDetails)
        assert "from the flow's file" in one.shown()
        assert "read the newest log first" in one.shown()
        await one.press("escape", "down", "enter")
        assert isinstance(one.app.screen, NodeDetails)
        assert "from the flow's file" not in one.shown()


async def test_a_node_of_a_run_is_opened_with_what_the_file_says_of_it(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run(f"{FIX}%% look: read the newest log first\n")
        await one.press("f3", "enter")
        assert isinstance(one.app.screen, NodeDetails)
        assert "read the newest log first" in one.shown()


async def test_the_typed_result_of_a_node_is_in_its_dialog(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run(f'{FIX}look@{{ out: "severity: low | high, files: [text]" }}\n')
        await one.reply("Looked.")
        await one.press("f3", "up", "enter")
        assert isinstance(one.app.screen, NodeDetails)
        shown = one.shown()
        assert shown.index("│ result") < shown.index("│ severity: low") < shown.index("│ files: []")


async def test_the_details_of_a_node_follow_its_run(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.press("f3", "enter")
        details = one.app.screen
        assert isinstance(details, NodeDetails)

        def figures() -> str:
            return details.query_one(NodeDetailsText).render_line(0).text

        assert "running" in figures()
        await one.reply("Looked.")
        while "✓" not in figures():
            await one.settle()
        assert "×1" in one.shown()


async def test_the_list_tells_steps_apart_whose_first_words_are_the_same(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.write(
        "flowchart TD\nB([BEGIN]) --> a[Review: tests]\na --> b[Review: docs]\nb --> c[Ship: now]\nc --> E([END])\n"
    )
    shelf.library.reload()
    async with open_flow(tmp_path, engine=shelf.engine) as one:
        await one.press("f3")
        assert "Review: tests → Review: docs → Ship" in one.shown()


async def test_flows_that_cannot_run_are_counted_apart(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    torn = shelf.folder / "torn" / "SKILL.md"
    torn.parent.mkdir()
    torn.write_text("---\nname: torn\ndescription: d\ntype: flow\n---\n", "utf-8")
    shelf.library.reload()
    async with open_flow(tmp_path, engine=shelf.engine) as one:
        await one.press("f3")
        assert " · ✗ 1 cannot run" in one.shown()


async def test_a_tick_of_a_pane_that_is_gone_does_nothing(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.say(*wire_scenarios.flow_at_decision())
        pane = one.app.main_screen.flow_pane
        assert one.app.presenter.needs_ticks
        await pane.remove()
        pane.tick()
        assert not pane.is_attached
