import asyncio
import json
import os
import sys
import tempfile

import pytest

from kimi_tui.config.schema import HookConfig
from kimi_tui.errors import ProviderError
from kimi_tui.session.session_index import is_open
from kimi_tui.session.state import read_state
from kimi_tui.soul.assemble import build_engine
from kimi_tui.soul.hooks.dispatcher import EVENTS, Subscription
from kimi_tui.wire.events import HookResolved, HookTriggered, Notification
from kimi_tui.wire.parts import ToolResult
from kimi_tui.wire.requests import HookRequest
from tests.soul.scripted_engine import engine_on, plan, tool_call
from tests.soul.test_soul import until

WRITE = (tool_call("WriteFile", "w", path="a.txt", content="one\n"), "text: done")


def hooked(tmp_path, *replies, hooks=(), **fields):
    made = plan(tmp_path, *replies, yolo=True, **fields)
    config = made.config.model_copy(update={"hooks": tuple(HookConfig(**hook) for hook in hooks)})
    return type(made)(**{name: getattr(made, name) for name in made.__slots__} | {"config": config})


def resolved(received, event):
    return [message for message in received.of(HookResolved) if message.event == event]


async def test_exit_status_2_blocks_a_tool_call_with_what_the_hook_wrote_to_stderr(tmp_path):
    hook = {"event": "PreToolUse", "matcher": "Write.*", "command": "cat > seen.json; echo not today >&2; exit 2"}
    async with engine_on(hooked(tmp_path, *WRITE, hooks=[hook])) as (engine, received):
        await engine.prompt("go")
        assert not (engine.work_dir / "a.txt").exists()
        told = received.of(ToolResult)[0].return_value
        assert told.is_error
        assert "not today" in told.message
        asked = json.loads((engine.work_dir / "seen.json").read_text())
        assert asked["hook_event_name"] == "PreToolUse"
        assert asked["tool_name"] == "WriteFile"
        assert asked["tool_input"] == {"path": "a.txt", "content": "one\n"}
        assert asked["session_id"] == engine.session_id
        assert asked["cwd"] == str(engine.work_dir)
    assert [(m.target, m.hook_count) for m in received.of(HookTriggered)] == [("WriteFile", 1)]
    assert [(m.action, m.reason) for m in resolved(received, "PreToolUse")] == [("block", "not today")]


async def test_the_files_of_a_hook_are_in_a_folder_that_a_later_session_deletes(tmp_path, monkeypatch):
    (temporary := tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    hook = {"event": "UserPromptSubmit", "command": f"ls {temporary} > seen; kill -9 $PPID"}
    async with engine_on(hooked(tmp_path, "text: done", hooks=[hook])) as (engine, _):
        await engine.prompt("go")
        [seen] = (engine.work_dir / "seen").read_text().split()
    assert seen.startswith("kimi-tui-session-"), "what `remove_left_folders` deletes"
    assert not list(temporary.iterdir())


async def test_a_permission_decision_of_deny_in_json_blocks_too(tmp_path):
    answer = {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "a rule"}}
    hook = {"event": "PreToolUse", "command": f"echo '{json.dumps(answer)}'"}
    async with engine_on(hooked(tmp_path, *WRITE, hooks=[hook])) as (engine, received):
        await engine.prompt("go")
        assert not (engine.work_dir / "a.txt").exists()
    assert resolved(received, "PreToolUse")[0].reason == "a rule"


LONG = (tool_call("WriteFile", "w", path="a.txt", content="x" * 1_200_000), "text: done")
DENY = '{"permissionDecision": "deny"'


@pytest.mark.parametrize(
    "command",
    [
        'given=$(cat); echo "not this: $given" >&2; exit 2',
        "sleep 1000 & echo no >&2; exit 2",
        f"echo '{DENY}}}'; sleep 1000 &",
        f"echo '{DENY}, \"given\": '; cat; echo '}}'",
        f"echo '{{\"given\": '; cat; echo ', {DENY[1:]}}}'",
        f"echo '{DENY}}}'; echo a line of a log",
        f"printf '\\357\\273\\277'; echo '{DENY}}}'",
        f"echo '{DENY}, \"given\":'; printf '%05000d' 0 | tr 0 '['; printf '%05000d' 0 | tr 0 ']'; echo '}}'",
    ],
    ids=["long reason", "child", "child of json", "long", "late", "log line", "mark", "deep"],
)
async def test_a_denial_stands_whatever_else_a_hook_writes_or_leaves_behind(tmp_path, command):
    hook = {"event": "PreToolUse", "command": command, "timeout": 15}
    async with engine_on(hooked(tmp_path, *LONG, hooks=[hook])) as (engine, received):
        await engine.prompt("go")
        assert not (engine.work_dir / "a.txt").exists()
    assert resolved(received, "PreToolUse")[0].action == "block"


async def test_the_reason_of_a_hook_is_known_though_a_process_still_holds_its_errors(tmp_path):
    hook = {"event": "PreToolUse", "command": "sleep 1000 & echo because >&2; exit 2"}
    async with engine_on(hooked(tmp_path, *WRITE, hooks=[hook])) as (engine, received):
        await engine.prompt("go")
    assert resolved(received, "PreToolUse")[0].reason == "because"


@pytest.mark.parametrize("command", ["exit 1", "echo '{broken'", "/no/such/program", "kill -9 $$"])
async def test_a_hook_that_fails_allows(tmp_path, command):
    hook = {"event": "PreToolUse", "command": command}
    async with engine_on(hooked(tmp_path, *WRITE, hooks=[hook])) as (engine, received):
        await engine.prompt("go")
        assert (engine.work_dir / "a.txt").exists()
    assert resolved(received, "PreToolUse")[0].action == "allow"


async def test_a_hook_that_takes_too_long_is_ended_with_all_its_processes_and_allows(tmp_path):
    hook = {"event": "PreToolUse", "command": "sleep 1000 & echo $! > pid; wait", "timeout": 1}
    async with engine_on(hooked(tmp_path, *WRITE, hooks=[hook])) as (engine, _):
        await engine.prompt("go")
        assert (engine.work_dir / "a.txt").exists()
        with pytest.raises(ProcessLookupError):
            os.kill(int((engine.work_dir / "pid").read_text()), 0)


async def test_hooks_of_one_event_run_side_by_side_and_a_command_only_once(tmp_path):
    """Each of the two commands waits for the file that the other makes."""
    wait = "echo x >> {0}; for i in $(seq 400); do [ -e {1} ] && exit 0; sleep 0.02; done; echo alone >&2; exit 2"
    hooks = [{"event": "PreToolUse", "command": wait.format(*names)} for names in (("x", "y"), ("y", "x"), ("x", "y"))]
    async with engine_on(hooked(tmp_path, *WRITE, hooks=hooks)) as (engine, received):
        await engine.prompt("go")
        assert (engine.work_dir / "x").read_text() == "x\n"
    assert received.of(HookTriggered)[0].hook_count == 2
    assert resolved(received, "PreToolUse")[0].action == "allow"


async def test_a_hooks_words_reach_the_wire_without_control_characters(tmp_path):
    hook = {"event": "PreToolUse", "command": r"printf 'a\033[2Jb\007c\342\200\256d' >&2; exit 2"}
    async with engine_on(hooked(tmp_path, *WRITE, hooks=[hook])) as (engine, received):
        await engine.prompt("go")
    reason = resolved(received, "PreToolUse")[0].reason
    assert reason.isprintable()
    assert "b" in reason


async def test_the_prompt_can_be_held_back(tmp_path):
    hook = {"event": "UserPromptSubmit", "command": "grep -q secret && { echo a secret in it >&2; exit 2; }; exit 0"}
    async with engine_on(hooked(tmp_path, "text: hi", hooks=[hook])) as (engine, received):
        result = await engine.prompt("the secret is 7")
        assert result.stop == "rejected"
        assert list(engine.context.history) == []
        assert "a secret in it" in received.of(Notification)[0].body
        assert (await engine.prompt("hello")).message == "hi"


async def test_a_stop_hook_asks_for_more_once(tmp_path):
    hook = {"event": "Stop", "command": "echo run the tests >&2; exit 2"}
    async with engine_on(hooked(tmp_path, "text: done", "text: tests pass", hooks=[hook])) as (engine, received):
        assert (await engine.prompt("go")).message == "tests pass"
        assert engine.context.history[2].text == "run the tests"
    assert len(resolved(received, "Stop")) == 2


async def test_every_event_is_told_of_where_it_happens(tmp_path):
    events = (
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart",
        "SubagentStop", "PreCompact", "PostCompact", "Stop", "StopFailure", "Notification", "SessionEnd",
    )  # fmt: skip
    hooks = [{"event": event, "command": f"echo {event} >> events"} for event in events]
    task = tool_call("Task", "t", description="look", subagent_name="explore", prompt="look at it")
    replies = (
        *WRITE, tool_call("ReadFile", "r", path="none"), "text: two", task, f"text: {'found ' * 60}", "text: three",
        "text: summary", "error: 401 no",
    )  # fmt: skip
    async with engine_on(hooked(tmp_path, *replies, hooks=hooks)) as (engine, _):
        for text in ("one", "two", "three", "/compact"):
            await engine.prompt(text)
        with pytest.raises(ProviderError):
            await engine.prompt("four")
        seen = engine.work_dir / "events"
        await until(lambda: "Notification" in seen.read_text())
    # a waiting flow is in tests/soul/flows/test_parked_calls.py
    assert set(seen.read_text().split()) == set(events) == set(EVENTS) - {"FlowWaiting"}


async def test_an_end_that_gives_up_on_a_hook_still_writes_the_session_and_releases_it(tmp_path):
    hook = {"event": "SessionEnd", "command": "sleep 100"}
    engine = await build_engine(hooked(tmp_path, "text: hi", hooks=[hook]))
    await engine.prompt("go")
    engine.session.state.plan_mode = True
    asked = asyncio.Event()
    engine.wire.listen(lambda message: asked.set() if isinstance(message, HookTriggered) else None)
    ending = asyncio.create_task(engine.aclose())
    await asked.wait()
    ending.cancel()
    await asyncio.wait({ending})
    assert not is_open(engine.session.dir)
    assert read_state(engine.session.dir / "state.json").plan_mode


async def test_a_client_on_the_wire_can_be_a_hook(tmp_path):
    async with engine_on(hooked(tmp_path, *WRITE)) as (engine, received):
        engine.hooks.subscribe(Subscription("mine", "PreToolUse", "WriteFile"))
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: received.of(HookRequest))
        request = received.of(HookRequest)[0]
        assert (request.subscription_id, request.input_data["tool_name"]) == ("mine", "WriteFile")
        assert engine.hooks.settle(request.id, "block", "the editor says no")
        assert not engine.hooks.settle(request.id, "allow")
        await turn
        assert not (engine.work_dir / "a.txt").exists()
        with pytest.raises(ValueError, match="unknown event"):
            engine.hooks.subscribe(Subscription("x", "Sneeze"))


async def test_esc_ends_a_hook_that_holds_a_prompt_back(tmp_path):
    hook = {"event": "UserPromptSubmit", "command": "touch begun; sleep 1000"}
    async with engine_on(hooked(tmp_path, "text: never", hooks=[hook])) as (engine, _):
        turn = asyncio.create_task(engine.prompt("go"))
        await until((engine.work_dir / "begun").exists)
        engine.cancel()
        assert (await turn).stop == "cancelled"
        assert list(engine.context.history) == []


async def test_without_hooks_nothing_is_told_and_nothing_started(tmp_path):
    async with engine_on(hooked(tmp_path, *WRITE)) as (engine, received):
        await engine.prompt("go")
    assert received.of(HookTriggered, HookResolved) == []


async def test_the_end_of_a_subagent_is_told_however_it_ended(tmp_path):
    hook = {"event": "SubagentStop", "command": "cat >> ends; echo >> ends"}
    task = tool_call("Task", "t", description="look", subagent_name="explore", prompt="look")
    replies = (task, "error: 401 the key was refused", "text: I see", task, f"text: {'found ' * 60}", "text: good")
    async with engine_on(hooked(tmp_path, *replies, hooks=[hook])) as (engine, _):
        await engine.prompt("one")
        await engine.prompt("two")
        told = [json.loads(line) for line in (engine.work_dir / "ends").read_text().splitlines()]
    assert [(end["subagent"], end["status"]) for end in told] == [("explore", "failed"), ("explore", "finished")]
    assert told[0]["message"] == "the key was refused"


@pytest.mark.parametrize("arguments", ['{"command": "echo a\n>b.txt"}', '{"command": "\\ud800 >b.txt"}'])
async def test_a_hook_gets_the_arguments_as_the_tool_reads_them(tmp_path, arguments):
    script = "import json, sys; sys.exit(2 * ('b.txt' in json.load(sys.stdin)['tool_input']['command']))"
    hook = {"event": "PreToolUse", "matcher": "Shell", "command": f'"{sys.executable}" -c "{script}"'}
    call = "tool_call: " + json.dumps({"id": "c1", "name": "Shell", "arguments": arguments})
    async with engine_on(hooked(tmp_path, call, "text: done", hooks=[hook])) as (engine, received):
        await engine.prompt("go")
        assert not (engine.work_dir / "b.txt").exists()
    assert [message.action for message in resolved(received, "PreToolUse")] == ["block"]
