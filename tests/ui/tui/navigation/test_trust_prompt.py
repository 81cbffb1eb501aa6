"""A folder that brings something along is asked about."""

from pathlib import Path

from kimi_tui.permission import trust
from kimi_tui.ui.tui.screens.trust import TrustQuestion
from kimi_tui.ui.tui.state.items import NoticeItem
from tests.ui.tui.app_harness import Open
from tests.ui.tui.screen_text import notices


async def test_a_folder_that_brings_skills_is_asked_about_before_they_count_and_only_once(
    open_app: Open, tmp_path: Path
) -> None:
    folder = tmp_path / "proj" / ".kimi" / "skills"
    folder.mkdir(parents=True)
    (folder / "own.md").write_text("---\nname: own\ndescription: Of the project\n---\nDo.\n", "utf-8")
    async with open_app() as harness:
        await harness.on(TrustQuestion)
        assert harness.app.engine is None
        assert isinstance(harness.app.screen, TrustQuestion)
        harness.app.screen.dismiss(False)
        await harness.until(lambda: harness.app.engine)
        assert harness.engine.skills.get("own") is None
    assert trust.trust_state(tmp_path / "proj").answer is False
    trust.remember(tmp_path / "proj", True)
    async with open_app() as harness:
        await harness.until(lambda: harness.app.engine)
        assert harness.engine.skills.get("own") is not None


async def test_a_no_to_a_folder_stays_in_sight_and_can_be_taken_back(open_app: Open, tmp_path: Path) -> None:
    skill = tmp_path / "proj" / ".kimi-tui" / "skills" / "own"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: own\ndescription: ours\n---\nDo it.\n")
    async with open_app() as harness:
        await harness.on(TrustQuestion)
        harness.app.screen.dismiss(None)
        await harness.until(lambda: harness.app.engine and len(harness.app.presenter.state.conversation))
        note = harness.app.presenter.state.conversation[0]
        assert isinstance(note, NoticeItem)
        assert "Folder not trusted; ignored: .kimi-tui/skills. Run /trust" in note.text
        assert harness.app.screen_router.handle_slash("/trust")
        await harness.on(TrustQuestion)
        harness.app.screen.dismiss(True)
        await harness.until(lambda: harness.app.engine and harness.engine.skills.get("own"))
    assert trust.trust_state(tmp_path / "proj").answer is True


async def test_trust_says_so_where_there_is_nothing_to_trust(open_app: Open) -> None:
    async with open_app() as harness:
        await harness.until(lambda: harness.app.engine)
        harness.app.screen_router.handle_slash("/trust")
        await harness.until(lambda: notices(harness.app))
        assert any("needs your trust" in note for note in notices(harness.app))


async def test_skills_that_appear_in_a_folder_nobody_was_asked_about_wait_for_trust(
    open_app: Open, tmp_path: Path
) -> None:
    async with open_app() as harness:
        await harness.until(lambda: harness.app.engine)
        engine = harness.engine
        skill = tmp_path / "proj" / ".kimi-tui" / "skills" / "release"
        skill.mkdir(parents=True)
        file = skill / "SKILL.md"
        file.write_text("---\nname: release\ndescription: ours\n---\nDo it.\n")
        await harness.until(lambda: engine.skills.snapshot.waiting)
        file.with_name("more.md").write_text("")
        (skill.parent / "second.md").write_text("---\nname: second\ndescription: ours\n---\nDo it.\n")
        await harness.until(lambda: len(engine.skills.snapshot.waiting) == 2)
        assert engine.skills.get("release") is None
        notes = [item for item in harness.app.presenter.state.conversation.items if isinstance(item, NoticeItem)]
        assert [note.text for note in notes if "(/trust)" in note.text] == [
            "This folder now contains skills. They are disabled until you trust it (/trust)."
        ]
        assert harness.app.screen_router.handle_slash("/trust")
        await harness.on(TrustQuestion)
        harness.app.screen.dismiss(True)
        await harness.until(lambda: harness.app.engine and harness.engine.skills.get("release"))
        (skill.parent / "third.md").write_text("---\nname: third\ndescription: ours\n---\nDo it.\n")
        await harness.until(lambda: harness.engine.skills.get("third"))
    assert trust.trust_state(tmp_path / "proj").answer is True


async def test_a_new_session_asks_about_skills_that_have_appeared(open_app: Open, tmp_path: Path) -> None:
    async with open_app() as harness:
        await harness.until(lambda: harness.app.engine)
        (tmp_path / "proj" / ".kimi" / "skills").mkdir(parents=True)
        assert harness.app.screen_router.handle_slash("/new")
        await harness.on(TrustQuestion)
