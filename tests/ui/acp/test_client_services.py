"""What the client offers is used: its buffers, its terminals, its forms; our own rules hold all the same."""

import asyncio
import os

import pytest
from acp.schema import (
    AcceptElicitationResponse,
    AllowedOutcome,
    DeclineElicitationResponse,
    RequestPermissionResponse,
)

from kimi_tui.tools.shell_support.process_runner import ProcessResult
from kimi_tui.ui.acp.terminals import ClientTerminals
from tests.soul.scripted_engine import plan, tool_call
from tests.soul.test_soul import until
from tests.ui.acp.acp_client import Editor, editor_on
from tests.ui.acp.full_client import ALL, FullClient
from tests.ui.sleeper import sleeper

WAYS = [{"label": "left", "description": "the long way"}, {"label": "right"}, {"label": "up"}]
ASK = tool_call("AskUserQuestion", questions=[{"question": "Which ways?", "options": WAYS, "multi_select": True}])


async def opened(editor, made, can=ALL):
    await editor.agent.initialize(protocol_version=1, client_capabilities=can)
    return (await editor.agent.new_session(cwd=str(made.work_dir), mcp_servers=[])).session_id


def result(program, number=2):
    return program.made[0].context.history[number].text


async def test_a_file_is_read_as_the_editor_has_it_unsaved(tmp_path):
    made = plan(tmp_path, tool_call("ReadFile", path="a.txt"), tool_call("ReadFile", path="new.txt"), "text: ok")
    (made.work_dir / "a.txt").write_text("on disk\n")
    async with editor_on(made, FullClient()) as (editor, program):
        session = await opened(editor, made)
        editor.unsaved[str(made.work_dir / "a.txt")] = "not saved\nyet"
        editor.unsaved[str(made.work_dir / "new.txt")] = "never saved"
        await editor.say(session, "go")
        assert "1\tnot saved\n     2\tyet" in result(program)
        assert "1\tnever saved" in result(program, 4)
        assert "on disk" not in result(program)


async def test_what_the_editor_does_not_have_comes_from_the_disk(tmp_path):
    calls = [tool_call("ReadFile", path=path) for path in ("a.txt", "picture.png", "gone.txt")]
    made = plan(tmp_path, *calls, "text: ok")
    (made.work_dir / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 9)
    (made.work_dir / "a.txt").write_bytes(b"caf\xe9\n")  # the editor cannot read that
    async with editor_on(made, FullClient()) as (editor, program):
        session = await opened(editor, made)
        await editor.say(session, "go")
        assert "1\tcaf" in result(program)
        assert "is a picture" in result(program, 4)
        assert "does not exist" in result(program, 6)
        assert str(made.work_dir / "picture.png") not in editor.read


async def test_an_edit_starts_from_the_buffer_and_goes_through_the_editor(tmp_path):
    edit = tool_call("StrReplaceFile", path="a.txt", edit={"old": "typed", "new": "changed"})
    made = plan(tmp_path, edit, tool_call("WriteFile", path="b.txt", content="new\n"), "text: ok", yolo=True)
    path = made.work_dir / "a.txt"
    path.write_bytes(b"one\r\n")
    async with editor_on(made, FullClient()) as (editor, program):
        session = await opened(editor, made)
        editor.unsaved[str(path)] = "one\r\njust typed\r\n"
        await editor.say(session, "go")
        assert path.read_bytes() == b"one\r\njust changed\r\n"
        assert (made.work_dir / "b.txt").read_text() == "new\n"
        assert editor.written == [str(path), str(made.work_dir / "b.txt")]
        [diff] = editor.calls()[0]["content"]
        assert (diff["old_text"], diff["new_text"]) == ("one\njust typed\n", "one\njust changed\n")
        point = program.made[0].rewind_points()[0]
        await program.made[0].rewind(point)
        assert path.read_bytes() == b"one\r\njust typed\r\n"  # what the user had typed is not lost


async def test_a_buffer_that_changes_while_the_person_is_asked_is_not_written_over(tmp_path):
    edit = tool_call("StrReplaceFile", path="a.txt", edit={"old": "one", "new": "two"})
    made = plan(tmp_path, edit, "text: ok")
    path = made.work_dir / "a.txt"
    path.write_text("one\n")
    async with editor_on(made, FullClient()) as (editor, program):
        session = await opened(editor, made)
        turn = asyncio.create_task(editor.say(session, "go"))
        await until(lambda: not editor.asked.empty())
        editor.unsaved[str(path)] = "one and more\n"
        await editor.answer("approve")
        await turn
        assert "has changed meanwhile" in result(program)
        assert not editor.written


async def test_our_own_rules_hold_whatever_the_editor_would_do(tmp_path):
    outside = tmp_path / "outside.txt"
    outside.write_text("theirs")
    calls = [
        tool_call("ReadFile", path="link/../../outside.txt"),
        tool_call("WriteFile", path=str(outside), content="ours"),
        tool_call("ReadFile", path=".env"),
        tool_call("WriteFile", path=".git/config", content="x"),
        tool_call("WriteFile", path="readonly.txt", content="x"),
    ]
    made = plan(tmp_path, *calls, "text: ok", auto_approve=True)
    (made.work_dir / ".git").mkdir()
    (made.work_dir / ".env").write_text("KEY=1")
    (made.work_dir / "readonly.txt").symlink_to("/dev/null")
    async with editor_on(made, FullClient()) as (editor, program):
        session = await opened(editor, made)
        await editor.say(session, "go")
        assert "leads out of the working directory" in result(program)
        assert outside.read_text() == "ours"  # approved, and not the editor's: it is out of its project
        assert "KEY=1" not in result(program, 6)
        assert program.made[0].context.history[8].text.startswith("<system>ERROR")
        assert not editor.written
        assert editor.read == [str(made.work_dir / ".git" / "config")]  # for the difference that was to be shown


async def test_an_editor_that_does_not_write_is_told_to_the_model(tmp_path):
    made = plan(tmp_path, tool_call("WriteFile", path="b.txt", content="new\n"), "text: ok", yolo=True)
    async with editor_on(made, FullClient()) as (editor, program):
        session = await opened(editor, made)
        editor.refuses = "the project is read-only"
        await editor.say(session, "go")
        assert "the project is read-only" in result(program)
        assert not (made.work_dir / "b.txt").exists()


@pytest.mark.parametrize(("code", "status"), [(0, "completed"), (7, "failed")])
async def test_a_command_runs_in_the_editors_terminal_after_it_was_allowed(tmp_path, code, status):
    command = f"printf '\\033[31mhi\\033[0m\\n'; echo $GIT_TERMINAL_PROMPT$PAGER; exit {code}"
    made = plan(tmp_path, tool_call("Shell", command=command), "text: ok")
    async with editor_on(made, FullClient()) as (editor, program):
        session = await opened(editor, made)
        turn = asyncio.create_task(editor.say(session, "go"))
        await until(lambda: not editor.asked.empty())
        assert not editor.made
        await editor.answer("approve")
        await turn
        [(_, arguments, _, cwd)] = editor.made
        assert (arguments[-2:], cwd) == (["-c", command], str(made.work_dir))
        assert "hi\n0cat\n" in result(program)
        assert ("exit code: 7" in result(program)) is bool(code)
        assert editor.released == ["terminal-1"]
        [call] = editor.calls()
        assert call["status"] == status
        assert call["content"][0] == {"type": "terminal", "terminal_id": "terminal-1"}
        shown = [update.content for update in editor.of("tool_call_update") if update.content]
        assert len(shown) == 2  # while it ran, and at its end


async def test_our_keys_are_not_handed_to_the_editors_terminal(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "very-secret")
    made = plan(tmp_path, tool_call("Shell", command="echo [$SOME_API_KEY]"), "text: ok", yolo=True)
    async with editor_on(made, FullClient()) as (editor, program):
        await editor.say(await opened(editor, made), "go")
        assert "[]" in result(program)
        assert "very-secret" not in editor.made[0][2].values()


async def test_what_a_subagent_does_is_shown_as_its_own_and_runs_in_the_editor_too(tmp_path):
    replies = (
        tool_call("Task", "t", description="look", subagent_name="coder", prompt="look around"),
        tool_call("Shell", "s", command="mkdir below"),
        "text: " + "All of it was looked at and is fine. " * 8,
        "text: ok",
    )
    made = plan(tmp_path, *replies)
    async with editor_on(made, FullClient()) as (editor, _):
        session = await opened(editor, made)
        turn = asyncio.create_task(editor.say(session, "go"))
        asked, _ = await editor.answer("approve")
        assert (await turn).stop_reason == "end_turn"
        task, shell = editor.calls()
        assert (task["title"], task["status"]) == ("Task: look", "completed")
        assert (shell["title"], shell["status"]) == ("coder › Shell: mkdir below", "completed")
        assert shell["tool_call_id"] == asked.tool_call_id
        assert shell["content"] == [{"type": "terminal", "terminal_id": "terminal-1"}]
        assert "looked at and is fine" in task["content"][0]["content"]["text"]
        assert "looked at" not in editor.text()


async def test_a_command_that_takes_too_long_is_killed_in_the_terminal(tmp_path):
    made = plan(tmp_path, tool_call("Shell", command="echo begun; sleep 60", timeout=1), "text: ok", yolo=True)
    async with editor_on(made, FullClient()) as (editor, program):
        await editor.say(await opened(editor, made), "go")
        assert "killed by timeout (1s)" in result(program)
        assert "begun" in result(program)
        assert editor.released


async def test_a_command_that_ended_in_the_terminal_before_its_time_was_over_is_not_too_late(tmp_path):
    class TellsLate(FullClient):
        async def wait_for_terminal_exit(self, session_id, terminal_id, **kwargs):
            await super().wait_for_terminal_exit(session_id, terminal_id, **kwargs)
            await asyncio.Event().wait()

    said = []
    terminals = ClientTerminals(TellsLate(), "s", lambda *_: None)
    result = await terminals.run(
        ["sh", "-c", "echo hi; exit 3"], call_id="c", cwd=tmp_path, env=os.environ, on_text=said.append, seconds=2
    )
    assert (said, result) == (["hi\n"], ProcessResult(3))


async def test_cancelling_the_turn_ends_the_command_in_the_terminal(tmp_path):
    sleep, sleeps = sleeper()
    made = plan(tmp_path, sleep, yolo=True)
    async with editor_on(made, FullClient()) as (editor, _):
        session = await opened(editor, made)
        turn = asyncio.create_task(editor.say(session, "go"))
        await until(sleeps)
        await editor.agent.cancel(session_id=session)
        assert (await turn).stop_reason == "cancelled"
        await until(lambda: editor.released)
        assert not sleeps()


async def test_a_terminal_that_is_not_to_be_had_is_told_to_the_model(tmp_path):
    made = plan(tmp_path, tool_call("Shell", command="echo hi"), "text: ok", yolo=True)
    async with editor_on(made, FullClient()) as (editor, program):
        session = await opened(editor, made)
        editor.refuses = "no room for a terminal"
        await editor.say(session, "go")
        assert "no room for a terminal" in result(program)


async def test_without_terminals_the_newest_lines_are_shown_while_a_command_runs(tmp_path):
    made = plan(tmp_path, tool_call("Shell", command="echo first; until [ -e go ]; do sleep 0.05; done"), yolo=True)
    async with editor_on(made) as (editor, _):
        session = await opened(editor, made, can=None)
        turn = asyncio.create_task(editor.say(session, "go"))

        def shown():
            [call] = editor.calls() or [{}]
            return [part["content"]["text"] for part in call.get("content") or ()]

        await until(lambda: shown() == ["```\nfirst\n```"])
        assert editor.calls()[0]["status"] == "in_progress"
        (made.work_dir / "go").touch()
        turn.cancel()
        await asyncio.gather(turn, return_exceptions=True)


async def test_questions_are_one_form_where_the_editor_shows_forms(tmp_path):
    made = plan(tmp_path, ASK, "text: ok")
    async with editor_on(made, FullClient()) as (editor, program):
        session = await opened(editor, made)
        content = {"answer_1": ["up", "left", "sideways"], "answer_1_in_own_words": "or stay"}
        editor.filled_in = AcceptElicitationResponse(action="accept", content=content)
        await editor.say(session, "go")
        assert '"Which ways?": "left, up, or stay"' in result(program)
        [(message, form)] = editor.forms
        assert message == "Which ways?"
        schema = form.requested_schema.model_dump(by_alias=True, exclude_none=True)
        assert [one["const"] for one in schema["properties"]["answer_1"]["items"]["anyOf"]] == ["left", "right", "up"]


async def test_a_form_that_is_declined_dismisses_the_questions(tmp_path):
    made = plan(tmp_path, ASK, "text: ok")
    async with editor_on(made, FullClient()) as (editor, program):
        session = await opened(editor, made)
        editor.filled_in = DeclineElicitationResponse(action="decline")
        await editor.say(session, "go")
        assert "did not answer" in result(program)


async def test_several_answers_are_picked_one_after_the_other_where_there_are_no_forms(tmp_path):
    made = plan(tmp_path, ASK, "text: ok")
    async with editor_on(made) as (editor, program):
        session = await opened(editor, made, can=None)
        turn = asyncio.create_task(editor.say(session, "go"))
        _, options = await editor.answer("2")
        assert [option.name for option in options] == ["☐ left", "☐ right", "☐ up", "None of these"]
        _, options = await editor.answer("0")
        assert [option.name for option in options] == ["Done", "☐ left", "☐ right", "☑ up", "None of these"]
        await editor.answer("2")
        await editor.answer("1")
        await editor.answer("done")
        await turn
        assert '"Which ways?": "left, right"' in result(program)


@pytest.mark.parametrize(("allowed", "answer"), [(0, "left"), (-1, None)])
async def test_a_client_that_answers_by_itself_comes_to_an_end_of_several_answers(tmp_path, allowed, answer):
    asked = []

    class Automatic(Editor):
        async def request_permission(self, session_id, tool_call, options, **kwargs):
            asked.append(options)
            chosen = [option for option in options if option.kind == "allow_once"][allowed]
            return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen.option_id))

    made = plan(tmp_path, ASK, "text: ok")
    async with editor_on(made, Automatic()) as (editor, program):
        session = await opened(editor, made, can=None)
        assert (await editor.say(session, "go")).stop_reason == "end_turn"
        assert len(asked) < 50
        assert f'"Which ways?": "{answer}"' in result(program) if answer else "did not answer" in result(program)


async def test_a_late_answer_to_a_question_of_an_interrupted_turn_brings_no_further_question(tmp_path):
    questions = [{"question": f"Which way {number}?", "options": WAYS} for number in (1, 2)]
    made = plan(tmp_path, tool_call("AskUserQuestion", questions=questions), ASK, "text: ok")
    async with editor_on(made) as (editor, _):
        session = await opened(editor, made, can=None)
        turn = asyncio.create_task(editor.say(session, "go"))
        _, _, late = await editor.asked.get()
        await editor.agent.cancel(session_id=session)
        assert (await turn).stop_reason == "cancelled"
        late.set_result(RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id="0")))
        turn = asyncio.create_task(editor.say(session, "again"))
        call, _ = await editor.answer(None)
        assert call.title == "Which ways?"
        assert (await turn).stop_reason == "end_turn"


@pytest.mark.parametrize(("can", "on", "off"), [(ALL, True, False), (None, "on", "off")])
async def test_thinking_is_an_option_where_the_model_leaves_the_choice(tmp_path, can, on, off):
    made = plan(tmp_path, "text: ok")
    models = {"s": made.config.models["s"].model_copy(update={"capabilities": ["thinking"]})}
    models["t"] = made.config.models["s"]
    made = plan(tmp_path, "text: ok", config=made.config.model_copy(update={"models": models, "default_model": "s"}))
    async with editor_on(made, FullClient()) as (editor, program):
        await editor.agent.initialize(protocol_version=1, client_capabilities=can)
        new = await editor.agent.new_session(cwd=str(made.work_dir), mcp_servers=[])
        assert {option.id: option.current_value for option in new.config_options}["thinking"] == off
        set_ = await editor.agent.set_config_option(config_id="thinking", session_id=new.session_id, value=on)
        assert {option.id: option.current_value for option in set_.config_options}["thinking"] == on
        assert program.made[0].models.thinking
        set_ = await editor.agent.set_config_option(config_id="model", session_id=new.session_id, value="t")
        assert "thinking" not in {option.id for option in set_.config_options}


async def test_an_older_client_sets_the_model_by_its_own_method(tmp_path):
    made = plan(tmp_path, "text: ok")
    thinks = made.config.models["s"].model_copy(update={"capabilities": ["thinking"], "display_name": "Clever"})
    models = {"s": made.config.models["s"], "t": thinks}
    made = plan(tmp_path, "text: ok", config=made.config.model_copy(update={"models": models, "default_model": "s"}))
    async with editor_on(made) as (editor, program):
        await editor.agent.initialize(protocol_version=1)
        raw = editor.agent._conn.send_request
        new = await raw("session/new", {"cwd": str(made.work_dir), "mcpServers": []})
        assert new["models"] == {
            "currentModelId": "s",
            "availableModels": [{"modelId": "s", "name": "s"}, {"modelId": "t", "name": "Clever"}],
        }
        await raw("session/set_model", {"sessionId": new["sessionId"], "modelId": "t,thinking"})
        assert (program.made[0].models.key, program.made[0].models.thinking) == ("t", True)


async def test_the_sandbox_goes_into_the_terminal_with_the_command(tmp_path):
    made = plan(tmp_path, tool_call("Shell", command="echo hi"), "text: ok", yolo=True)
    async with editor_on(made, FullClient()) as (editor, program):
        session = await opened(editor, made)
        boxed = await program.made[0].services.sandbox.works()
        await editor.say(session, "go")
        command, arguments, *_ = editor.made[0]
        assert any(word.endswith("bwrap") for word in (command, *arguments)) == boxed
        assert "hi" in result(program)


@pytest.mark.parametrize("stuck", ["create_terminal", "kill_terminal", "terminal_output"])
async def test_a_terminal_that_does_not_answer_is_an_error_and_is_released_when_it_comes(tmp_path, stuck):
    late = asyncio.Event()

    class Stuck(FullClient):
        pass

    async def answers_late(editor, *args, **kwargs):
        await late.wait()
        return await getattr(FullClient, stuck)(editor, *args, **kwargs)

    setattr(Stuck, stuck, answers_late)
    editor = Stuck()
    terminals = ClientTerminals(editor, "s", lambda *_: None, patience=0.05)
    command, seconds = (["sleep", "60"], 0.01) if stuck == "kill_terminal" else (["true"], 10)
    with pytest.raises(OSError, match="the editor did not answer a terminal request"):
        async with asyncio.timeout(20):
            await terminals.run(
                command, call_id="c", cwd=tmp_path, env=os.environ, on_text=lambda _: True, seconds=seconds
            )
    late.set()
    await until(lambda: editor.released)
