"""A folder that brings something along is asked about."""

from pathlib import Path

from kimi_tui.permission import trust
from kimi_tui.ui.tui.screens.trust import TrustQuestion
from kimi_tui.ui.tui.state.items import NoticeItem
from tests.ui.tui.house import Open
from tests.ui.tui.painted import notices


async def test_a_folder_that_brings_skills_is_asked_about_before_they_count_and_only_once(
    open_house: Open, tmp_path: Path
) -> None:
    folder = tmp_path / "proj" / ".kimi" / "skills"
    folder.mkdir(parents=True)
    (folder / "own.md").write_text("---\nname: own\ndescription: Of the project\n---\nDo.\n", "utf-8")
    async with open_house() as house:
        await house.on(TrustQuestion)
        assert house.app.engine is None
        assert isinstance(house.app.screen, TrustQuestion)
        house.app.screen.dismiss(False)
        await house.until(lambda: house.app.engine)
        assert house.engine.skills.get("own") is None
    assert trust.trust_state(tmp_path / "proj").answer is False
    trust.remember(tmp_path / "proj", True)
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        assert house.engine.skills.get("own") is not None


async def test_a_no_to_a_folder_stays_in_sight_and_can_be_taken_back(open_house: Open, tmp_path: Path) -> None:
    skill = tmp_path / "proj" / ".kimi-tui" / "skills" / "own"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: own\ndescription: ours\n---\nDo it.\n")
    async with open_house() as house:
        await house.on(TrustQuestion)
        house.app.screen.dismiss(None)
        await house.until(lambda: house.app.engine and len(house.app.stage.state.conversation))
        note = house.app.stage.state.conversation[0]
        assert isinstance(note, NoticeItem)
        assert "not trusted, so this is left out: skills. /trust asks again" in note.text
        assert house.app.doors.handle_slash("/trust")
        await house.on(TrustQuestion)
        house.app.screen.dismiss(True)
        await house.until(lambda: house.app.engine and house.engine.skills.get("own"))
    assert trust.trust_state(tmp_path / "proj").answer is True


async def test_trust_says_so_where_there_is_nothing_to_trust(open_house: Open) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        house.app.doors.handle_slash("/trust")
        await house.until(lambda: notices(house.app))
        assert any("brings nothing along" in note for note in notices(house.app))


async def test_skills_that_appear_in_a_folder_nobody_was_asked_about_wait_for_trust(
    open_house: Open, tmp_path: Path
) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        engine = house.engine
        skill = tmp_path / "proj" / ".kimi-tui" / "skills" / "release"
        skill.mkdir(parents=True)
        file = skill / "SKILL.md"
        file.write_text("---\nname: release\ndescription: ours\n---\nDo it.\n")
        await house.until(lambda: engine.skills.snapshot.waiting)
        file.with_name("more.md").write_text("")
        (skill.parent / "second.md").write_text("---\nname: second\ndescription: ours\n---\nDo it.\n")
        await house.until(lambda: len(engine.skills.snapshot.waiting) == 2)
        assert engine.skills.get("release") is None
        notes = [item for item in house.app.stage.state.conversation.items if isinstance(item, NoticeItem)]
        assert [note.text for note in notes if "/trust asks" in note.text] == [
            "This folder brings along skills now; they are not used until you trust it: /trust asks."
        ]
        assert house.app.doors.handle_slash("/trust")
        await house.on(TrustQuestion)
        house.app.screen.dismiss(True)
        await house.until(lambda: house.app.engine and house.engine.skills.get("release"))
        (skill.parent / "third.md").write_text("---\nname: third\ndescription: ours\n---\nDo it.\n")
        await house.until(lambda: house.engine.skills.get("third"))
    assert trust.trust_state(tmp_path / "proj").answer is True


async def test_a_new_session_asks_about_skills_that_have_appeared(open_house: Open, tmp_path: Path) -> None:
    async with open_house() as house:
        await house.until(lambda: house.app.engine)
        (tmp_path / "proj" / ".kimi" / "skills").mkdir(parents=True)
        assert house.app.doors.handle_slash("/new")
        await house.on(TrustQuestion)
