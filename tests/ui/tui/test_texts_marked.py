"""Nothing is written on the screen but through the catalogue: English texts in the source are marked for it.

A guard and no proof. It looks for two things: literals of several words anywhere, and literals with letters where a
text is known to be shown (titles, notices, rows of lists, runs of a line).
"""

import ast
import re
from collections.abc import Iterator

import pytest

from tests import texts
from tests.user_texts import SEVERAL_WORDS, Places, called, taking_user_texts

TUI = texts.ROOT / "kimi_tui" / "ui" / "tui"
MARKS = frozenset({"_", "N_", "n_", "p_", *texts.TABLES})
A_WORD = re.compile(r"[A-Za-z]{2,}")
STYLE_SHEET = re.compile(r"[\w:>-] \{\s.*;", re.DOTALL)
AN_ACTION = re.compile(r"\w+\([\w, ]*\)")
NAMES = frozenset({"kimi-tui", "yolo", "/model", "Ctrl+End", "config"})
UNSHOWN_CALLS = frozenset(
    {"Binding", "cast", "compile", "assert_never", "import_module", "Thread", "sub", "removeprefix"}
)
LOGS = frozenset({"debug", "info", "warning", "error", "exception", "critical"})
TITLES = frozenset({"border_title", "border_subtitle", "title_text", "leave_word", "placeholder", "empty"})
TEXTUALS: dict[str, Places] = {
    "Static": frozenset({0}),
    "Input": frozenset({"placeholder"}),
    "notify": frozenset({0}),
    "update": frozenset({0}),
}
SHOWN = TEXTUALS | taking_user_texts(TUI.rglob("*.py"))
"""Calls that show a text, and which of their arguments it is."""

# What has words and is not shown, or is not ours to translate.
NOT_SHOWN = {
    "themes/theme_parser.py": "what is wrong with a theme's file, told by the log",
    "replay/recorded_engine.py": "what is wrong with --replay, told by the command line; the rest of it is marked",
    "screens/first_start.py: Kimi for Coding": "a name",
    "screens/models.py: LM Studio": "a name",
    "screens/models.py: Ollama, LM Studio, vLLM, llama.cpp": "names",
    "navigation/view_actions.py: stopped by the user": "what the model is told",
    "composer/file_index.py: file index": "a thread",
    "terminal/driver.py: nobody types any more": "an error that ends the reading of keys",
}


def walked(node: ast.AST, above: tuple[ast.AST, ...] = ()) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...]]]:
    for child in ast.iter_child_nodes(node):
        yield child, (node, *above)
        yield from walked(child, (node, *above))


def is_passed_over(above: tuple[ast.AST, ...]) -> bool:
    """Whether a literal below these is marked, or can be seen not to be a text."""
    for node in above:
        match node:
            case ast.Call() if called(node) in MARKS | UNSHOWN_CALLS:
                return True
            case ast.Call(func=ast.Attribute(value=ast.Name(id="_log"), attr=name)) if name in LOGS:
                return True
            case ast.AnnAssign(target=ast.Name(id="BINDINGS")):
                return True
            case _:
                pass
    annotates = any(isinstance(node, ast.Subscript | ast.arg) for node in above[:3])
    return annotates or isinstance(above[0], ast.Expr | ast.Compare | ast.MatchValue | ast.Assert)


def is_shown(node: ast.AST, above: tuple[ast.AST, ...]) -> bool:
    """Whether this literal stands where a text is shown."""
    below: ast.AST = node
    for one in above:
        match one:
            case ast.Call() if (places := SHOWN.get(called(one))) is not None:
                at = [index for index, arg in enumerate(one.args) if arg is below]
                by = [word.arg for word in one.keywords if word is below]
                return any(place in places for place in (*at, *by))
            case ast.Call():
                return False
            case ast.keyword(arg=name) | ast.Assign(targets=[ast.Name(id=name) | ast.Attribute(attr=name)]):
                if name in TITLES:
                    return True
            case ast.Tuple(elts=[first, second]) if first is below:
                return any(isinstance(part, ast.Name) and part.id == "palette" for part in ast.walk(second))
            case ast.JoinedStr() | ast.IfExp() | ast.BoolOp() | ast.BinOp() | ast.FormattedValue():
                pass
            case ast.stmt():
                return False
            case _:
                pass
        below = one
    return False


def unmarked(source: str) -> Iterator[tuple[int, str]]:
    for node, above in walked(ast.parse(source)):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)) or is_passed_over(above):
            continue
        text = node.value
        if text in NAMES or AN_ACTION.fullmatch(text) or STYLE_SHEET.search(text):
            continue
        if isinstance(above[0], ast.Dict) and node in above[0].keys:
            continue
        if SEVERAL_WORDS.search(text) or (A_WORD.search(text) and is_shown(node, above)):
            yield node.lineno, text


def test_every_text_in_the_source_of_the_screen_is_marked() -> None:
    found: list[str] = []
    for file in sorted(TUI.rglob("*.py")):
        name = str(file.relative_to(TUI))
        if name in NOT_SHOWN:
            continue
        for line, text in unmarked(file.read_text("utf-8")):
            if f"{name}: {text.strip()}" not in NOT_SHOWN:
                found.append(f"{name}:{line}: {text!r}")
    assert found == [], "mark them as kimi_tui/ui/tui/i18n/catalog.py says"


def test_no_text_is_marked_inside_an_f_string_where_it_is_not_found() -> None:
    for file in sorted(TUI.rglob("*.py")):
        for node, above in walked(ast.parse(file.read_text("utf-8"))):
            if called(node) in ("_", "N_", "n_", "p_") and any(isinstance(one, ast.JoinedStr) for one in above):
                arguments = node.args if isinstance(node, ast.Call) else []
                assert not any(isinstance(one, ast.Constant) for one in arguments), f"{file}:{node.lineno}"


@pytest.mark.parametrize(
    "line",
    [
        'self.show_toast(f"{name} is gone")',
        'box.border_title = "settings"',
        'BarKey("Enter", "open", "open")',
        'runs.append(("new", palette.base))',
        'word = "no flow is running"',
        'self.hints.show_note(note="nothing")',
        'Option("edit", "e", words if one else "Edit")',
    ],
)
def test_the_guard_finds(line: str) -> None:
    assert list(unmarked(line))


@pytest.mark.parametrize(
    "line",
    [
        'self.show_toast(_("{name} is gone", name=name))',
        'BarKey("Enter", _("open"), "open")',
        'runs.append((_("new"), palette.base))',
        '_log.info("a turn ended: %s", error)',
        'KeyBinding("quit", "ctrl+q", "leave", "Leave it for now")',
        'self.set_class(True, "-filled")',
    ],
)
def test_the_guard_passes_over(line: str) -> None:
    assert not list(unmarked(line))


def test_the_exceptions_are_of_files_that_exist() -> None:
    for name in NOT_SHOWN:
        assert (TUI / name.partition(":")[0]).is_file(), name
