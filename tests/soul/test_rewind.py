import shutil

import pytest

from kimi_tui.errors import UsageError
from kimi_tui.soul import rewind
from kimi_tui.tools.file_support.safe_open import read_bytes
from kimi_tui.ui.tui.state.ui_state import UiState
from kimi_tui.wire.events import Notification, StatusUpdate
from kimi_tui.wire.parts import TextPart
from tests.soul.scripted_engine import engine_on, plan, tool_call


def write(path, content, call_id="w"):
    return tool_call("WriteFile", call_id, path=path, content=content)


EDITS = (write("a.txt", "one\n"), "text: made a", write("a.txt", "two\n"), "text: changed a")


def seam(received):
    return next(message for message in received.of(Notification) if message.type == "rewind")


async def test_going_back_takes_both_the_conversation_and_the_files_to_before_that_turn(tmp_path):
    async with engine_on(plan(tmp_path, *EDITS, "text: third", yolo=True)) as (engine, received):
        await engine.prompt("make a")
        await engine.prompt("change a")
        points = engine.rewind_points()
        assert [(point.index, point.text, [path.name for path in point.files]) for point in points] == [
            (1, "make a", ["a.txt"]),
            (2, "change a", ["a.txt"]),
        ]
        await engine.rewind(points[1])
        assert (engine.work_dir / "a.txt").read_text() == "one\n"
        assert [message.text for message in engine.context.history][-1] == "made a"
        messages = seam(received)
        assert messages.payload["restored"] == ["a.txt"]
        assert messages.payload["conversation"] is True
        assert messages.payload["since"] == points[1].at
        assert "shell commands" in messages.body
        assert [point.text for point in engine.rewind_points()] == ["make a"]
        assert isinstance(received[-1], StatusUpdate)
        assert (await engine.prompt("go on")).message == "third"


async def test_a_file_that_was_new_is_removed_again_and_both_survive_a_resume(tmp_path):
    made = plan(tmp_path, *EDITS, yolo=True)
    async with engine_on(made) as (engine, _):
        await engine.prompt("make a")
        await engine.prompt("change a")
        session_id = engine.session_id
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, received):
        await engine.prompt("/rewind 1")
        assert not (engine.work_dir / "a.txt").exists()
        assert list(engine.context.history) == []
        assert seam(received).payload["removed"] == ["a.txt"]
        assert "Removed (created in that turn): a.txt." in received.of(TextPart)[-1].text
        said = [message for message in engine.recorded() if "changed a" in str(message)]
        assert said, "what was gone back over stays on record"
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
        assert engine.rewind_points() == []


async def test_the_todo_list_goes_back_with_the_conversation_and_the_screen_has_it_from_the_record(tmp_path):
    def todo(call_id, status):
        return tool_call("SetTodoList", call_id, todos=[{"title": "fix", "status": status}])

    replies = (todo("a", "pending"), "text: one", todo("b", "done"), "text: two")
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        await engine.prompt("plan it")
        await engine.prompt("do it")
        await engine.rewind(engine.rewind_points()[1], conversation=False)
        assert seam(received).title == "Files restored to before “do it”"
        assert [item.status for item in engine.services.todos.items] == ["done"]
        await engine.rewind(engine.rewind_points()[1])
        assert [item.status for item in engine.services.todos.items] == ["pending"]
        assert [item.status for item in engine.session.state.todos] == ["pending"]
        state = UiState()
        state.fold_all((one.timestamp, one.message) for one in engine.recorded())
        assert [item.status for item in state.todo] == ["pending"]
        session_id = engine.session_id
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
        await engine.rewind(engine.rewind_points()[0])
        assert engine.services.todos.items == ()


async def test_the_conversation_alone_can_go_back_and_the_files_later(tmp_path):
    async with engine_on(plan(tmp_path, *EDITS, yolo=True)) as (engine, _):
        await engine.prompt("make a")
        await engine.prompt("change a")
        await engine.prompt("/rewind 2 conversation")
        assert (engine.work_dir / "a.txt").read_text() == "two\n"
        assert engine.context.history[-1].text == "made a"
        await engine.prompt("/undo 1 files")
        assert not (engine.work_dir / "a.txt").exists()
        assert engine.context.history[-1].text == "made a"


async def test_what_somebody_else_wrote_is_kept_as_a_copy_and_said(tmp_path):
    async with engine_on(plan(tmp_path, *EDITS, yolo=True)) as (engine, received):
        await engine.prompt("make a")
        await engine.prompt("change a")
        (engine.work_dir / "a.txt").write_text("mine\n")
        done = await engine.rewind(engine.rewind_points()[1])
        assert (engine.work_dir / "a.txt").read_text() == "one\n"
        copy = done.copies[engine.work_dir / "a.txt"]
        assert copy.read_text() == "mine\n"
        assert str(copy) in seam(received).body
        assert seam(received).severity == "warning"


async def test_what_somebody_else_wrote_between_two_edits_is_kept_as_a_copy_and_said(tmp_path):
    replies = (*EDITS[:2], *(write("a.txt", f"{number}\n", f"w{number}") for number in (1, 2)), "text: changed a")
    async with engine_on(plan(tmp_path, *replies, yolo=True)) as (engine, received):
        await engine.prompt("make a")
        (engine.work_dir / "a.txt").write_text("mine\n")
        await engine.prompt("change a")
        done = await engine.rewind(engine.rewind_points()[0])
        assert not (engine.work_dir / "a.txt").exists()
        copy = done.copies[engine.work_dir / "a.txt"]
        assert copy.read_text() == "mine\n"
        assert str(copy) in seam(received).body


async def test_a_rewind_to_after_the_edit_of_somebody_else_restores_it_and_needs_no_copy(tmp_path):
    async with engine_on(plan(tmp_path, *EDITS, yolo=True)) as (engine, _):
        await engine.prompt("make a")
        (engine.work_dir / "a.txt").write_text("mine\n")
        await engine.prompt("change a")
        done = await engine.rewind(engine.rewind_points()[1])
        assert (engine.work_dir / "a.txt").read_text() == "mine\n"
        assert done.copies == {}


async def test_a_file_that_cannot_be_put_back_stays_and_is_named(tmp_path):
    async with engine_on(plan(tmp_path, *EDITS, yolo=True)) as (engine, received):
        await engine.prompt("make a")
        (engine.work_dir / "a.txt").unlink()
        (engine.work_dir / "a.txt").mkdir()
        done = await engine.rewind(engine.rewind_points()[0])
        assert list(done.failed) == [engine.work_dir / "a.txt"]
        assert "is unchanged" in seam(received).body


async def test_a_rewind_removes_no_file_where_a_link_leads_that_a_command_made_meanwhile(tmp_path, monkeypatch):
    def read_and_lead_away(path, *, most):
        content = read_bytes(path, most=most)
        above = path.parent.parent
        above.rename(above.with_name("moved"))
        above.symlink_to(tmp_path / "other")
        return content

    made = plan(tmp_path, write("new/deep/a.txt", "one\n"), "text: made a", yolo=True)
    for folder in (made.work_dir / "new/deep", tmp_path / "other/deep"):
        folder.mkdir(parents=True)
    (tmp_path / "other/deep/a.txt").write_text("one\n")
    async with engine_on(made) as (engine, _):
        await engine.prompt("make a")
        monkeypatch.setattr(rewind, "read_bytes", read_and_lead_away)
        done = await engine.rewind(engine.rewind_points()[0])
        assert list(done.failed) == [engine.work_dir / "new/deep/a.txt"]
    assert (tmp_path / "other/deep/a.txt").read_text() == "one\n"


async def test_a_rewind_makes_no_folder_where_a_link_leads_that_a_command_made(tmp_path):
    made = plan(tmp_path, write("old/deep/a.txt", "two\n"), "text: changed a", yolo=True)
    (made.work_dir / "old/deep").mkdir(parents=True)
    (made.work_dir / "old/deep/a.txt").write_text("one\n")
    (tmp_path / "other").mkdir()
    async with engine_on(made) as (engine, _):
        await engine.prompt("change a")
        (engine.work_dir / "old").rename(engine.work_dir / "moved")
        (engine.work_dir / "old").symlink_to(tmp_path / "other")
        done = await engine.rewind(engine.rewind_points()[0])
        assert list(done.failed) == [engine.work_dir / "old/deep/a.txt"]
        assert list((tmp_path / "other").iterdir()) == []


async def test_a_rewind_makes_the_folders_of_a_file_again(tmp_path):
    made = plan(tmp_path, write("old/deep/a.txt", "two\n"), "text: changed a", yolo=True)
    (made.work_dir / "old/deep").mkdir(parents=True)
    (made.work_dir / "old/deep/a.txt").write_text("one\n")
    async with engine_on(made) as (engine, _):
        await engine.prompt("change a")
        shutil.rmtree(engine.work_dir / "old")
        await engine.rewind(engine.rewind_points()[0])
        assert (engine.work_dir / "old/deep/a.txt").read_text() == "one\n"


async def test_a_turn_that_was_compacted_away_can_give_its_files_back_but_not_its_words(tmp_path):
    replies = (write("a.txt", "one\n"), "text: made a", "text: second", "text: third", "text: a summary")
    async with engine_on(plan(tmp_path, *replies, yolo=True)) as (engine, _):
        for text in ("make a", "two", "three"):
            await engine.prompt(text)
        await engine.prompt("/compact")
        first = engine.rewind_points()[0]
        assert not first.conversation
        with pytest.raises(UsageError, match="compacted"):
            await engine.prompt("/rewind 1 both")
        await engine.prompt("/rewind 1 files")
        assert not (engine.work_dir / "a.txt").exists()


async def test_the_files_of_a_subagent_go_back_with_the_turn_that_sent_it(tmp_path):
    task = tool_call("Task", "t", description="write it", subagent_name="coder", prompt="write b")
    replies = (task, write("b.txt", "b\n"), f"text: {'done ' * 60}", "text: it is done")
    async with engine_on(plan(tmp_path, *replies, yolo=True)) as (engine, _):
        await engine.prompt("have b written")
        assert (engine.work_dir / "b.txt").exists()
        await engine.rewind(engine.rewind_points()[0])
        assert not (engine.work_dir / "b.txt").exists()


async def test_rewind_without_a_number_lists_the_turns(tmp_path):
    async with engine_on(plan(tmp_path, "text: hi")) as (engine, received):
        await engine.prompt("hello there")
        await engine.prompt("/rewind")
        assert "1. hello there" in received[-2].text
        with pytest.raises(UsageError, match="no turn 7"):
            await engine.prompt("/rewind 7")
