"""Print and what runs in the background, and signals before anything has begun."""

import asyncio
import os
import signal

import pytest

from kimi_tui.soul.assemble import build_engine
from kimi_tui.ui.print.background import wait_for_background
from kimi_tui.ui.print.runner import Output, answer
from tests.soul.scripted_engine import plan, tool_call


def in_background(command):
    return tool_call("Shell", command=command, run_in_background=True, description="a task", timeout=60)


async def test_a_task_that_runs_on_is_waited_for_and_its_end_is_told_to_the_model(tmp_path, capsys):
    task = in_background("until test -e over; do sleep 0.02; done; echo told")
    engine = await build_engine(plan(tmp_path, task, "text: begun", "text: it is over", yolo=True))
    try:
        assert await answer(engine, "go", Output()) == 0
        waiting = asyncio.create_task(wait_for_background(engine, engine.services.background, Output(), ceiling_s=60))
        (engine.work_dir / "over").touch()
        assert await waiting == 0
        shown = capsys.readouterr()
        assert shown.out == "begun\nit is over\n"
        assert "waiting for commands in the background, at most 1 min; Ctrl+C ends them: a task" in shown.err
        assert any("told" in message.text for message in engine.context.history)
    finally:
        await engine.aclose()


async def test_a_task_without_end_is_stopped_at_the_ceiling_which_is_a_failure(tmp_path, capsys):
    engine = await build_engine(plan(tmp_path, in_background("sleep 1000"), "text: begun", "text: not done", yolo=True))
    try:
        await answer(engine, "go", Output())
        assert await wait_for_background(engine, engine.services.background, Output(), ceiling_s=0) == 1
        assert capsys.readouterr().out.endswith("not done\n")
        assert [task.status for task in engine.services.background.tasks] == ["stopped"]
    finally:
        await engine.aclose()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_before_the_turn_has_begun_is_heard(tmp_path, number):
    engine = await build_engine(plan(tmp_path, "text: too late"))
    try:
        answering = asyncio.create_task(answer(engine, "go", Output()))
        await asyncio.sleep(0)  # it has begun; the model is not there yet
        assert not engine.busy
        os.kill(os.getpid(), number)
        assert await answering == 128 + number
        assert not engine.context.history
    finally:
        await engine.aclose()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_ends_the_wait_for_the_background(tmp_path, number):
    engine = await build_engine(plan(tmp_path, in_background("sleep 1000"), "text: begun", yolo=True))
    try:
        await answer(engine, "go", Output())
        waiting = asyncio.create_task(wait_for_background(engine, engine.services.background, Output(), ceiling_s=60))
        await asyncio.sleep(0)  # it has begun
        assert signal.getsignal(number) not in (signal.SIG_DFL, signal.default_int_handler)  # they would end the tests
        os.kill(os.getpid(), number)
        assert await waiting == 128 + number
    finally:
        await engine.aclose()


async def test_a_hangup_that_nohup_ignores_interrupts_nothing(tmp_path):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    engine = await build_engine(plan(tmp_path, "text: said"))
    try:
        answering = asyncio.create_task(answer(engine, "go", Output()))
        await asyncio.sleep(0)
        os.kill(os.getpid(), signal.SIGHUP)
        assert await answering == 0
    finally:
        await engine.aclose()
        signal.signal(signal.SIGHUP, before)
