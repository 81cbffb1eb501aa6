"""What engines are made of: each folder by what was said of it, and by its own rules."""

import os
from pathlib import Path

import pytest

from kimi_tui.cli.engine_options import build_plan
from kimi_tui.cli.options import parse
from kimi_tui.errors import UsageError
from kimi_tui.permission.trust import TrustState, trust_state
from kimi_tui.session.session import Session
from kimi_tui.soul.assemble import EngineConfig
from kimi_tui.ui.tui.session.engine_factory import ConfigEngineFactory


def a_project(folder: Path, rule: str) -> Path:
    (folder / ".kimi-tui").mkdir(parents=True)
    (folder / ".kimi-tui/config.yaml").write_text(f"permissions: {{allow: ['{rule}']}}")
    (folder / ".mcp.json").write_text('{"mcpServers": {"s": {"command": "x"}}}')
    return folder


def host_in(work_dir: Path, *options: str, asks: bool = False) -> ConfigEngineFactory:
    parsed = parse(["--work-dir", str(work_dir), *options])

    def make_plan(elsewhere: Path | None, standing: TrustState | None) -> EngineConfig:
        return build_plan(parsed, interactive=True, work_dir=elsewhere, trust=standing, asks=asks)

    return ConfigEngineFactory(make_plan)


def acting(host: ConfigEngineFactory) -> tuple[list[str], list[bool], bool]:
    plan = host.plan
    return [str(rule) for rule in plan.permissions.rules], [one.trusted for one in plan.mcp.servers], plan.trust.active


async def test_what_a_folder_brings_acts_from_the_yes_on(tmp_path: Path) -> None:
    host = host_in(a_project(tmp_path / "one", "Shell(make *)"))
    await host.prepare()
    assert acting(host) == ([], [False], False)
    assert [one.what for one in host.untrusted()] == ["MCP servers", "rules that allow"]
    host.trust(True, keep=True)
    assert acting(host) == (["Shell(make *)"], [True], True)
    assert host.untrusted() == ()
    assert trust_state(tmp_path / "one").active


@pytest.mark.parametrize("keep", [True, False])
async def test_a_yes_is_asked_for_again_where_a_file_is_not_the_one_that_was_shown(tmp_path: Path, keep: bool) -> None:
    """It changed under the question, or before another session in the same window."""
    folder = a_project(tmp_path / "one", "Shell(make *)")
    host = host_in(folder, asks=True)
    await host.prepare()
    assert host.untrusted()
    (folder / ".mcp.json").write_text('{"mcpServers": {"s": {"command": "y"}}}')
    host.trust(True, keep=keep)
    assert [one.path.name for one in host.untrusted()] == [".mcp.json", "config.yaml"]
    host.trust(True, keep=keep)
    assert host.untrusted() == ()
    (folder / ".mcp.json").write_text('{"mcpServers": {"s": {"command": "z"}}}')
    host.select_session(None)
    assert host.untrusted()
    host.trust(False, keep=False)
    assert host.untrusted() == ()
    assert acting(host) == ([], [False], False)


async def test_not_this_time_is_asked_again_the_next(tmp_path: Path) -> None:
    host = host_in(a_project(tmp_path / "one", "Shell(make *)"))
    await host.prepare()
    host.trust(False, keep=False)
    assert acting(host) == ([], [False], False)
    assert host.untrusted() == ()
    assert trust_state(tmp_path / "one").answer is None


async def test_the_rules_of_a_trusted_folder_do_not_go_along_to_another(tmp_path: Path) -> None:
    one, two = a_project(tmp_path / "one", "Shell(make *)"), a_project(tmp_path / "two", "Shell(ls *)")
    host = host_in(one)
    await host.prepare()
    host.trust(True, keep=True)
    host.select_session("s2", two)
    assert (host.plan.session_id, host.work_dir) == ("s2", two)
    assert acting(host) == ([], [False], False)
    assert host.untrusted()
    host.select_session("s1", one)
    assert acting(host) == (["Shell(make *)"], [True], True)


async def test_the_option_trusts_for_this_run_only(tmp_path: Path) -> None:
    host = host_in(a_project(tmp_path / "one", "Shell(make *)"), "--trust")
    await host.prepare()
    assert acting(host) == (["Shell(make *)"], [True], True)
    assert trust_state(tmp_path / "one").answer is None


def begun(work_dir: Path, session_id: str) -> Session:
    session = Session.create(work_dir, session_id)
    (session.dir / "wire.jsonl").write_text('{"message": {"type": "TurnBegin"}}\n')
    session.state.title = f"about {session_id}"
    session.save_state()
    return session


async def test_continue_takes_the_last_session_that_no_other_window_has_and_says_so(tmp_path: Path) -> None:
    begun(tmp_path, "first").close()
    last = begun(tmp_path, "last")
    host = host_in(tmp_path, "--continue")
    await host.prepare()
    assert host.plan.session_id == "first"
    assert host.plan.warnings == (
        "The last session, “about last”, is open in another window; opened the most recent free one instead",
    )
    last.close()
    host = host_in(tmp_path, "--continue")
    await host.prepare()
    assert (host.plan.session_id, host.plan.warnings) == ("last", ())


async def test_continue_says_who_holds_the_only_session(tmp_path: Path) -> None:
    session = begun(tmp_path, "only")
    with pytest.raises(UsageError, match=rf"“about only” is open in another window \(pid {os.getpid()}\)"):
        await host_in(tmp_path, "--continue").prepare()
    session.close()


async def test_a_session_of_a_demo_does_not_go_on_with_the_real_model(tmp_path: Path) -> None:
    host = host_in(tmp_path)
    await host.prepare()
    with pytest.raises(UsageError, match="this is a demo session"):
        host.select_session("s", tmp_path / "kimi-tui-demo-abc" / "project")
    assert host.work_dir == tmp_path
