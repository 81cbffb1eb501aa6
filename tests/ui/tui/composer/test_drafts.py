"""Drafts outlive the program."""

from pathlib import Path

from kimi_tui.ui.tui.composer.drafts import Draft, DraftFile
from kimi_tui.ui.tui.composer.history import draft_file
from tests.ui.tui.stand_in import StandIn, make_app
from tests.ui.tui.test_screen import ready


def test_a_draft_and_its_chips_come_back_from_the_file(tmp_path: Path) -> None:
    DraftFile(tmp_path / "deep" / "d").save(Draft("see [pasted 20 lines #1]", {1: "a\n" * 20}))
    assert DraftFile(tmp_path / "deep" / "d").load() == Draft("see [pasted 20 lines #1]", {1: "a\n" * 20})


def test_the_file_is_the_persons_alone_and_goes_with_the_draft(tmp_path: Path) -> None:
    kept = DraftFile(tmp_path / "d")
    kept.save(Draft("secret plans"))
    assert (tmp_path / "d").stat().st_mode & 0o777 == 0o600
    kept.save(Draft("  "))
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_holds_something_else_is_no_draft(tmp_path: Path) -> None:
    for text in ("", "[]", '{"text": 3, "pastes": {}}', '{"text": "x", "pastes": {"a": "b"}}'):
        (tmp_path / "d").write_text(text)
        assert DraftFile(tmp_path / "d").load() == Draft()


async def test_what_was_written_is_there_at_the_next_start(tmp_path: Path) -> None:
    app, _ = make_app(StandIn(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        app.home.composer.text = "half a thought"
        await pilot.pause()
    app, _ = make_app(StandIn(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        assert app.home.composer.text == "half a thought"
        await pilot.press("enter")
        await pilot.pause()
    assert not draft_file(tmp_path).exists()


async def test_a_draft_that_meets_another_text_is_brought_back_by_up(tmp_path: Path) -> None:
    DraftFile(draft_file(tmp_path)).save(Draft("older draft"))
    app, _ = make_app(StandIn(tmp_path))
    app.home.composer.prompt.text = "typed at once"
    async with app.run_test() as pilot:
        await ready(pilot)
        assert app.home.composer.text == "typed at once"
        assert app.home.composer.history.older("typed at once") == "older draft"
