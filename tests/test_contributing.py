import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
ROWS = [line for line in TEXT.splitlines() if line.startswith("| ")]
PATHS = sorted(set(re.findall(r"`((?:kimi_tui|tests|themes|skills)/[\w/.]*)`", TEXT)))
SYMBOL = re.compile(r"`([A-Z]\w+)`[^|`]* in `(kimi_tui/[\w/]+\.py)`")


@pytest.mark.parametrize("path", [path for path in PATHS if "NAME" not in path])
def test_every_path_in_the_map_exists(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize(("symbol", "path"), SYMBOL.findall(TEXT))
def test_every_symbol_in_the_map_is_defined_where_it_says(symbol: str, path: str) -> None:
    assert symbol in defined_in(ROOT / path)


def test_the_map_names_the_files_that_stand_beside_another() -> None:
    for row in ROWS:
        folder: Path | None = None
        for name in re.findall(r"`([\w/.]+)`", row):
            if name.startswith(("kimi_tui/", "themes/", "skills/")):
                folder = ROOT / name if name.endswith("/") else (ROOT / name).parent
            elif name.endswith(".py") and "NAME" not in name:
                assert folder is not None
                assert (folder / name).exists(), f"{name} beside {folder}"


def test_the_map_answers_the_usual_questions() -> None:
    asked = {"slash command", "Mermaid shape", "approval key", "provider", "session state", "Wire event", "as a card"}
    asked |= {"a tool", "theme colour", "CLI subcommand"}
    questions = " ".join(row.split("|")[1] for row in ROWS)
    assert {words for words in asked if words not in questions} == set()


def defined_in(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.parse(file.read_text("utf-8")).body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                names.add(name)
            case ast.Assign(targets=targets):
                names.update(target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case _:
                pass
    return names
