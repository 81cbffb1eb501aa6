import json

import pytest

from kimi_tui import paths
from kimi_tui.cli.engine_options import build_plan
from kimi_tui.cli.options import parse
from kimi_tui.errors import UsageError
from kimi_tui.session.session import sessions_dir
from tests.soul.scripted_engine import engine_on, plan

PROVIDERS = {"p": {"type": "kimi", "api_key": "k"}}


def config(capabilities):
    models = {"m": {"provider": "p", "model": "model", "capabilities": capabilities}}
    return json.dumps({"providers": PROVIDERS, "models": models})


@pytest.mark.parametrize(
    ("capabilities", "option", "warned"),
    [([], "--thinking", True), (["thinking"], "--thinking", False), ([], "--no-thinking", False)],
)
def test_thinking_that_is_not_sent_is_said(tmp_path, capabilities, option, warned):
    plan = build_plan(parse(["-w", str(tmp_path), "--config", config(capabilities), option]), interactive=False)
    assert any("thinking is off for" in warning for warning in plan.warnings) == warned


def test_a_rule_that_never_matches_is_warned_of_at_the_start(tmp_path):
    text = json.dumps({"permissions": {"deny": ["Bash(rm *)", "Shell(rm *)"]}})
    plan = build_plan(parse(["-w", str(tmp_path), "--config", text]), interactive=False)
    (warning,) = [warning for warning in plan.warnings if "never matches" in warning]
    assert "Bash(rm *)" in warning


KIMIS_CONTEXT = [
    {"role": "_system_prompt", "content": "You may call Agent and Bash."},
    {"role": "user", "content": "remember 7"},
    {"role": "assistant", "content": "noted"},
]


def kimis(folder):
    folder.mkdir(parents=True)
    (folder / "context.jsonl").write_text("".join(json.dumps(row) + "\n" for row in KIMIS_CONTEXT))
    (folder / "state.json").write_text(json.dumps({"version": 1, "approval": {"yolo": True}, "custom_title": "seven"}))


async def test_continue_goes_on_with_a_copy_of_kimi_clis_last_session(tmp_path):
    made = plan(tmp_path, "text: 7")
    folder = paths.kimi_home() / "sessions" / paths.work_dir_key(made.work_dir) / "abc"
    kimis(folder)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    found = build_plan(parse(["-w", str(made.work_dir), "--continue"]), interactive=True)
    assert found.session_id == "kimi-abc"
    assert "a copy of Kimi CLI's last session" in found.warnings[0]
    async with engine_on(plan(tmp_path, "text: 7", session_id=found.session_id)) as (engine, _):
        assert [message.text for message in engine.context.history] == ["remember 7", "noted"]
        assert "Bash" not in engine.soul.agent.system_prompt
        assert not engine.approvals.yolo
        assert engine.title == "seven"
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


async def test_a_session_of_kimi_cli_in_a_shared_home_is_never_opened_in_place(tmp_path, monkeypatch):
    monkeypatch.delenv("KIMI_TUI_HOME")
    monkeypatch.setenv("KIMI_SHARE_DIR", str(tmp_path / "share"))
    made = plan(tmp_path, "text: 7", "text: 8")
    folder = sessions_dir(made.work_dir) / "abc"
    kimis(folder)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    for again in (False, True):
        async with engine_on(plan(tmp_path, "text: 7", session_id="abc")) as (engine, _):
            assert engine.session_id == "kimi-abc"
            assert len(engine.context.history) == (4 if again else 2)
            await engine.prompt("which?")
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    async with engine_on(plan(tmp_path, "text: 7")) as (engine, _):
        await engine.prompt("mine")
        own = engine.session_id
    async with engine_on(plan(tmp_path, session_id=own)) as (engine, _):
        assert engine.session_id == own


def test_when_asked_limits_what_the_configuration_approves(tmp_path):
    given = json.loads(config([])) | {"default_yolo": True}
    options = ["-w", str(tmp_path), "--config", json.dumps(given), "--print"]
    assert build_plan(parse(options), interactive=False).yolo
    for limit in ("refuse", "park"):
        made = build_plan(parse([*options, "--when-asked", limit]), interactive=False)
        assert (made.yolo, made.when_asked) == (False, limit)
        with pytest.raises(UsageError, match="cannot be combined with --yolo"):
            build_plan(parse([*options, "--when-asked", limit, "--yolo"]), interactive=False)


@pytest.mark.parametrize("words", [["run", "ship"], ["resume", "abc"]])
def test_flow_commands_take_when_asked_too(words):
    assert parse(["flow", *words, "--when-asked", "park"]).when_asked == "park"
    assert parse(["flow", *words]).when_asked is None
