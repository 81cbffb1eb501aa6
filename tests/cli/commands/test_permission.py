"""`kimi-tui permission`: what would happen, and why."""

import json
from pathlib import Path

import pytest

from kimi_tui.cli.main import main
from kimi_tui.tools.shell_support.sandbox import Sandbox

RULES = """
permissions:
  mode: yolo
  allow: [Shell(git status *), Shell(ls *)]
  ask: [Shell(git push *)]
  deny: [Shell(rm *)]
"""


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def run(*words: str, config: str = RULES):
        status = main(["permission", *words, "--json", "--work-dir", str(tmp_path), "--config", config])
        assert status == 0
        return json.loads(capsys.readouterr().out)

    return run


@pytest.mark.parametrize(
    ("command", "outcome", "in_mode", "alone"),
    [
        ("git status && ls -l", "allow", "allow", "approved"),
        ("git status && make", "ask", "allow", "approved"),
        ("git push", "ask", "ask", "refused"),
        ("ls; rm a", "deny", "deny", "refused"),
        ("$X a", "ask", "ask", "refused"),
        ("ls > a", "ask", "allow", "approved"),
        ("cat ~/.ssh/config", "ask", "ask", "refused"),
    ],
)
def test_a_command_is_judged(check, command: str, outcome: str, in_mode: str, alone: str) -> None:
    value = check("check", command)
    assert (value["outcome"], value["in_mode"], value["alone"]) == (outcome, in_mode, alone)
    assert value["why"]


def test_each_simple_command_has_the_rules_that_match_it(check) -> None:
    value = check("check", "timeout 5 ls | rm a")
    assert [(part["text"], part["rules"]) for part in value["parts"]] == [
        ("ls", [["allow", "Shell(ls *)"]]),
        ("rm a", [["deny", "Shell(rm *)"]]),
    ]


@pytest.mark.parametrize(("mode", "in_mode"), [("default", "allow"), ("plan", "deny")])
def test_a_command_that_the_sandbox_keeps_inside_needs_no_approval(
    check, monkeypatch: pytest.MonkeyPatch, mode: str, in_mode: str
) -> None:
    monkeypatch.setattr(Sandbox, "confines_commands", True)
    config = f"{{permissions: {{mode: {mode}, ask: [Shell(make *)]}}, sandbox: {{network: false}}}}"
    value = check("check", "touch a", config=config)
    assert (value["outcome"], value["in_mode"], value["alone"]) == ("allow", in_mode, "approved")
    for command in ("make x", "cat .env", "git remote add a https://b.c/d"):
        assert check("check", command, config=config)["outcome"] == "ask"
    assert check("check", "touch a", config=config.replace("false", "true"))["outcome"] == "ask"


def test_a_command_in_the_sandbox_that_may_read_secrets_needs_an_approval(
    check, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Sandbox, "confines_commands", True)
    (tmp_path / ".env").touch()
    value = check("check", "grep -r x .", config="sandbox: {network: false}")
    assert (value["outcome"], value["why"]) == ("ask", "it may read files with secrets")


@pytest.mark.parametrize("mode", ["default", "yolo"])
def test_a_new_host_needs_an_answer_in_every_mode(check, mode: str) -> None:
    config = f"permissions: {{mode: {mode}, allow: [Network(pypi.org)]}}"
    for host, expected in (("pypi.org", ("allow", "approved")), ("a.example", ("ask", "refused"))):
        value = check("check", host, "--tool", "Network", config=config)
        assert (value["in_mode"], value["alone"]) == expected


def test_a_rule_for_all_tools_of_a_server_is_about_its_resources(check) -> None:
    config = "permissions: {deny: [mcp__docs__*]}"
    for server, outcome in (("docs", "deny"), ("other", "ask")):
        call = json.dumps({"server": server, "uri": "a:b"})
        assert check("check", call, "--tool", "ReadMcpResource", config=config)["outcome"] == outcome


def test_other_tools_are_judged_too(check) -> None:
    config = "permissions: {mode: accept-edits, deny: [Edit(kept/**)]}"
    judged = {
        path: check("check", path, "--tool", "WriteFile", config=config)["in_mode"]
        for path in ("a", "kept/a", ".env", "/etc/hosts", ".git/hooks/x")
    }
    assert judged == {"a": "allow", "kept/a": "deny", ".env": "ask", "/etc/hosts": "ask", ".git/hooks/x": "ask"}
    assert check("check", "a", "--tool", "ReadFile")["outcome"] == "allow"


def test_the_same_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["permission", "check", "ls; git push \x1b[2J", "--work-dir", str(tmp_path), "--config", RULES])
    shown = capsys.readouterr().out
    assert shown.startswith("ask: the rule ")
    assert "    only reads" in shown
    assert "\x1b" not in shown
    main(["permission", "list", "--work-dir", str(tmp_path), "--config", RULES])
    assert "deny   Shell(rm *)  (--config)" in capsys.readouterr().out


def test_a_wrong_rule_is_told_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = "permissions: {allow: [{rule: Shell(ls *), match: [rm]}]}"
    assert main(["permission", "list", "--work-dir", str(tmp_path), "--config", config]) == 2
    assert "permissions.allow.0.match.0" in capsys.readouterr().err


def test_each_command_is_explained_and_a_rule_that_lets_anything_run_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = "permissions: {allow: [Shell(git *), Shell(docker exec *), Shell(uv run pytest *)]}"
    options = ("--work-dir", str(tmp_path), "--config", config)
    main(["permission", "check", "ls -l && git -c a=b log && mkdir x && foo y && cat .env", *options])
    shown = capsys.readouterr().out
    for line in (
        "  ls -l\n    only reads\n",
        "    a rule covers it only if its pattern contains `-c`\n",
        "  mkdir x\n    harmless: an approval for the session covers similar commands\n",
        "  foo y\n    an approval covers exactly this command (`foo` is an unknown program)\n",
        "    needs approval anyway: `.env` may not be read without approval\n",
        "  warning: allow: Shell(docker exec *) (--config) lets any program run\n",
    ):
        assert line in shown, shown
    assert shown.count("warning: ") == 1
    main(["permission", "list", *options])
    assert "Shell(docker exec *) (--config) lets any program run" in capsys.readouterr().out


def test_doctor_warns_of_a_rule_that_lets_anything_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = "permissions: {allow: [Shell(python *)]}"
    main(["--work-dir", str(tmp_path), "--config", config, "doctor", "--json"])
    (check,) = [one for one in json.loads(capsys.readouterr().out) if one["name"] == "rules"]
    assert check["state"] == "warn"
    assert "Shell(python *)" in check["found"]
