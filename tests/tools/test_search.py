"""Glob and Grep on real folders, and the small tools."""

import os
from pathlib import Path

import pytest

from kimi_tui.tools.glob import Glob
from kimi_tui.tools.grep import Grep
from kimi_tui.tools.set_todo_list import SetTodoList, TodoList
from kimi_tui.tools.think import Think
from kimi_tui.wire.display import TodoBlock, TodoItem
from tests.tools.kit import Desk


@pytest.fixture
def tree(desk: Desk) -> Path:
    for name, text in {
        "src/a.py": "import os\nneedle = 1\n",
        "src/deep/b.py": "needle\nNEEDLE needle\n",
        "src/c.txt": "hay\n",
        ".git/config": "needle\n",
        ".hidden/d.py": "needle\n",
        ".gitignore": "ignored\n",
        "ignored/e.py": "needle\n",
        ".env": "needle=1\n",
        "server.key": "needle\n",
    }.items():
        path = desk.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for age, name in enumerate(["src/a.py", "src/deep/b.py", ".hidden/d.py"]):
        os.utime(desk.dir / name, (1_000_000 - age, 1_000_000 - age))
    return desk.dir


async def test_paths_that_match_are_listed(desk: Desk, tree: Path) -> None:
    glob = Glob(desk.workspace, desk.approvals)
    assert (await desk.use(glob, pattern="src/**/*.py")).output == "src/a.py\nsrc/deep/b.py"
    assert (await desk.use(glob, pattern="src/*")).output == "src/a.py\nsrc/c.txt\nsrc/deep/"
    assert (await desk.use(glob, pattern="*", include_dirs=False, directory=str(tree / "src"))).output == "a.py\nc.txt"
    value = await desk.use(glob, pattern="*")
    assert ".env" not in str(value.output).split()
    assert "2 of them, which by their names hold secrets" in value.message


async def test_a_glob_stays_where_it_may_look(desk: Desk, tree: Path, tmp_path: Path) -> None:
    glob = Glob(desk.workspace, desk.approvals)
    value = await desk.use(glob, pattern="**/*.py")
    assert value.is_error
    assert "src/" in str(value.output)
    for more, said in [
        ({"pattern": "../*"}, "relative to the folder"),
        ({"pattern": "/etc/*"}, "relative to the folder"),
        ({"pattern": "*", "directory": "src"}, "absolute"),
        ({"pattern": "*", "directory": str(tmp_path)}, "outside"),
        ({"pattern": "*", "directory": f"{tree}/src/a.py"}, "not a folder"),
    ]:
        value = await desk.use(glob, **more)
        assert value.is_error
        assert said in value.message
    desk.workspace.readable.add(tmp_path / "skills")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "SKILL.md").touch()
    assert (await desk.use(glob, pattern="*", directory=str(tmp_path / "skills"))).output == "SKILL.md"


async def test_a_glob_lists_nothing_behind_a_link_that_leads_out(
    desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "theirs.txt").write_text("")
    (desk.dir / "out").symlink_to(outside)
    (desk.dir / "within").mkdir()
    (desk.dir / "within/ours.txt").write_text("")
    (desk.dir / "in").symlink_to("within")
    glob = Glob(desk.workspace, desk.approvals)
    assert (await desk.use(glob, pattern="out/*")).output == ""
    assert (await desk.use(glob, pattern="in/*")).output == "in/ours.txt"
    desk.workspace.readable.add(outside.resolve())
    assert (await desk.use(glob, pattern="out/*")).output == "out/theirs.txt"


async def test_a_glob_ends_at_its_bounds_and_with_link_loops(desk: Desk) -> None:
    (desk.dir / "many").mkdir()
    for number in range(1100):
        (desk.dir / "many" / str(number)).touch()
    (desk.dir / "many" / "loop").symlink_to(desk.dir)
    value = await desk.use(Glob(desk.workspace, desk.approvals), pattern="many/**/*")
    assert len(str(value.output).splitlines()) == 1000
    assert "There may be more" in value.message


async def test_files_that_match_come_newest_first(desk: Desk, tree: Path) -> None:
    value = await desk.use(Grep(desk.workspace, desk.approvals), pattern="needle")
    assert value.output == "src/a.py\nsrc/deep/b.py\n.hidden/d.py\n"
    assert (
        value.message
        == "Matches in 3 files. 2 files, which by their names hold secrets or which a rule keeps closed, are left out."
    )


async def test_lines_and_counts_are_listed(desk: Desk, tree: Path) -> None:
    grep = Grep(desk.workspace, desk.approvals)
    value = await desk.use(grep, pattern="needle", output_mode="content", path="src", _i=True)
    assert value.output == "src/a.py:2:needle = 1\nsrc/deep/b.py:1:needle\nsrc/deep/b.py:2:NEEDLE needle\n"
    value = await desk.use(grep, pattern="os$", output_mode="content", _n=False, _A=1)
    assert value.output == "src/a.py:import os\nsrc/a.py:needle = 1\n"
    value = await desk.use(grep, pattern="needle", output_mode="count_matches", _i=True, glob="*b.py")
    assert value.output == "src/deep/b.py:3\n"


async def test_the_search_is_narrowed_and_led_on(desk: Desk, tree: Path) -> None:
    grep = Grep(desk.workspace, desk.approvals)
    assert (await desk.use(grep, pattern="hay", type="py")).message == "Nothing matches."
    value = await desk.use(grep, pattern="needle", head_limit=1, offset=1)
    assert value.output == "src/deep/b.py\n"
    assert "Entries 2 to 2 of 3" in value.message
    assert "ignored/e.py" in str((await desk.use(grep, pattern="needle", include_ignored=True)).output)
    value = await desk.use(grep, pattern="os.needle", multiline=True, output_mode="files_with_matches")
    assert value.output == "src/a.py\n"


async def test_what_a_search_cannot_do_is_said(desk: Desk, tree: Path) -> None:
    grep = Grep(desk.workspace, desk.approvals)
    for more, said in [
        ({"pattern": "("}, "unclosed group"),
        ({"pattern": "x", "path": "no"}, "does not exist"),
        ({"pattern": "x", "path": "../.."}, "leads out"),
        ({"pattern": "needle", "path": ".env"}, "holds secrets"),
        ({"pattern": "x", "type": "nope"}, "unrecognized file type"),
        ({"pattern": "a\0b"}, "NUL"),
    ]:
        value = await desk.use(grep, **more)
        assert value.is_error
        assert said in value.message


async def test_odd_patterns_and_names_are_no_options(desk: Desk) -> None:
    (desk.dir / "--files").write_text("--version\n")
    (desk.dir / "a:1:b").write_text("x --version\n")
    value = await desk.use(Grep(desk.workspace, desk.approvals), pattern="--version", output_mode="content", path=".")
    assert sorted(str(value.output).splitlines()) == ["--files:1:--version", "a:1:b:1:x --version"]
    assert (
        await desk.use(Grep(desk.workspace, desk.approvals), pattern="version", path="--files")
    ).output == "--files\n"


async def test_a_huge_line_is_cut(desk: Desk) -> None:
    (desk.dir / "min.js").write_text("x" * 3_000_000 + "needle\n")
    value = await desk.use(Grep(desk.workspace, desk.approvals), pattern="x", output_mode="content")
    assert len(str(value.output)) < 3000


async def test_the_todo_list_is_set_asked_for_and_cleared() -> None:
    saved: list[tuple[TodoItem, ...]] = []
    todos = TodoList(on_change=lambda: saved.append(todos.items))
    desk = Desk(Path.cwd())
    tool = SetTodoList(todos)
    assert (await desk.use(tool)).message == "The todo list is empty."
    items = [{"title": "a", "status": "done"}, {"title": "b"}]
    value = await desk.use(tool, todos=items)
    expected = (TodoItem(title="a", status="done"), TodoItem(title="b"))
    assert (value.message, value.display) == ("Todo list updated", (TodoBlock(items=expected),))
    assert (await desk.use(tool, todos=None)).output == "- [done] a\n- [pending] b"
    await desk.use(tool, todos=[])
    assert saved == [expected, ()]
    assert (await desk.use(tool, todos=[{"title": "a", "status": "nearly"}])).is_error


async def test_a_thought_is_only_noted(desk: Desk) -> None:
    assert (await desk.use(Think(), thought="hm")).message == "Thought noted."
