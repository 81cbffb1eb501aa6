"""Information screens: trust, skills, usage, log, tasks, MCP servers, rewind."""

import gc
import warnings
from dataclasses import replace
from pathlib import Path

from textual import events

from kimi_tui.mcp.remote_tool import RemoteTool
from kimi_tui.mcp.server_state import ServerState
from kimi_tui.permission.trust import TrustItem
from kimi_tui.ui.tui.screens.log import LogView, last_entries
from kimi_tui.ui.tui.screens.mcp import McpStatus
from kimi_tui.ui.tui.screens.rewind import Rewind, RewindChoice
from kimi_tui.ui.tui.screens.skills import Skills
from kimi_tui.ui.tui.screens.tasks import Tasks
from kimi_tui.ui.tui.screens.trust import TrustQuestion
from kimi_tui.ui.tui.screens.usage import UsageFacts, UsageRow, usage_lines
from kimi_tui.ui.tui.text.styled_line import cells
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.key_bar import KeyBar
from kimi_tui.ui.tui.widgets.pick_list import ItemList
from kimi_tui.ui.tui.widgets.text_viewer import TextViewer
from kimi_tui.wire.parts import TokenUsage
from tests.ui.tui.fake_engine import Clock
from tests.ui.tui.screen_text import app_strips, app_text
from tests.ui.tui.screens import screen_cases
from tests.ui.tui.screens.conftest import Shown, ShowScreen
from tests.ui.tui.screens.stored_sessions import NOW


def read(shown: Shown) -> str:
    return "\n".join(line.text for line in shown.app.screen.query_one(TextViewer).lines(120, Palette()))


async def test_a_key_that_was_meant_for_the_composer_does_not_trust_a_folder(
    show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    clock = Clock()
    async with show(lambda: screen_cases.trust(work_dir, tmp_path, clock=clock)) as shown:
        await shown.press("y")
        assert shown.results == []
        clock.now += 0.4
        await shown.press("w")
        clock.now += 0.4
        await shown.press("y", "enter")
        assert shown.results == []
        clock.now += 0.6
        await shown.press("y")
        assert shown.results == [True]


async def test_an_empty_log_says_so_and_names_the_one_key_that_acts(show: ShowScreen, tmp_path: Path) -> None:
    async with show(lambda: LogView(tmp_path / "none.log")) as shown:
        await shown.press("a")
        assert read(shown) == "the log is empty"
        rows = app_text(shown.app)
        assert "Ctrl+R reload" in rows
        assert "errors only" not in rows


async def test_however_much_a_folder_brings_the_answers_stay_in_sight(
    show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    brought = [TrustItem(work_dir / f"a-file-with-a-name-that-is-long-{n}.json", "MCP servers") for n in range(20)]
    async with show(lambda: TrustQuestion(work_dir, brought, clock=lambda: 0.0), size=(60, 18)) as shown:
        answers, frame = shown.app.screen.query_one(ItemList), shown.app.screen.query_one("#frame")
        assert answers.region.height == 6
        assert frame.region.contains_region(answers.region)
        assert shown.app.screen.query_one(KeyBar).region.bottom < frame.region.bottom
        assert shown.app.screen.query_one(TextViewer).max_scroll_y > 0


async def test_enter_on_the_first_answer_decides_nothing(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    clock = Clock()
    async with show(lambda: screen_cases.trust(work_dir, tmp_path, clock=clock)) as shown:
        clock.now += 1
        await shown.press("enter")
        assert shown.results == [None]


async def test_a_problem_of_a_skill_is_shown_with_its_place(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    async with show(lambda: screen_cases.skills(work_dir, tmp_path)) as shown:
        first = next(pick for pick in shown.app.screen.query_one(ItemList).picks if pick.key)
        assert first.label.endswith(".kimi/skills/ship.md:8")
        assert "A[Start --> B" in read(shown)


async def test_the_keys_of_the_skills_say_what_enter_does_with_a_problem(
    show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    async with show(lambda: screen_cases.skills(work_dir, tmp_path)) as shown:
        screen = shown.app.screen
        assert isinstance(screen, Skills)
        assert screen.keys()[0].what == "copy location"
        await shown.press(*"notes")
        assert screen.keys()[0].what == "use"


async def test_a_skill_that_is_chosen_is_given_back_as_its_command(
    show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    async with show(lambda: screen_cases.skills(work_dir, tmp_path)) as shown:
        await shown.press(*"notes", "enter")
        assert shown.results == ["skill:notes"]


async def test_the_list_of_skills_follows_the_files(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    library = screen_cases.library(work_dir, tmp_path)
    async with show(lambda: Skills(lambda: library.snapshot, listen=library.listen)) as shown:
        (work_dir / ".kimi" / "skills" / "new.md").write_text("---\nname: new\ndescription: New\n---\nIt.\n")
        library.reload()
        await shown.settle()
        assert "new" in [pick.label for pick in shown.app.screen.query_one(ItemList).picks]


def test_cost_is_told_where_prices_are_configured(work_dir: Path, tmp_path: Path) -> None:
    told = [line.text for line in usage_lines(screen_cases.usage_facts(), 80, Palette())]
    assert any("0.0313" in line for line in told)


def test_the_figures_are_whole_in_the_smallest_terminal(work_dir: Path, tmp_path: Path) -> None:
    used = TokenUsage(input_other=12_345_678, input_cache_read=2_345_678, output=345_678)
    spent = tuple(UsageRow(title, 120, used, 12.3456) for title in ("this run", "the whole session"))
    text = [line.text for line in usage_lines(UsageFacts("m", "", 1, 10, 1, spent), 54, Palette())]
    assert all(cells(line) <= 54 for line in text)
    assert sum(line.endswith(" 12.3456") for line in text) == 2
    assert text[-1].endswith("to see cost")


def test_a_traceback_belongs_to_the_entry_before_it(tmp_path: Path) -> None:
    file = tmp_path / "x.log"
    file.write_text(screen_cases.LOG, "utf-8")
    entries = last_entries(file)
    assert [level for level, _ in entries] == ["INFO", "WARNING", "ERROR", "INFO"]
    assert entries[2][1].endswith("ValueError: no")


async def test_the_log_shows_only_what_went_wrong_when_asked(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    async with show(lambda: screen_cases.log(work_dir, tmp_path)) as shown:
        await shown.press("ctrl+w")
        assert "a turn began" not in read(shown)
        assert "the chart is broken" in read(shown)
        await shown.press(*"engine")
        assert "the chart is broken" not in read(shown)


async def test_output_of_one_server_is_grouped_with_its_time_and_name_once(show: ShowScreen, tmp_path: Path) -> None:
    file = tmp_path / "x.log"
    said = [("00", "starting"), ("00", "Traceback:"), ("00", '  File "x.py"'), ("00", ""), ("02", "    boom")]
    lead = "INFO kimi_tui.mcp.server_log MCP server files:"
    rows = [f"2026-01-02 10:00:{second},100 {lead} {text}\n" for second, text in said]
    file.write_text("".join([*rows, "2026-01-02 10:00:03,000 INFO kimi_tui.soul a turn ended\n"]), "utf-8")
    async with show(lambda: LogView(file)) as shown:
        assert [line.rstrip() for line in read(shown).split("\n")] == [
            "2026-01-02",
            "10:00:00 · MCP server files",
            "           starting",
            "           Traceback:",
            '             File "x.py"',
            "",
            "10:00:02       boom",
            "10:00:03 · kimi_tui.soul a turn ended",
        ]


async def test_what_acts_in_a_log_is_spelled_out_on_screen(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    async with show(lambda: screen_cases.log(work_dir, tmp_path)) as shown:
        strips = app_strips(shown.app)
        assert "\x1b" not in "".join(segment.text for strip in strips for segment in strip)


async def test_a_running_task_is_stopped_and_its_output_read(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    stopped: list[str] = []
    some = screen_cases.some_tasks(tmp_path)

    async def stop(task_id: str) -> None:
        stopped.append(task_id)

    async with show(lambda: Tasks(lambda: some, stop=stop, now=lambda: NOW)) as shown:
        assert read(shown) == "compiling a.c\nb.c"
        await shown.press("ctrl+x")
        assert stopped == ["b1"]
        await shown.press("down", "ctrl+x")
        assert stopped == ["b1"]


async def test_the_cause_of_a_server_that_failed_is_told_and_it_can_be_started_again(
    show: ShowScreen, work_dir: Path
) -> None:
    again: list[str] = []
    states: list[ServerState] = list(screen_cases.SERVERS)

    async def restart(name: str) -> None:
        again.append(name)
        states[1] = ServerState(name, states[1].origin, states[1].place, "connected")

    async with show(lambda: McpStatus(lambda: states, restart=restart)) as shown:
        await shown.press("down")
        assert "the connection was refused" in read(shown)
        await shown.press("ctrl+r")
        assert again == ["search"]
        assert "the connection was refused" not in read(shown)


async def test_enter_goes_back_with_all_that_can_go_back(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    for keys, back in (
        (("enter",), RewindChoice(3, True, False)),
        (("down", "enter"), RewindChoice(2, True, True)),
        (("down", "t"), RewindChoice(2, True, False)),
        (("down", "f"), RewindChoice(2, False, True)),
        (("down", "down", "t", "enter", "enter"), RewindChoice(1, False, True)),
    ):
        async with show(lambda: screen_cases.rewind(work_dir, tmp_path)) as shown:
            await shown.press(*keys)
            assert shown.results == [back]


async def test_a_turn_that_cannot_be_restored_names_no_enter(show: ShowScreen, work_dir: Path) -> None:
    points = [screen_cases.Turn(1, "before the compaction", screen_cases.NOW, conversation=False)]
    async with show(lambda: Rewind(points, work_dir=work_dir, now=lambda: screen_cases.NOW)) as shown:
        text = "".join(segment.text for segment in shown.app.screen.query_one(KeyBar).render_line(0))
        assert text.split() == ["Esc", "back"]


async def test_a_key_of_the_last_line_can_be_clicked(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    async with show(lambda: screen_cases.rewind(work_dir, tmp_path)) as shown:
        await shown.press("down")
        text = "".join(segment.text for segment in shown.app.screen.query_one(KeyBar).render_line(0))
        await shown.pilot.click(KeyBar, offset=(text.index("t the conversation"), 0))
        await shown.settle()
        assert shown.results == [RewindChoice(2, True, False)]


async def test_only_what_can_be_done_with_a_server_is_offered(show: ShowScreen, work_dir: Path) -> None:
    async def restart(name: str) -> None:
        raise AssertionError(name)

    for state, keys in (
        (replace(screen_cases.SERVERS[0], tools=(RemoteTool("read", "", {}),)), ["Ctrl+R", "Tab"]),
        (screen_cases.SERVERS[0], ["Ctrl+R"]),
        (screen_cases.SERVERS[1], ["Ctrl+R"]),
        (ServerState("off", "here", "x", "disabled"), []),
    ):
        async with show(lambda state=state: McpStatus(lambda: [state], restart=restart)) as shown:
            screen = shown.app.screen
            assert isinstance(screen, McpStatus)
            assert [one.key for one in tuple(screen.keys())] == keys


async def test_every_way_of_the_first_start_is_in_sight_in_a_small_terminal(
    show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    async with show(lambda: screen_cases.first_start(work_dir, tmp_path), size=(80, 24)) as shown:
        await shown.press("enter")
        picks = shown.app.screen.query_one(ItemList)
        assert picks.max_scroll_y == 0
        await shown.press("end")
        assert picks.key == "demo"


async def test_what_is_typed_in_a_hurry_leaves_no_work_undone(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        async with show(lambda: screen_cases.sessions(work_dir, tmp_path)) as shown:
            for key in ("p", "a", "r", "down", "up", "down", "backspace"):
                shown.app.screen.post_message(events.Key(key, key if len(key) == 1 else None))
            await shown.settle()
        gc.collect()
    assert [str(one.message) for one in caught if "never awaited" in str(one.message)] == []
