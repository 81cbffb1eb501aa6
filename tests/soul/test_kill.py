"""The program as a process, killed at a bad moment."""

import json
import signal
import subprocess
import sys

from tests.soul.scripted_engine import engine_on, plan, tool_call


def command(tmp_path, *replies, extra=()):
    """`kimi-tui --print` on a script, in the folder that `plan` uses."""
    (tmp_path / "work").mkdir(exist_ok=True)
    script = tmp_path / "process.json"
    script.write_text(json.dumps(list(replies)))
    file = tmp_path / "config.yaml"
    file.write_text(
        f"providers: {{s: {{type: scripted, scripts: {script}}}}}\nmodels: {{m: {{provider: s, model: scripted}}}}\n"
    )
    return [
        sys.executable, "-m", "kimi_tui", "--print", "--work-dir", str((tmp_path / "work").resolve()),
        "--config-file", str(file), *extra,
    ]  # fmt: skip


async def test_kill9_mid_tool_the_session_goes_on_with_a_result_that_says_so_and_the_tool_is_not_run_again(tmp_path):
    shell = tool_call("Shell", "s", command="echo run >> runs; echo $PPID > pid; sleep 1000")
    argv = command(tmp_path, f"text: I run it.\n{shell}", extra=("--session", "killed", "--prompt", "run it"))
    ran = tmp_path / "work" / "pid"
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not (ran.exists() and ran.read_text().strip()):
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)
    async with engine_on(plan(tmp_path, "text: and on", session_id="killed")) as (engine, _):
        assert [message.role for message in engine.context.history] == ["user", "assistant", "tool"]
        assert "Interrupted" in engine.context.history[-1].text
        assert (await engine.prompt("go on")).message == "and on"
        assert (engine.work_dir / "runs").read_text() == "run\n"


async def test_kill9_mid_stream_the_persons_message_survives(tmp_path):
    argv = command(
        tmp_path, "text: the first words\ndelay: 1000\ntext: never", extra=("--session", "killed", "--prompt", "say it")
    )
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout.read(5) == b"the f"
        process.send_signal(signal.SIGKILL)
    async with engine_on(plan(tmp_path, "text: and on", session_id="killed")) as (engine, _):
        assert engine.context.history[0].text == "say it"
        assert engine.title == "say it"
        assert (await engine.prompt("go on")).message == "and on"


def test_deleted_cwd_is_a_readable_error(tmp_path):
    folder = tmp_path / "gone"
    script = f"mkdir {folder} && cd {folder} && rmdir {folder} && exec {sys.executable} -m kimi_tui --print -p hi"
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "the current folder no longer exists" in done.stderr
    assert "Traceback" not in done.stderr
