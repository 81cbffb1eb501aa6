"""Which module imports which: no cycle, imports in functions and those for the type checker alone included."""

import ast
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
Graph = Mapping[str, frozenset[str]]

ALLOWED = frozenset(
    f"kimi_tui.ui.tui.{name}"
    for name in (
        "app",
        "keys.remap",
        "navigation.activity_indicator",
        "navigation.command_palette",
        "navigation.escape_handler",
        "navigation.external_editor",
        "navigation.model_actions",
        "navigation.plan_mode_action",
        "navigation.rewind_action",
        "navigation.screen_registry",
        "navigation.scrollback",
        "navigation.session_actions",
        "navigation.settings_actions",
        "navigation.subagent_screens",
        "navigation.trust_prompt",
        "navigation.usage_action",
        "navigation.view_actions",
        "session.prompt_controller",
        "session.session_controller",
        "session.turn_queue",
    )
)
"""The app and those of its parts that are still typed with the whole app: they may import each other."""


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
    found = [" -> ".join(cycle) for cycle in cycles(import_graph(ROOT / "kimi_tui")) if not ALLOWED.issuperset(cycle)]
    assert found == []


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
