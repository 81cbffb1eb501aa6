"""Every face without a screen, ended in the middle of a turn, of an approval, of a flow: by its input, its reader or a
signal. It ends cleanly, leaves no process, and the session loads.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from kimi_tui.session.session import sessions_dir
from tests.soul.release_flow import FLOW
from tests.soul.scripted_engine import engine_on, plan, tool_call
from tests.ui.sleeper import sleeper
from tests.ui.wire_server.test_process import peer_config


class Client:
    """Speaks lines of JSON-RPC, and asks for what is to be in the middle when it ends."""

    def __init__(self, process: asyncio.subprocess.Process, work_dir: Path, prompt: str) -> None:
        self.process = process
        self.work_dir = work_dir
        self.prompt = prompt
        self.asked = asyncio.Event()
        self.reading = asyncio.create_task(self._read())

    def send(self, **message) -> None:
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def begin(self) -> None:
        raise NotImplementedError

    def received(self, message) -> None:
        raise NotImplementedError

    async def _read(self) -> None:
        while line := await self.process.stdout.readline():
            self.received(json.loads(line))


class WireClient(Client):
    async def begin(self) -> None:
        self.send(id=1, method="initialize", params={"protocol_version": "1.10"})
        self.send(id=2, method="prompt", params={"user_input": self.prompt})

    def received(self, message) -> None:
        if message.get("method") == "request":
            self.asked.set()


class AcpClient(Client):
    async def begin(self) -> None:
        self.send(id=1, method="initialize", params={"protocolVersion": 1})
        self.send(id=2, method="session/new", params={"cwd": str(self.work_dir), "mcpServers": []})

    def received(self, message) -> None:
        if message.get("id") == 2:
            said = [{"type": "text", "text": self.prompt}]
            self.send(
                id=3, method="session/prompt", params={"sessionId": message["result"]["sessionId"], "prompt": said}
            )
        if message.get("method") == "session/request_permission":
            self.asked.set()


pytestmark = pytest.mark.timeout(180)  # four programs at once, each with an SDK to load
_SECONDS = 60
FACES = {"wire": (WireClient, ["--wire"]), "acp": (AcpClient, ["acp"])}


@dataclass
class Case:
    """One way to end it, in a folder of its own. The command that it is in the middle of says so into a pipe."""

    how: str | signal.Signals
    work_dir: Path
    options: list[str]
    prompt: str
    sleeps: Callable[[], bool]

    @classmethod
    def of(cls, tmp_path: Path, where: str, how) -> "Case":
        root = tmp_path / str(how).rpartition(".")[2]
        work_dir, skill = root / "work", root / "skills" / "release"
        work_dir.mkdir(parents=True)
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(FLOW)
        os.mkfifo(work_dir / "begun")
        call, sleeps = sleeper("echo > begun")
        options = ["--config-file", str(peer_config(root, call)), "--skills-dir", str(skill.parent)]
        options += [] if where == "approval" else ["--yolo"]
        return cls(how, work_dir, options, "/flow:release" if where == "flow" else "go", sleeps)

    async def begun(self) -> None:
        """Wait for its word, at most a minute: a thread that opens the pipe would wait for ever for a command that
        was not started.
        """
        loop, written = asyncio.get_running_loop(), asyncio.Event()
        pipe = os.open(self.work_dir / "begun", os.O_RDONLY | os.O_NONBLOCK)
        loop.add_reader(pipe, written.set)
        try:
            async with asyncio.timeout(_SECONDS):
                await written.wait()
        finally:
            loop.remove_reader(pipe)
            os.close(pipe)


async def started(options: list[str], cwd: Path) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "kimi_tui", *options), cwd=cwd, stdin=pipe, stdout=pipe, stderr=pipe
    )


async def ended(process: asyncio.subprocess.Process, how) -> tuple[int, bytes]:
    """End it in this way; its exit status, and what it said on stderr."""
    match how:
        case "stdin":
            process.stdin.close()
        case "reader":
            process._transport.get_pipe_transport(1).close()
            while not process.stdout.at_eof():  # else the answer might still find its reader
                await asyncio.sleep(0)
            process.stdin.write(b'{"jsonrpc": "2.0", "id": 9, "method": "nonsense"}\n')
        case number:
            process.send_signal(number)
    errors = await process.stderr.read()
    return await process.wait(), errors


async def loads(case: Case) -> None:
    """The session that was left can be gone on with."""
    [folder] = [found.parent for found in sessions_dir(case.work_dir.resolve()).glob("*/wire.jsonl")]
    made = plan(case.work_dir.parent, "text: back again", session_id=folder.name)
    async with engine_on(made) as (engine, received):
        assert [recorded.message for recorded in engine.recorded()]
        assert (await engine.prompt("go on")).message == "back again"
        assert "TurnEnd" in received.names


async def served_and_ended(case: Case, face: str, where: str) -> None:
    kind, named = FACES[face]
    process = await started([*case.options, *named], case.work_dir)
    client = kind(process, case.work_dir, case.prompt)
    await client.begin()
    async with asyncio.timeout(_SECONDS):
        await (client.asked.wait() if where == "approval" else case.begun())
    status, errors = await ended(process, case.how)
    await client.reading
    assert (status, errors) == (0 if isinstance(case.how, str) else 128 + case.how, b""), case.how
    assert not case.sleeps()
    await loads(case)


@pytest.mark.parametrize("where", ["turn", "approval", "flow"])
@pytest.mark.parametrize("face", FACES)
async def test_a_program_that_is_served_goes_away(tmp_path, face, where):
    cases = [Case.of(tmp_path, where, how) for how in ("stdin", "reader", signal.SIGTERM, signal.SIGINT)]
    await asyncio.gather(*(served_and_ended(case, face, where) for case in cases))


async def printed_and_ended(case: Case) -> None:
    process = await started([*case.options, "--print", "-p", case.prompt], case.work_dir)
    await case.begun()
    status, errors = await ended(process, case.how)
    assert status == 128 + case.how, errors
    assert b"Traceback" not in errors
    assert not case.sleeps()
    await loads(case)


@pytest.mark.parametrize("where", ["turn", "flow"])
async def test_an_answer_without_a_screen_is_not_wanted_any_more(tmp_path, where):
    cases = [Case.of(tmp_path, where, how) for how in (signal.SIGTERM, signal.SIGINT)]
    await asyncio.gather(*(printed_and_ended(case) for case in cases))


async def test_an_answer_that_nobody_reads_any_more_ends_at_its_next_word(tmp_path):
    case = Case.of(tmp_path, "turn", "reader")
    call, sleeps = sleeper()
    wait = tool_call("Shell", command="echo > begun; read < go")
    peer_config(case.work_dir.parent, wait, "text: one two three\n" + call)
    os.mkfifo(case.work_dir / "go")
    process = await started([*case.options, "--print", "-p", "go"], case.work_dir)
    await case.begun()
    process._transport.get_pipe_transport(1).close()
    go = os.open(case.work_dir / "go", os.O_RDWR)
    os.write(go, b"\n")
    assert (await process.stderr.read()).startswith(b"Resume this session")
    assert await process.wait() == 141
    os.close(go)
    assert not sleeps()
    await loads(case)


@pytest.mark.parametrize("face", FACES)
def test_a_client_that_stops_reading_and_closes_its_end_is_not_waited_for(tmp_path, face):
    case = Case.of(tmp_path, "turn", "stdin")
    argv = [sys.executable, "-m", "kimi_tui", *case.options, *FACES[face][1]]
    calls = ({"jsonrpc": "2.0", "id": f"{at:01000}", "method": "nonsense"} for at in range(4_200))
    with subprocess.Popen(argv, cwd=case.work_dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        # The answers exceed what waits for a reader; the calls behind them fit into what waits for the program.
        process.stdin.write(b"".join(json.dumps(call).encode() + b"\n" for call in calls))
        process.stdin.close()
        assert process.wait(60) == 0
