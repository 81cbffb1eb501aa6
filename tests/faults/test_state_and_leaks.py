"""Faults that no other folder tests: files that disagree, a clock that goes back, keys, a service that is dead."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kimi_tui import jsonl, paths
from kimi_tui.session.state import SessionState, read_state
from kimi_tui.tools.file_support.sensitive_names import is_sensitive
from kimi_tui.wire.events import StepBegin
from kimi_tui.wire.recorder import Recorder, read_recorded
from tests.faults.terminal import Terminal, scripted
from tests.soul.scripted_engine import engine_on, plan

KEY = "sk-very-secret-0123456789abcdef"


async def test_kill9_between_files(tmp_path: Path) -> None:
    """The journals have a turn that `state.json` does not know of: they win, and nothing is there twice.

    The state is the old one or the new one, never half of one; and half of one, from elsewhere, is as none.
    """
    async with engine_on(plan(tmp_path, "text: one", "text: two", session_id="s")) as (engine, _):
        await engine.prompt("first")
        engine.session.save_state()
        state = engine.session.dir / "state.json"
        os.link(state, tmp_path / "old")
        await engine.prompt("second")
        engine.session.state.custom_title = "Named"
        engine.session.save_state()
    assert "Named" in state.read_text()
    assert "Named" not in (tmp_path / "old").read_text()
    whole = state.read_bytes()
    for length in (0, 1, len(whole) // 2, len(whole) - 1):
        state.write_bytes(whole[:length])
        assert read_state(state) == SessionState()
    shutil.copy(tmp_path / "old", state)
    async with engine_on(plan(tmp_path, "text: three", session_id="s")) as (engine, _):
        await engine.prompt("third")
        texts = [message.text for message in engine.context.history]
    assert texts == ["first", "one", "second", "two", "third", "three"]


def test_kill9_between_files_leaves_the_state_of_before_and_a_session_that_goes_on(tmp_path: Path) -> None:
    """Killed where the new state is written and the old one still in place."""
    script, config = tmp_path / "script.json", tmp_path / "config.yaml"
    script.write_text('["text: one"]')
    config.write_text(
        f"providers: {{s: {{type: scripted, scripts: {script}}}}}\nmodels: {{m: {{provider: s, model: s}}}}\n"
    )

    def say(text: str, **env: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "kimi_tui", "--print", "--config-file", str(config), "--session", "s", "-p", text]
        return subprocess.run(
            argv, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, **env}, check=False, timeout=50
        )

    assert say("first").returncode == 0
    assert say("/yolo", KIMI_TUI_CRASH_AT="state.before_replace").returncode == -9
    (state,) = paths.home().glob("sessions/*/s/state.json")
    assert read_state(state) == SessionState.model_validate_json(state.read_bytes())
    assert say("second").returncode == 0
    context = (state.parent / "context.jsonl").read_text()
    assert (context.count('"first"'), context.count('"second"')) == (1, 1)


def test_clock_back(tmp_path: Path) -> None:
    """The order is that of the file, whatever the clock said."""
    times = iter([1000.0, 2000.0, 100.0, 101.0])
    writer = jsonl.JsonlWriter(tmp_path / "wire.jsonl")
    recorder = Recorder(writer, clock=lambda: next(times))
    for number in range(1, 5):
        recorder(StepBegin(n=number))
    writer.close()
    assert [item.message for item in read_recorded(tmp_path / "wire.jsonl")] == [StepBegin(n=n) for n in range(1, 5)]


@pytest.mark.parametrize(
    "path",
    [
        *("prod.env", ".envrc", "id_rsa.pem", "server.key", ".npmrc", ".netrc", ".git-credentials", ".pypirc", ".ENV"),
        *(
            ".docker/config.json",
            ".kube/config",
            "credentials.json",
            ".ssh/config",
            "a/Prod.Env",
            "ID_RSA",
            ".env.local",
        ),
        *(
            ".ssh/work",
            ".ssh/keys/a",
            ".aws/sso/cache/x.json",
            ".azure/msal_token_cache.json",
            ".claude/.credentials.json",
        ),
        *(".codex/auth.json", ".cache/huggingface/token", ".vault-token", ".password-store/a.gpg"),
        *("token.json", "client_secret_1.apps.json", ".env-prod", ".env_local", ".dev.vars", "kubeconfig", "a.ovpn"),
        "x-firebase-adminsdk-1.json",
    ],
)
def test_a_name_of_the_list_is_sensitive(path: str) -> None:
    assert is_sensitive(f"/home/person/{path}")


@pytest.mark.parametrize(
    "name",
    [
        ".env.example",
        ".env.sample",
        ".env.template",
        ".env_example",
        ".env-sample",
        "tokens.json",
        "id_rsa.pub",
        "environment",
        "keys.py",
        ".ssh/known_hosts",
        ".ssh/a.pub",
        "locales/auth.json",
    ],
)
def test_a_name_of_the_exceptions_is_not(name: str) -> None:
    assert not is_sensitive(f"/home/person/{name}")


@pytest.mark.faults
def test_secret_leak_a_key_is_in_no_file_and_in_no_output(tmp_path: Path) -> None:
    """Logs, records, errors and the environment of commands, with the service not there and with all that is logged."""
    (tmp_path / "work").mkdir()
    file = tmp_path / "config.yaml"
    file.write_text(
        f"providers: {{p: {{type: openai_legacy, base_url: 'http://127.0.0.1:9/v1', api_key: {KEY},"
        f" custom_headers: {{X-Key: {KEY}}}}}}}\nmodels: {{m: {{provider: p, model: x}}}}\n"
        "loop_control: {max_retries_per_step: 1}\n"
    )
    home = tmp_path / "home"
    done = subprocess.run(
        [sys.executable, "-m", "kimi_tui", "--print", "--debug", "--config-file", str(file), "-p", "hi"],
        cwd=tmp_path / "work",
        env={**os.environ, "KIMI_TUI_HOME": str(home)},
        capture_output=True,
        check=False,
        timeout=50,
    )
    assert done.returncode == 75
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert len(written) > 100
    assert KEY.encode() not in done.stdout + done.stderr + written


@pytest.mark.faults
def test_stall_of_the_service_holds_up_neither_the_start_nor_escape(tmp_path: Path) -> None:
    arguments = scripted(tmp_path)
    (tmp_path / "config.yaml").write_text(
        "providers: {p: {type: openai_legacy, base_url: 'http://192.0.2.1:9/v1', api_key: k}}\n"
        "models: {m: {provider: p, model: x}}\n"
    )
    with Terminal(arguments, cwd=tmp_path) as terminal:
        terminal.wait_for("─ message", seconds=8)
        terminal.type(b"hello")
        terminal.wait_for("hello", seconds=5)
        terminal.settle(0.2)
        terminal.type(b"\r")
        terminal.wait(lambda: "you  hello" in terminal.text and "○ ready" not in terminal.text, seconds=8)
        terminal.type(b"\x1b")
        terminal.wait_for("○ ready", seconds=8)
        terminal.process.terminate()
        terminal.end()


@pytest.mark.faults
def test_focus_storm(tmp_path: Path) -> None:
    """A hundred focus reports with 4,000 lines on screen take less than 100 ms each."""
    text = "\n".join(f"text: line {number} of many\ntext: " for number in range(4000))
    with Terminal([*scripted(tmp_path, text), "--prompt", "go"], cwd=tmp_path) as terminal:
        terminal.wait_for("line 3999", seconds=90)
        terminal.settle()
        began = time.monotonic()
        for _ in range(50):
            terminal.type(b"\x1b[O\x1b[I")
            terminal.read(0)
        terminal.type(b"typed")
        terminal.wait_for("typed", seconds=12)
        assert time.monotonic() - began < 10
        terminal.process.terminate()
        terminal.end()


@pytest.mark.faults
def test_a_few_random_kills_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The soak in small; `make soak` is the long one."""
    monkeypatch.setenv("HOME", str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.soak", "--kills", "12", "--seconds", "30", "--seed", "1"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "every session loaded" in done.stdout
