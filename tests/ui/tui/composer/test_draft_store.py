"""Drafts outlive the program."""

import asyncio
import threading
from pathlib import Path

from kimi_tui import paths
from kimi_tui.config.schema import Config
from kimi_tui.errors import KimiTuiError, SessionLockedError
from kimi_tui.permission.trust import TrustState
from kimi_tui.session.session import Session
from kimi_tui.soul.assemble import EngineConfig
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.composer.draft_store import (
    Draft,
    DraftStore,
    draft_file,
    orphaned_drafts,
    start_draft_file,
)
from kimi_tui.ui.tui.composer.input_history import InputHistory, history_file
from kimi_tui.ui.tui.session.engine_factory import ConfigEngineFactory
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.screen_text import notices
from tests.ui.tui.test_screen import ready


def test_a_draft_and_its_chips_come_back_from_the_file(tmp_path: Path) -> None:
    DraftStore(tmp_path / "deep" / "d").save(Draft("see [pasted 20 lines #1]", {1: "a\n" * 20}))
    assert DraftStore(tmp_path / "deep" / "d").load() == Draft("see [pasted 20 lines #1]", {1: "a\n" * 20})


def test_the_file_is_the_persons_alone_and_goes_with_the_draft(tmp_path: Path) -> None:
    kept = DraftStore(tmp_path / "d")
    kept.save(Draft("secret plans"))
    assert (tmp_path / "d").stat().st_mode & 0o777 == 0o600
    kept.save(Draft("  "))
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_holds_something_else_is_no_draft(tmp_path: Path) -> None:
    for text in (
        "",
        "[]",
        '{"text": 3, "pastes": {}}',
        '{"text": "x", "pastes": {"a": "b"}}',
        '{"text": "x", "pastes": {}, "waiting": "y"}',
    ):
        (tmp_path / "d").write_text(text)
        assert DraftStore(tmp_path / "d").load() == Draft()


async def test_a_draft_that_cannot_be_stored_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "no folder").write_text("")
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        composer = app.main_screen.composer
        composer.set_drafts(DraftStore(tmp_path / "no folder" / "d"))
        await pilot.pause()
        assert notices(app) == []
        for text in ("half a", "half a thought"):
            composer.text = text
            composer.save_draft()
            await pilot.pause()
        (said,) = notices(app)
        assert said.startswith("! the message is not kept if the program ends: ")


async def test_what_was_written_is_there_at_the_next_start(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        app.main_screen.composer.text = "half a thought"
        await pilot.pause()
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        assert app.main_screen.composer.text == "half a thought"
        await pilot.press("enter")
        await pilot.pause()
    assert not draft_file(tmp_path, "s").exists()


async def test_messages_that_wait_outlive_the_program_too_even_one_that_is_killed(tmp_path: Path) -> None:
    app, _ = make_app(engine := FakeEngine(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        for text, key in (("one", "enter"), ("queued", "enter"), ("steered", "ctrl+s")):
            app.main_screen.composer.text = text
            await pilot.press(key)
            await pilot.pause()
        assert (engine.prompts, engine.steered) == (["one"], ["steered"])
        app.main_screen.composer.text = "written"
        app.main_screen.composer.save_draft()
        kept = Draft("written", waiting=("steered", "queued"))
        assert DraftStore(draft_file(tmp_path, "s")).load() == kept
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        assert app.main_screen.composer.text == "steered\n\nqueued\n\nwritten"


async def test_a_draft_that_meets_another_text_is_brought_back_by_up(tmp_path: Path) -> None:
    DraftStore(draft_file(tmp_path, "before")).save(Draft("older draft"))
    app, _ = make_app(FakeEngine(tmp_path))
    app.main_screen.composer.prompt.text = "typed at once"
    async with app.run_test() as pilot:
        await ready(pilot)
        assert app.main_screen.composer.text == "typed at once"
        assert app.main_screen.composer.history.older("typed at once") == "older draft"


def kept_in(work_dir: Path, session: Session) -> DraftStore:
    return DraftStore(draft_file(work_dir, session.id), lambda: orphaned_drafts(work_dir))


def test_a_window_does_not_get_the_draft_of_another_that_is_open(tmp_path: Path) -> None:
    one, two = Session.create(tmp_path), Session.create(tmp_path)
    kept_in(tmp_path, one).save(Draft("of the first"))
    second = kept_in(tmp_path, two)
    assert second.load() == Draft()
    second.save(Draft("of the second"))
    assert kept_in(tmp_path, one).load() == Draft("of the first")
    one.close()
    two.close()


def test_a_draft_whose_window_is_gone_goes_to_one_new_session_only(tmp_path: Path) -> None:
    gone = Session.create(tmp_path)
    kept_in(tmp_path, gone).save(Draft("half a thought"))
    gone.close()
    one, two = Session.create(tmp_path), Session.create(tmp_path)
    assert kept_in(tmp_path, one).load() == Draft("half a thought")
    assert kept_in(tmp_path, two).load() == Draft()
    assert DraftStore(draft_file(tmp_path, gone.id)).load() == Draft()
    one.close()
    two.close()


def test_the_draft_that_an_earlier_version_kept_for_the_folder_is_not_lost(tmp_path: Path) -> None:
    session = Session.create(tmp_path)
    old = draft_file(tmp_path, "x").with_name(f"{paths.work_dir_key(tmp_path)}.draft")
    DraftStore(old).save(Draft("of before"))
    assert kept_in(tmp_path, session).load() == Draft("of before")
    session.close()


class SlowStart:
    """Makes the session of a screen in `work_dir` when the test says so; with an error it cannot start."""

    def __init__(self, work_dir: Path, error: KimiTuiError | None = None) -> None:
        self.engine, self.error, self.go_on = FakeEngine(work_dir), error, asyncio.Event()
        self.app = KimiTui(self.make, motion=False, frame=0.0, work_dir=work_dir)
        self.composer = self.app.main_screen.composer

    async def make(self) -> FakeEngine:
        await self.go_on.wait()
        if self.error is not None:
            raise self.error
        return self.engine


async def text_of_the_next_start(work_dir: Path) -> str:
    app, _ = make_app(FakeEngine(work_dir))
    async with app.run_test() as pilot:
        await ready(pilot)
        return app.main_screen.composer.text


async def test_what_was_sent_and_typed_while_the_session_starts_outlives_the_program(tmp_path: Path) -> None:
    start = SlowStart(tmp_path)
    async with start.app.run_test() as pilot:
        await pilot.pause()
        start.composer.text = "sent"
        await pilot.press("enter")
        start.composer.text = "unsent"
        await pilot.pause()
        assert start.composer.queued.texts == ("sent",)
    assert await text_of_the_next_start(tmp_path) == "sent\n\nunsent"
    assert orphaned_drafts(tmp_path) == [draft_file(tmp_path, "s")]


async def test_a_draft_behind_an_earlier_message_outlives_the_program(tmp_path: Path) -> None:
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        app.main_screen.composer.remember("sent")
        await pilot.press(*"unsent", "up")
        assert app.main_screen.composer.text == "sent"
    assert InputHistory(history_file(tmp_path)).entries == ["sent", "unsent"]


async def test_letters_that_wait_behind_a_key_while_the_program_starts_outlive_it(tmp_path: Path) -> None:
    may = threading.Event()

    def make_config(work_dir: Path | None, _standing: TrustState | None) -> EngineConfig:
        assert may.wait(20)
        return EngineConfig(work_dir=work_dir or tmp_path, config=Config())

    factory = ConfigEngineFactory(make_config)
    app = KimiTui(factory.make, engine_factory=factory, motion=False, work_dir=tmp_path)
    async with app.run_test() as pilot:
        await pilot.press(*"one", "f1", *"two", "shift+enter", *"threx", "backspace", "e")
        assert app.main_screen.composer.text == "one"
    may.set()
    assert await text_of_the_next_start(tmp_path) == "onetwo\nthree"


async def test_what_was_typed_into_a_screen_that_could_not_start_outlives_the_program(tmp_path: Path) -> None:
    start = SlowStart(tmp_path, SessionLockedError("open in another process"))
    async with start.app.run_test() as pilot:
        await pilot.pause()
        start.composer.text = "sent too early"
        await pilot.press("enter")
        start.go_on.set()
        await ready(pilot)
        assert start.composer.text == "sent too early"
        start.composer.text = "typed later"
        await pilot.pause()
    assert await text_of_the_next_start(tmp_path) == "typed later"


async def test_a_message_to_a_session_that_could_not_start_stays_in_the_composer(tmp_path: Path) -> None:
    start = SlowStart(tmp_path, SessionLockedError("open in another process"))
    start.go_on.set()
    async with start.app.run_test() as pilot:
        await ready(pilot)
        for key in ("enter", "ctrl+s"):
            start.composer.text = "words"
            await pilot.press(key)
            await pilot.pause()
            assert (start.composer.text, start.composer.queued.texts) == ("words", ())
        assert "not sent: the session could not start" in notices(pilot.app)[-1]
        start.composer.text = ""
        start.error = None
        assert await start.app.switch_session()
        start.composer.text = "words"
        await pilot.press("enter")
        await pilot.pause()
        assert start.engine.prompts == ["words"]
        assert not start.app.main_screen.facts.failed


async def test_a_first_prompt_without_a_session_goes_back_to_the_composer(tmp_path: Path) -> None:
    async def make() -> FakeEngine:
        raise SessionLockedError("open in another process")

    app = KimiTui(make, motion=False, prompt="from the command line")
    async with app.run_test() as pilot:
        await ready(pilot)
        assert app.main_screen.composer.text == "from the command line"


async def test_the_draft_of_before_the_session_moves_to_the_session(tmp_path: Path) -> None:
    start = SlowStart(tmp_path)
    async with start.app.run_test() as pilot:
        await pilot.pause()
        start.composer.text = "cleared"
        start.composer.clear()
        start.composer.text = "half a thought"
        start.composer.save_draft()
        [before] = orphaned_or_not(tmp_path)
        assert before.name.startswith(f"{paths.work_dir_key(tmp_path)}.start-")
        assert orphaned_drafts(tmp_path) == []
        start.go_on.set()
        await ready(pilot)
        assert orphaned_or_not(tmp_path) == [draft_file(tmp_path, "s")]
        assert not list(before.parent.glob("*.lock"))
        assert start.composer.text == "half a thought"
        assert start.composer.history.older("half a thought") == "cleared"


def orphaned_or_not(work_dir: Path) -> list[Path]:
    return list(start_draft_file(work_dir).parent.glob("*.draft"))


def test_a_draft_of_a_screen_that_still_starts_is_not_taken_over(tmp_path: Path) -> None:
    starting = DraftStore(start_draft_file(tmp_path), locks=True)
    starting.save(Draft("half a thought"))
    session = Session.create(tmp_path)
    assert kept_in(tmp_path, session).load() == Draft()
    starting.close()  # as the end of its process does
    assert kept_in(tmp_path, session).load() == Draft("half a thought")
    assert [file.name for file in orphaned_or_not(tmp_path)] == [draft_file(tmp_path, session.id).name]
    session.close()


async def test_a_stored_draft_survives_a_search_during_which_another_session_opens(tmp_path: Path) -> None:
    app, _ = make_app(engine := FakeEngine(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        composer = app.main_screen.composer
        composer.remember("earlier")
        engine.session_id = "other"
        DraftStore(draft_file(tmp_path, "other")).save(Draft("stored"))
        await pilot.press("ctrl+r")
        assert await app.switch_session()
        await pilot.press("escape")
        assert composer.text == "stored"


def test_an_input_after_a_torn_line_of_the_history_is_kept(tmp_path: Path) -> None:
    (tmp_path / "h").write_bytes(b'{"content": "first"}\n{"content": "to')
    InputHistory(tmp_path / "h").add("second")
    assert InputHistory(tmp_path / "h").entries == ["first", "second"]


def test_a_history_that_has_become_long_is_read_from_its_end_and_cut_with_the_next_input(tmp_path: Path) -> None:
    long = "x" * (1 << 20)
    with (file := tmp_path / "h").open("w") as out:
        out.writelines(f'{{"content": "{number} {long}"}}\n' for number in range(40))
    history = InputHistory(file)
    assert [entry.split()[0] for entry in history.entries] == [str(number) for number in range(25, 40)]
    history.add("last")
    assert file.stat().st_size < 17 << 20
    assert InputHistory(file).entries == history.entries
