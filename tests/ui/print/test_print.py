"""The print face, driven as a program: a process, a scripted model, real files."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from kimi_tui.ui.print.json_schema import stream_json_schema
from tests.soul.release_flow import BROKEN, CHOICES, FLOW
from tests.soul.scripted_engine import tool_call
from tests.ui.sleeper import sleeper

LINE = Draft202012Validator(stream_json_schema())


def command(tmp_path: Path, *replies: str, extra: tuple[str, ...] = (), trust: bool = True) -> list[str]:
    work_dir = tmp_path / "work"
    work_dir.mkdir(exist_ok=True)
    script = tmp_path / "script.json"
    script.write_text(json.dumps(list(replies)))
    config = tmp_path / "config.yaml"
    config.write_text(
        f"providers: {{s: {{type: scripted, scripts: {script}}}}}\nmodels: {{m: {{provider: s, model: scripted}}}}\n"
    )
    return [
        sys.executable, "-m", "kimi_tui", "--print", *(["--trust"] if trust else []),
        "--work-dir", str(work_dir), "--config-file", str(config), *extra,
    ]  # fmt: skip


def run(
    tmp_path: Path, *replies: str, extra: tuple[str, ...] = (), stdin: str = "", trust: bool = True
) -> subprocess.CompletedProcess[str]:
    argv = command(tmp_path, *replies, extra=extra, trust=trust)
    return subprocess.run(argv, input=stdin, capture_output=True, text=True)


def with_flows(tmp_path):
    for name, text in (("release", FLOW), ("broken", BROKEN)):
        folder = tmp_path / "work" / ".kimi-tui" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(text)


def test_text_output_is_prose_with_a_blank_line_between_steps(tmp_path):
    first = "text: I look.\n" + tool_call("Glob", pattern="*.md")
    done = run(tmp_path, first, "text: Nothing there.", extra=("-p", "hi"))
    assert (done.returncode, done.stdout) == (0, "I look.\n\nNothing there.\n")
    assert "Resume this session: kimi-tui --session" in done.stderr


@pytest.mark.parametrize("more", [(), ("--quiet",), ("--output-format", "stream-json")])
def test_a_server_that_does_not_work_is_told_on_stderr_although_that_is_no_terminal(tmp_path, more):
    servers = {"broken": {"command": "no-such-command"}, "off": {"command": "x", "enabled": False}}
    extra = ("-p", "hi", "--mcp-config", json.dumps({"mcpServers": servers}), *more)
    done = run(tmp_path, "text: Done.", extra=extra)
    assert done.returncode == 0
    first, *rest = done.stderr.splitlines()
    assert first == "kimi-tui: MCP server broken: failed: command not found: 'no-such-command'"
    assert all(line.startswith("Resume this session") for line in rest)


def test_ro_home_answers_and_says_that_nothing_is_kept(tmp_path, monkeypatch):
    home = tmp_path / "home-is-a-file"
    home.write_text("")
    monkeypatch.setenv("KIMI_TUI_HOME", str(home))
    done = run(tmp_path, "text: hello", extra=("-p", "hi"))
    assert (done.returncode, done.stdout) == (0, "hello\n")
    assert done.stderr.startswith("kimi-tui: this session is not kept: ")
    assert "Resume this session" not in done.stderr


def test_a_session_whose_state_is_broken_says_so_on_stderr(tmp_path):
    run(tmp_path, "text: hello", extra=("-p", "hi", "--session", "s1"))
    (state,) = Path(os.environ["KIMI_TUI_HOME"]).glob("sessions/*/s1/state.json")
    state.write_text("[")
    done = run(tmp_path, "text: hello", extra=("-p", "hi", "--session", "s1"))
    assert "state.json cannot be read" in done.stderr
    assert "the file is kept as state.json.broken" in done.stderr


def test_the_prompt_may_come_on_standard_input(tmp_path):
    assert run(tmp_path, "text: 好的", stdin="你好\n").stdout == "好的\n"


def test_standard_input_of_more_than_64_mib_is_refused(tmp_path):
    with (tmp_path / "long").open("w+b") as long:
        long.truncate((64 << 20) + 1)
        done = subprocess.run(command(tmp_path, "text: never"), capture_output=True, text=True, stdin=long)
    assert (done.returncode, done.stdout) == (2, "")
    assert "standard input is larger than 64 MiB" in done.stderr


def test_no_prompt_at_all_is_a_usage_error(tmp_path):
    done = run(tmp_path, "text: x")
    assert done.returncode == 2
    assert done.stderr.startswith("kimi-tui: no prompt")


def test_only_the_final_message_is_printed_when_asked_for(tmp_path):
    first = "text: I look.\n" + tool_call("Glob", pattern="*.md")
    assert run(tmp_path, first, "text: Done.", extra=("--quiet", "-p", "hi")).stdout == "Done.\n"
    extra = ("--output-format", "stream-json", "--final-message-only", "-p", "hi")
    done = run(tmp_path, first, "text: Done.", extra=extra)
    assert json.loads(done.stdout) == {"role": "assistant", "content": "Done."}


def test_json_lines_are_the_messages_of_the_conversation(tmp_path):
    first = "think: hm\ntext: I look.\n" + tool_call("Glob", "c1", pattern="*.md")
    done = run(tmp_path, first, "text: Done.", extra=("--output-format", "stream-json", "-p", "hi"))
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["role"] for row in rows] == ["assistant", "tool", "assistant"]
    assert rows[0]["content"] == [{"type": "think", "think": "hm"}, {"type": "text", "text": "I look."}]
    assert rows[0]["tool_calls"][0]["function"] == {"name": "Glob", "arguments": '{"pattern": "*.md"}'}
    assert rows[1]["tool_call_id"] == "c1"
    assert rows[2] == {"role": "assistant", "content": "Done."}
    assert all(map(LINE.is_valid, rows))


def test_a_retry_voids_what_its_attempt_had_said(tmp_path):
    extra = ("--output-format", "stream-json", "-p", "hi")
    done = run(tmp_path, "text: half\nerror: 503 busy", "text: whole", extra=extra)
    assert [json.loads(line)["content"] for line in done.stdout.splitlines()] == ["whole"]


def test_json_lines_come_in_until_the_input_ends_and_lines_that_are_none_are_passed_over(tmp_path):
    lines = [
        '{"role": "user", "content": "one"}',
        "nonsense",
        '{"role": "system"}',
        '{"role": "user", "content": "two"}',
    ]
    extra = ("--input-format", "stream-json", "--output-format", "stream-json")
    done = run(tmp_path, "text: 1", "text: 2", extra=extra, stdin="\n".join(lines))
    assert [json.loads(line)["content"] for line in done.stdout.splitlines()] == ["1", "2"]


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ("error: 429 slow down", 75),
        ("error: connection gone", 75),
        ("error: timeout late", 75),
        ("error: 401 bad key", 1),
    ],
)
def test_the_exit_status_says_whether_trying_again_may_help(tmp_path, reply, status):
    done = run(tmp_path, reply, extra=("-p", "hi", "--max-retries-per-step", "1"))
    assert done.returncode == status
    assert done.stderr.startswith("kimi-tui: ")
    assert "Traceback" not in done.stderr


def test_too_many_steps_is_a_failure(tmp_path):
    replies = [tool_call("Glob", f"c{n}", pattern=f"{n}") for n in range(3)]
    done = run(tmp_path, *replies, extra=("-p", "hi", "--max-steps-per-turn", "2"))
    assert done.returncode == 1
    assert "step limit reached (2)" in done.stderr


def test_a_task_that_is_not_done_within_its_repetitions_is_a_failure(tmp_path):
    replies = ["text: did a part", *["text: <choice>CONTINUE</choice>"] * 5]
    done = run(tmp_path, *replies, extra=("--max-ralph-iterations", "3", "-p", "do it all"))
    assert done.returncode == 1
    assert "stopped: move limit reached (4)" in done.stderr


def test_the_same_call_again_and_again_is_a_failure(tmp_path):
    replies = [tool_call("Glob", f"c{number}", pattern="*.none") for number in range(12)]
    done = run(tmp_path, *replies, extra=("-p", "go"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "stopped: the model repeated the same Glob call in 12 steps" in done.stderr


def test_a_slash_line_leaves_no_session_to_go_on_with(tmp_path):
    assert run(tmp_path, "text: noted", extra=("-p", "remember 7")).returncode == 0
    done = run(tmp_path, extra=("-p", "/help"))
    assert done.stdout
    assert "Resume this session" not in done.stderr
    again = run(tmp_path, "text: 7", extra=("--continue", "--output-format", "stream-json", "-p", "which?"))
    assert again.returncode == 0
    (context,) = (Path(os.environ["KIMI_TUI_HOME"]) / "sessions").glob("*/*/context.jsonl")
    assert "remember 7" in context.read_text()


def test_a_flow_runs_without_a_screen_and_its_events_come_when_asked_for(tmp_path):
    with_flows(tmp_path)
    assert run(tmp_path, *CHOICES, extra=("--flow", "release")).returncode == 0
    extra = ("--flow", "release", "--output-format", "stream-json", "--flow-events")
    rows = [json.loads(line) for line in run(tmp_path, *CHOICES, extra=extra).stdout.splitlines()]
    kinds = [row["type"] for row in rows if "type" in row]
    assert kinds[0] == "FlowBegin"
    assert kinds.count("FlowNodeBegin") == 4
    assert kinds[-1] == "FlowEnd"
    assert all(map(LINE.is_valid, rows))


def test_a_flow_whose_model_never_chooses_fails_with_the_reason(tmp_path):
    with_flows(tmp_path)
    done = run(tmp_path, *(["text: hm"] * 20), extra=("--flow", "release"))
    assert done.returncode == 1
    assert "choice" in done.stderr


@pytest.mark.parametrize(
    ("extra", "cause"),
    [
        (("--flow", "nope"), "no flow named 'nope'"),
        (("--flow", "broken"), "SKILL.md"),
        (("-p", "/fly"), "unknown command /fly"),
        (("-p", " "), "--prompt is empty"),
        (("-p", "x", "--model", "gpt"), "no model named 'gpt'"),
        (("-p", "x", "--session", "../x"), "is not a session id"),
        (("-p", "x", "--continue"), "no session to resume"),
        (("-p", "x", "--continue", "--session", "y"), "cannot be combined"),
        (("-p", "x", "--flow-events"), "needs --output-format stream-json"),
        (("-p", "x", "--max-steps-per-turn", "0"), "0 is less than 1"),
        (("-p", "x", "--wings"), "--wings"),
        (("-p", "x", "--add-dir", "/nowhere"), "no such folder"),
    ],
)
def test_bad_input_ends_with_one_clear_line(tmp_path, extra, cause):
    with_flows(tmp_path)
    done = run(tmp_path, "text: x", extra=extra)
    assert done.returncode == 2
    assert cause in done.stderr
    assert "Traceback" not in done.stderr
    complaints = [line for line in done.stderr.splitlines() if not line.startswith("Resume this session")]
    assert len(complaints) == 1


def test_bad_config_and_no_model_and_a_missing_folder_say_what_to_do(tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_text("loop_control:\n  max_steps_per_turn: many\n")
    base = [sys.executable, "-m", "kimi_tui", "--print", "-p", "x"]
    for extra, cause in (
        (["--config-file", str(bad)], f"{bad}:2: loop_control.max_steps_per_turn"),
        (["--config-file", str(tmp_path / "none.yaml")], "file not found"),
        ([], "no model is set"),
        (["--work-dir", str(tmp_path / "gone")], "no such folder"),
    ):
        done = subprocess.run([*base, *extra], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 2
        assert cause in done.stderr
        assert done.stderr.count("\n") == 1


def test_epipe_print_ends_quietly_when_nobody_reads(tmp_path):
    argv = command(tmp_path, *(["text: " + "word " * 20_000] * 2), extra=("-p", "hi"))
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        process.stdout.read(10)
        process.stdout.close()
        errors = process.stderr.read().decode()
        assert process.wait() in (0, 141)
    assert "Traceback" not in errors
    assert "BrokenPipe" not in errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_command_that_runs_and_the_session_can_be_resumed(tmp_path, number):
    sleep, sleeps = sleeper()
    argv = command(tmp_path, sleep, "text: x", extra=("-p", "hi", "--session", "s1"))
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        while not ((tmp_path / "work" / "begun").exists() and sleeps()):
            assert process.poll() is None, process.stderr.read()
        process.send_signal(number)
        assert process.wait() == 128 + number
    assert not sleeps()
    again = run(tmp_path, "text: back again", extra=("-p", "go on", "--session", "s1"))
    assert (again.returncode, again.stdout) == (0, "back again\n")


STEERED = """---
name: steered
description: Two decisions, a loop, a breakpoint.
type: flow
---
```mermaid
flowchart TD
  B([BEGIN]) --> Fix[Fix it] --> Green{Green?}
  Green -->|no| Fix
  Green -->|yes| Ready{Ready to tag?}
  Ready -->|tag| Tag[Tag it] --> E([END])
  Ready -->|wait| E
```
"""
STEERED_REPLIES = (
    "text: fixed", "text: hm", "text: <choice>no</choice>", "text: fixed more", "text: <choice>yes</choice>",
    "text: I think we wait", "text: tagged",
)  # fmt: skip


def test_a_program_steers_a_flow_line_by_line(tmp_path):
    """Two decisions, a loop, an invalid choice, a branch chosen by the user, a breakpoint."""
    folder = tmp_path / "work" / ".kimi-tui" / "skills" / "steered"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(STEERED)
    extra = ("--input-format", "stream-json", "--output-format", "stream-json", "--flow-events")
    argv = command(tmp_path, *STEERED_REPLIES, extra=extra)
    say = [json.dumps({"role": "user", "content": text}) + "\n" for text in
           ("/flow break Tag", "/flow choose tag at Ready", "/flow:steered", "/flow continue")]  # fmt: skip
    events = []
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdin.write("".join(say[:3]))
        process.stdin.flush()
        for line in process.stdout:
            row = json.loads(line)
            if "payload" not in row:
                continue
            events.append((row["type"], row["payload"]))
            if row["type"] == "FlowPaused":
                process.stdin.write(say[3])
                process.stdin.close()
        assert process.wait() == 0, process.stderr.read()
    visited = [payload["node_id"] for kind, payload in events if kind == "FlowNodeBegin" and payload["attempt"] == 1]
    assert visited == ["Fix", "Green", "Fix", "Green", "Ready", "Tag"]
    chosen = [(payload["choice"], payload["by"]) for kind, payload in events if kind == "FlowDecision"]
    assert chosen == [("no", "model"), ("yes", "model"), ("tag", "user")]
    assert [payload["reason"] for kind, payload in events if kind == "FlowPaused"] == ["breakpoint"]
    assert events[-1][1]["status"] == "finished"


def test_a_command_reaches_a_paused_flow_although_a_message_waits_for_the_end_of_it(tmp_path):
    folder = tmp_path / "work" / ".kimi-tui" / "skills" / "steered"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(STEERED)
    extra = ("--input-format", "stream-json", "--output-format", "stream-json", "--flow-events")
    argv = command(tmp_path, "text: answered", extra=extra)
    say = [json.dumps({"role": "user", "content": text}) + "\n" for text in
           ("/flow break Fix", "/flow:steered", "then this", "/flow jump E")]  # fmt: skip
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        limit = threading.Timer(40, process.kill)
        limit.start()
        process.stdin.write("".join(say[:2]))
        process.stdin.flush()
        while json.loads(process.stdout.readline()).get("type") != "FlowPaused":
            pass
        process.stdin.write("".join(say[2:]))
        process.stdin.flush()  # the input stays open
        ended = json.loads(process.stdout.readline())
        while ended.get("type") != "FlowEnd":
            ended = json.loads(process.stdout.readline())
        assert ended["payload"]["status"] == "finished"
        assert json.loads(process.stdout.readline())["content"] == "answered"
        process.stdin.close()
        assert process.wait() == 0
        limit.cancel()


def test_a_flow_that_is_paused_when_the_input_ends_is_stopped_with_that_reason(tmp_path):
    folder = tmp_path / "work" / ".kimi-tui" / "skills" / "steered"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(STEERED)
    lines = [json.dumps({"role": "user", "content": text}) for text in ("/flow break Fix", "/flow:steered")]
    extra = ("--input-format", "stream-json", "--output-format", "stream-json")
    done = run(tmp_path, *STEERED_REPLIES, extra=extra, stdin="\n".join(lines))
    assert done.returncode == 1
    assert "the input has ended" in done.stderr


def test_a_command_that_may_be_given_at_any_time_is_answered_when_nothing_runs_too(tmp_path):
    texts = ("/version", "/title A name", "/btw what?", "/agents stop nobody", "/model nope")
    lines = [json.dumps({"role": "user", "content": text}) for text in texts]
    extra = ("--input-format", "stream-json", "--output-format", "stream-json")
    done = run(tmp_path, "text: that", extra=extra, stdin="\n".join(lines))
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    aside = next(row for row in rows if row.get("type") == "BtwEnd")
    assert aside["payload"]["response"] == "that"
    said = " ".join(str(row.get("content") or row) for row in rows)
    for text in ("kimi-tui ", "is called “A name”", "No subagent 'nobody'", "no model named 'nope'. Available: m"):
        assert text in said
    assert done.returncode == 2


def test_a_side_question_is_answered_in_text_too(tmp_path):
    done = run(tmp_path, "text: It is blue.", extra=("-p", "/btw which colour?"))
    assert (done.returncode, done.stdout) == (0, "It is blue.\n")


def test_half_a_surrogate_pair_of_a_line_is_replaced_and_later_lines_are_answered(tmp_path):
    lines = [r'{"role": "user", "content": "a\ud800b"}', '{"role": "user", "content": "two"}']
    extra = ("--input-format", "stream-json", "--output-format", "stream-json")
    done = run(tmp_path, "text: 1", "text: 2", extra=extra, stdin="\n".join(lines))
    assert [json.loads(line)["content"] for line in done.stdout.splitlines()] == ["1", "2"]


def test_an_answer_that_was_cut_at_its_limit_is_told_beside_it(tmp_path):
    done = run(tmp_path, "text: half an ans\ncut:", extra=("-p", "hi"))
    assert done.stdout == "half an ans\n"
    assert "The answer was cut off" in done.stderr
