"""What `@` offers."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from kimi_tui.ui.tui.composer.completion import file_choices
from kimi_tui.ui.tui.composer.file_index import FileIndex
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.test_screen import ready


def test_the_first_search_in_a_small_folder_has_its_files(tmp_path: Path) -> None:
    for name in ("notes.md", "नाम 🇨🇳.txt"):
        (tmp_path / name).touch()
    assert FileIndex(tmp_path).search("", 10) == ["notes.md", "नाम 🇨🇳.txt"]


def test_what_an_ignore_file_names_is_left_out_beside_a_line_that_cannot_be_read(tmp_path: Path) -> None:
    ignored = "*.log\nbuild/\n[z-a]\n**/gen/**/*_pb*.py\n/*.[oa]\ncmake-*-debug/\n!keep.log\n"
    (tmp_path / ".gitignore").write_text(ignored)
    for name in ("a.log", "keep.log", "build/b", "x/gen/y/z_pb2.py", "m.o", "cmake-1-debug/c", "src/d"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    index = FileIndex(tmp_path)
    index.read()
    files = [path for path in index.search("", 50) if not path.endswith("/")]
    assert files == [".gitignore", "keep.log", "src/d"]


def many(root: Path, count: int) -> FileIndex:
    for number in range(count):
        (root / f"file_{number:05}.txt").touch()
    index = FileIndex(root)
    index.read()
    return index


def test_a_search_that_is_not_wanted_any_more_ends_early(tmp_path: Path) -> None:
    index = many(tmp_path, 20)
    assert index.search("file", 3, is_current=lambda: False) == []
    assert index.search("FILE_0001", 3) == ["file_00010.txt", "file_00011.txt", "file_00012.txt"]


async def test_in_a_large_folder_letters_do_not_wait_for_the_files(tmp_path: Path) -> None:
    files = many(tmp_path, 6000)
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        composer = app.main_screen.composer
        composer.files = files
        gate = threading.Event()
        search = files.search

        def waiting(query: str, limit: int, *, is_current: Callable[[], bool] = lambda: True) -> Sequence[str]:
            gate.wait(20)
            return search(query, limit, is_current=is_current)

        files.search = waiting  # type: ignore[method-assign]
        await pilot.press(*"@04321")
        assert composer.text == "@04321"
        assert not composer.menu.is_open
        gate.set()
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "files"])
        await pilot.pause()
        assert [choice.label for choice in composer.menu.choices] == ["file_04321.txt"]
        await pilot.press("tab")
        assert composer.text == "@file_04321.txt "


async def test_tab_before_the_files_are_found_takes_the_best_of_what_is_written_by_then(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        app.main_screen.composer.files = many(tmp_path, 6000)
        app.main_screen.composer.text = "@04321"
        await pilot.press("tab")
        assert app.main_screen.composer.text == "@file_04321.txt "


def test_resources_of_servers_are_offered_beside_the_files(tmp_path: Path) -> None:
    (tmp_path / "bookmarks.md").touch()
    index = FileIndex(tmp_path, also=lambda: ("lib:book://one",))
    assert index.search("", 10) == ["bookmarks.md", "lib:book://one"]
    assert index.search("book://o", 10) == ["lib:book://one"]
    assert set(index.search("book", 10)) == {"bookmarks.md", "lib:book://one"}
    assert file_choices("lib", index.search)[0].insert == "@lib:book://one "
