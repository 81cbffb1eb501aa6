"""Settings that are changed on screen, and the file that they are written to."""

from pathlib import Path

from textual.widgets import Input

from kimi_tui.config.schema import Config
from kimi_tui.ui.tui.screens.settings import Settings
from kimi_tui.ui.tui.screens.settings_schema import SETTINGS, shown_value
from kimi_tui.ui.tui.widgets.pick_list import ItemList
from kimi_tui.ui.tui.widgets.pick_prompt import PickPrompt
from tests.ui.tui.screens import screen_cases
from tests.ui.tui.screens.conftest import Shown, ShowScreen


def right_of(shown: Shown, key: str) -> str:
    return next(pick.right for pick in shown.app.screen.query_one(ItemList).picks if pick.key == key)


async def on(shown: Shown, key: str) -> None:
    shown.app.screen.query_one(ItemList).select(key)
    await shown.settle()


def test_every_setting_is_a_key_of_the_configuration() -> None:
    for _, settings in SETTINGS:
        for setting in settings:
            assert shown_value(setting.value(Config()))


async def test_a_switch_is_turned_and_comments_stay(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    async with show(lambda: screen_cases.settings(work_dir, tmp_path)) as shown:
        await on(shown, "default_yolo")
        await shown.press("enter")
        assert right_of(shown, "default_yolo") == "on"
        assert (tmp_path / "config.yaml").read_text("utf-8") == screen_cases.CONFIG + "default_yolo: true\n"


async def test_a_choice_goes_to_the_next_one(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    async with show(lambda: screen_cases.settings(work_dir, tmp_path)) as shown:
        await on(shown, "default_model")
        await shown.press("enter")
        assert right_of(shown, "default_model") == "small"


async def test_a_number_is_asked_for_and_one_out_of_bounds_is_refused(
    show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    async with show(lambda: screen_cases.settings(work_dir, tmp_path)) as shown:
        await on(shown, "loop_control.max_steps_per_turn")
        await shown.press("enter")
        shown.app.screen.query_one(Input).value = "0"
        await shown.press("enter")
        assert "max_steps_per_turn" in str(shown.app.screen.query_one("#frame").border_subtitle)
        assert (tmp_path / "config.yaml").read_text("utf-8") == screen_cases.CONFIG
        await shown.press("enter")
        shown.app.screen.query_one(Input).value = "50"
        await shown.press("enter")
        assert right_of(shown, "loop_control.max_steps_per_turn") == "50"


async def test_ctrl_d_takes_a_key_out_of_the_file(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    async with show(lambda: screen_cases.settings(work_dir, tmp_path)) as shown:
        await on(shown, "default_model")
        await shown.press("ctrl+d")
        assert "default_model" not in (tmp_path / "config.yaml").read_text("utf-8")


async def test_a_click_on_a_row_changes_it(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    async with show(lambda: screen_cases.settings(work_dir, tmp_path)) as shown:
        await shown.pilot.click(ItemList, offset=(10, 2))
        await shown.settle()
        assert right_of(shown, "ascii") == "on"


async def test_what_only_resembles_the_words_is_shown_where_they_are_nowhere(
    show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    async with show(lambda: screen_cases.settings(work_dir, tmp_path)) as shown:
        found = shown.app.screen.query_one(ItemList)
        await shown.press(*"think")
        assert [pick.key for pick in found.picks if pick.key] == ["show_thinking_stream", "default_thinking"]
        for _ in range(3):
            await shown.press("backspace")
        await shown.press(*"nk")
        assert "default_thinking" in [pick.key for pick in found.picks]


async def test_many_choices_are_a_list_to_choose_from(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    kept = screen_cases.KeptConfig(tmp_path / "config.yaml")
    names = [f"theme-{letter}" for letter in "abcdef"]
    async with show(lambda: Settings(kept, kept.file, change=kept.change, themes=["kimi-dark", *names])) as shown:
        await on(shown, "theme")
        await shown.press("enter")
        assert isinstance(shown.app.screen, PickPrompt)
        assert shown.app.screen.query_one(ItemList).key == "kimi-dark"
        await shown.press(*"theme-e", "enter")
        assert isinstance(shown.app.screen, Settings)
        assert kept.config.theme == "theme-e"
