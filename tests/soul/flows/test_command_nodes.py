"""Commands of flow nodes in a session: real Bash, real rules, a scripted model."""

import asyncio
from dataclasses import replace

from kimi_tui.config.schema import HookConfig
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.permission.settings import PermissionSettings
from kimi_tui.permission.trust import project_items, remember, trust_state
from kimi_tui.wire.events import TurnBegin
from kimi_tui.wire.flow_events import FlowDecision, FlowNodeEnd, FlowPaused
from kimi_tui.wire.parts import ToolCall, ToolResult
from tests.soul.release_flow import write_skill
from tests.soul.scripted_engine import engine_on, plan
from tests.soul.test_soul import until

TRUSTED = PermissionSettings(trusted=True)
FLOW = """---
name: check
description: Runs a command.
type: flow
---
```mermaid
flowchart TD
  B([BEGIN]) --> test[Run the tests.]
  test -->|ok| say[Say that it is fine: ${test.output}] --> E([END])
  test -->|failed| fix[Fix it: ${test.output}] --> E
  test@{ run: "COMMAND" }
```
"""


def planned(tmp_path, command, *replies, permissions=TRUSTED, **fields):
    made = plan(tmp_path, *(replies or ("text: done",)), permissions=permissions, **fields)
    write_skill(tmp_path / "work", "check", FLOW.replace("COMMAND", command))
    return made


async def test_a_command_node_is_a_turn_with_one_shell_call_and_one_message(tmp_path):
    async with engine_on(planned(tmp_path, "echo fine; echo $KIMI_TUI_NODE.$KIMI_TUI_MOVE", yolo=True)) as (
        engine, received,
    ):  # fmt: skip
        await engine.prompt("/flow:check")
        (call,), (result,) = received.of(ToolCall), received.of(ToolResult)
        assert (call.function.name, call.id) == ("Shell", result.tool_call_id)
        assert received.names[received.names.index("FlowNodeBegin") :][:6] == [
            "FlowNodeBegin", "TurnBegin", "StepBegin", "ToolCall", "ToolResult", "TurnEnd",
        ]  # fmt: skip
        assert received.of(TurnBegin)[1].user_input == "$ echo fine; echo $KIMI_TUI_NODE.$KIMI_TUI_MOVE"
        first, asked, *_ = engine.context.history
        assert first.role == "user"
        assert "ran this command" in first.text
        assert "Exit status 0." in first.text
        assert "fine\ntest.1" in first.text
        assert asked.text.startswith("Say that it is fine: fine\ntest.1")
    assert [one.choice for one in received.of(FlowDecision)] == ["ok"]
    assert received.of(FlowNodeEnd)[0].exit_status == 0


async def test_a_failing_command_takes_the_failed_branch(tmp_path):
    async with engine_on(planned(tmp_path, "echo broken; exit 3", yolo=True)) as (engine, received):
        await engine.prompt("/flow:check")
        assert "Fix it: broken" in [message.text for message in engine.context.history]
    assert [one.choice for one in received.of(FlowDecision)] == ["failed"]
    assert received.of(FlowNodeEnd)[0].exit_status == 3


async def test_a_command_does_not_run_in_an_untrusted_folder(tmp_path):
    made = planned(tmp_path, "touch ran", yolo=True, permissions=PermissionSettings())
    async with engine_on(made) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:check"))
        await until(lambda: received.of(FlowPaused))
        (paused,) = received.of(FlowPaused)
        assert paused.reason == "rejected"
        assert "not trusted" in (paused.detail or "")
        assert not received.of(ToolCall)
        engine.stop_flow()
        await run
    assert not (tmp_path / "work" / "ran").exists()


async def test_a_command_of_a_flow_that_changed_during_the_session_does_not_run_before_a_new_yes(tmp_path):
    made = planned(tmp_path, "true", yolo=True)
    work = (tmp_path / "work").resolve()
    remember(work, True, project_items(work))
    made = replace(made, trust=trust_state(work))
    (work / ".kimi-tui/skills/check/SKILL.md").write_text(FLOW.replace("COMMAND", "touch ran"))
    async with engine_on(made) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:check"))
        await until(lambda: received.of(FlowPaused))
        (paused,) = received.of(FlowPaused)
        assert "check/SKILL.md changed after you trusted this folder" in (paused.detail or "")
        assert not (work / "ran").exists()
        remember(work, True, project_items(work))
        await engine.prompt("/flow continue")
        await run
    assert (work / "ran").exists()


async def test_the_user_is_asked_about_a_command_and_sees_its_values(tmp_path):
    made = planned(tmp_path, "touch ${ARGS}")
    async with engine_on(made) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:check it; id"))
        await until(lambda: engine.approvals.pending)
        (asked,) = engine.approvals.pending
        assert "touch 'it; id'" in asked.description
        assert not (tmp_path / "work" / "it; id").exists()
        engine.approvals.settle(asked.id, "approve")
        await run
    assert (tmp_path / "work" / "it; id").exists()
    assert received.of(FlowDecision)[0].choice == "ok"


async def test_a_rejected_command_pauses_the_run_and_takes_no_branch(tmp_path):
    async with engine_on(planned(tmp_path, "touch ran")) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:check"))
        await until(lambda: engine.approvals.pending)
        engine.approvals.settle(engine.approvals.pending[0].id, "reject")
        await until(lambda: received.of(FlowPaused))
        assert received.of(FlowPaused)[0].reason == "rejected"
        assert not received.of(FlowDecision)
        engine.stop_flow()
        await run


async def test_a_rule_denies_a_command_of_a_node(tmp_path):
    rule = parse_rule("Shell(touch *)", Effect.DENY)
    made = planned(tmp_path, "touch ran", yolo=True, permissions=PermissionSettings(rules=(rule,), trusted=True))
    async with engine_on(made) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:check"))
        await until(lambda: received.of(FlowPaused))
        engine.stop_flow()
        await run
    assert not (tmp_path / "work" / "ran").exists()


async def test_a_command_is_ended_at_its_timeout_and_that_is_a_failure(tmp_path):
    made = planned(tmp_path, 'sleep 60", timeout: "200ms', yolo=True)
    async with engine_on(made) as (engine, received):
        await engine.prompt("/flow:check")
    assert [one.choice for one in received.of(FlowDecision)] == ["failed"]
    assert received.of(FlowNodeEnd)[0].exit_status is None


async def test_an_interrupted_command_pauses_the_run(tmp_path):
    async with engine_on(planned(tmp_path, "echo started > here; sleep 60", yolo=True)) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:check"))
        await until((tmp_path / "work" / "here").exists)
        engine.cancel()
        await until(lambda: received.of(FlowPaused))
        assert received.of(FlowPaused)[0].reason == "cancelled"
        assert "interrupted" in engine.context.history[-1].text
        engine.stop_flow()
        await run


async def test_the_conversation_gets_the_end_of_a_long_output(tmp_path):
    async with engine_on(planned(tmp_path, "seq 1 5000; exit 1", yolo=True)) as (engine, _):
        await engine.prompt("/flow:check")
        told = engine.context.history[0].text
    assert "\n5000\n" in told
    assert "\n1000\n" not in told
    assert len(told) < 9_500


async def test_plan_mode_refuses_a_command_that_changes_something(tmp_path):
    async with engine_on(planned(tmp_path, "touch ran", yolo=True, plan_mode=True)) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:check"))
        await until(lambda: received.of(FlowPaused))
        assert received.of(FlowPaused)[0].reason == "rejected"
        assert received.of(FlowPaused)[0].detail == (
            "plan mode is on: only what changes nothing runs; /plan off ends it"
        )
        engine.stop_flow()
        await run
    assert not (tmp_path / "work" / "ran").exists()


async def test_a_hook_may_block_the_command_of_a_node(tmp_path):
    made = planned(tmp_path, "touch ran", yolo=True)
    hook = HookConfig(event="PreToolUse", matcher="Shell", command="echo not today >&2; exit 2")
    made = replace(made, config=made.config.model_copy(update={"hooks": (hook,)}))
    async with engine_on(made) as (engine, received):
        run = asyncio.create_task(engine.prompt("/flow:check"))
        await until(lambda: received.of(FlowPaused))
        assert "not today" in (received.of(FlowPaused)[0].detail or "")
        engine.stop_flow()
        await run
    assert not (tmp_path / "work" / "ran").exists()


async def test_a_command_that_the_user_edited_runs_as_edited(tmp_path):
    async with engine_on(planned(tmp_path, "touch ${ARGS}")) as (engine, _):
        run = asyncio.create_task(engine.prompt("/flow:check theirs"))
        await until(lambda: engine.approvals.pending)
        engine.approvals.settle(engine.approvals.pending[0].id, "approve", edited="touch mine")
        await run
    assert [(tmp_path / "work" / name).exists() for name in ("mine", "theirs")] == [True, False]
