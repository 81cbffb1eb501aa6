"""The screen in Chinese: no English word of its own is left on it."""

import ast
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import get_args

import pytest
from textual.pilot import Pilot

from kimi_tui.flow import build_flow, read_mermaid
from kimi_tui.soul.commands.registry import COMMANDS
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.i18n import catalog
from kimi_tui.ui.tui.keys.bindings import KeyContext
from kimi_tui.ui.tui.screens.help import Help
from kimi_tui.ui.tui.screens.screen_commands import SCREEN_COMMANDS
from kimi_tui.ui.tui.screens.settings_schema import SETTINGS
from kimi_tui.ui.tui.screens.skills import Skills
from kimi_tui.ui.tui.widgets.pick_list import ItemList
from kimi_tui.wire import events, flow_events
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.display import ShellBlock, TodoBlock, TodoItem
from kimi_tui.wire.parts import TextPart, ThinkPart, TokenUsage
from kimi_tui.wire.requests import ApprovalRequest
from tests import texts
from tests.ui.tui.fake_engine import FakeEngine, FakeSkills, Info, Skill, make_app
from tests.ui.tui.screen_text import app_rows, app_strips, app_text
from tests.ui.tui.screens.conftest import Shown
from tests.ui.tui.screens.screen_cases import SCREENS
from tests.ui.tui.test_screen import MEDIUM, SMALL, TINY, WIDE, ready
from tests.ui.tui.wire_scenarios import call, result, usage

KEYS = {"Enter", "Shift", "Alt", "Tab", "Esc", "Ctrl", "Space", "Home", "End", "PgUp", "PgDn", "space"}
NAMES = {
    "kimi", "tmp", "tui", "moon", "Shell", "pytest", "work", "yolo", "token", "tokens", "shell",
    "compiling", "OpenAI",
    "MCP", "ID", "NAME", "AGENTS", "md", "json", "zip", "Mail", "on", "off", "view", "clear", "conversation", "files",
    "both", "stop", "restart", "BEGIN", "END", "ASCII", "VISUAL", "EDITOR", "FetchURL", "config", "yaml", "Kimi", "CLI",
    "Ollama", "LM", "Studio", "vLLM", "llama", "cpp", "ANSI", "input_price", "output_price", "auto", "log", "logs",
    "fg",
}  # fmt: skip
WORK = Path("/tmp/work")
WORD = re.compile(r"[A-Za-z][A-Za-z_]+")

CHART = build_flow(
    read_mermaid("""flowchart TD
    B([BEGIN]) --> P[拟定计划]
    P --> D{计划是否通过？}
    D -->|是| W[编写代码]
    D -->|否| P
    W --> E([END])
""")
)


class Engine(FakeEngine):
    """With the real slash commands, and a Chinese flow."""

    def __init__(self, work_dir: Path) -> None:
        super().__init__(work_dir, skills=FakeSkills((Skill("发布", "先计划，再动手。", CHART),)))

    def commands(self) -> Sequence[Info]:
        return [Info(one.info.name, one.info.description, one.info.aliases) for one in COMMANDS]


BEGIN = flow_events.FlowBegin(
    run_id="run",
    name="发布",
    source="mermaid",
    nodes=tuple(
        flow_events.FlowNodeShape.model_validate({"id": one.id, "label": one.label, "kind": one.kind.value})
        for one in CHART.nodes.values()
    ),
    edges=tuple(
        flow_events.FlowEdgeShape(src=edge.src, dst=edge.dst, label=edge.label)
        for edges in CHART.outgoing.values()
        for edge in edges
    ),
    begin_id="B",
    end_id="E",
    max_moves=1000,
)


def entered(node_id: str, move: int, *within: WireMessage) -> list[WireMessage]:
    return [
        flow_events.FlowNodeBegin(run_id="run", node_id=node_id, move=move),
        events.TurnBegin(user_input=CHART.nodes[node_id].label),
        events.StepBegin(n=1),
        *within,
    ]


def left(node_id: str, move: int) -> list[WireMessage]:
    return [
        usage(20_000 + 1_500 * move),
        events.TurnEnd(),
        flow_events.FlowNodeEnd(
            run_id="run",
            node_id=node_id,
            move=move,
            status="done",
            duration_s=12.0,
            steps=1,
            token_usage=TokenUsage(input_other=2_000, output=300),
        ),
    ]


def busy() -> list[WireMessage]:
    """A turn of a flow, with a thought, calls of tools, a todo list and one that waits for approval."""
    items = (TodoItem(title="复现问题", status="done"), TodoItem(title="修复", status="in_progress"))
    return [
        events.TurnBegin(user_input="/flow:发布"),
        BEGIN,
        *entered("P", 1, ThinkPart(think="先看测试。"), TextPart(text="我先看看测试：`读取` 失败了一次。")),
        *left("P", 1),
        *entered("D", 2, TextPart(text="计划可行。\n\n<choice>是</choice>")),
        *left("D", 2),
        flow_events.FlowDecision(run_id="run", node_id="D", choice="是", dst="W"),
        *entered("W", 3, call("t", "SetTodoList", "{}"), result("t", "", TodoBlock(items=items))),
        call("s", "Shell", '{"command": "pytest -x"}'),
        ApprovalRequest(
            id="a",
            tool_call_id="s",
            sender="Shell",
            action="run command",
            description="Run command `pytest -x`",
            display=(ShellBlock(command="pytest -x"),),
            scope="`pytest` with safe options",
        ),
    ]


def paused() -> list[WireMessage]:
    """A decision that a user is to make."""
    return [
        events.TurnBegin(user_input="/flow:发布"),
        BEGIN,
        *entered("P", 1, TextPart(text="计划如下。")),
        *left("P", 1),
        *entered("D", 2, TextPart(text="看起来不错。")),
        *left("D", 2),
        flow_events.FlowPaused(run_id="run", node_id="D", reason="choice", suggested="是"),
    ]


@pytest.fixture(autouse=True)
def chinese(english: None) -> None:
    catalog.set_language("zh")


def words_left(app: KimiTui, allowed: set[str], *, path: str = "") -> set[str]:
    """The English words on the screen; `path` may stand there in pieces."""
    rows = app_rows(app)
    found = {word for row in rows for word in WORD.findall(row)} - allowed - KEYS - NAMES
    return {word for word in found if not re.fullmatch(r"F\d+", word) and word not in path}


async def say(pilot: Pilot[int], engine: FakeEngine, *messages: WireMessage) -> None:
    engine.say(*messages)
    for _ in range(5):
        await pilot.pause()


@pytest.mark.parametrize("size", [WIDE, MEDIUM, SMALL, TINY])
async def test_the_first_look_is_chinese(size: tuple[int, int]) -> None:
    app, _ = make_app(Engine(WORK))
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        assert words_left(app, set()) == set()


@pytest.mark.parametrize("size", [WIDE, MEDIUM, SMALL, TINY])
async def test_a_busy_flow_with_an_approval_is_chinese(size: tuple[int, int]) -> None:
    engine = Engine(WORK)
    app, _ = make_app(engine)
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        await say(pilot, engine, *busy())
        assert words_left(app, {"flow"}) == set()
        await pilot.press("f3")
        await say(pilot, engine)
        assert words_left(app, {"flow"}) == set()


@pytest.mark.parametrize("where", get_args(KeyContext))
async def test_the_list_of_keys_is_chinese_everywhere(where: KeyContext) -> None:
    app, _ = make_app(Engine(WORK))
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        app.push_screen(Help(where, app.keymap))
        await pilot.pause()
        region = app.screen.query_one("#keys").region
        rows = [strip.crop(region.x, region.right).text for strip in app_strips(app)]
        found = {word for row in rows[region.y : region.bottom] for word in WORD.findall(row)}
        assert {word for word in found - KEYS - NAMES if not re.fullmatch(r"F\d+", word)} == set()


async def test_a_decision_that_waits_its_node_and_its_menu_are_chinese() -> None:
    engine = Engine(WORK)
    app, _ = make_app(engine)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await say(pilot, engine, *paused())
        assert words_left(app, {"flow"}) == set()
        await pilot.press("f3", "enter")
        await say(pilot, engine)
        assert app.screen is not app.main_screen
        assert words_left(app, {"flow"}) == set()


async def test_the_palette_and_the_completion_menu_are_chinese() -> None:
    engine = Engine(WORK)
    app, _ = make_app(engine)
    names = {word for one in COMMANDS for name in (one.info.name, *one.info.aliases) for word in WORD.findall(name)}
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await pilot.press("/")
        await say(pilot, engine)
        assert words_left(app, names | {screen.name for screen in SCREEN_COMMANDS}) == set()
        await pilot.press("backspace", "ctrl+p")
        await say(pilot, engine)
        assert app.screen is not app.main_screen
        assert words_left(app, names | {screen.name for screen in SCREEN_COMMANDS}) == set()


def content_of(*files: str) -> set[str]:
    """The words of the literals of these tests: what their screens are about."""
    found: set[str] = set()
    for file in files:
        for one in ast.walk(ast.parse((texts.ROOT / "tests" / "ui" / "tui" / file).read_text("utf-8"))):
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                found.update(WORD.findall(one.value))
    return found


@pytest.fixture
def content() -> set[str]:
    settings = {word for _, group in SETTINGS for one in group for word in WORD.findall(f"{one.key} {one.choices}")}
    return (
        settings
        | {screen.name for screen in SCREEN_COMMANDS}
        | content_of("screens/screen_cases.py", "screens/stored_sessions.py")
    )


@pytest.mark.parametrize("screen_case", SCREENS)
async def test_the_further_screens_are_chinese(
    screen_case: str, tmp_path: Path, content: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))
    (tmp_path / "proj").mkdir()
    app, _ = make_app(Engine(tmp_path / "proj"))
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        screen = SCREENS[screen_case](tmp_path / "proj", tmp_path)
        app.push_screen(screen)
        await Shown(app, pilot).settle()
        if isinstance(screen, Skills):  # what is wrong with a skill is said in English
            problems = [pick for pick in screen.query_one(ItemList).picks if pick.key.startswith("problem:")]
            content |= {word for pick in problems for word in WORD.findall(pick.detail)}
        assert words_left(app, content, path=f"{tmp_path}/proj/config.yaml") == set()


@pytest.mark.parametrize(
    ("scene", "size", "theme"),
    [(busy, WIDE, "kimi-dark"), (busy, SMALL, "kimi-light"), (paused, MEDIUM, "kimi")],
    ids=["busy-140x42-kimi-dark", "busy-80x24-kimi-light", "paused-100x30-kimi"],
)
def test_the_chinese_screen_looks_as_it_was_drawn(
    scene: Callable[[], list[WireMessage]], size: tuple[int, int], theme: str, snap_compare: Callable[..., bool]
) -> None:
    engine = Engine(WORK)
    app, _ = make_app(engine, theme=theme)

    async def run(pilot: Pilot[int]) -> None:
        await ready(pilot)
        await say(pilot, engine, *scene())

    assert snap_compare(app, terminal_size=size, run_before=run)


@pytest.mark.parametrize(
    ("words", "found"), [("放大", "放大面板"), ("zoom", "放大面板"), ("主题", "深色"), ("dark", "深色")]
)
async def test_the_palette_finds_by_chinese_and_by_english_words(words: str, found: str) -> None:
    engine = Engine(WORK)
    app, _ = make_app(engine)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await pilot.press("ctrl+p")
        await say(pilot, engine)
        await pilot.press(*words)
        await say(pilot, engine)
        assert found in app_text(app)
