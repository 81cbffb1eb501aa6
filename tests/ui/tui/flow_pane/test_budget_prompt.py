"""The budget of a run on the screen: a bar, and raise or stop at the cap."""

from pathlib import Path

from kimi_tui.config.budget import Budget
from kimi_tui.flow.run.run_meter import BudgetSetup
from kimi_tui.ui.tui.dialogs.choice_dialog import ChoiceDialog
from kimi_tui.ui.tui.state.items import NoticeItem
from kimi_tui.ui.tui.widgets.text_prompt import TextPrompt
from kimi_tui.wire.flow_events import FlowEnd
from kimi_tui.wire.parts import TokenUsage
from tests.ui.tui.flow_pane.flow_driver import FlowDriver, open_flow


async def run_with(one: FlowDriver, tokens: int) -> None:
    """Begin a run that may take 100 tokens, and use some in its first turn."""
    await one.run(budget=BudgetSetup(Budget(tokens=100)))
    spend(one, tokens)
    await one.settle()


def spend(one: FlowDriver, tokens: int) -> None:
    one.runner.meter.record("s", TokenUsage(input_other=tokens - 1, output=1), estimated=False)


async def test_a_bar_shows_the_spend_against_the_cap(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await run_with(one, 50)
        assert "50% · 50 of 100 tokens" in one.shown()
        assert "━━━" in one.shown()


async def test_at_the_cap_r_raises_the_budget_and_the_run_goes_on(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await run_with(one, 120)
        await one.reply("I looked.")
        assert isinstance(one.app.screen, ChoiceDialog)
        assert "The flow release has used up its budget: 120 of 100 tokens." in one.shown()
        one.app.screen.guard.open()
        await one.press("r")
        assert one.runner.state.budget == Budget(tokens=200)
        assert (one.runner.node_id, len(one.prompts)) == ("fix", 2)
        assert "60% · 120 of 200 tokens" in one.shown()


async def test_after_esc_space_asks_again_and_another_budget_can_be_written(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await run_with(one, 120)
        await one.reply("I looked.")
        await one.press("escape")
        assert "budget used up" in one.shown()
        assert "Space raise" in one.shown()
        await one.press("f3", "space")
        assert isinstance(one.app.screen, ChoiceDialog)
        await one.press("o")
        assert isinstance(one.app.screen, TextPrompt)
        await one.press(*"1", *"1", *"0", "enter")
        assert one.runner.paused is not None
        await one.press("space", "o", *"1k", "space", *"tokens", "enter")
        assert one.runner.state.budget == Budget(tokens=1000)
        assert one.runner.node_id == "fix"
        assert one.runner.paused is None


async def test_at_the_cap_x_stops_the_run(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await run_with(one, 120)
        await one.reply("I looked.")
        await one.press("escape", "f3", "space", "x")
        assert one.engine.cancelled == 1


async def test_what_is_typed_at_the_question_goes_to_the_message(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await run_with(one, 120)
        await one.reply("I looked.")
        await one.press(*"hm")
        assert not isinstance(one.app.screen, ChoiceDialog)
        assert one.app.main_screen.composer.text == "hm"


async def test_the_figures_of_an_ended_run_stay(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await run_with(one, 90)
        await one.say(FlowEnd(run_id="run", status="cancelled", moves=1, reason="cancelled"))
        assert "90% · 90 of 100 tokens" in one.shown()


async def test_the_conversation_tells_a_used_up_budget_once(tmp_path: Path) -> None:
    async with open_flow(tmp_path) as one:
        await run_with(one, 1_200)
        await one.reply("I looked.")
        await one.press("escape")
        items = one.app.presenter.state.conversation.items
        told = [item.text for item in items if isinstance(item, NoticeItem)]
        assert not [text for text in told if text.startswith("flow paused")]  # the meter's notice has told it
