"""Every message of the Wire, spoken by a real engine to a client that knows the protocol's text and nothing else."""

import asyncio
import json
from typing import get_args

import pytest

from kimi_tui.config.schema import HookConfig
from kimi_tui.mcp.config import load as load_mcp
from kimi_tui.wire.codec import FLOW_EVENTS as FLOW_MESSAGES
from kimi_tui.wire.codec import Request
from tests.mcp.harness import everyday, odd
from tests.soul.release_flow import CHOICES, skills  # noqa: F401 - a fixture
from tests.soul.scripted_engine import plan, tool_call
from tests.ui.wire_server.served_engine import served
from tests.ui.wire_server.shapes import EVENTS, FLOW_EVENTS, REQUESTS, why_not

WAYS = [{"label": "left", "description": ""}, {"label": "right"}]
REPLIES = (
    "think: hm\ntext: I look.\n" + tool_call("Shell", command="mkdir hi") + "\nusage: input_other=9 output=5",
    tool_call("AskUserQuestion", "q", questions=[{"question": "Which way?", "options": WAYS}]),
    tool_call("deploy", "d", where="here"),
    tool_call("WriteFile", "w", path="a.txt", content="one\n"),
    tool_call("SetTodoList", "t", todos=[{"title": "one"}]),
    tool_call("Task", "s", description="look", subagent_name="explore", prompt="look around"),
    tool_call("Glob", "g", pattern="*") + "\nusage: input_other=9 output=5",
    "text: " + "All of it was looked at and is fine. " * 8,
    'tool_call: {"id": "p", "name": "Glob", "arguments": ""}\n'
    + "".join(f"tool_call_part: {json.dumps({'arguments_part': part})}\n" for part in ('{"patt', 'ern": "*.x"}')),
    "text: half\nerror: 503 busy",
    "text: Done.",
    tool_call("EnterPlanMode", "e"),
    tool_call("ExitPlanMode", "x", plan="1. Do it."),
    "text: It is done.",
    "text: The sum of it.",
    "text: Not far.",
    *CHOICES,
    tool_call("Shell", command="mkdir again"),
)


async def answered(client, call):
    """A call's result, with every request on the way said yes to."""
    while not call.done():
        asked = asyncio.create_task(client.asked())
        await asyncio.wait({asked, call}, return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            asked.cancel()
            break
        rpc_id, name, payload = asked.result()
        match name:
            case "ApprovalRequest":
                result = {"request_id": payload["id"], "response": "approve"}
            case "QuestionRequest":
                first = payload["questions"][0]
                result = {"request_id": payload["id"], "answers": {first["question"]: first["options"][0]["label"]}}
            case "HookRequest":
                result = {"request_id": payload["id"], "action": "allow", "reason": ""}
            case "ToolCallRequest":
                value = {"is_error": False, "output": "it is out", "message": "", "display": []}
                result = {"tool_call_id": payload["id"], "return_value": value}
            case _:
                raise AssertionError(name)
        client.answer(rpc_id, result)
    return await call


def everything(tmp_path, *replies):
    made = plan(tmp_path, *replies)
    hook = HookConfig(event="PostToolUse", command="true", matcher="Glob")
    entries = json.dumps({"mcpServers": {"every": everyday(), "crash": odd("crash")}})
    return plan(
        tmp_path,
        *replies,
        config=made.config.model_copy(update={"hooks": (hook,)}),
        mcp=load_mcp(made.work_dir, texts=[entries]),
    )


@pytest.mark.usefixtures("skills")
@pytest.mark.parametrize("ours", [True, False])
async def test_every_message_has_the_shape_that_the_protocol_gives_it(tmp_path, ours):
    made = everything(tmp_path, *REPLIES)
    async with served(made) as (client, engine):
        await client.initialize(
            capabilities={"supports_question": True, "supports_plan_mode": True, "supports_flow": ours},
            external_tools=[{"name": "deploy", "description": "Deploys.", "parameters": {"type": "object"}}],
            hooks=[{"id": "h", "event": "PreToolUse", "matcher": "WriteFile"}],
        )
        await engine.mcp.ready()
        turn = client.begin("prompt", user_input="do it")
        assert await client.call("steer", user_input="and be brief") == {"status": "steered"}
        assert await answered(client, turn) == {"status": "finished"}
        assert await answered(client, client.begin("prompt", user_input="plan it")) == {"status": "finished"}
        assert (await client.call("set_plan_mode", enabled=False))["plan_mode"] is False
        for prompt in ("/compact", "/btw how far?", "/flow break Green", "/flow:release"):
            run = client.begin("prompt", user_input=prompt)
            if ours and prompt == "/flow:release":
                await paused(client)
                await client.call("prompt", user_input="/flow break Green")
                await client.call("prompt", user_input="/flow continue")
            assert await answered(client, run) == {"status": "finished"}
        await cut_short(client)
        live = list(client.said)
        client.said.clear()
        replayed = await client.call("replay")
        assert replayed["status"] == "finished"
        assert replayed["events"] + replayed["requests"] == len(client.said)
    wrong = [text for name, payload in [*live, *client.said] for text in why_not(name, payload, ours=ours)]
    assert wrong == []
    words = {name for name, _ in live}
    expected = (
        set(EVENTS) | set(REQUESTS) | (set(FLOW_EVENTS) - {"FlowSpending"} if ours else set())
    )  # no run here has a budget
    assert words == expected
    assert ("FlowControls" in client.types) is ours


async def paused(client):
    while "FlowPaused" not in client.types:
        await asyncio.sleep(0)


async def cut_short(client):
    """A turn that is cancelled while it asks."""
    turn = client.begin("prompt", user_input="once more")
    await client.asked()
    assert await client.call("cancel") == {}
    assert await turn == {"status": "cancelled"}


def test_the_protocols_text_knows_every_message_that_there_is():
    assert {kind.__name__ for kind in FLOW_MESSAGES} == set(FLOW_EVENTS)
    assert {kind.__name__ for kind in get_args(Request)} == set(REQUESTS)
