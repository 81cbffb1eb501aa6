"""Every further screen with something in it, for pictures and for tests."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.screen import Screen

from kimi_tui.config.kimi_import import find_kimi_cli_import
from kimi_tui.config.loader import load_config
from kimi_tui.config.schema import Config
from kimi_tui.config.yaml_editor import KeyPath, Value, edit
from kimi_tui.flow.run.spending import Prices
from kimi_tui.llm.key_check import KeyCheck
from kimi_tui.llm.local_servers import LocalServer
from kimi_tui.mcp.server_state import ServerState
from kimi_tui.permission.trust import project_items
from kimi_tui.skill.library import SkillLibrary
from kimi_tui.skill.roots import SkillRoots
from kimi_tui.soul.usage_stats import cost_of
from kimi_tui.tools.shell_support.background import BackgroundTask
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.keys.bindings import KEYS, display_keys
from kimi_tui.ui.tui.navigation.command_palette import CommandPalette, PaletteEntry
from kimi_tui.ui.tui.screens.custom_server import TryKey
from kimi_tui.ui.tui.screens.first_start import SetupWizard
from kimi_tui.ui.tui.screens.log import LogView
from kimi_tui.ui.tui.screens.mcp import McpStatus
from kimi_tui.ui.tui.screens.models import ModelPicker
from kimi_tui.ui.tui.screens.rewind import Rewind
from kimi_tui.ui.tui.screens.screen_commands import SCREEN_COMMANDS
from kimi_tui.ui.tui.screens.session_list_model import SessionList
from kimi_tui.ui.tui.screens.sessions import Sessions
from kimi_tui.ui.tui.screens.settings import Settings
from kimi_tui.ui.tui.screens.skills import Skills
from kimi_tui.ui.tui.screens.tasks import Tasks
from kimi_tui.ui.tui.screens.theme_picker import ThemePicker
from kimi_tui.ui.tui.screens.trust import TrustQuestion
from kimi_tui.ui.tui.screens.usage import Usage, UsageFacts, UsageRow
from kimi_tui.wire.parts import TokenUsage
from tests.ui.tui.screens.stored_sessions import NOW, store_sessions

Make = Callable[[Path, Path], Screen[Any]]
THEMES = {"kimi-dark": "Kimi dark", "kimi-light": "Kimi light", "ansi-16": "ANSI 16"}
CONFIG = """\
# by hand
theme: kimi-dark  # at night
default_model: moon
providers:
  here:
    type: openai_legacy
    base_url: http://127.0.0.1:9/v1
models:
  moon: {provider: here, model: moon-2, max_context_size: 256000}
  small: {provider: here, model: small, display_name: A small one, max_context_size: 32000}
"""
OLLAMA = LocalServer("ollama", "http://127.0.0.1:11434/v1", ("qwen3:8b", "llama3.2"))


async def one_server() -> Sequence[LocalServer]:
    return [OLLAMA]


async def no_server() -> Sequence[LocalServer]:
    return []


def sessions(work_dir: Path, root: Path) -> Sessions:
    (root / "other").mkdir(exist_ok=True)
    store_sessions(work_dir, root / "other")
    return Sessions(SessionList(work_dir, "s"), now=lambda: NOW)


async def not_tried(service_type: str, base_url: str, key: str) -> KeyCheck:
    return KeyCheck("unknown", "no network")


def models(
    work_dir: Path,
    root: Path,
    *,
    find: Callable[[], Awaitable[Sequence[LocalServer]]] = one_server,
    try_it: TryKey = not_tried,
) -> Any:
    return ModelPicker(load_config(text=CONFIG).config, "moon", find=find, try_key=try_it)


def first_start(
    work_dir: Path, root: Path, *, use_theme: Callable[[str], object] = str, try_it: TryKey = not_tried
) -> SetupWizard:
    (root / ".kimi").mkdir(exist_ok=True)
    (root / ".kimi" / "config.toml").write_text(
        'default_model = "k2"\n[providers.kimi]\ntype = "kimi"\napi_key = "sk-x"\n'
        '[models.k2]\nprovider = "kimi"\nmodel = "kimi-k2"\nmax_context_size = 262144\n',
        "utf-8",
    )
    return SetupWizard(
        THEMES,
        "kimi-dark",
        use_theme=use_theme,
        find=one_server,
        try_key=try_it,
        takeover=find_kimi_cli_import(root / ".kimi"),
    )


def trust(work_dir: Path, root: Path, *, clock: Callable[[], float] = lambda: 0.0) -> TrustQuestion:
    (work_dir / ".git").mkdir(exist_ok=True)
    (work_dir / ".kimi" / "skills").mkdir(parents=True, exist_ok=True)
    (work_dir / ".mcp.json").write_text("{}", "utf-8")
    return TrustQuestion(work_dir, project_items(work_dir), clock=clock)


class KeptConfig:
    """A configuration in a file, and what changes it."""

    def __init__(self, file: Path) -> None:
        self.file = file
        file.write_text(CONFIG, "utf-8")
        self.config = load_config(file).config

    def __call__(self) -> Config:
        return self.config

    async def change(self, changes: Mapping[KeyPath, Value]) -> None:
        self.config = edit(changes, self.file).config


def settings(work_dir: Path, root: Path) -> Settings:
    kept = KeptConfig(root / "config.yaml")
    return Settings(kept, kept.file, change=kept.change, themes=tuple(THEMES))


def library(work_dir: Path, root: Path) -> SkillLibrary:
    """Two skills of the project, one of them a flow whose chart is broken, beside those that ship."""
    folder = work_dir / ".kimi" / "skills"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "notes.md").write_text("---\nname: notes\ndescription: Writes notes\n---\n# Notes\n\nWrite them.\n")
    (folder / "ship.md").write_text(
        "---\nname: ship\ndescription: Ships it\ntype: flow\n---\n```mermaid\nflowchart TD\n  A[Start --> B\n```\n"
    )
    return SkillLibrary.load(SkillRoots(work_dir, user_home=root, own_home=root / "home", bundled=root / "none"))


def skills(work_dir: Path, root: Path) -> Skills:
    found = library(work_dir, root)
    return Skills(lambda: found.snapshot, listen=found.listen)


def usage_facts() -> UsageFacts:
    some, prices = TokenUsage(input_other=31_000, input_cache_read=12_400, output=2_100), Prices(0.6, 2.5)
    rows = (
        UsageRow("this run", 8, some, cost_of(some, prices)),
        UsageRow("the whole session", 19, some + some, cost_of(some + some, prices)),
    )
    return UsageFacts("moon-2", "", 31_000, 256_000, 24, rows, priced=True)


def usage(work_dir: Path, root: Path) -> Usage:
    return Usage(usage_facts())


LOG = """\
2026-01-02 10:00:00,100 INFO kimi_tui.soul a turn began
2026-01-02 10:00:01,200 WARNING kimi_tui.skill \x1b[31mship.md:8: the chart is broken
2026-01-02 10:00:02,300 ERROR kimi_tui.ui the engine could not be made
Traceback (most recent call last):
  File "x.py", line 3, in <module>
ValueError: no
2026-01-02 10:00:03,400 INFO kimi_tui.soul a turn ended
"""


def log(work_dir: Path, root: Path) -> LogView:
    file = root / "kimi-tui.log"
    file.write_text(LOG, "utf-8")
    return LogView(file)


def some_tasks(root: Path) -> list[BackgroundTask]:
    made = []
    for number, (status, what, said) in enumerate(
        (
            ("failed", "lint", "x.py:3: unused\n"),
            ("running", "make -j2 everything", "\x1b[32mcompiling\x1b[0m a.c\nb.c\n"),
        )
    ):
        output = root / f"task{number}.log"
        output.write_text(said, "utf-8")
        task = BackgroundTask(f"b{number}", what, output, status=status, started_at=NOW - 75)  # type: ignore[arg-type]
        if status == "failed":
            task.exit_code, task.ended_at = 1, NOW - 70
        made.append(task)
    return made


async def not_stopped(task_id: str) -> None:
    raise AssertionError(task_id)


def tasks(work_dir: Path, root: Path) -> Tasks:
    some = some_tasks(root)
    return Tasks(lambda: some, stop=not_stopped, now=lambda: NOW)


SERVERS = (
    ServerState("files", "/home/me/.kimi-tui/mcp.json", "npx server-files /home/me", "connected", notes=("a note",)),
    ServerState(
        "search", "/home/me/proj/.mcp.json", "https://mcp.example.com/v1", "failed", "the connection was refused"
    ),
    ServerState("db", "/home/me/proj/.mcp.json", "db-server --all", "untrusted"),
)


def mcp(work_dir: Path, root: Path) -> McpStatus:
    return McpStatus(lambda: SERVERS, restart=not_stopped)


@dataclass(frozen=True)
class Turn:
    index: int
    text: str
    at: float
    files: tuple[Path, ...] = ()
    conversation: bool = True


def turns(work_dir: Path) -> list[Turn]:
    return [
        Turn(1, "set up the repository", NOW - 7200, (work_dir / "README.md",), conversation=False),
        Turn(2, "fix the flaky test", NOW - 600, (work_dir / "tests" / "test_io.py", work_dir / "src" / "io.py")),
        Turn(3, "why did it fail?", NOW - 30),
    ]


def rewind(work_dir: Path, root: Path) -> Rewind:
    return Rewind(turns(work_dir), work_dir=work_dir, now=lambda: NOW)


def theme(work_dir: Path, root: Path) -> ThemePicker:
    return ThemePicker(THEMES, "kimi-dark", use=str)


def palette(work_dir: Path, root: Path) -> CommandPalette:
    rows = [(screen.description, f"/{screen.name}", "screens") for screen in SCREEN_COMMANDS]
    rows += [(key.description, display_keys(key.keys), "actions") for key in KEYS if key.in_palette and key.action]
    rows += [(title, name, "themes") for name, title in THEMES.items()]
    return CommandPalette([PaletteEntry(_(title), beside, str, _(group), title) for title, beside, group in rows])


SCREENS: dict[str, Make] = {
    "sessions": sessions,
    "models": models,
    "first-start": first_start,
    "trust": trust,
    "settings": settings,
    "skills": skills,
    "usage": usage,
    "log": log,
    "tasks": tasks,
    "mcp": mcp,
    "rewind": rewind,
    "theme": theme,
    "palette": palette,
}
