"""Which module imports which: no cycle, imports in functions and those for the type checker alone included.

Imports stand at the top of a file. Those in functions are there for a start, and each file that has some says why.
"""

import ast
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
Graph = Mapping[str, frozenset[str]]

A_COMMAND = "a command loads only what it runs"
A_FORMAT = "few texts need the parser"
A_REQUEST = "an SDK, an HTTP client or a protocol is loaded with the first request"
A_SCREEN = "a screen is loaded when it opens"
FIRST_FRAME = "the first frame is painted before the rest is loaded"
RARE = "few starts need it"
IN_FUNCTIONS = {
    A_COMMAND: (
        "cli/commands/acp.py", "cli/commands/completion.py", "cli/commands/config.py", "cli/commands/doctor.py",
        "cli/commands/doctor_checks.py", "cli/commands/flow.py", "cli/commands/flow_check.py",
        "cli/commands/flow_runs.py", "cli/commands/flow_show.py", "cli/commands/info.py", "cli/commands/mcp.py",
        "cli/commands/migrate.py", "cli/commands/permission.py",
        "cli/commands/session.py", "cli/commands/skill.py", "cli/commands/trust.py", "cli/commands/web.py",
        "cli/main.py", "cli/modes/demo.py", "cli/modes/print.py", "cli/modes/replay.py", "cli/modes/setup.py",
        "cli/modes/tui.py",
        "cli/options.py", "cli/engine_options.py",
    ),
    A_FORMAT: (
        "config/loader.py", "config/source_position.py", "skill/chart_block.py", "skill/frontmatter.py",
        "tools/web_support/html_text.py", "ui/print/chart_drawing.py", "ui/tui/text/markdown.py",
        "ui/tui/themes/theme_loader.py", "yaml_text.py",
    ),
    A_REQUEST: (
        "llm/key_check.py", "llm/local_servers.py", "llm/providers/anthropic.py", "llm/providers/factory.py",
        "llm/providers/google.py", "llm/providers/openai_chat.py", "llm/providers/openai_responses.py",
        "mcp/connection.py", "mcp/sampling.py", "mcp/server_requests.py", "tools/fetch_url.py", "tools/search_web.py",
        "tools/web_support/fetcher.py",
    ),
    A_SCREEN: (
        "ui/tui/navigation/model_actions.py", "ui/tui/navigation/rewind_action.py",
        "ui/tui/navigation/screen_registry.py", "ui/tui/navigation/session_actions.py",
        "ui/tui/navigation/settings_actions.py", "ui/tui/navigation/subagent_screens.py",
        "ui/tui/navigation/trust_prompt.py", "ui/tui/navigation/usage_action.py",
        "ui/tui/navigation/view_actions.py",
    ),
    FIRST_FRAME: (
        "ui/tui/app.py", "ui/tui/composer/composer.py", "ui/tui/composer/draft_store.py",
        "ui/tui/composer/file_index.py", "ui/tui/composer/image_chips.py",
        "ui/tui/flow_pane/resume_prompt.py", "ui/tui/keys/bindings.py",
        "ui/tui/keys/keymap.py", "ui/tui/pane_messages.py", "ui/tui/replay/run_index.py",
        "ui/tui/session/engine_factory.py", "ui/tui/session/prompt_controller.py",
        "ui/tui/session/session_controller.py", "ui/tui/terminal/app_base.py", "ui/tui/themes/theme_registry.py",
    ),
    RARE: (
        "cli/log_file.py", "cli/process_hardening.py", "flow/model/command_template.py", "flow/parsing/reader.py",
        "paths.py", "session/session.py", "skill/watcher.py",
        "soul/commands/session.py", "soul/assemble.py", "soul/engine.py", "soul/hooks/command.py", "soul/tracing.py",
        "soul/flows/manager.py", "text_safety.py",
        "tools/shell_support/read_only.py",
        "tools/shell_support/netns.py", "tools/shell_support/sandbox.py", "tools/shell_support/supervisor.py",
        "ui/tui/i18n/catalog.py", "ui/tui/main.py",
    ),
}  # fmt: skip


def modules(root: Path) -> dict[str, Path]:
    """The modules of the package at `root` by their full names."""
    files = {file.relative_to(root.parent).with_suffix("").parts: file for file in root.rglob("*.py")}
    return {".".join(parts[:-1] if parts[-1] == "__init__" else parts): file for parts, file in files.items()}


def import_graph(root: Path) -> Graph:
    """The modules that each module names in an import anywhere in it."""
    known = modules(root)
    return {name: frozenset(_imported(file, known)) - {name} for name, file in known.items()}


def _imported(file: Path, known: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names if alias.name in known)
            case ast.ImportFrom(module=str(module)):
                for alias in node.names:
                    names = (f"{module}.{alias.name}", module)
                    yield from [name for name in names if name in known][:1]
            case _:
                pass


def cycles(graph: Graph) -> Iterator[list[str]]:
    """A shortest cycle through each module that is in one; each cycle once."""
    seen = set[frozenset[str]]()
    for start in sorted(graph):
        cycle = _shortest_cycle(graph, start)
        if cycle and frozenset(cycle) not in seen:
            seen.add(frozenset(cycle))
            yield cycle


def _shortest_cycle(graph: Graph, start: str) -> list[str] | None:
    came_from = dict.fromkeys(graph[start], start)
    queue = deque(came_from)
    while queue:
        at = queue.popleft()
        if at == start:
            way = [start]
            while (at := came_from[at]) != start:
                way.append(at)
            return [start, *reversed(way)]
        for after in sorted(graph[at] - came_from.keys()):
            came_from[after] = at
            queue.append(after)
    return None


def test_no_modules_import_each_other() -> None:
    found = [" -> ".join(cycle) for cycle in cycles(import_graph(ROOT / "kimi_tui"))]
    assert found == []


def test_imports_in_functions_are_only_in_files_that_say_why() -> None:
    def imports_in_functions(file: Path) -> bool:
        functions = (node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, _FUNCTION))
        return any(isinstance(node, ast.Import | ast.ImportFrom) for one in functions for node in ast.walk(one))

    root = ROOT / "kimi_tui"
    found = {file.relative_to(root).as_posix() for file in root.rglob("*.py") if imports_in_functions(file)}
    assert found == {file for files in IN_FUNCTIONS.values() for file in files}


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("import pack.b", "from pack.a import x"),
        ("from pack import b", "def f():\n    from pack import a"),
        ("from pack.b import x", "if TYPE_CHECKING:\n    import pack.a"),
    ],
)
def test_a_cycle_is_found_wherever_its_imports_stand(a: str, b: str, tmp_path: Path) -> None:
    root = tmp_path / "pack"
    root.mkdir()
    for name, text in {"__init__": "", "a": a, "b": b, "c": "import pack.a"}.items():
        (root / f"{name}.py").write_text(text, "utf-8")
    assert list(cycles(import_graph(root))) == [["pack.a", "pack.b", "pack.a"]]


def test_modules_that_do_not_import_each_other_are_no_cycle() -> None:
    graph = {"a": frozenset({"b", "c"}), "b": frozenset({"c"}), "c": frozenset[str]()}
    assert list(cycles(graph)) == []
