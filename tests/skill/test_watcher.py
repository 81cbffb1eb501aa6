"""A library that follows the disk. Real watches; each wait is for an event, with a deadline."""

import asyncio
import contextlib
import gc
import os
import shutil
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from kimi_tui.skill.library import SkillChange, SkillLibrary
from kimi_tui.skill.roots import SkillRoots
from kimi_tui.skill.watch_plan import watch_plan
from kimi_tui.skill.watcher import SkillWatcher
from tests.skill.skill_files import roots_in, write_skill

DEADLINE = 20


class Watched:
    """A library under watch, and a way to wait until it is as wanted."""

    def __init__(self, library: SkillLibrary) -> None:
        self.library = library
        self.changes: list[SkillChange] = []
        self.notices: list[str] = []
        self._changed = asyncio.Event()
        library.listen(self._take)

    def _take(self, change: SkillChange) -> None:
        self.changes.append(change)
        self._changed.set()

    async def until(self, wanted: Callable[[SkillLibrary], bool]) -> None:
        async with asyncio.timeout(DEADLINE):
            while not wanted(self.library):
                await self._changed.wait()
                self._changed.clear()

    async def until_names(self, *names: str) -> None:
        await self.until(lambda library: [skill.name for skill in library.skills] == list(names))

    async def until_described(self, name: str, description: str) -> None:
        def described(library: SkillLibrary) -> bool:
            skill = library.get(name)
            return skill is not None and skill.description == description

        await self.until(described)


@asynccontextmanager
async def watching(roots: SkillRoots) -> AsyncIterator[Watched]:
    watched = Watched(SkillLibrary(roots))
    watcher = SkillWatcher(watched.library, on_notice=watched.notices.append)
    task = asyncio.create_task(watcher.run())
    try:
        async with asyncio.timeout(DEADLINE):
            await watcher.ready.wait()
        yield watched
        assert not task.done()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own" / "skills"
    folder.mkdir(parents=True)
    return folder


async def test_a_skill_that_is_added_edited_and_removed_is_followed(tmp_path: Path, own: Path) -> None:
    async with watching(roots_in(tmp_path)) as watched:
        write_skill(own, "walk", "one")
        await watched.until_described("walk", "one")
        write_skill(own, "walk", "two")
        await watched.until_described("walk", "two")
        shutil.rmtree(own / "walk")
        await watched.until_names()


async def test_a_flow_that_breaks_and_is_mended_is_followed(tmp_path: Path, own: Path) -> None:
    file = write_skill(own, "walk", flow="Step")
    text = file.read_text()
    async with watching(roots_in(tmp_path)) as watched:
        assert len(watched.library.flows()) == 1
        file.write_text(text.replace("([END])", ""))
        await watched.until(lambda library: not library.flows() and bool(library.problems()))
        file.write_text(text)
        await watched.until(lambda library: len(library.flows()) == 1 and not library.problems())


async def test_an_editor_that_saves_by_rename_is_followed_again_and_again(tmp_path: Path, own: Path) -> None:
    file = write_skill(own, "walk", "zero")
    async with watching(roots_in(tmp_path)) as watched:
        for description in ("one", "two", "three"):
            written = write_skill(tmp_path / "elsewhere", "walk", description)
            written = written.rename(file.with_name(".SKILL.md.tmp"))
            written.rename(file)
            await watched.until_described("walk", description)


async def test_a_renamed_folder_is_followed(tmp_path: Path, own: Path) -> None:
    (own / "a").mkdir()
    (own / "a" / "SKILL.md").write_text("No name.")
    async with watching(roots_in(tmp_path)) as watched:
        await watched.until_names("a")
        (own / "a").rename(own / "b")
        await watched.until_names("b")
        (own / "b" / "SKILL.md").write_text("Another text.")
        await watched.until_described("b", "Another text.")


async def test_flat_files_are_followed(tmp_path: Path, own: Path) -> None:
    async with watching(roots_in(tmp_path)) as watched:
        (own / "flat.md").write_text("One.")
        await watched.until_described("flat", "One.")
        (own / "flat.md").rename(own / "other.md")
        await watched.until_names("other")


@pytest.mark.parametrize("name", ["project/.kimi-tui/skills", "project/.agents/skills", "home/.config/agents/skills"])
async def test_a_folder_of_skills_that_appears_later_is_found(tmp_path: Path, name: str) -> None:
    async with watching(roots_in(tmp_path)) as watched:
        write_skill(tmp_path / name, "late", "one")
        await watched.until_described("late", "one")
        write_skill(tmp_path / name, "late", "two")
        await watched.until_described("late", "two")


async def test_a_watched_folder_that_is_deleted_and_made_again_is_followed(tmp_path: Path, own: Path) -> None:
    write_skill(own, "walk", "one")
    async with watching(roots_in(tmp_path)) as watched:
        for description in ("two", "three"):
            shutil.rmtree(tmp_path / "own")
            await watched.until_names()
            write_skill(own, "walk", description)
            await watched.until_described("walk", description)
            write_skill(own, "walk", f"{description} again")
            await watched.until_described("walk", f"{description} again")


async def test_a_folder_above_that_is_moved_away_takes_its_skills_along(tmp_path: Path) -> None:
    write_skill(tmp_path / "project/.kimi/skills", "walk", "one")
    async with watching(roots_in(tmp_path)) as watched:
        (tmp_path / "project/.kimi").rename(tmp_path / "project/.kimi-off")
        await watched.until_names()
        (tmp_path / "project/.kimi-off").rename(tmp_path / "project/.kimi")
        await watched.until_names("walk")


async def test_a_skill_replaced_whole_is_followed(tmp_path: Path, own: Path) -> None:
    write_skill(own, "walk", "one")
    async with watching(roots_in(tmp_path)) as watched:
        for description in ("two", "three"):
            new = write_skill(tmp_path / "new", "walk", description).parent
            shutil.rmtree(own / "walk")
            new.rename(own / "walk")
            await watched.until_described("walk", description)


async def test_linked_skills_are_followed_where_they_really_are(tmp_path: Path, own: Path) -> None:
    linked_folder = write_skill(tmp_path / "dotfiles", "by-folder", "one")
    linked_file = write_skill(tmp_path / "dotfiles", "by-file", "one")
    (own / "by-folder").symlink_to(linked_folder.parent)
    (own / "by-file").mkdir()
    (own / "by-file" / "SKILL.md").symlink_to(linked_file)
    async with watching(roots_in(tmp_path)) as watched:
        write_skill(tmp_path / "dotfiles", "by-folder", "two")
        await watched.until_described("by-folder", "two")
        write_skill(tmp_path / "dotfiles", "by-file", "two")
        await watched.until_described("by-file", "two")


async def test_links_in_circles_do_not_stop_the_watch(tmp_path: Path, own: Path) -> None:
    (own / "self").symlink_to("self")
    (own / "up").symlink_to("..")
    async with watching(roots_in(tmp_path)) as watched:
        write_skill(own, "walk", "one")
        await watched.until_described("walk", "one")


async def test_what_is_no_skill_reloads_nothing(tmp_path: Path, own: Path) -> None:
    write_skill(own, "walk", "one")
    async with watching(roots_in(tmp_path)) as watched:
        before = watched.library.snapshot
        (tmp_path / "project" / "build.log").write_text("x")
        (own / "walk" / "notes.txt").write_text("x")
        (own / ".walk.md.swp").write_text("x")
        plan = watch_plan(watched.library.roots)
        assert not plan.matters(str(tmp_path / "project" / "build.log"))
        assert not plan.matters(str(own / "walk" / "notes.txt"))
        assert not plan.matters(str(own / ".walk.md.swp"))
        write_skill(own, "walk", "two")
        await watched.until_described("walk", "two")
        assert len(watched.changes) == 2  # the first reading, and this edit
        assert watched.library.snapshot is not before


def test_a_large_tree_beside_a_skill_is_not_watched(tmp_path: Path, own: Path) -> None:
    write_skill(own, "walk")
    for number in range(50):
        (own / "walk" / "node_modules" / f"package-{number}").mkdir(parents=True)
    (tmp_path / "project" / "src" / "deep").mkdir(parents=True)
    below = [folder for folder in watch_plan(roots_in(tmp_path)).folders if folder.startswith(f"{tmp_path}/")]
    assert sorted(str(Path(folder).relative_to(tmp_path)) for folder in below) == [
        "own",
        "own/skills",
        "own/skills/walk",
        "project",
    ]


async def test_a_watch_costs_nothing_while_nothing_changes(tmp_path: Path, own: Path) -> None:
    for number in range(300):
        write_skill(own, f"skill-{number}")
    async with watching(roots_in(tmp_path)) as watched:
        assert len(watched.library.skills) >= 300
        began = time.process_time()
        await asyncio.sleep(1.0)
        assert time.process_time() - began < 0.02


async def test_a_watch_leaves_the_threads_of_the_event_loop_free(tmp_path: Path, own: Path) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    async with watching(roots_in(tmp_path)), watching(roots_in(tmp_path)) as watched:
        async with asyncio.timeout(3):  # a watch waits for 5 s at a time
            assert await asyncio.to_thread(os.getpid) == os.getpid()
        write_skill(own, "walk")
        await watched.until_names("walk")


def test_the_plan_is_steady_and_follows_what_appears(tmp_path: Path) -> None:
    roots = roots_in(tmp_path)
    first = watch_plan(roots)
    assert watch_plan(roots) == first
    (tmp_path / "project" / ".kimi-tui").mkdir()
    assert watch_plan(roots) != first


async def test_a_watch_that_cannot_be_had_is_told(tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import watchfiles._rust_notify

    def none_left(*args: object) -> None:
        raise OSError("no watches are left")

    monkeypatch.setattr(watchfiles._rust_notify, "RustNotify", none_left)
    write_skill(own, "walk")
    library, notices = SkillLibrary(roots_in(tmp_path)), list[str]()
    await SkillWatcher(library, on_notice=notices.append).run()
    assert [skill.name for skill in library.skills] == ["walk"]
    assert notices == ["skills are not reloaded automatically: no watches are left"]


async def test_names_that_cannot_be_shown_are_reported(tmp_path: Path, own: Path) -> None:
    os.mkdir(os.fsencode(own) + b"/bad\xff")  # noqa: PTH102
    (own / "line\nbreak.md").write_text("x")
    async with watching(roots_in(tmp_path)) as watched:
        assert watched.library.skills == ()
        assert sorted(problem.text for problem in watched.library.problems()) == [
            "the name `bad?` contains characters that cannot be displayed",
            "the name `line\\nbreak.md` contains characters that cannot be displayed",
        ]
        write_skill(own, "walk")
        await watched.until_names("walk")


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not list open files")
async def test_a_watch_that_ends_closes_its_file_while_something_still_refers_to_it(tmp_path: Path) -> None:
    def watches() -> set[str]:
        found: set[str] = set()
        for file in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed by a thread meanwhile
                found |= {file.name} if "inotify" in str(file.readlink()) else set()
        return found

    gc.collect()
    others = watches()
    watcher = SkillWatcher(SkillLibrary(roots_in(tmp_path)))
    task = asyncio.create_task(watcher.run())
    await watcher.ready.wait()
    opened = watches() - others
    assert opened
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as kept:  # its traceback refers to the watch
        await task
    async with asyncio.timeout(DEADLINE):  # a thread of the library closes it
        while opened & watches():
            await asyncio.sleep(0)
    assert kept.value.__traceback__ is not None
