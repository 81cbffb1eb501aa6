"""The ACP face, driven by the official SDK's client."""

import asyncio
import base64
import json
import sys
from dataclasses import replace
from functools import partial
from typing import Any, cast

import pytest
from acp import RequestError, image_block, text_block
from acp.helpers import embedded_text_resource, resource_block, resource_link_block
from acp.schema import AuthCapabilities, AuthMethodAgent, ClientCapabilities, McpServerStdio

from kimi_tui.cli.options import parse
from kimi_tui.ui.acp.agent import AcpAgent
from tests.mcp.harness import SERVERS
from tests.soul.release_flow import CHOICES, skills  # noqa: F401 - a fixture
from tests.soul.scripted_engine import plan, seeing, tool_call
from tests.soul.test_soul import until
from tests.ui.acp.acp_client import Editor, Program, begun, editor_on

SHELL = tool_call("Shell", command="echo hi > made")


async def test_the_handshake_needs_no_login_where_a_model_is_configured(tmp_path):
    async with editor_on(plan(tmp_path)) as (editor, _):
        hello = await editor.agent.initialize(protocol_version=1)
        assert hello.protocol_version == 1
        assert hello.agent_info.name == "kimi-tui"
        assert hello.auth_methods == []
        can = hello.agent_capabilities
        assert (can.load_session, can.prompt_capabilities.image, can.prompt_capabilities.embedded_context) == (
            True,
            True,
            True,
        )
        assert can.session_capabilities.list is not None
        assert can.session_capabilities.fork is not None


async def test_an_editor_whose_capabilities_have_another_type_has_none_of_them(tmp_path):
    made = plan(tmp_path)
    bare = plan(tmp_path, config=made.config.model_copy(update={"models": {}, "providers": {}}))
    as_the_sdk_gives_them = cast(Any, {"terminal": False})
    hello = await AcpAgent(Editor(), Program(bare)).initialize(1, client_capabilities=as_the_sdk_gives_them)
    assert isinstance(hello.auth_methods[0], AuthMethodAgent)


async def test_without_a_model_the_editor_is_told_how_to_set_one(tmp_path):
    made = plan(tmp_path)
    bare = plan(tmp_path, config=made.config.model_copy(update={"models": {}, "providers": {}}))
    async with editor_on(bare) as (editor, _):
        hello = await editor.agent.initialize(protocol_version=1)
        [method] = hello.auth_methods
        assert isinstance(method, AuthMethodAgent)
        assert "kimi-tui acp --setup" in method.description
        with pytest.raises(RequestError, match="no model is set"):
            await editor.agent.authenticate(method_id=method.id)
        with pytest.raises(RequestError, match="no model is set") as refused:
            await editor.agent.new_session(cwd=str(bare.work_dir), mcp_servers=[])
        assert refused.value.code == -32000


async def test_a_turn_waits_for_an_editor_that_is_far_behind_and_the_editor_gets_all_of_it(tmp_path):
    flood = ("word" + " " * 4000) * 4000
    async with editor_on(plan(tmp_path, f"text: {json.dumps(flood)}")) as (editor, program):
        await editor.agent.initialize(protocol_version=1)
        session = await editor.agent.new_session(cwd=str(tmp_path), mcp_servers=[])
        sent = []
        program.made[0].wire.listen(sent.append)
        editor.receiving.pause_reading()
        turn = asyncio.create_task(editor.say(session.session_id, "go"))
        await until(lambda: len(sent) > 900)
        for _ in range(10_000):
            await asyncio.sleep(0)
        assert len(sent) < 3500  # some MB are on their way, and a bounded number of updates
        editor.receiving.resume_reading()
        assert (await turn).stop_reason == "end_turn"
        assert editor.text() == flood


@pytest.mark.parametrize(
    "capabilities", [ClientCapabilities(auth=AuthCapabilities(terminal=True)), {"_meta": {"terminal-auth": True}}]
)
async def test_an_editor_that_can_open_terminals_gets_the_arguments_of_the_setup(tmp_path, capabilities):
    made = plan(tmp_path)
    bare = plan(tmp_path, config=made.config.model_copy(update={"models": {}, "providers": {}}))
    async with editor_on(bare) as (editor, _):
        can = ClientCapabilities.model_validate(capabilities)
        hello = await editor.agent.initialize(protocol_version=1, client_capabilities=can)
        [method] = hello.auth_methods
        assert (method.type, method.args, method.env) == ("terminal", ["--setup"], None)
        assert parse(["acp", *method.args]).setup
    async with editor_on(made) as (editor, _):
        assert (await editor.agent.initialize(protocol_version=1, client_capabilities=can)).auth_methods == []


async def test_a_prompt_streams_thoughts_and_text_and_ends(tmp_path):
    made = plan(tmp_path, "think: let me see\ntext: Hello there, friend.\nusage: input_other=10 output=2")
    async with editor_on(made) as (editor, program):
        session = await begun(editor, made)
        done = await editor.say(session, "hi")
        assert (done.stop_reason, done.usage.total_tokens) == ("end_turn", 12)
        assert editor.text("agent_thought_chunk") == "let me see"
        assert editor.text() == "Hello there, friend."
        assert editor.of("usage_update")[-1].used == 12
        assert not editor.of("user_message_chunk")
        assert editor.of("session_info_update")[-1].title == "hi"
        commands = editor.of("available_commands_update")[0].available_commands
        assert "clear" in [command.name for command in commands]
        assert program.made[0].session_id == session


async def test_a_side_question_is_answered_apart_from_the_conversation(tmp_path):
    made = plan(tmp_path, "text: It is blue.")
    async with editor_on(made) as (editor, _):
        await editor.say(await begun(editor, made), "/btw which colour?")
        assert editor.text().strip() == "*side question:* It is blue."


async def test_a_prompt_may_hold_images_links_and_embedded_files(tmp_path):
    made = seeing(plan(tmp_path, "text: seen"))
    async with editor_on(made) as (editor, program):
        session = await begun(editor, made)
        blocks = [
            text_block("look at "),
            resource_link_block("a.py", "file:///work/a%20b.py"),
            resource_block(embedded_text_resource("file:///work/c.py", "x = 1")),
            image_block(base64.b64encode(b"img").decode(), "image/png"),
        ]
        await editor.agent.prompt(session_id=session, prompt=blocks)
        said = program.made[0].context.history[0]
        assert "@/work/a b.py" in said.text
        assert '<file path="/work/c.py">\nx = 1\n</file>' in said.text
        assert said.content[-1].image_url.url.startswith("data:image/png;base64,")
        with pytest.raises(RequestError, match="empty"):
            await editor.say(session, "  ")


FILE = resource_link_block("a.py", "file:///work/a.py")


@pytest.mark.parametrize(
    ("blocks", "received"),
    [
        (("first message", "second message"), "first message\n\nsecond message"),
        (("first message\n", "second message"), "first message\nsecond message"),
        ((FILE, "explain it"), "@/work/a.py explain it"),
        (("explain", FILE, FILE), "explain @/work/a.py @/work/a.py"),
        (("look at ", FILE, ", then (", FILE, ") it"), "look at @/work/a.py, then (@/work/a.py) it"),
    ],
)
async def test_blocks_that_a_client_sends_with_nothing_between_them_stay_apart(tmp_path, blocks, received):
    made = plan(tmp_path, "text: ok")
    async with editor_on(made) as (editor, program):
        session = await begun(editor, made)
        prompt = [text_block(block) if isinstance(block, str) else block for block in blocks]
        await editor.agent.prompt(session_id=session, prompt=prompt)
        assert program.made[0].context.history[0].text.endswith(received)


@pytest.mark.parametrize(
    ("option", "made_it", "steps"), [("approve", True, 2), ("reject", False, 1), (None, False, 1), ("odd", False, 1)]
)
async def test_a_tool_asks_for_permission_and_an_odd_answer_is_a_no(tmp_path, option, made_it, steps):
    made = plan(tmp_path, SHELL, "text: done")
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        turn = asyncio.create_task(editor.say(session, "go"))
        call, options = await editor.answer(option)
        assert [one.kind for one in options] == ["allow_once", "reject_once"]
        assert "echo hi > made" in call.content[0].content.text
        assert (await turn).stop_reason == "end_turn"
        assert (made.work_dir / "made").exists() is made_it
        [shown] = editor.calls()
        assert shown["tool_call_id"] == call.tool_call_id
        assert (shown["title"], shown["kind"]) == ("Shell: echo hi > made", "execute")
        assert shown["status"] == ("completed" if made_it else "failed")
        assert shown["raw_input"] == {"command": "echo hi > made"}


async def test_a_session_that_is_loaded_twice_at_once_is_opened_once(tmp_path):
    made = plan(tmp_path, "text: one")
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        await editor.say(session, "go")
    async with editor_on(made) as (editor, program):
        await editor.agent.initialize(protocol_version=1)
        load = partial(editor.agent.load_session, cwd=str(made.work_dir), session_id=session, mcp_servers=[])
        await asyncio.gather(load(), load())
        assert len(program.made) == 1


async def test_our_scope_is_what_always_means(tmp_path):
    made = plan(tmp_path, *[tool_call("Shell", f"c{n}", command=f"mkdir m{n}") for n in range(2)], "text: done")
    async with editor_on(made) as (editor, program):
        session = await begun(editor, made)
        turn = asyncio.create_task(editor.say(session, "go"))
        _, options = await editor.answer("approve_for_session")
        assert [one.kind for one in options] == ["allow_once", "allow_always", "reject_once"]
        assert "mkdir" in options[1].name
        await turn
        assert program.made[0].approvals.granted


async def test_what_always_means_is_on_one_line_with_hidden_characters_spelled_out(tmp_path):
    made = plan(tmp_path, tool_call("WriteFile", path="a\nb\u202ec.py", content="x"), "text: done")
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        turn = asyncio.create_task(editor.say(session, "go"))
        _, options = await editor.answer("reject")
        assert options[1].name == "Allow in this session: edits of `a b\\u202ec.py`"
        await turn


async def test_changes_are_diffs_and_the_todo_list_is_the_plan(tmp_path):
    items = [{"title": "one", "status": "done"}, {"title": "two", "status": "pending"}]
    todos = tool_call("SetTodoList", "t1", todos=items)
    made = plan(tmp_path, tool_call("WriteFile", path="a.txt", content="new\n"), todos, "text: done", yolo=True)
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        await editor.say(session, "go")
        write = editor.calls()[0]
        assert write["kind"] == "edit"
        assert write["locations"] == [{"path": str(made.work_dir / "a.txt")}]
        [diff] = write["content"]
        assert (diff["type"], diff["path"], diff["new_text"]) == ("diff", str(made.work_dir / "a.txt"), "new\n")
        entries = editor.of("plan")[-1].entries
        assert [(entry.content, entry.status) for entry in entries] == [("one", "completed"), ("two", "pending")]


@pytest.mark.parametrize(
    ("option", "told"), [("1", "right"), ("no answer", "did not answer"), (None, "did not answer")]
)
async def test_a_question_is_asked_in_the_form_of_a_permission(tmp_path, option, told):
    options = [{"label": "left", "description": "the long way"}, {"label": "right"}]
    ask = tool_call("AskUserQuestion", questions=[{"question": "Which way?", "options": options}])
    made = plan(tmp_path, ask, "text: ok")
    async with editor_on(made) as (editor, program):
        session = await begun(editor, made)
        turn = asyncio.create_task(editor.say(session, "go"))
        call, shown = await editor.answer(option)
        assert call.title == "Which way?"
        assert [one.name for one in shown] == ["left", "right", "None of these"]
        assert "the long way" in call.content[0].content.text
        await turn
        assert told in program.made[0].context.history[2].text


async def test_a_plan_is_shown_and_agreed_to(tmp_path):
    steps = (tool_call("EnterPlanMode"), tool_call("ExitPlanMode", plan="1. Do it."), "text: done")
    made = plan(tmp_path, *steps)
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        turn = asyncio.create_task(editor.say(session, "plan it"))
        call, options = await editor.answer("0")
        assert editor.of("current_mode_update")[-1].current_mode_id == "plan"
        assert "1. Do it." in editor.text()
        assert call.title == "Carry out this plan?"
        assert options[0].name == "Yes"
        await turn
        assert editor.of("current_mode_update")[-1].current_mode_id == "default"


async def test_a_question_and_its_answers_are_on_one_line_with_hidden_characters_spelled_out(tmp_path):
    ways = [{"label": "one\nNo"}, {"label": "two\u202e"}]
    steps = (tool_call("EnterPlanMode"), tool_call("ExitPlanMode", plan="1. Do it.", options=ways), "text: done")
    made = plan(tmp_path, *steps)
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        turn = asyncio.create_task(editor.say(session, "plan it"))
        _, options = await editor.answer("1")
        assert [option.name for option in options[:2]] == ["Yes: one No", "Yes: two\\u202e"]
        await turn
        assert editor.of("current_mode_update")[-1].current_mode_id == "default"


async def test_the_same_id_in_two_steps_is_two_calls(tmp_path):
    made = plan(tmp_path, tool_call("Glob", pattern="*.a"), tool_call("Glob", pattern="*.b"), "text: done")
    async with editor_on(made) as (editor, _):
        await editor.say(await begun(editor, made), "go")
        assert [call["title"] for call in editor.calls()] == ["Glob: *.a", "Glob: *.b"]
        assert {call["status"] for call in editor.calls()} == {"completed"}


async def test_cancel_ends_the_prompt_and_what_it_asked(tmp_path):
    made = plan(tmp_path, SHELL, "text: next")
    async with editor_on(made) as (editor, program):
        session = await begun(editor, made)
        turn = asyncio.create_task(editor.say(session, "go"))
        await editor.asked.get()
        with pytest.raises(RequestError, match="already running"):
            await editor.say(session, "hello?")
        await editor.agent.cancel(session_id=session)
        assert (await turn).stop_reason == "cancelled"
        assert editor.calls()[0]["status"] == "failed"
        assert not program.made[0].approvals.pending
        assert (await editor.say(session, "again")).stop_reason == "end_turn"


async def test_a_failing_service_ends_the_turn_with_its_cause(tmp_path):
    made = plan(tmp_path, "error: 401 the key is bad", loop={"max_retries_per_step": 1})
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        with pytest.raises(RequestError, match="the key is bad"):
            await editor.say(session, "hi")
        with pytest.raises(RequestError, match=r"unknown command /fly"):
            await editor.say(session, "/fly")


async def test_too_many_steps_have_a_stop_reason_of_their_own(tmp_path):
    made = plan(tmp_path, tool_call("Glob", pattern="*"), loop={"max_steps_per_turn": 1})
    async with editor_on(made) as (editor, _):
        assert (await editor.say(await begun(editor, made), "hi")).stop_reason == "max_turn_requests"


@pytest.mark.usefixtures("skills")
async def test_a_flow_shows_its_way_as_tool_calls(tmp_path):
    made = plan(tmp_path, *CHOICES)
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        await until(lambda: editor.of("available_commands_update"))
        names = [command.name for command in editor.of("available_commands_update")[0].available_commands]
        assert "flow:release" in names
        assert "skill:release" in names
        assert (await editor.say(session, "/flow:release")).stop_reason == "end_turn"
        run, *nodes = editor.calls()
        assert (run["title"], run["status"]) == ("Flow release", "completed")
        assert [node["title"] for node in nodes] == [
            "Fix it (move 1)",
            "Green? (move 2)",
            "Fix it (move 3)",
            "Green? (move 4)",
        ]
        assert nodes[1]["content"][0]["content"]["text"] == "no → Fix it"
        assert {node["status"] for node in nodes} == {"completed"}


@pytest.mark.usefixtures("skills")
async def test_a_flow_that_is_refused_a_tool_stops_and_can_be_gone_on_with(tmp_path):
    made = plan(tmp_path, SHELL, "text: fixed", "text: <choice>yes</choice>")
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        turn = asyncio.create_task(editor.say(session, "/flow:release"))
        await editor.asked.get()
        await editor.agent.cancel(session_id=session)
        assert (await turn).stop_reason == "cancelled"
        assert (await editor.say(session, "/flow-resume")).stop_reason == "end_turn"
        assert editor.calls()[-3]["title"] == "Flow release, from Fix"


async def test_modes_and_models_are_set_by_mode_or_by_option(tmp_path):
    made = plan(tmp_path, SHELL, "text: done")
    models = made.config.models | {"t": made.config.models["s"]}
    made = plan(
        tmp_path, SHELL, "text: done", config=made.config.model_copy(update={"models": models, "default_model": "s"})
    )
    async with editor_on(made) as (editor, program):
        await editor.agent.initialize(protocol_version=1)
        opened = await editor.agent.new_session(cwd=str(made.work_dir), mcp_servers=[])
        assert opened.modes.current_mode_id == "default"
        assert [mode.id for mode in opened.modes.available_modes] == ["default", "accept-edits", "plan", "yolo"]
        await editor.agent.set_session_mode(session_id=opened.session_id, mode_id="yolo")
        assert program.made[0].approvals.yolo
        await editor.say(opened.session_id, "go")
        assert (made.work_dir / "made").exists()
        set_ = await editor.agent.set_config_option(config_id="mode", session_id=opened.session_id, value="default")
        assert not program.made[0].approvals.yolo
        assert {option.id: option.current_value for option in set_.config_options} == {"mode": "default", "model": "s"}
        set_ = await editor.agent.set_config_option(config_id="model", session_id=opened.session_id, value="t")
        assert set_.config_options[1].current_value == "t"
        for option, value in (("model", "u"), ("mode", "wild"), ("colour", "red")):
            with pytest.raises(RequestError, match=r"no (model|mode|option)"):
                await editor.agent.set_config_option(config_id=option, session_id=opened.session_id, value=value)


async def test_a_mode_that_changes_by_itself_is_told(tmp_path):
    made = plan(tmp_path)
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        await editor.say(session, "/yolo")
        assert editor.of("current_mode_update")[-1].current_mode_id == "yolo"
        assert editor.of("config_option_update")


async def test_a_session_is_listed_loaded_with_its_history_resumed_forked_and_closed(tmp_path):
    made = plan(tmp_path, "text: one", tool_call("Glob", pattern="*"), "text: two", "text: three", "text: four")
    async with editor_on(made) as (editor, _):
        first = await begun(editor, made)
        await editor.say(first, "hello you")
        await editor.say(first, "and again")
        await editor.agent.close_session(session_id=first)
        [listed] = (await editor.agent.list_sessions(cwd=str(made.work_dir))).sessions
        assert (listed.session_id, listed.title, listed.cwd) == (first, "hello you", str(made.work_dir))
        assert [info.session_id for info in (await editor.agent.list_sessions()).sessions] == [first]
        for request in (
            editor.say(first, "x"),
            editor.agent.set_session_mode(session_id=first, mode_id="plan"),
            editor.agent.load_session(cwd=str(made.work_dir), session_id="f" * 32 + "0", mcp_servers=[]),
        ):
            with pytest.raises(RequestError, match=r"is not open|not found") as refused:
                await request
            assert refused.value.code == -32002
        assert refused.value.data["sessionId"] == "f" * 32 + "0"

        editor.updates.clear()
        loaded = await editor.agent.load_session(cwd=str(made.work_dir), session_id=first, mcp_servers=[])
        assert loaded.modes.current_mode_id == "default"
        assert editor.text("user_message_chunk") == "hello youand again"
        assert editor.text() == "onetwo"
        assert editor.calls()[0]["status"] == "completed"
        await editor.agent.close_session(session_id=first)

        editor.updates.clear()
        await editor.agent.resume_session(cwd=str(made.work_dir), session_id=first, mcp_servers=[])
        forked = await editor.agent.fork_session(cwd=str(made.work_dir), session_id=first, mcp_servers=[])
        assert forked.session_id != first
        await until(lambda: len(editor.of("available_commands_update")) == 2)
        assert not editor.of("user_message_chunk")
        with pytest.raises(RequestError, match="not found"):
            await editor.agent.load_session(cwd=str(made.work_dir), session_id="nope", mcp_servers=[])


async def test_a_fork_remembers_and_goes_its_own_way(tmp_path):
    made = plan(tmp_path, "text: one")
    async with editor_on(made) as (editor, program):
        first = await begun(editor, made)
        await editor.say(first, "remember")
        fork = (await editor.agent.fork_session(cwd=str(made.work_dir), session_id=first, mcp_servers=[])).session_id
        await editor.say(fork, "more")
        assert [message.text for message in program.made[1].context.history] == ["remember", "one", "more", "one"]
        assert [message.text for message in program.made[0].context.history] == ["remember", "one"]


async def test_edits_are_accepted_in_the_mode_that_says_so(tmp_path):
    made = plan(tmp_path, tool_call("WriteFile", path="a.txt", content="x"), SHELL, "text: done")
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        await editor.agent.set_session_mode(session_id=session, mode_id="accept-edits")
        turn = asyncio.create_task(editor.say(session, "go"))
        call, _ = await editor.answer("reject")
        assert call.kind == "execute"
        await turn
        assert (made.work_dir / "a.txt").exists()


async def test_mcp_servers_of_the_client_are_started_and_used(tmp_path):
    made = plan(tmp_path, tool_call("mcp__here__echo", text="hello from there"), "text: done", yolo=True)
    async with editor_on(made) as (editor, program):
        hello = await editor.agent.initialize(protocol_version=1)
        assert hello.agent_capabilities.mcp_capabilities.http
        server = McpServerStdio(name="here", command=sys.executable, args=[str(SERVERS / "everyday.py")], env=[])
        session = (await editor.agent.new_session(cwd=str(made.work_dir), mcp_servers=[server])).session_id
        assert (await editor.say(session, "add")).stop_reason == "end_turn"
        assert "hello from there" in program.made[0].context.history[2].text
        wrong = McpServerStdio(name="wrong", command=" ", args=[], env=[])
        with pytest.raises(RequestError, match="the command is empty"):
            await editor.agent.new_session(cwd=str(made.work_dir), mcp_servers=[wrong])


@pytest.mark.usefixtures("skills")
async def test_a_skill_that_comes_to_be_is_announced(tmp_path):
    made = plan(tmp_path)
    async with editor_on(made) as (editor, program):
        await begun(editor, made)
        await until(lambda: editor.of("available_commands_update"))
        skill = made.work_dir / ".kimi-tui" / "skills" / "late" / "SKILL.md"
        skill.parent.mkdir()
        skill.write_text("---\nname: late\ndescription: Comes late.\n---\nHello.\n")
        program.made[0].skills.reload()

        def announced():
            last = editor.of("available_commands_update")[-1]
            return "skill:late" in [command.name for command in last.available_commands]

        await until(announced)


async def test_folders_that_are_none_are_refused(tmp_path):
    made = plan(tmp_path)
    async with editor_on(made) as (editor, _):
        await editor.agent.initialize(protocol_version=1)
        for folder in ("relative", str(tmp_path / "gone"), "/\0", "/" + "a" * 300, "/a" * 5_000):
            with pytest.raises(RequestError, match="not a folder"):
                await editor.agent.new_session(cwd=folder, mcp_servers=[])
        with pytest.raises(RequestError, match="not found in this folder"):
            await editor.agent.load_session(cwd=str(made.work_dir), session_id="a" * 300, mcp_servers=[])


async def test_an_id_that_is_under_way_is_refused(tmp_path):
    made = plan(tmp_path, SHELL, "text: done")
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        turn = asyncio.create_task(editor.say(session, "go"))
        await until(lambda: not editor.asked.empty())
        connection = editor.agent._conn
        params = {"sessionId": session, "prompt": [{"type": "text", "text": "again"}]}
        again = {"jsonrpc": "2.0", "id": connection._next_request_id - 1, "method": "session/prompt", "params": params}
        await connection._transport.send(again)
        with pytest.raises(RequestError, match="under way") as refused:
            await turn
        assert refused.value.code == -32600
        await editor.answer("approve")
        assert (await editor.agent.list_sessions()).sessions


async def test_leaving_in_the_middle_of_an_approval_ends_all_of_it(tmp_path):
    made = plan(tmp_path, SHELL)
    async with editor_on(made) as (editor, program):
        session = await begun(editor, made)
        turn = asyncio.create_task(editor.say(session, "go"))
        await editor.asked.get()
    turn.cancel()
    await asyncio.gather(turn, return_exceptions=True)
    assert not program.made[0].busy
    assert not (made.work_dir / "made").exists()


async def test_closing_a_session_in_the_middle_of_an_approval_asks_no_more(tmp_path):
    made = plan(tmp_path, SHELL)
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        turn = asyncio.create_task(editor.say(session, "go"))
        await editor.asked.get()
        await editor.agent.close_session(session_id=session)
        assert (await turn).stop_reason == "cancelled"
        assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("ask ")]
    assert not (made.work_dir / "made").exists()


async def test_a_prompt_with_half_a_surrogate_pair_is_taken_with_a_replacement(tmp_path):
    made = plan(tmp_path, "text: one", "text: two")
    async with editor_on(made) as (editor, program):
        session = await begun(editor, made)
        for text in ("a\ud800b", "again"):
            assert (await editor.say(session, text)).stop_reason == "end_turn"
        assert program.made[0].context.history[0].text == "a\ufffdb"


async def test_a_session_in_which_nothing_was_said_can_be_loaded_again(tmp_path):
    made = plan(tmp_path, "text: ok")
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        await editor.agent.close_session(session_id=session)
    async with editor_on(made) as (editor, _):
        await editor.agent.load_session(cwd=str(made.work_dir), session_id=session, mcp_servers=[])
        assert (await editor.say(session, "hi")).stop_reason == "end_turn"
        with pytest.raises(RequestError):
            await editor.agent.load_session(cwd=str(made.work_dir), session_id="nobody's", mcp_servers=[])


async def test_an_editor_is_told_once_what_was_said_while_its_session_was_opened(tmp_path):
    made = replace(plan(tmp_path, "text: ok"), warnings=("config.yaml:3: what is that?",))
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        await until(lambda: editor.text().count("what is that?") == 1)
        await editor.say(session, "hi")
        await editor.agent.close_session(session_id=session)
        editor.updates.clear()
        await editor.agent.load_session(cwd=str(made.work_dir), session_id=session, mcp_servers=[])
        await until(lambda: editor.of("available_commands_update"))
        assert editor.text().count("what is that?") == 2, "the replay has the one of then and the one of now"


async def test_an_error_tells_its_cause_in_its_data_and_never_null(tmp_path):
    made = plan(tmp_path, "error: 401 bad key", loop={"max_retries_per_step": 1})
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        with pytest.raises(RequestError, match="bad key") as refused:
            await editor.say(session, "hi")
        assert "bad key" in refused.value.data["details"]
        with pytest.raises(RequestError) as unknown:
            await editor.agent.ext_method("nonsense", {})
        assert unknown.value.data["details"]


async def test_an_answer_that_was_cut_ends_its_turn_with_that_reason(tmp_path):
    made = plan(tmp_path, "text: half an ans\ncut:", "text: whole")
    async with editor_on(made) as (editor, _):
        session = await begun(editor, made)
        assert (await editor.say(session, "hi")).stop_reason == "max_tokens"
        assert "The answer was cut off" in editor.text()
        assert (await editor.say(session, "go on")).stop_reason == "end_turn"


async def test_prompts_of_an_mcp_server_are_commands_once_it_is_there(tmp_path):
    made = plan(tmp_path, "text: ok")
    library = McpServerStdio(name="lib", command=sys.executable, args=[str(SERVERS / "library.py")], env=[])
    async with editor_on(made) as (editor, _):
        await editor.agent.initialize(protocol_version=1)
        session = (await editor.agent.new_session(cwd=str(made.work_dir), mcp_servers=[library])).session_id

        def names():
            told = editor.of("available_commands_update")
            return [command.name for command in told[-1].available_commands] if told else []

        await until(lambda: "mcp:lib:review" in names())
        assert (await editor.say(session, "/mcp:lib:review Emma")).stop_reason == "end_turn"
