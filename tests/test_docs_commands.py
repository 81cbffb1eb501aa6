"""The command lines of the documentation that need a session, a run of a flow, a server or a screen: each is run."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kimi_tui import paths
from kimi_tui.cli.main import main
from kimi_tui.session.session import sessions_dir
from tests.faults.terminal import Terminal
from tests.scripted_config import write_scripted_config
from tests.test_docs import _RUNS_ALONE, commands, mentioned, skills
from tests.test_docs_agents import AGENT

FLOW = """\
---
name: {name}
description: Commits after a yes.
type: flow
---
```mermaid
flowchart TD
  B([BEGIN]) --> commit{{Commit?}}
  commit -->|yes| done[Sum up.]
  commit -->|no| E([END])
  done --> E
  commit@{{ ask: human }}
```
"""
SERVER = """\
from mcp.server import MCPServer
server = MCPServer("docs")
@server.tool()
def page() -> str:
    return "text"
server.run()
"""
Kimi = Callable[..., tuple[int, str, str]]


def lines(*words: str) -> list[list[str]]:
    """The distinct command lines in blocks of the pages that begin with these words, which must be there."""
    every = dict.fromkeys(tuple(argv) for _page, argv in commands())
    found = [list(argv) for argv in every if argv[: len(words)] == words]
    assert found, words
    return found


RUN_ELSEWHERE = (
    ("--print",), ("--quiet",), ("--demo",), ("flow", "run"), ("skill",), *_RUNS_ALONE
)  # fmt: skip
"""By `test_docs.py`, `test_docs_sharing.py` and the tests of the demo."""
RUN_HERE = (
    (), ("--continue",), ("--replay",), ("--flow",), ("acp",), ("doctor",), ("flow", "answer"), ("flow", "export"),
    ("flow", "resume"), ("mcp", "auth"), ("mcp", "test"), ("migrate",), ("web",),
)  # fmt: skip


def test_every_kind_of_command_line_is_run_by_some_test():
    kinds = {*RUN_ELSEWHERE, *RUN_HERE}
    assert [argv for _page, argv in commands() if not {tuple(argv[:count]) for count in (1, 2)} & kinds and argv] == []


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trusted folder with a scripted model and flows, as the working directory."""
    folder = tmp_path / "work"
    for name in ("commit-it", "haiku"):
        skill = folder / ".kimi-tui/skills" / name / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text(FLOW.format(name=name))
    (folder / "my-project").mkdir()
    (tmp_path / "script.txt").write_text("text: Here it is.\n")
    write_scripted_config(Path(os.environ["KIMI_TUI_HOME"]), tmp_path / "script.txt")
    monkeypatch.chdir(folder)
    assert main(["trust", "."]) == 0
    return folder


@pytest.fixture
def kimi(work: Path, capsys: pytest.CaptureFixture[str]) -> Kimi:
    def run(*argv: str, status: int = 0) -> tuple[int, str, str]:
        capsys.readouterr()
        ended = main(list(argv))
        out, err = capsys.readouterr()
        assert ended == status, (argv, out, err)
        return ended, out, err

    return run


def parked(kimi: Kimi) -> str:
    """The id of a new run that waits for an answer."""
    out = kimi("--print", "--flow", "commit-it", "--output-format", "stream-json", status=3)[1]
    waiting = json.loads(out.splitlines()[-1])
    return waiting["questions"][0]["run"]


def only_session(work: Path) -> str:
    (folder,) = (entry for entry in sessions_dir(work).iterdir() if entry.is_dir())
    return folder.name


def with_run(argv: list[str], run: str) -> list[str]:
    return [run if word in ("3f2a", "RUN") else word.replace("NODE=BRANCH", "commit=yes") for word in argv]


def test_a_parked_run_is_listed_answered_and_resumed_without_a_screen(kimi: Kimi):
    for argv in lines("flow", "resume"):
        if "--choose" in argv:
            kimi(*with_run(argv, parked(kimi)))
    run = parked(kimi)
    assert "commit" in kimi("flow", "waiting")[1]
    for argv in lines("flow", "answer"):
        kimi(*with_run(argv, run))
    for argv in lines("flow", "export"):
        kimi(*with_run(argv, run))
        assert "<svg" in Path("run.svg").read_text("utf-8")


def test_the_settings_of_kimi_cli_are_migrated(kimi: Kimi, work: Path):
    file = Path(os.environ["HOME"], ".kimi/config.toml")
    file.parent.mkdir()
    file.write_text(
        'default_model = "m"\n[providers.p]\ntype = "kimi"\nbase_url = "https://example.org"\napi_key = "k"\n'
        '[models.m]\nprovider = "p"\nmodel = "k2"\nmax_context_size = 1000\n'
    )
    Path(os.environ["KIMI_TUI_HOME"], "config.yaml").unlink()
    for argv in lines("migrate"):
        kimi(*argv)


def test_doctor_checks_what_is_here(work: Path, capsys: pytest.CaptureFixture[str]):
    for argv in lines("doctor"):
        if "--keys" not in argv:
            assert main(argv) in (0, 1), argv
            assert "sandbox" in capsys.readouterr().out


def test_an_mcp_server_is_tested_and_one_that_is_not_there_signs_in_nobody(kimi: Kimi, work: Path):
    (work / "server.py").write_text(SERVER)
    kimi("mcp", "add", "docs", "--", sys.executable, str(work / "server.py"))
    for argv in lines("mcp", "test"):
        assert "page" in kimi(*argv)[1]
    file = Path(os.environ["KIMI_TUI_HOME"], "mcp.json")
    file.write_text(json.dumps({"mcpServers": {"hosted": {"url": "http://127.0.0.1:9/mcp", "auth": "oauth"}}}))
    for argv in lines("mcp", "auth"):
        assert main(argv) == 1, argv


def write_skills(folder: Path) -> None:
    for name, text in skills().items():
        file = folder / ".kimi-tui/skills" / name / "SKILL.md"
        file.parent.mkdir()
        file.write_text(text)


def given(argv: list[str], text: str) -> str:
    """Run it with this standard input; returns its output."""
    done = subprocess.run(
        [sys.executable, "-m", "kimi_tui", *argv], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (argv, done.stderr)
    return done.stdout


CHOICES = "ok\nno\nyes\n"
"""Leads through each flow of the pages: what is not a branch is asked again."""


def test_dry_runs_take_the_choices_of_standard_input(work: Path):
    write_skills(work)
    for argv in [line for line in lines("flow", "run") if "--choices" not in line]:
        assert "END after" in given(argv, CHOICES)


HELLO = {
    "--wire": {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol_version": "1.10"}},
    "acp": {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}},
}


def within_sentences() -> list[list[str]]:
    """The distinct lines within sentences that stand in no block of shell commands, which are run above."""
    shown = {tuple(argv) for _page, argv in commands()}
    return [list(argv) for argv in dict.fromkeys(tuple(argv) for _page, argv in mentioned()) if argv not in shown]


@pytest.mark.parametrize("argv", within_sentences(), ids=shlex.join)
def test_a_line_within_a_sentence_runs(argv: list[str], kimi: Kimi, work: Path):
    for name, text in (("system.md", "${ROLE_ADDITIONAL}"), ("coder.yaml", "extend: default"), ("release.yaml", AGENT)):
        (work / name).write_text(text)
    (work / "chart.mmd").write_text("flowchart TD\nA([BEGIN]) --> B[x] --> E([END])\n")
    kimi("--print", "-p", "Hello")
    session = only_session(work)
    kimis = paths.kimi_home() / "sessions" / paths.work_dir_key(work) / "abc"
    kimis.mkdir(parents=True)
    (kimis / "context.jsonl").write_text('{"role": "user", "content": "Hello"}\n')
    named = {
        "DIR": ".", "PATH": ".", "TOPIC": "flows", "NAME": "haiku", "COMMAND": "true", "SESSION": session,
        "ID": "abc" if "import" in argv else session,
    }  # fmt: skip
    filled = [named.get(word, word) for word in argv]
    match argv:
        case ["--agent-file" | "--prompt-flow" | "--replay", _]:
            with Terminal(filled, cwd=work) as terminal:
                terminal.wait_for("─", seconds=30)
        case ["--wire" | "acp" as server]:
            assert '"result"' in given(filled, json.dumps(HELLO[server]) + "\n")
        case ["flow", "run", *_]:
            assert "END after" in given(filled, CHOICES)
        case ["flow", "resume", *_]:
            kimi(*with_run(filled, parked(kimi)))
        case ["mcp", "auth", *_]:
            assert main(filled) == 2
        case _:
            kimi(*filled)


@pytest.mark.parametrize(("passes", "turn"), [(True, "sum"), (False, "why")])
def test_the_own_flow_of_the_page_runs_in_a_job(passes: bool, turn: str, work: Path):
    """As a CI runs it: no terminal, no standard input, a folder that nobody trusted. The job fails if the tests do."""
    project = work / "my-project"
    (flow,) = (text for name, text in skills().items() if name.startswith("ci-check-"))
    file = project / ".kimi-tui/skills/ci-check/SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(flow)
    test = f"import unittest\nclass T(unittest.TestCase):\n    def test_it(self): self.assertTrue({passes})\n"
    (project / "test_it.py").write_text(test)
    (line,) = (argv for argv in lines("--print") if "ci-check" in argv)
    for argv in (line, [word for word in line if word != "--trust"]):
        done = subprocess.run(
            [sys.executable, "-m", "kimi_tui", *argv, "--flow-events", "--output-format", "stream-json"],
            cwd=project, env={**os.environ, "CI": "true"}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        if "--trust" in argv:
            assert done.returncode == (0 if passes else 1), done.stderr
            assert f'"{turn}"' in done.stdout
            assert "Here it is." in done.stdout
        else:
            assert done.returncode == 1
            assert "not trusted" in done.stderr


def test_the_lines_that_run_a_flow_headless_find_it(work: Path):
    """With a model that decides nothing, so a run may fail or wait: it does not stop at the command line."""
    write_skills(work)
    flows = [argv for argv in lines("--print") if "--flow" in argv]
    assert len(flows) > 3
    for argv in flows:
        done = subprocess.run(
            [sys.executable, "-m", "kimi_tui", *argv],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 1, 3), (argv, done.stderr)
        assert "Resume this session" in done.stderr, (argv, done.stderr)


def screens() -> list[list[str]]:
    """The lines that open the screen."""
    resumed = [line for line in lines("flow", "resume") if "--choose" not in line and "--max-tokens" not in line]
    return [[], *lines("--continue"), *lines("--replay"), *lines("--flow"), *lines("doctor", "--keys"), *resumed]


@pytest.mark.parametrize("argv", screens(), ids=shlex.join)
def test_a_line_that_opens_the_screen_draws_it(argv: list[str], kimi: Kimi, work: Path):
    kimi("--print", "-p", "Hello")
    run = parked(kimi) if "3f2a" in argv else ""
    if "SESSION" in argv:
        session = only_session(work)
        argv = [session if word == "SESSION" else word for word in argv]
    shown = "key" if "--keys" in argv else "─"
    with Terminal(with_run(argv, run), cwd=work) as terminal:
        terminal.wait_for(shown, seconds=30)


@pytest.mark.parametrize("argv", lines("acp"), ids=shlex.join)
def test_the_setup_for_editors_is_left_without_a_model_and_the_terminal_is_as_before(argv: list[str], work: Path):
    with Terminal(argv, cwd=work) as terminal:
        terminal.wait_for("Esc later")
        terminal.type(b"\x1b")
        assert terminal.end() == 1
        assert terminal.is_set_as_before


@pytest.mark.parametrize("argv", lines("web"), ids=shlex.join)
def test_the_lines_that_serve_a_browser_print_an_address(argv: list[str], kimi: Kimi, work: Path):
    kimi("--print", "-w", "my-project", "-p", "Hello")
    plain = [word for word in argv if word not in ("--port", "8000")]  # the port may be taken
    process = subprocess.Popen(
        [sys.executable, "-m", "kimi_tui", *plain], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "BROWSER": "true"},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert "http://127.0.0.1:" in process.stdout.readline()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
