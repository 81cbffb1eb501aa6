"""The tools that need more than files, each called by the model in a turn of the real soul."""

import asyncio
import json
from base64 import b64decode
from dataclasses import replace

from kimi_tui.config.schema import ModelConfig, ServiceConfig, Services
from kimi_tui.wire.events import Notification
from kimi_tui.wire.parts import FunctionBody, ImageURLPart, ToolCall, ToolResult
from kimi_tui.wire.requests import ApprovalRequest, QuestionRequest
from tests.llm.provider_calls import RED_DOT
from tests.llm.servers import Server, status
from tests.soul.scripted_engine import engine_on, plan, tool_call
from tests.soul.test_soul import until

QUESTION = {"question": "Which database?", "header": "Store", "options": [{"label": "SQLite"}, {"label": "Postgres"}]}


def with_config(made, **fields):
    return replace(made, config=made.config.model_copy(update=fields))


def told(engine):
    """What the tools told the model, in order."""
    return [message.text for message in engine.context.history if message.role == "tool"]


async def test_the_web_is_searched_and_read_where_the_configuration_says_how(tmp_path):
    async with Server() as server:
        rows = {"results": [{"title": "Flows", "url": f"{server.url}/page", "content": "how they go"}]}
        server.add(status(200, rows), status(200, "All about flows."))
        services = Services(searxng=ServiceConfig(base_url=server.url), allow_private=True)
        replies = (
            tool_call("SearchWeb", "s", query="flows"),
            tool_call("FetchURL", "f", url=f"{server.url}/page"),
            "text: read",
        )
        async with engine_on(with_config(plan(tmp_path, *replies, yolo=True), services=services)) as (engine, received):
            assert (await engine.prompt("look it up")).message == "read"
            found, page = told(engine)
            assert received.of(ApprovalRequest) == []
    assert "how they go" in found
    assert "All about flows." in page
    assert [request.path.partition("?")[0] for request in server.requests] == ["/search", "/page"]


async def test_without_a_service_nothing_is_searched_and_an_address_of_this_machine_is_not_read(tmp_path):
    async with Server() as server:
        replies = (
            tool_call("SearchWeb", "s", query="flows") + "\n" + tool_call("FetchURL", "f", url=server.url),
            "text: no",
        )
        async with engine_on(plan(tmp_path, *replies, yolo=True)) as (engine, _):
            assert "SearchWeb" not in engine.soul.agent.toolset.names
            await engine.prompt("look it up")
            searched, read = told(engine)
    assert "There is no tool `SearchWeb`" in searched
    assert "private address" in read
    assert server.requests == []


async def test_a_thought_stays_in_the_conversation_of_an_agent_that_may_think_aloud(tmp_path):
    (tmp_path / "agent.yaml").write_text("extend: default\nname: thinker\ntools: ['kimi_cli.tools.think:Think']")
    made = plan(tmp_path, tool_call("Think", thought="first the tests"), "text: ok", agent_file=tmp_path / "agent.yaml")
    async with engine_on(made) as (engine, _):
        await engine.prompt("go")
        assert "Thought noted" in told(engine)[0]
        assert "first the tests" in (engine.context.history[1].tool_calls or ())[0].function.arguments


async def test_a_picture_reaches_a_model_that_can_see(tmp_path):
    seeing = ModelConfig(provider="script", model="scripted", capabilities=frozenset({"image_in"}))
    made = with_config(plan(tmp_path, tool_call("ReadMediaFile", path="dot.png"), "text: red"), models={"s": seeing})
    (made.work_dir / "dot.png").write_bytes(b64decode(RED_DOT.partition(",")[2]))
    async with engine_on(made) as (engine, _):
        assert (await engine.prompt("what is it?")).message == "red"
        result = next(message for message in engine.context.history if message.role == "tool")
        assert [part.image_url.url for part in result.content if isinstance(part, ImageURLPart)] == [RED_DOT]


async def test_a_question_waits_for_its_answer_and_is_dismissed_where_nobody_is(tmp_path):
    replies = (tool_call("AskUserQuestion", questions=[QUESTION]), "text: so be it")
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        turn = asyncio.create_task(engine.prompt("build it"))
        await until(lambda: engine.questions.pending)
        asked = received.of(QuestionRequest)[0]
        assert [option.label for option in asked.questions[0].options] == ["SQLite", "Postgres"]
        engine.questions.settle(asked.id, {"Which database?": "Postgres"})
        assert (await turn).message == "so be it"
        assert '"Which database?": "Postgres"' in told(engine)[0]
    async with engine_on(plan(tmp_path, *replies, interactive=False, auto_approve=True)) as (engine, received):
        assert (await engine.prompt("build it")).message == "so be it"
        assert received.of(QuestionRequest) == []


async def test_the_todo_list_is_set_asked_for_and_cleared_and_outlives_the_process(tmp_path):
    todos = [{"title": "fix", "status": "in_progress"}, {"title": "ship"}]
    replies = (tool_call("SetTodoList", "a", todos=todos), tool_call("SetTodoList", "b"), "text: two left")
    async with engine_on(plan(tmp_path, *replies)) as (engine, _):
        await engine.prompt("plan it")
        assert "- [in_progress] fix\n- [pending] ship" in told(engine)[1]
        session_id = engine.session_id
    replies = (tool_call("SetTodoList", "c"), tool_call("SetTodoList", "d", todos=[]), tool_call("SetTodoList", "e"))
    async with engine_on(plan(tmp_path, *replies, "text: none", session_id=session_id)) as (engine, _):
        await engine.prompt("and now?")
        asked, _, cleared = told(engine)[-3:]
        assert "[in_progress] fix" in asked
        assert "The todo list is empty." in cleared


async def test_a_command_in_the_background_is_listed_read_and_stopped_and_its_end_is_told_to_the_model(tmp_path):
    def shell(call_id, command):
        return tool_call("Shell", call_id, command=command, run_in_background=True, description=call_id)

    replies = (
        shell("quick", "echo one; echo two") + "\n" + shell("slow", "sleep 1000"),
        tool_call("TaskList", "l"),
        "text: they run",
        "text: I know",
    )
    async with engine_on(plan(tmp_path, *replies, yolo=True)) as (engine, received):
        await engine.prompt("run both")
        listed = told(engine)[2]
        quick, slow = engine.services.background.tasks
        assert slow.id in listed
        await quick.ended.wait()
        await until(lambda: received.of(Notification))
        assert (await engine.prompt("and?")).message == "I know"
        news = engine.context.history[-3].text
        assert "A background task has ended" in news
        assert "one\ntwo" in news
        read = await engine.soul.agent.toolset.handle(_call("TaskOutput", task_id=quick.id, block=True))
        assert "one\ntwo" in str(read.return_value.output)
        stopped = await engine.soul.agent.toolset.handle(_call("TaskStop", task_id=slow.id, reason="enough"))
        assert not stopped.return_value.is_error
        assert not slow.running


def _call(name, **arguments):
    return ToolCall(id=name, function=FunctionBody(name=name, arguments=json.dumps(arguments)))


async def test_equal_calls_of_one_step_share_a_result_and_the_model_is_told_when_they_repeat(tmp_path):
    both = tool_call("Shell", "a", command="echo x >> n") + "\n" + tool_call("Shell", "b", command="echo x >> n")
    again = [tool_call("Glob", f"g{n}", pattern="*.none") for n in range(3)]
    async with engine_on(plan(tmp_path, both, *again, "text: enough", yolo=True)) as (engine, received):
        await engine.prompt("go")
        assert (engine.work_dir / "n").read_text() == "x\n"
        assert len(received.of(ToolResult)) == 5
        assert "3 times in a row" in told(engine)[-1]


async def test_where_nobody_can_ever_be_asked_no_agent_is_offered_to_ask(tmp_path):
    replies = (tool_call("Task", description="d", subagent_name="plan", prompt="p"), "text: " + "x" * 300, "text: ok")
    async with engine_on(plan(tmp_path, *replies, interactive=False, auto_approve=True)) as (engine, _):
        agent = engine.soul.agent
        assert "AskUserQuestion" not in agent.toolset.names
        worker = agent.subagents.market.workers["plan"].make(engine.wire.send)
        assert "AskUserQuestion" not in worker.toolset.names
    async with engine_on(plan(tmp_path, *replies, auto_approve=True)) as (engine, _):
        assert "AskUserQuestion" in engine.soul.agent.toolset.names
