"""What the doctor finds, with a real local server for the service."""

import json
import os
import pty
import re
import subprocess
import sys
import sysconfig
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from kimi_tui import paths
from kimi_tui.cli.commands.doctor_keys import shown
from kimi_tui.cli.main import main


@pytest.fixture
def service():
    """A service that knows one key; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            known = self.headers["Authorization"] == "Bearer sk-good" and self.path == "/v1/models"
            if self.headers["Authorization"] == "Bearer sk-house":
                self.send_response(500)
                self.end_headers()
                self.wfile.write(b'{"error": {"message": "we are moving house"}}')
                return
            self.send_response(200 if known else 401)
            self.end_headers()

        def log_message(self, *args):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def examined(capsys, *options):
    status = main([*options, "doctor", "--json"])
    return status, {check["name"]: check for check in json.loads(capsys.readouterr().out)}


def config(url, key, **more):
    provider = {"type": "kimi", "base_url": url, "api_key": key}
    return json.dumps({"providers": {"p": provider}, "models": {"m": {"provider": "p", "model": "x"}}, **more})


@pytest.mark.parametrize(
    ("key", "state", "found"), [("sk-good", "ok", "accepts the key"), ("sk-bad", "fail", "HTTP 401")]
)
def test_a_service_is_asked_with_its_key_which_is_never_shown(capsys, service, key, state, found):
    status, checks = examined(capsys, "--config", config(service, key))
    assert status == (0 if state == "ok" else 1)
    assert checks["service p"]["state"] == state
    assert found in checks["service p"]["found"]
    assert key not in json.dumps(checks)
    assert checks["model"]["found"].startswith("m (x of p")


def test_a_listing_that_fails_is_told_in_the_services_words_and_says_that_the_model_may_answer(capsys, service):
    status, checks = examined(capsys, "--config", config(service, "sk-house"))
    assert status == 0
    assert checks["service p"]["state"] == "warn"
    assert "HTTP 500: we are moving house" in checks["service p"]["found"]
    assert "may still work" in checks["service p"]["todo"]


def test_a_password_in_an_address_is_not_shown(capsys):
    _, checks = examined(capsys, "--config", config("http://me:pass-word@127.0.0.1:9/v1", "sk"))
    assert "127.0.0.1:9" in json.dumps(checks["service p"])
    assert "pass-word" not in json.dumps(checks)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "http://127.0.0.1:x/v1", "nonsense"])
def test_a_service_that_does_not_answer_fails_and_says_what_to_look_at(capsys, url):
    status, checks = examined(capsys, "--config", config(url, "sk"))
    assert status == 1
    assert checks["service p"]["state"] == "fail"
    assert checks["service p"]["todo"]


def test_what_is_wrong_with_the_configuration_and_the_home_is_told(capsys, tmp_path):
    assert examined(capsys)[1]["model"]["state"] == "fail"
    assert "no such key" in examined(capsys, "--config", '{"odd": 1}')[1]["configuration"]["todo"]
    status, checks = examined(capsys, "--config-file", str(tmp_path / "none.yaml"))
    assert (status, checks["configuration"]["state"]) == (1, "fail")
    paths.home().mkdir(parents=True, exist_ok=True)
    (paths.home() / "logs").write_text("in the way")
    assert examined(capsys)[1]["log"]["state"] == "warn"


def test_tools_and_terminal_are_looked_at_and_every_trouble_has_a_remedy(capsys, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    _, checks = examined(capsys)
    assert checks["ripgrep"]["state"] == "ok"
    assert checks["colours"]["state"] == "warn"
    assert checks["terminal"]["state"] == "warn"
    assert all(check["todo"] for check in checks.values() if check["state"] != "ok" and check["name"] != "model")


def test_it_can_be_read(capsys):
    main(["doctor"])
    lines = capsys.readouterr().out.splitlines()
    assert all(re.match(r"(ok  |warn|fail)  \S|\s+→ \S", line) for line in lines)


def test_keys_are_shown_as_the_terminal_sends_them():
    assert shown(b"\x1b[A") == "ESC [ A"
    assert shown("é\r\x01".encode()) == "é CR 0x01"


def test_keys_end_with_q_and_leave_the_terminal_as_it_was():
    master, slave = pty.openpty()
    argv = [sys.executable, "-m", "kimi_tui", "doctor", "--keys"]
    with subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=subprocess.STDOUT) as process:
        os.close(slave)
        said = b""
        while b"q ends it" not in said:
            said += os.read(master, 1024)
        while b"\x1b[?2004h" not in said:
            said += os.read(master, 1024)
        os.write(master, b"\x1b[13;2u")
        while b"ESC [ 1 3 ; 2 u" not in said:
            said += os.read(master, 1024)
        os.write(master, b"q")
        while b"\x1b[<u" not in said:
            said += os.read(master, 1024)
        assert process.wait() == 0
    os.close(master)


def test_servers_of_the_command_line_are_looked_at_and_a_command_that_is_not_there_is_told(capsys, tmp_path):
    file = tmp_path / "servers.json"
    file.write_text(json.dumps({"mcpServers": {"here": {"command": sys.executable}}}))
    more = json.dumps({"mcpServers": {"gone": {"command": "no-such-command"}}})
    _, checks = examined(capsys, "--mcp-config-file", str(file), "--mcp-config", more)
    assert (checks["MCP servers"]["state"], checks["MCP servers"]["found"]) == ("warn", "gone, here")
    assert checks["MCP servers"]["todo"] == "gone: command not found: 'no-such-command'"


def test_the_doctor_says_what_the_sandbox_does_not_hold(capsys, service, tmp_path):
    _, checks = examined(capsys, "--config", config(service, "sk-good"), "--work-dir", str(tmp_path))
    if not checks["sandbox"]["found"].startswith("full"):
        pytest.skip("bubblewrap is not installed, or does not work in this container")
    assert checks["sandbox"]["state"] == "ok"
    assert "bound it to a relative path" in checks["sandbox"]["found"]


def test_the_doctor_warns_where_commands_could_replace_kimi_tui(capsys, service):
    _, checks = examined(capsys, "--config", config(service, "sk-good"), "--work-dir", sysconfig.get_path("purelib"))
    assert checks["sandbox"]["state"] == "warn"
    assert "which contains files that kimi-tui itself runs" in checks["sandbox"]["found"]


def test_a_program_of_the_project_is_not_started(capsys, monkeypatch, tmp_path):
    (tmp_path / "bin").mkdir()
    for name in ("git", "rg", "bash", "gcc", "cc", "ld"):
        planted = tmp_path / "bin" / name
        planted.write_text(f"#!/bin/sh\ntouch {tmp_path}/PWNED-{name}\necho {name} version 9.9.9\n")
        planted.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    _, checks = examined(capsys, "--work-dir", str(tmp_path))
    assert "9.9.9" not in checks["git"]["found"] + checks["ripgrep"]["found"]
    assert not list(tmp_path.glob("PWNED*"))
