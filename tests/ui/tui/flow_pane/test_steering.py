"""Reaching into a run from its chart, by keys and by mouse, with a real runner behind it."""

from pathlib import Path

import pytest
from textual.widgets import TextArea

from kimi_tui.ui.tui.dialogs.branch_choice import BranchDialog
from kimi_tui.ui.tui.dialogs.edit_prompt import EditPrompt
from kimi_tui.ui.tui.flow_pane.footer import FlowFooter
from kimi_tui.ui.tui.flow_pane.node_details import NodeDetails
from kimi_tui.ui.tui.main_screen.divider import Divider
from kimi_tui.ui.tui.main_screen.scrub_bar import ScrubBar
from kimi_tui.wire.flow_events import FlowEnd
from tests.ui.tui.flow_pane.flow_driver import FlowDriver, open_flow
from tests.ui.tui.screen_text import app_strips


async def at_green(one: FlowDriver) -> None:
    await one.run()
    await one.reply("I looked.", "I fixed it.")
    assert one.runner.node_id == "green"


async def test_space_pauses_when_the_turn_is_over_and_goes_on(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.press("f3", "space")
        await one.reply("I looked.")
        assert (one.runner.node_id, one.runner.paused is not None) == ("fix", True)
        assert "paused" in one.shown()
        await one.press("space")
        assert one.runner.paused is None
        assert len(one.prompts) == 2


async def test_space_takes_a_pause_back_before_the_turn_is_over(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.press("f3", "space", "space")
        await one.reply("I looked.")
        assert (one.runner.node_id, one.runner.paused) == ("fix", None)


async def test_the_end_of_a_run_says_once_how_it_ended(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.say(FlowEnd(run_id="run", status="cancelled", moves=1, reason="cancelled"))
        assert "interrupted · 1 move · 0:00" in one.shown()
        assert "0:00 · interrupted" not in one.shown()


async def test_n_runs_one_node_and_pauses_again(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.press("f3", "n")
        await one.reply("I looked.")
        assert (one.runner.paused is not None, one.runner.node_id) == (True, "fix")
        await one.press("n")
        await one.reply("I fixed it.")
        assert (one.runner.paused is not None, one.runner.node_id) == (True, "green")


async def test_a_breakpoint_set_on_the_chart_holds_the_run_up(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.press("f3", "down", "down", "b")
        assert one.runner.state.breakpoints == {"green"}
        assert "● break" in one.shown()
        await one.reply("I looked.", "I fixed it.")
        assert one.runner.paused is not None
        assert one.runner.paused.reason == "breakpoint"
        await one.press("space")
        assert one.runner.paused is None


async def test_a_branch_clicked_in_advance_is_taken_without_asking_the_model(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await click_on(one, " no")
        assert one.runner.state.chosen == {"green": "no"}
        await one.reply("I looked.", "I fixed it.")
        assert "<choice>" not in str(one.prompts[-1])
        await one.reply("It is not green.")
        assert one.runner.node_id == "fix"
        assert one.runner.state.decisions[-1].by == "user"
        assert "║" in one.shown()


async def test_c_asks_for_the_branch_of_the_node_under_the_cursor(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await at_green(one)
        await one.press("f3", "c")
        assert one.app.main_screen.query_one(BranchDialog).labels == ("yes", "no")
        one.clock.now += 1
        await one.press("1")
        assert one.runner.state.chosen == {"green": "yes"}


async def test_a_written_line_break_in_a_branch_is_a_space_in_the_dialog(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        dialog = one.app.main_screen.query_one(BranchDialog)
        dialog.show("green", "Green?", ("all\\nof it", "none"))
        await one.settle()
        assert "1  all of it" in one.shown()
        assert dialog.labels[0] == "all\\nof it"


async def test_a_asks_the_person_at_this_decision_and_the_models_word_is_a_suggestion(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await at_green(one)
        await one.press("f3", "a")
        assert one.runner.state.ask == {"green"}
        await one.reply("All pass. <choice>yes</choice>")
        assert one.runner.paused is not None
        assert one.app.main_screen.query_one(BranchDialog).labels == ("yes", "no")
        shown = one.shown()
        assert "the model's choice" in shown
        assert "All pass." in shown
        await one.press("f5")  # the pane keeps the focus for a while after a key of it
        one.clock.now += 1
        await one.press("2")
        while not one.runner.state.decisions:
            await one.settle()
        assert (one.runner.node_id, one.runner.state.decisions[-1].by) == ("fix", "user")


async def test_the_chart_can_be_walked_while_a_branch_waits_for_the_person(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await at_green(one)
        await one.press("f3", "a")
        await one.reply("<choice>yes</choice>")
        assert one.app.main_screen.query_one(BranchDialog).labels == ("yes", "no")
        await one.press("f3")
        at = one.pane.chart.selected
        await one.press("up")
        assert one.pane.chart.selected not in ("", at)
        assert one.runner.paused is not None


async def test_the_key_of_requests_shows_again_a_choice_that_was_put_off(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await at_green(one)
        await one.press("f3", "a")
        await one.reply("<choice>yes</choice>")
        dialog = one.app.main_screen.query_one(BranchDialog)
        await one.press("f5", "escape")
        assert not dialog.is_open
        await one.press("f5")
        assert dialog.is_open
        one.clock.now += 1
        await one.press("2")
        await one.settle()
        assert one.runner.node_id == "fix"


async def test_capital_a_asks_at_each_decision_and_no_more(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.press("f3", "A")
        assert one.runner.state.ask == "always"
        await one.press("A")
        assert one.runner.state.ask == "never"


async def test_j_goes_on_at_the_node_under_the_cursor(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.press("f3", "space")
        await one.reply("I looked.")
        await one.press("down", "down")
        assert one.pane.chart.selected == "tag"
        await one.press("j")
        assert one.runner.node_id == "tag"


async def test_r_runs_the_node_again(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.press("f3", "r")
        await one.reply("I looked.")
        assert (one.runner.node_id, len(one.prompts)) == ("look", 2)


async def test_p_edits_a_prompt_and_runs_the_node_with_it(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.press("f3", "space")
        await one.reply("I looked.")
        await one.press("p")
        screen = one.app.screen
        assert isinstance(screen, EditPrompt)
        screen.query_one(TextArea).text = "Fix it [b]well[/b]"
        await one.press("ctrl+s")
        assert one.prompts[-1] == "Fix it [b]well[/b]"
        assert one.runner.state.prompts == {"fix": "Fix it [b]well[/b]"}
        await one.press("enter")
        assert "edited for this run" in one.shown()


async def test_x_stops_the_run(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        one.engine.stop_flow = one.runner.stop  # type: ignore[method-assign]
        await one.press("f3", "x")
        await one.reply("I looked.")
        assert one.app.presenter.state.flow.run is not None
        assert one.app.presenter.state.flow.run.status == "stopped"
        assert "■ stopped" in one.shown()
        assert not {"skipped", "interrupted"} & set(one.shown().split())


async def test_a_key_pressed_just_after_the_run_ended_is_no_letter_of_a_message(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.press("f3")
        one.runner.stop()
        await one.reply("I looked.")
        assert "■ stopped" in one.shown()
        for key in ("x", "space", "n"):
            one.clock.now += 1
            await one.press(key)
        assert one.app.main_screen.composer.text == ""
        assert one.app.main_screen.focused_pane == "flow"
        assert "x: no flow is running" not in one.shown()
        assert "n: no flow is running" in one.shown()
        one.clock.now += 1
        await one.press("i", "q")
        assert one.app.main_screen.composer.text == "q"


async def test_the_buttons_of_the_foot_do_what_the_keys_do(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await click_on(one, "Space pause")
        await one.reply("I looked.")
        assert one.runner.paused is not None
        await click_on(one, "Space continue")
        await one.settle()
        assert one.runner.paused is None


async def test_a_click_opens_a_node_and_a_key_there_goes_to_one_of_its_turns(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await at_green(one)
        await one.reply("No. <choice>no</choice>", "Fixed again.")
        await click_on(one, "✓ ×2")
        screen = one.app.screen
        assert isinstance(screen, NodeDetails)
        assert "2 visits" in one.shown()
        await one.pilot.resize_terminal(80, 24)
        assert screen.styles.background.a < 1, "the conversation is dimmed behind it"
        await one.press("1")
        assert one.app.main_screen.focused_pane == "conversation"
        first = one.app.presenter.state.flow.turn_keys["fix"][0]
        transcript = one.app.main_screen.transcript
        assert (
            transcript.item(one.app.presenter.transcript_sync.ids[first]) == one.app.presenter.state.conversation[first]
        )


async def test_a_turns_header_leads_back_to_its_node(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await at_green(one)
        await click_on(one, "Look at the test")
        assert one.app.main_screen.composer.prompt.has_focus
        assert one.pane.chart.selected == "look"


async def test_keys_go_from_a_nodes_turn_back_to_the_node(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await at_green(one)
        await one.press("f3", "home", "up", "enter", "t")
        assert "› □ Fix it" in one.shown()
        await one.press("alt+up")
        assert "› □ Look at the test" in one.shown()
        await one.press("enter")
        assert (one.app.main_screen.focused_pane, one.pane.chart.selected) == ("flow", "look")


async def test_a_click_on_the_last_line_does_what_its_key_does(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await at_green(one)
        await one.press("f3")
        await click_on(one, ". more")
        await click_on(one, "Choose a branch of this node")
        assert one.app.main_screen.query_one(BranchDialog).is_open
        await click_on(one, "Esc later")
        assert not one.app.main_screen.query_one(BranchDialog).is_open


async def test_everything_can_be_done_from_a_list_of_it(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await at_green(one)
        await one.press("f3")
        await click_on(one, ". more")
        assert "Remove the breakpoint" not in one.shown()
        await click_on(one, "Breakpoint here")
        assert one.runner.state.breakpoints == {"green"}
        await one.press("f3", "full_stop")
        assert "Remove the breakpoint" in one.shown()
        assert "Enter  Node details" in one.shown()
        assert "Home   Follow" in one.shown()
        await click_on(one, "Outline (toggle)")
        assert one.pane.chart.view == "outline"
        await one.press("f3", "full_stop")
        await click_on(one, "Replay")
        assert one.app.main_screen.query_one(ScrubBar).is_open


async def test_the_right_button_asks_what_can_be_done_with_a_node(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await click_on(one, "Tag it", button=3)
        assert "□ Tag it" in one.shown()
        await click_on(one, "Continue from here")
        await one.reply("I looked.")
        assert one.runner.node_id == "tag"


async def test_the_view_is_changed_from_the_menu_and_the_last_line(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await click_on(one, " … ")
        await click_on(one, "Direction: down or right")
        assert one.pane.chart.direction == "LR"
        await one.press("f3")
        await click_on(one, "o outline")
        assert one.pane.chart.view == "outline"
        await click_on(one, "F11 zoom")
        assert one.app.main_screen.zoomed == "flow"


async def test_one_row_under_the_chart_has_the_state_and_the_buttons_that_fit(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        foot = one.pane.query_one(FlowFooter)
        row = foot.render_line(0).text
        assert foot.size.height == 1
        assert row.startswith("▶ Look at the test ")
        assert row.rstrip().endswith("x stop   …")
        await one.press("f3")
        assert "n step" not in app_strips(one.app)[-1].text


async def test_a_key_shows_what_the_lines_mean_and_a_zoomed_chart_says_it(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        await one.press("f3")
        assert "━▶ taken" not in one.shown()
        await one.press("question_mark")
        assert "━▶ taken  ═▶ you chose  ╍▷ possible  ─▶ not taken" in one.shown()
        await one.press("question_mark", "f11")
        assert "━▶ taken" in one.shown()
        assert one.app.main_screen.query_one(Divider).display is False


@pytest.mark.parametrize("key", ["space", "n", "x", "r"])
async def test_what_makes_no_sense_is_told_and_does_no_harm(tmp_path: Path, key: str) -> None:
    async with open_flow(tmp_path) as one:
        await one.run()
        one.engine.runner, runner = None, one.runner
        await one.press("f3", key)
        one.engine.runner = runner
        assert one.runner.node_id == "look"


async def click_on(one: FlowDriver, text: str, *, button: int = 1) -> None:
    """Click on the first place of the screen that says so, as it is seen."""
    for y, strip in enumerate(app_strips(one.app)):
        x = strip.text.find(text)
        if x >= 0:
            await one.pilot.click(offset=(x + 1, y), button=button)
            await one.settle()
            return
    raise AssertionError(f"{text!r} is not on the screen")
