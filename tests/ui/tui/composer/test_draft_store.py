"""Drafts outlive the program."""

from pathlib import Path

from kimi_tui import paths
from kimi_tui.session.session import Session
from kimi_tui.ui.tui.composer.draft_store import Draft, DraftStore, draft_file, orphaned_drafts
from tests.ui.tui.fake_engine import FakeEngine, make_app
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
