"""Glob and Grep on real folders, and the small tools."""

import asyncio
import os
from pathlib import Path

import pytest

from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.tools import grep as grep_module
from kimi_tui.tools.glob import Glob
from kimi_tui.tools.grep import Grep
from kimi_tui.tools.set_todo_list import SetTodoList, TodoList
from kimi_tui.tools.think import Think
from kimi_tui.wire.display import TodoBlock, TodoItem
from tests.tools.harness import ToolHarness


@pytest.fixture
def tree(harness: ToolHarness) -> Path:
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
        path = harness.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for age, name in enumerate(["src/a.py", "src/deep/b.py", ".hidden/d.py"]):
        os.utime(harness.dir / name, (1_000_000 - age, 1_000_000 - age))
    return harness.dir


async def test_paths_that_match_are_listed(harness: ToolHarness, tree: Path) -> None:
    glob = Glob(harness.workspace, harness.approvals)
    assert (await harness.use(glob, pattern="src/**/*.py")).output == "src/a.py\nsrc/deep/b.py"
    assert (await harness.use(glob, pattern="src/*")).output == "src/a.py\nsrc/c.txt\nsrc/deep/"
    assert (
        await harness.use(glob, pattern="*", include_dirs=False, directory=str(tree / "src"))
    ).output == "a.py\nc.txt"
    value = await harness.use(glob, pattern="*")
    assert ".env" not in str(value.output).split()
    assert "2 of them, which by their names hold secrets" in value.message


async def test_a_glob_stays_where_it_may_look(harness: ToolHarness, tree: Path, tmp_path: Path) -> None:
    glob = Glob(harness.workspace, harness.approvals)
    value = await harness.use(glob, pattern="**/*.py")
    assert value.is_error
    assert "src/" in str(value.output)
    for more, said in [
        ({"pattern": "../*"}, "relative to the folder"),
        ({"pattern": "/etc/*"}, "relative to the folder"),
        ({"pattern": "*", "directory": "src"}, "absolute"),
        ({"pattern": "*", "directory": str(tmp_path)}, "outside"),
        ({"pattern": "*", "directory": f"{tree}/src/a.py"}, "not a folder"),
    ]:
        value = await harness.use(glob, **more)
        assert value.is_error
        assert said in value.message
    harness.workspace.readable.add(tmp_path / "skills")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "SKILL.md").touch()
    assert (await harness.use(glob, pattern="*", directory=str(tmp_path / "skills"))).output == "SKILL.md"


async def test_a_glob_lists_nothing_behind_a_link_that_leads_out(
    harness: ToolHarness, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "theirs.txt").write_text("")
    (harness.dir / "out").symlink_to(outside)
    (harness.dir / "within").mkdir()
    (harness.dir / "within/ours.txt").write_text("")
    (harness.dir / "in").symlink_to("within")
    glob = Glob(harness.workspace, harness.approvals)
    assert (await harness.use(glob, pattern="out/*")).output == ""
    assert (await harness.use(glob, pattern="in/*")).output == "in/ours.txt"
    harness.workspace.readable.add(outside.resolve())
    assert (await harness.use(glob, pattern="out/*")).output == "out/theirs.txt"


async def test_a_glob_ends_at_its_bounds_and_with_link_loops(harness: ToolHarness) -> None:
    (harness.dir / "many").mkdir()
    for number in range(1100):
        (harness.dir / "many" / str(number)).touch()
    (harness.dir / "many" / "loop").symlink_to(harness.dir)
    value = await harness.use(Glob(harness.workspace, harness.approvals), pattern="many/**/*")
    assert len(str(value.output).splitlines()) == 1000
    assert "There may be more" in value.message


async def test_a_glob_reads_each_folder_once_whatever_its_pattern(harness: ToolHarness) -> None:
    deep = harness.dir / "a"
    for number in range(60):
        deep = deep / str(number)
    deep.mkdir(parents=True)
    (deep / "x.py").touch()
    glob = Glob(harness.workspace, harness.approvals)
    async with asyncio.timeout(10):
        value = await harness.use(glob, pattern="a/" + "**/" * 12 + "*.py")
        assert str(value.output) == str(deep.relative_to(harness.dir) / "x.py")
        assert (await harness.use(glob, pattern="a/" + "**/" * 12 + "zz")).output == ""
    assert len(str((await harness.use(glob, pattern="a/**")).output).splitlines()) == 61


async def test_files_that_match_come_newest_first(harness: ToolHarness, tree: Path) -> None:
    value = await harness.use(Grep(harness.workspace, harness.approvals), pattern="needle")
    assert value.output == "src/a.py\nsrc/deep/b.py\n.hidden/d.py\n"
    assert value.message == "Matches in 3 files."


async def test_a_search_does_not_tell_whether_a_secret_matches(harness: ToolHarness) -> None:
    (harness.dir / ".env").write_text("KEY=abc\n")
    search = Grep(harness.workspace, harness.approvals)
    for mode in ("files_with_matches", "content", "count_matches"):
        right, wrong = [
            await harness.use(search, pattern=pattern, glob=".env", output_mode=mode) for pattern in ("=a", "=b")
        ]
        assert right == wrong


@pytest.mark.parametrize("name", [".gitignore", "src/.ignore", "src/deep/.rgignore", ".git/info/exclude"])
@pytest.mark.parametrize("kind", ["pipe", "link to a pipe", "file without end"])
async def test_an_ignore_file_that_cannot_be_read_to_its_end_holds_no_search_up(
    harness: ToolHarness, tree: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    monkeypatch.setattr(grep_module, "SECONDS", 60)
    (tree / ".git/info").mkdir()
    (tree / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (tree / name).unlink(missing_ok=True)
    if kind == "file without end":
        with (tree / name).open("wb") as file:
            file.truncate(200 << 30)
    elif kind == "pipe":
        os.mkfifo(tree / name)
    else:
        os.mkfifo(tree / "pipe")
        (tree / name).symlink_to(tree / "pipe")
    async with asyncio.timeout(10):
        value = await harness.use(Grep(harness.workspace, harness.approvals), pattern="needle")
    assert set(str(value.output).split()) == {"src/a.py", "src/deep/b.py", ".hidden/d.py", "ignored/e.py"}
    assert f"{name}`, which lists some, is no regular file or too large." in value.message


async def test_a_pipe_is_not_searched(harness: ToolHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grep_module, "SECONDS", 60)
    os.mkfifo(harness.dir / "pipe")
    async with asyncio.timeout(10):
        value = await harness.use(Grep(harness.workspace, harness.approvals), pattern="needle", path="pipe")
    assert value.is_error
    assert "it is a pipe" in value.message


async def test_a_path_that_is_too_long_to_be_read_ends_no_search(harness: ToolHarness, tree: Path) -> None:
    folder = os.open(tree, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=folder)
        above, folder = folder, os.open("d" * 250, os.O_RDONLY, dir_fd=folder)
        os.close(above)
    os.close(folder)
    grep = Grep(harness.workspace, harness.approvals)
    found = await harness.use(grep, pattern="needle", glob="*.py")
    none = await harness.use(grep, pattern="nothing like it")
    assert "src/a.py" in str(found.output)
    assert "Some files or folders cannot be read" in found.message
    assert (none.is_error, none.message.partition(".")[0]) == (False, "Nothing matches")
    assert "Some files or folders cannot be read" in none.message


async def test_lines_and_counts_are_listed(harness: ToolHarness, tree: Path) -> None:
    grep = Grep(harness.workspace, harness.approvals)
    value = await harness.use(grep, pattern="needle", output_mode="content", path="src", _i=True)
    assert value.output == "src/a.py:2:needle = 1\nsrc/deep/b.py:1:needle\nsrc/deep/b.py:2:NEEDLE needle\n"
    value = await harness.use(grep, pattern="os$", output_mode="content", _n=False, _A=1)
    assert value.output == "src/a.py:import os\nsrc/a.py:needle = 1\n"
    value = await harness.use(grep, pattern="needle", output_mode="count_matches", _i=True, glob="*b.py")
    assert value.output == "src/deep/b.py:3\n"


async def test_the_search_is_narrowed_and_led_on(harness: ToolHarness, tree: Path) -> None:
    grep = Grep(harness.workspace, harness.approvals)
    assert (await harness.use(grep, pattern="hay", type="py")).message == "Nothing matches."
    value = await harness.use(grep, pattern="needle", head_limit=1, offset=1)
    assert value.output == "src/deep/b.py\n"
    assert "Entries 2 to 2 of 3" in value.message
    assert "ignored/e.py" in str((await harness.use(grep, pattern="needle", include_ignored=True)).output)
    value = await harness.use(grep, pattern="os.needle", multiline=True, output_mode="files_with_matches")
    assert value.output == "src/a.py\n"


async def test_what_a_search_cannot_do_is_said(harness: ToolHarness, tree: Path) -> None:
    grep = Grep(harness.workspace, harness.approvals)
    for more, said in [
        ({"pattern": "("}, "unclosed group"),
        ({"pattern": "x", "path": "no"}, "does not exist"),
        ({"pattern": "x", "path": "../.."}, "leads out"),
        ({"pattern": "needle", "path": ".env"}, "holds secrets"),
        ({"pattern": "x", "type": "nope"}, "unrecognized file type"),
        ({"pattern": "a\0b"}, "NUL"),
    ]:
        value = await harness.use(grep, **more)
        assert value.is_error
        assert said in value.message


async def test_odd_patterns_and_names_are_no_options(harness: ToolHarness) -> None:
    (harness.dir / "--files").write_text("--version\n")
    (harness.dir / "a:1:b").write_text("x --version\n")
    value = await harness.use(
        Grep(harness.workspace, harness.approvals), pattern="--version", output_mode="content", path="."
    )
    assert sorted(str(value.output).splitlines()) == ["--files:1:--version", "a:1:b:1:x --version"]
    assert (
        await harness.use(Grep(harness.workspace, harness.approvals), pattern="version", path="--files")
    ).output == "--files\n"


async def test_a_huge_line_is_cut(harness: ToolHarness) -> None:
    (harness.dir / "min.js").write_text("x" * 3_000_000 + "needle\n")
    value = await harness.use(Grep(harness.workspace, harness.approvals), pattern="x", output_mode="content")
    assert len(str(value.output)) < 3000


async def test_the_todo_list_is_set_asked_for_and_cleared() -> None:
    saved: list[tuple[TodoItem, ...]] = []
    todos = TodoList(on_change=lambda: saved.append(todos.items))
    harness = ToolHarness(Path.cwd())
    tool = SetTodoList(todos)
    assert (await harness.use(tool)).message == "The todo list is empty."
    items = [{"title": "a", "status": "done"}, {"title": "b"}]
    value = await harness.use(tool, todos=items)
    expected = (TodoItem(title="a", status="done"), TodoItem(title="b"))
    assert (value.message, value.display) == ("Todo list updated", (TodoBlock(items=expected),))
    assert (await harness.use(tool, todos=None)).output == "- [done] a\n- [pending] b"
    await harness.use(tool, todos=[])
    assert saved == [expected, ()]
    assert (await harness.use(tool, todos=[{"title": "a", "status": "nearly"}])).is_error


async def test_a_thought_is_only_noted(harness: ToolHarness) -> None:
    assert (await harness.use(Think(), thought="hm")).message == "Thought noted."


async def test_a_name_with_a_line_break_does_not_pass_for_another_file(harness: ToolHarness) -> None:
    (harness.dir / "closed").mkdir()
    (harness.dir / "closed/a\nopen.txt").write_text("needle 1\n")
    (harness.dir / "x\nb").mkdir()
    (harness.dir / "x\nb/open.txt").write_text("needle 2\n")
    (harness.dir / "open.txt").write_text("needle 3\n")
    harness.approvals.policy = Policy([parse_rule("Read(closed/**)", Effect.DENY)])
    grep = Grep(harness.workspace, harness.approvals)
    for more in ({}, {"glob": "*"}, {"path": "closed"}, {"path": "x\nb"}, {"path": "closed/a\nopen.txt"}):
        for mode in ("content", "files_with_matches", "count_matches"):
            value = await harness.use(grep, pattern="needle", output_mode=mode, **more)
            assert "needle 1" not in str(value.output)
            assert "needle 2" not in str(value.output)
            assert ("open.txt" in str(value.output)) is ("path" not in more)


async def test_the_listing_for_a_pattern_that_matches_too_much_obeys_rules(harness: ToolHarness, tree: Path) -> None:
    harness.approvals.policy = Policy([parse_rule("Read(src/deep/**)", Effect.DENY)])
    glob = Glob(harness.workspace, harness.approvals)
    assert str((await harness.use(glob, pattern="**", directory=str(tree / "src/deep"))).output) == ""
    assert "a.py" in str((await harness.use(glob, pattern="**", directory=str(tree / "src"))).output)
