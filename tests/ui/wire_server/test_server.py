"""The Wire server, driven by a client that knows nothing but the protocol."""

import asyncio
import json
from dataclasses import replace

import pytest

from kimi_tui import __version__
from kimi_tui.config.schema import ProviderConfig
from kimi_tui.soul.notices import notice
from tests.soul.release_flow import CHOICES, skills  # noqa: F401 - a fixture
from tests.soul.scripted_engine import plan, seeing, tool_call
from tests.soul.test_soul import until
from tests.ui.wire_server.client import Refused
from tests.ui.wire_server.served_engine import served

SHELL = tool_call("Shell", command="echo hi > made")
DEPLOY = {"name": "deploy", "description": "Deploys.", "parameters": {"type": "object", "properties": {}}}


async def test_the_handshake_says_who_is_there_and_what_can_be_asked(tmp_path):
    async with served(plan(tmp_path)) as (client, _):
        hello = await client.initialize(hooks=[{"id": "h", "event": "Stop"}])
        assert hello["protocol_version"] == "1.10"
        assert hello["server"] == {"name": "kimi-tui", "version": __version__}
        assert {
            "name": "clear",
            "description": hello["slash_commands"][0]["description"],
            "aliases": ["reset"],
        } in hello["slash_commands"]
        assert hello["capabilities"]["supports_flow"] is True
        assert "Stop" in hello["hooks"]["supported_events"]
        assert hello["hooks"]["configured"] == {}
        assert "external_tools" not in hello


async def test_a_client_hears_what_was_said_before_it_came(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "file"))
    async with served(plan(tmp_path, "text: hi", warnings=("config.yaml:1: teme: no such key",))) as (client, _):
        await client.initialize()
        await client.call("prompt", user_input="go")
        titles = [payload["title"] for payload in client.payloads("Notification")]
        assert titles[0] == "config.yaml:1: teme: no such key"
        assert titles[1].startswith("this session is not kept: ")
        assert len(titles) == 2


async def test_a_prompt_is_answered_when_its_turn_has_ended_and_needs_no_handshake(tmp_path):
    async with served(plan(tmp_path, "think: hm\ntext: Hello there, friend.")) as (client, _):
        assert await client.call("prompt", user_input="hi") == {"status": "finished"}
        assert client.types[:2] == ["TurnBegin", "StepBegin"]
        assert client.types[-1] == "TurnEnd"
        assert client.payloads("TurnBegin") == [{"user_input": "hi"}]
        assert client.text() == "Hello there, friend."
        assert len(client.payloads("ContentPart")) > 2  # streamed as it comes


async def test_input_may_be_parts_and_a_slash_line_among_them_is_a_command(tmp_path):
    async with served(seeing(plan(tmp_path, "text: seen"))) as (client, engine):
        parts = [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        ]
        await client.call("prompt", user_input=parts)
        assert client.payloads("TurnBegin")[0]["user_input"] == parts
        await client.call("prompt", user_input=[{"type": "text", "text": "/clear"}])
        assert not engine.context.history


async def test_a_turn_waits_for_a_client_that_is_far_behind_and_the_client_gets_all_of_it(tmp_path):
    flood = ("word" + " " * 4000) * 3000
    async with served(plan(tmp_path, f"text: {json.dumps(flood)}")) as (client, engine):
        sent = []
        engine.wire.listen(sent.append)
        client.stop_reading()
        turn = client.begin("prompt", user_input="go")
        await until(lambda: len(sent) > 900)
        for _ in range(10_000):
            await asyncio.sleep(0)
        assert len(sent) < 2500  # some MB are on their way
        client.read_on()
        assert await turn == {"status": "finished"}
        assert client.text() == flood


@pytest.mark.parametrize(
    ("answer", "made", "status"),
    [
        ({"response": "approve"}, True, "finished"),
        ({"response": "reject"}, False, "finished"),
        ({"response": "perhaps"}, False, "finished"),
        ("garbage", False, "finished"),
    ],
)
async def test_an_approval_goes_to_the_client_and_back_and_garbage_is_a_no(tmp_path, answer, made, status):
    async with served(plan(tmp_path, SHELL, "text: done")) as (client, engine):
        await client.initialize()
        turn = client.begin("prompt", user_input="go")
        rpc_id, name, payload = await client.asked()
        assert (name, payload["action"], payload["tool_call_id"]) == ("ApprovalRequest", "run command", "c1")
        assert "scope" not in payload
        client.answer(rpc_id, {"request_id": payload["id"], **answer} if isinstance(answer, dict) else answer)
        assert await turn == {"status": status}
        assert (engine.work_dir / "made").exists() is made
        assert client.payloads("ApprovalResponse")[0]["request_id"] == payload["id"]


async def test_feedback_lets_the_turn_go_on_and_a_scope_covers_what_comes_after(tmp_path):
    echoes = [tool_call("Shell", f"c{n}", command=f"mkdir m{n}") for n in (2, 3)]
    replies = (SHELL, *echoes, "text: done")
    async with served(plan(tmp_path, *replies)) as (client, engine):
        await client.initialize(capabilities={"supports_flow": True})
        turn = client.begin("prompt", user_input="go")
        rpc_id, _, payload = await client.asked()
        client.answer(rpc_id, {"request_id": payload["id"], "response": "reject", "feedback": "use echo"})
        rpc_id, _, payload = await client.asked()
        assert "mkdir" in payload["scope"]
        client.answer(rpc_id, {"request_id": payload["id"], "response": "approve_for_session"})
        assert await turn == {"status": "finished"}
        assert client.types.count("StepBegin") == 4
        assert "use echo" in engine.context.history[2].text


async def test_what_waits_is_sent_again_after_a_handshake(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: done")) as (client, _):
        turn = client.begin("prompt", user_input="go")
        first = await client.asked()
        await client.initialize()
        again = await client.asked()
        assert again[2]["id"] == first[2]["id"]
        client.answer(again[0], {"request_id": again[2]["id"], "response": "approve"})
        client.answer(first[0], {"request_id": first[2]["id"], "response": "reject"})  # too late: nobody waits
        assert (await turn)["status"] == "finished"


async def test_a_tool_of_the_client_is_called_as_any_other(tmp_path):
    call = tool_call("deploy", "d1", where="test")
    async with served(plan(tmp_path, call, "text: deployed")) as (client, engine):
        offered = [DEPLOY, DEPLOY | {"name": "Shell"}, DEPLOY | {"name": "no name"}]
        hello = await client.initialize(external_tools=offered)
        assert hello["external_tools"]["accepted"] == ["deploy"]
        assert [tool["name"] for tool in hello["external_tools"]["rejected"]] == ["Shell", "no name"]
        assert hello["external_tools"]["rejected"][0]["reason"]
        turn = client.begin("prompt", user_input="deploy it")
        rpc_id, name, payload = await client.asked()
        assert (name, payload["name"], json.loads(payload["arguments"])) == (
            "ToolCallRequest",
            "deploy",
            {"where": "test"},
        )
        value = {"is_error": False, "output": "it is out", "message": "", "display": []}
        client.answer(rpc_id, {"tool_call_id": payload["id"], "return_value": value})
        assert await turn == {"status": "finished"}
        assert "it is out" in engine.context.history[2].text
        assert (await client.initialize(external_tools=[]))["external_tools"] == {"accepted": [], "rejected": []}
        assert engine.soul.agent.toolset.get("deploy") is None


async def test_a_client_that_cannot_run_its_tool_says_so_to_the_model(tmp_path):
    async with served(plan(tmp_path, tool_call("deploy"), tool_call("deploy", "c2", n=1), "text: ok")) as (
        client,
        engine,
    ):
        await client.initialize(external_tools=[DEPLOY])
        turn = client.begin("prompt", user_input="deploy it")
        rpc_id, _, _ = await client.asked()
        client.send({"jsonrpc": "2.0", "id": rpc_id, "error": {"code": 1, "message": "no network"}})
        rpc_id, _, _ = await client.asked()
        client.answer(rpc_id, {"nonsense": True})
        await turn
        assert "no network" in engine.context.history[2].text
        assert "not a tool result" in engine.context.history[4].text


ASK = tool_call(
    "AskUserQuestion",
    questions=[{"question": "Which way?", "header": "Way", "options": [{"label": "left"}, {"label": "right"}]}],
)


@pytest.mark.parametrize(("answer", "told"), [({"answers": {"Which way?": "left"}}, "left"), ("garbage", "not answer")])
async def test_a_question_goes_to_a_client_that_can_answer_it(tmp_path, answer, told):
    async with served(plan(tmp_path, ASK, "text: ok")) as (client, engine):
        hello = await client.initialize(capabilities={"supports_question": True})
        assert hello["capabilities"]["supports_question"] is True
        turn = client.begin("prompt", user_input="go")
        rpc_id, name, payload = await client.asked()
        assert (name, payload["questions"][0]["question"]) == ("QuestionRequest", "Which way?")
        await client.initialize(capabilities={"supports_question": True})
        assert (await client.asked())[2] == payload
        client.answer(rpc_id, {"request_id": payload["id"], **answer} if isinstance(answer, dict) else answer)
        await turn
        assert told in engine.context.history[2].text


async def test_a_client_without_questions_has_a_model_that_cannot_ask(tmp_path):
    async with served(plan(tmp_path, ASK, "text: ok")) as (client, engine):
        await client.initialize()
        assert engine.soul.agent.toolset.get("AskUserQuestion") is None
        assert await client.call("prompt", user_input="go") == {"status": "finished"}
        assert "QuestionRequest" not in client.types


@pytest.mark.timeout(20)
async def test_the_end_of_a_session_does_not_wait_for_a_hook_of_a_client_that_has_gone(tmp_path):
    async with served(plan(tmp_path, "text: hi")) as (client, engine):
        await client.initialize(hooks=[{"id": "h", "event": "SessionEnd", "timeout": 10_000}])
        await client.call("prompt", user_input="go")
    assert engine.hooks.clients == ()


async def test_a_hook_of_the_client_is_asked_and_may_block(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: ok", yolo=True)) as (client, engine):
        with pytest.raises(Refused, match="unknown event 'Lunch'"):
            await client.initialize(hooks=[{"id": "l", "event": "Lunch"}])
        await client.initialize(hooks=[{"id": "h", "event": "PreToolUse", "matcher": "Shell"}])
        turn = client.begin("prompt", user_input="go")
        rpc_id, name, payload = await client.asked()
        assert (name, payload["subscription_id"], payload["target"]) == ("HookRequest", "h", "Shell")
        client.answer(rpc_id, {"request_id": payload["id"], "action": "block", "reason": "not today"})
        assert await turn == {"status": "finished"}
        assert "not today" in engine.context.history[2].text
        assert client.payloads("HookResolved")[0]["action"] == "block"
        assert not (engine.work_dir / "made").exists()


async def test_plan_mode_is_set_and_told(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: ok", yolo=True)) as (client, engine):
        assert await client.call("set_plan_mode", enabled=True) == {"status": "ok", "plan_mode": True}
        assert client.payloads("StatusUpdate") == [{"plan_mode": True}]
        await client.call("prompt", user_input="go")
        assert not (engine.work_dir / "made").exists()
        assert (await client.call("set_plan_mode", enabled=False))["plan_mode"] is False


async def test_plan_mode_is_set_by_true_and_false_alone(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: ok")) as (client, engine):
        await client.call("set_plan_mode", enabled=True)
        for value in ("no", "off", 0, None):
            with pytest.raises(Refused) as refused:
                await client.call("set_plan_mode", enabled=value)
            assert refused.value.code == -32602
        assert engine.services.plan_mode.on


@pytest.mark.usefixtures("skills")
async def test_a_flow_is_an_outer_turn_with_a_turn_a_node(tmp_path):
    async with served(plan(tmp_path, *CHOICES)) as (client, _):
        assert await client.call("prompt", user_input="/flow:release") == {"status": "finished"}
        turns = [name for name in client.types if name in ("TurnBegin", "TurnEnd")]
        assert turns == ["TurnBegin", *["TurnBegin", "TurnEnd"] * 4, "TurnEnd"]
        assert client.payloads("TurnBegin")[0] == {"user_input": "/flow:release"}
        assert [step["n"] for step in client.payloads("StepBegin")] == [1, 1, 1, 1]
        assert not [name for name in client.types if name.startswith("Flow")]


@pytest.mark.parametrize("capabilities", [{}, {"supports_flow": True}])
async def test_a_client_that_knows_our_words_is_told_what_ended_a_step(tmp_path, capabilities):
    async with served(plan(tmp_path, "error: 401 no")) as (client, _):
        await client.initialize(capabilities=capabilities)
        with pytest.raises(Refused):
            await client.call("prompt", user_input="hello")
        [told] = client.payloads("StepInterrupted")
        assert told == ({"error_type": "ProviderAuthError", "status_code": 401} if capabilities else {})


async def test_a_client_that_knows_our_words_is_told_whose_work_a_step_was(tmp_path):
    for capabilities, expected in (({}, [None]), ({"supports_flow": True}, ["s"])):
        made = plan(tmp_path, "text: hi\nusage: input_other=5 output=2")
        async with served(made) as (client, _):
            await client.initialize(capabilities=capabilities)
            await client.call("prompt", user_input="hello")
            told = [payload for payload in client.payloads("StatusUpdate") if "token_usage" in payload]
            assert [payload.get("model") for payload in told] == expected


@pytest.mark.usefixtures("skills")
async def test_a_client_that_knows_flows_sees_and_steers_them(tmp_path):
    async with served(plan(tmp_path, *CHOICES)) as (client, _):
        await client.initialize(capabilities={"supports_flow": True})
        await client.call("prompt", user_input="/flow:release")
        assert client.types[1] == "FlowBegin"
        assert client.types[-2:] == ["FlowEnd", "TurnEnd"]
        assert [(event["node_id"], event["choice"]) for event in client.payloads("FlowDecision")] == [
            ("Green", "no"),
            ("Green", "yes"),
        ]


@pytest.mark.usefixtures("skills")
async def test_a_paused_flow_is_steered_by_prompts_while_its_own_goes_on(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: fixed", "text: <choice>yes</choice>")) as (client, _):
        await client.initialize(capabilities={"supports_flow": True})
        run = client.begin("prompt", user_input="/flow:release")
        rpc_id, _, payload = await client.asked()
        with pytest.raises(Refused, match="already running"):
            await client.call("prompt", user_input="hello?")
        client.answer(rpc_id, {"request_id": payload["id"], "response": "reject"})
        await until(lambda: "FlowPaused" in client.types)
        assert client.types.count("TurnEnd") == 1
        assert await client.call("prompt", user_input="/flow again") == {"status": "finished"}
        assert await run == {"status": "finished"}


@pytest.mark.usefixtures("skills")
async def test_a_client_that_knows_no_flows_reads_where_one_stopped(tmp_path):
    async with served(plan(tmp_path, SHELL)) as (client, _):
        run = client.begin("prompt", user_input="/flow:release")
        rpc_id, _, payload = await client.asked()
        client.answer(rpc_id, {"request_id": payload["id"], "response": "reject"})
        assert await run == {"status": "finished"}
        said = "".join(part["text"] for part in client.payloads("ContentPart") if part["type"] == "text")
        assert "The flow stopped: a tool was rejected at" in said
        assert client.types[-1] == "TurnEnd"


@pytest.mark.usefixtures("skills")
async def test_an_order_that_makes_no_sense_is_a_fault_of_its_words(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: fixed", "text: <choice>yes</choice>")) as (client, _):
        await client.initialize(capabilities={"supports_flow": True})
        run = client.begin("prompt", user_input="/flow:release")
        rpc_id, _, payload = await client.asked()
        client.answer(rpc_id, {"request_id": payload["id"], "response": "reject"})
        await until(lambda: "FlowPaused" in client.types)
        with pytest.raises(Refused) as refused:
            await client.call("prompt", user_input="/flow choose nope")
        assert refused.value.code == -32602
        await client.call("prompt", user_input="/flow stop")
        await run


async def test_steering_goes_into_the_running_turn_and_is_refused_without_one(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: heard")) as (client, engine):
        with pytest.raises(Refused, match="no turn") as refused:
            await client.call("steer", user_input="x")
        assert refused.value.code == -32000
        turn = client.begin("prompt", user_input="go")
        rpc_id, _, payload = await client.asked()
        assert await client.call("steer", user_input="and be brief") == {"status": "steered"}
        client.answer(rpc_id, {"request_id": payload["id"], "response": "approve"})
        await turn
        assert client.payloads("SteerInput") == [{"user_input": "and be brief"}]
        assert any(message.text == "and be brief" for message in engine.context.history)


async def test_cancel_ends_the_turn_and_the_prompt_says_so(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: next")) as (client, _):
        with pytest.raises(Refused) as refused:
            await client.call("cancel")
        assert refused.value.code == -32000
        turn = client.begin("prompt", user_input="go")
        await client.asked()
        assert await client.call("cancel") == {}
        assert await turn == {"status": "cancelled"}
        assert [kind for kind in client.types if kind != "Notification"][-1] == "StepInterrupted"
        assert client.payloads("ApprovalResponse")[0]["response"] == "reject"
        assert await client.call("prompt", user_input="again") == {"status": "finished"}


async def test_cancel_right_after_the_prompt_is_heard_too(tmp_path):
    async with served(plan(tmp_path, "text: no")) as (client, engine):
        turn = client.begin("prompt", user_input="go")
        cancelled = client.begin("cancel")
        assert await cancelled == {}
        assert await turn == {"status": "cancelled"}
        assert not engine.busy


@pytest.mark.usefixtures("skills")
async def test_a_cancelled_flow_can_be_gone_on_with(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: fixed", "text: <choice>yes</choice>")) as (client, engine):
        run = client.begin("prompt", user_input="/flow:release")
        await client.asked()
        await client.call("cancel")
        assert await run == {"status": "cancelled"}
        assert [run.node_id for run in engine.flows.open_runs()] == ["Fix"]
        assert await client.call("prompt", user_input="/flow-resume") == {"status": "finished"}


async def test_replay_sends_again_what_was_recorded_in_order(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: one two three")) as (client, _):
        await client.initialize(capabilities={"supports_flow": True})
        turn = client.begin("prompt", user_input="go")
        rpc_id, _, payload = await client.asked()
        with pytest.raises(Refused, match="already running"):
            await client.call("replay")
        client.answer(rpc_id, {"request_id": payload["id"], "response": "approve"})
        await turn
        client.said.clear()
        assert await client.call("replay") == {"status": "finished", "events": len(client.said) - 1, "requests": 1}
        assert client.types[0] == "TurnBegin"
        assert client.types.count("ContentPart") == 1  # as recorded: merged
        assert client.types[-1] == "TurnEnd"


@pytest.mark.parametrize(
    "line",
    [
        "/export nowhere/at/all.md",
        "/export file.txt/in-it.md",
        "/import no-such-session",
        "/import latin.txt",
        "/rewind 99",
    ],
)
async def test_a_users_own_mistake_with_a_command_is_not_an_internal_error(tmp_path, line):
    made = plan(tmp_path)
    (made.work_dir / "file.txt").write_text("a file")
    (made.work_dir / "latin.txt").write_bytes(b"caf\xe9")
    async with served(made) as (client, _):
        with pytest.raises(Refused) as refused:
            await client.call("prompt", user_input=line)
        assert refused.value.code == -32602


@pytest.mark.parametrize(("reply", "code"), [("error: 401 bad key", -32003), ("error: connection gone", -32003)])
async def test_a_failing_service_is_an_error_with_its_cause(tmp_path, reply, code):
    async with served(plan(tmp_path, reply, loop={"max_retries_per_step": 1})) as (client, _):
        with pytest.raises(Refused, match=reply.split()[-1]) as refused:
            await client.call("prompt", user_input="hi")
        assert refused.value.code == code


async def test_no_model_is_an_error_of_its_own(tmp_path):
    made = plan(tmp_path)
    bare = made.config.model_copy(update={"models": {}, "providers": {}})
    async with served(plan(tmp_path, config=bare)) as (client, _):
        await client.initialize()
        with pytest.raises(Refused, match="no model is set") as refused:
            await client.call("prompt", user_input="hi")
        assert refused.value.code == -32001


async def test_too_many_steps_are_told_with_their_number(tmp_path):
    replies = [tool_call("Glob", f"c{n}", pattern=f"{n}") for n in range(3)]
    async with served(plan(tmp_path, *replies, loop={"max_steps_per_turn": 2})) as (client, _):
        assert await client.call("prompt", user_input="hi") == {"status": "max_steps_reached", "steps": 2}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"nonsense", -32700),
        (b'{"half": ', -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b'"text"', -32600),
        (b'{"jsonrpc": "2.0", "id": 7}', -32600),
        (b'{"jsonrpc": "1.0", "id": 7, "method": "cancel"}', -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "cancel"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "fly"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "prompt", "params": [1]}', -32602),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "prompt"}', -32602),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "prompt", "params": {"user_input": [{"type": "smell"}]}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "prompt", "params": {"user_input": "/fly"}}', -32602),
    ],
)
async def test_what_is_no_call_is_answered_with_the_right_error(tmp_path, line, code):
    async with served(plan(tmp_path, "text: still here")) as (client, _):
        client.send_bytes(line + b"\n\n  \n")
        fault = await client.faults.get()
        assert fault["code"] == code
        assert fault["message"]
        assert fault["id"] in (None, 7)
        assert await client.call("prompt", user_input="hi") == {"status": "finished"}


async def test_an_id_in_use_is_refused_and_a_call_without_one_is_not_answered(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: next")) as (client, _):
        turn = client.begin("prompt", "same", user_input="go")
        rpc_id, _, payload = await client.asked()
        client.send({"jsonrpc": "2.0", "id": "same", "method": "prompt", "params": {"user_input": "x"}})
        with pytest.raises(Refused, match="already running") as refused:
            await turn
        assert refused.value.code == -32600
        client.answer(rpc_id, {"request_id": payload["id"], "response": "approve"})
        assert (await client.strays.get())["result"] == {"status": "finished"}
        client.send({"jsonrpc": "2.0", "method": "cancel"})
        client.send({"jsonrpc": "2.0", "id": "unasked", "result": {}})
        await client.initialize()


@pytest.mark.usefixtures("skills")
@pytest.mark.parametrize("prompt", ["go", "/flow:release"])
async def test_closing_in_the_middle_leaves_a_session_that_loads(tmp_path, prompt):
    async with served(plan(tmp_path, SHELL, session_id="s1")) as (client, engine):
        turn = client.begin("prompt", user_input=prompt)
        await client.asked()
        client.close()
        assert await turn == {"status": "cancelled"}
    assert not engine.busy
    async with served(plan(tmp_path, "text: back again", session_id="s1")) as (client, _):
        await client.initialize(capabilities={"supports_flow": True})
        replayed = await client.call("replay")
        assert (replayed["status"], replayed["requests"]) == ("finished", 1)
        assert client.types[-1] != "TurnEnd"
        assert await client.call("prompt", user_input="go on") == {"status": "finished"}
        assert client.text().endswith("back again")


async def test_a_prompt_with_half_a_surrogate_pair_is_taken_with_a_replacement(tmp_path):
    async with served(plan(tmp_path, "text: one", "text: two")) as (client, engine):
        assert await client.call("prompt", user_input="a\ud800b") == {"status": "finished"}
        assert await client.call("prompt", user_input=[{"type": "text", "text": "\udc00"}]) == {"status": "finished"}
        assert client.payloads("TurnBegin") == [
            {"user_input": "a\ufffdb"},
            {"user_input": [{"type": "text", "text": "\ufffd"}]},
        ]
        assert engine.context.history[0].text == "a\ufffdb"


async def test_a_replay_for_a_client_of_the_peer_has_neither_approvals_nor_notices(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: done")) as (client, engine):
        turn = client.begin("prompt", user_input="go")
        rpc_id, _, payload = await client.asked()
        client.answer(rpc_id, {"request_id": payload["id"], "response": "approve"})
        await turn
        engine.notify("news")
        await until(lambda: "news" in str(client.payloads("Notification")))
        client.said.clear()
        replayed = await client.call("replay")
        assert replayed == {"status": "finished", "events": len(client.said), "requests": 0}
        assert not {"ApprovalRequest", "ApprovalResponse", "Notification"} & set(client.types)


async def test_a_notice_of_the_sandbox_waits_until_the_turn_is_answered(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: done", "text: again")) as (client, engine):
        turn = client.begin("prompt", user_input="go")
        rpc_id, _, payload = await client.asked()
        engine.wire.send(notice("Commands run without a sandbox", "none here", kind="sandbox"))
        client.answer(rpc_id, {"request_id": payload["id"], "response": "approve"})
        await turn
        during = client.types[: client.types.index("TurnEnd")]
        assert "Notification" not in during
        await client.call("prompt", user_input="again")
        assert "none here" in [payload["body"] for payload in client.payloads("Notification")]


@pytest.mark.parametrize("nothing", ["", " \n", [], [{"type": "text", "text": " "}]])
async def test_input_with_nothing_in_it_starts_no_turn(tmp_path, nothing):
    async with served(plan(tmp_path)) as (client, engine):
        for method in ("prompt", "steer"):
            with pytest.raises(Refused, match="it is empty") as refused:
                await client.call(method, user_input=nothing)
            assert refused.value.code == -32602
        assert not engine.context.history


async def test_an_approval_that_names_another_request_is_a_no(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: done")) as (client, _):
        turn = client.begin("prompt", user_input="go")
        rpc_id, _, _ = await client.asked()
        client.answer(rpc_id, {"request_id": "another", "response": "approve"})
        await turn
        assert client.payloads("ApprovalResponse")[0]["response"] == "reject"
        assert not (tmp_path / "work" / "made").exists()


async def test_a_result_of_the_client_that_names_another_call_is_not_taken(tmp_path):
    async with served(plan(tmp_path, tool_call("deploy", "d1", where="test"), "text: ok")) as (client, engine):
        await client.initialize(external_tools=[DEPLOY])
        turn = client.begin("prompt", user_input="deploy it")
        rpc_id, _, _ = await client.asked()
        value = {"is_error": False, "output": "it is out", "message": "", "display": []}
        client.answer(rpc_id, {"tool_call_id": "another", "return_value": value})
        assert await turn == {"status": "finished"}
        assert "it is out" not in engine.context.history[2].text
        assert "its answer is for another call" in engine.context.history[2].text


async def test_a_hooks_answer_that_names_another_request_blocks(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: ok", yolo=True)) as (client, engine):
        await client.initialize(hooks=[{"id": "h", "event": "PreToolUse", "matcher": "Shell"}])
        turn = client.begin("prompt", user_input="go")
        rpc_id, _, _ = await client.asked()
        client.answer(rpc_id, {"request_id": "another", "action": "allow"})
        await turn
        assert client.payloads("HookResolved")[0]["action"] == "block"
        assert not (engine.work_dir / "made").exists()


@pytest.mark.parametrize(
    ("answer", "action"), [({"action": "deny"}, "block"), ("no", "block"), (None, "block"), ({}, "allow")]
)
async def test_a_hooks_answer_that_is_none_blocks(tmp_path, answer, action):
    async with served(plan(tmp_path, SHELL, "text: ok", yolo=True)) as (client, engine):
        await client.initialize(hooks=[{"id": "h", "event": "PreToolUse", "matcher": "Shell"}])
        turn = client.begin("prompt", user_input="go")
        rpc_id, _, _ = await client.asked()
        client.answer(rpc_id, answer)
        await turn
        assert client.payloads("HookResolved")[0]["action"] == action
        assert (engine.work_dir / "made").exists() is (action == "allow")


async def test_an_approval_that_is_an_error_too_is_a_no(tmp_path):
    async with served(plan(tmp_path, SHELL, "text: done")) as (client, engine):
        await client.initialize()
        turn = client.begin("prompt", user_input="go")
        rpc_id, _, _ = await client.asked()
        both = {"result": {"response": "approve"}, "error": {"code": 1, "message": "the dialog failed"}}
        client.send({"jsonrpc": "2.0", "id": rpc_id, **both})
        await turn
        assert not (engine.work_dir / "made").exists()


async def test_a_picture_is_refused_where_the_model_takes_none(tmp_path):
    async with served(plan(tmp_path, "text: seen")) as (client, engine):
        picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
        with pytest.raises(Refused, match="image_in") as refused:
            await client.call("prompt", user_input=[{"type": "text", "text": "look"}, picture])
        assert refused.value.code == -32002
        assert not engine.context.history
        assert await client.call("prompt", user_input="look") == {"status": "finished"}


async def test_a_service_without_its_key_is_no_model_and_nothing_is_sent(tmp_path):
    made = plan(tmp_path)
    bare = ProviderConfig(type="kimi")
    config = made.config.model_copy(update={"providers": {"script": bare}})
    async with served(replace(made, config=config)) as (client, _):
        with pytest.raises(Refused, match="lacks the model name or the API key") as refused:
            await client.call("prompt", user_input="hi")
        assert refused.value.code == -32001


async def test_clear_says_so_before_it_tells_the_status(tmp_path):
    async with served(plan(tmp_path, "text: one")) as (client, _):
        await client.call("prompt", user_input="hi")
        client.said.clear()
        await client.call("prompt", user_input="/clear")
        assert client.types == ["TurnBegin", "ContentPart", "StatusUpdate", "TurnEnd"]


async def test_the_paths_of_changes_are_absolute(tmp_path):
    write = tool_call("WriteFile", path="a.txt", content="new")
    async with served(plan(tmp_path, write, "text: done")) as (client, _):
        turn = client.begin("prompt", user_input="go")
        rpc_id, _, payload = await client.asked()
        client.answer(rpc_id, {"request_id": payload["id"], "response": "approve"})
        await turn
        shown = [*payload["display"], *client.payloads("ToolResult")[0]["return_value"]["display"]]
        paths = [block["path"] for block in shown if block["type"] == "diff"]
        assert set(paths) == {str((tmp_path / "work" / "a.txt").resolve())}
