"""Commands as processes: nothing of them stays, and their output does not fill memory (FAULTS 15 to 18)."""

import asyncio
import gc
import os
import resource
import signal
import subprocess
import sys
from itertools import count, islice
from pathlib import Path
from uuid import uuid4

import pytest

from kimi_tui.tools.shell_support.process_runner import GRACE, ProcessResult, run
from tests.tools.harness import open_descriptors, processes_with, until


def mark() -> str:
    """A number of seconds to sleep that no other process sleeps, so that it can be found."""
    return f"9{uuid4().int % 10**12}"


async def bash(command: str, tmp_path: Path, *, seconds: float | None = 20) -> tuple[str, ProcessResult]:
    pieces: list[str] = []
    ended = await run(
        ["bash", "-c", command], cwd=tmp_path, env=dict(os.environ), on_text=pieces.append, seconds=seconds
    )
    return "".join(pieces), ended


async def test_output_and_errors_come_in_one_stream_with_the_exit_code(tmp_path: Path) -> None:
    text, ended = await bash("echo out; echo err >&2; exit 3", tmp_path)
    assert text == "out\nerr\n"
    assert ended == ProcessResult(3)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux chooses by a score")
async def test_a_command_is_ended_before_kimi_tui_where_memory_runs_out(tmp_path: Path) -> None:
    text, _ = await bash("cat /proc/self/oom_score_adj", tmp_path)
    ours = int(Path("/proc/self/oom_score_adj").read_text())
    assert int(text) == min(ours + 500, 1000)


async def test_standard_input_is_empty(tmp_path: Path) -> None:
    text, ended = await bash("cat; echo done", tmp_path)
    assert (text, ended.exit_code) == ("done\n", 0)


async def test_a_killed_command_has_the_code_that_shells_give_it(tmp_path: Path) -> None:
    _, ended = await bash("kill -KILL $$", tmp_path)
    assert ended.exit_code == 128 + signal.SIGKILL


async def test_a_program_that_is_not_there_is_127_and_not_started(tmp_path: Path) -> None:
    pieces: list[str] = []
    ended = await run(["/no/such/program"], cwd=tmp_path, env={}, on_text=pieces.append)
    assert (ended.exit_code, ended.started) == (127, False)
    assert "No such file" in "".join(pieces)


async def test_a_work_dir_that_is_gone_is_an_error_and_leaks_nothing(tmp_path: Path) -> None:
    gc.collect()  # what an earlier test left may be given back at any moment
    before = open_descriptors()
    with pytest.raises(OSError, match="gone"):
        await run(["true"], cwd=tmp_path / "gone", env={}, on_text=lambda _: None)
    gc.collect()
    assert open_descriptors() <= before


async def test_sigpipe_is_as_a_shell_expects_it(tmp_path: Path) -> None:
    text, ended = await bash("yes | head -1; echo ${PIPESTATUS[0]}", tmp_path)
    assert text == "y\n141\n"
    assert ended.exit_code == 0


@pytest.mark.parametrize(
    "command",
    [
        "sh -c 'sleep {m} & sleep {m}'",
        "setsid sleep {m} & sleep {m}",
        "(setsid bash -c 'setsid sleep {m} & sleep {m}' &) ; sleep {m}",
        "env -i setsid bash -c 'trap \"\" TERM HUP INT; sleep {m}; sleep {m}' & sleep {m}",
        "trap '' TERM; sleep {m}; sleep {m}; sleep {m}",
    ],
)
async def test_tree_kill(command: str, tmp_path: Path) -> None:
    """Cancelled: the whole tree ends, also what left the session and what ignores SIGTERM."""
    seconds = mark()
    task = asyncio.create_task(bash(command.format(m=seconds), tmp_path))
    await until(lambda: len(processes_with(f"sleep\0{seconds}")) > 0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not processes_with(seconds), seconds=2)


async def test_tree_kill_at_timeout(tmp_path: Path) -> None:
    seconds = mark()
    text, ended = await bash(f"echo hi; setsid sleep {seconds} & sleep {seconds}", tmp_path, seconds=0.5)
    assert (text, ended.timed_out, ended.exit_code) == ("hi\n", True, None)
    assert not processes_with(seconds)


async def test_a_command_that_ended_while_this_process_was_held_up_is_not_too_late(tmp_path: Path) -> None:
    def hold_up() -> None:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)  # the end of the command, past its time for us

    asyncio.get_running_loop().call_soon(hold_up)
    text, ended = await bash("echo hi; exit 3", tmp_path, seconds=0.001)
    assert (text, ended) == ("hi\n", ProcessResult(3))


async def test_setsid_child(tmp_path: Path) -> None:
    """A child in a session of its own holds the output: the command is over all the same, and the child is ended."""
    seconds = mark()
    text, ended = await asyncio.wait_for(bash(f"setsid sleep {seconds} & disown; echo hi", tmp_path), GRACE + 5)
    assert (text, ended.exit_code, ended.left) == ("hi\n", 0, 1)
    assert not processes_with(seconds)


async def test_late_output_of_a_background_job_that_ends_soon_is_kept(tmp_path: Path) -> None:
    text, ended = await bash("(sleep 0.05; echo late) & echo first", tmp_path)
    assert text == "first\nlate\n"
    assert ended.left == 0


async def test_a_command_that_kills_its_supervisor_does_not_hang(tmp_path: Path) -> None:
    seconds = mark()
    _, ended = await bash(f"kill -9 $PPID; sleep {seconds}", tmp_path, seconds=5)
    assert ended.exit_code is None
    await until(lambda: not processes_with(seconds), seconds=2)


@pytest.mark.parametrize("after", ["", "; exit 0", "; true"])
async def test_a_child_in_a_session_of_its_own_is_found_though_the_supervisor_was_killed(
    after: str, tmp_path: Path
) -> None:
    seconds = mark()
    escaped = f"setsid bash -c 'touch escaped; exec sleep {seconds}' & until [ -e escaped ]; do :; done"
    await bash(f"{escaped}; kill -9 $PPID{after}", tmp_path, seconds=5)
    assert not processes_with(seconds)


async def test_a_command_that_stops_its_supervisor_holds_nobody_up(tmp_path: Path) -> None:
    text, ended = await asyncio.wait_for(bash("echo hi; kill -STOP $PPID", tmp_path), 5)
    assert (text, ended.exit_code) == ("hi\n", 0)
    seconds = mark()
    again = f"(while :; do kill -STOP $PPID; sleep 0.01; done) & sleep {seconds}"
    await bash(again, tmp_path, seconds=1)
    assert not processes_with(seconds)


async def test_killing_its_own_group_does_not_reach_us(tmp_path: Path) -> None:
    _, ended = await bash("kill -TERM 0; sleep 1", tmp_path)
    assert ended.exit_code == 128 + signal.SIGTERM


async def test_nothing_is_left_when_kimi_tui_itself_is_killed(tmp_path: Path) -> None:
    seconds = mark()
    program = (
        "import asyncio, os; from pathlib import Path; from kimi_tui.tools.shell_support.process_runner import run\n"
        f"asyncio.run(run(['bash', '-c', 'setsid sleep {seconds} & sleep {seconds}'], cwd=Path('.'),"
        " env=dict(os.environ), on_text=print))"
    )
    victim = subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parents[2])
    await until(lambda: len(processes_with(f"sleep\0{seconds}")) == 2)
    victim.kill()
    victim.wait()
    await until(lambda: not processes_with(f"sleep\0{seconds}"), seconds=5)


async def test_zombies(tmp_path: Path) -> None:
    """Many fast commands leave neither zombies nor descriptors."""
    await bash("true", tmp_path)
    before = open_descriptors()
    for _ in range(20):
        await asyncio.gather(*(bash("true & true", tmp_path) for _ in range(2)))
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    assert open_descriptors() <= before
    if children.exists():
        assert children.read_text().split() == []


async def test_yes_flood(tmp_path: Path) -> None:
    """A flood is read to its end without keeping it, and the loop stays awake."""
    seen = ticks = 0

    def take(text: str) -> None:
        nonlocal seen
        seen += len(text)

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.005)
            ticks += 1

    ticking = asyncio.create_task(tick())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    await run(["bash", "-c", "yes"], cwd=tmp_path, env=dict(os.environ), on_text=take, seconds=0.5)
    line = "head -c 80000000 /dev/zero | tr '\\0' a"
    await run(["bash", "-c", line], cwd=tmp_path, env=dict(os.environ), on_text=take)
    ticking.cancel()
    assert seen > 80_000_000
    assert ticks > 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


async def test_characters_are_never_cut(tmp_path: Path) -> None:
    pieces: list[str] = []
    command = r"for i in 1 2 3; do printf '\xe4\xbd'; sleep 0.02; printf '\xa0'; done; printf '\xff|\xe4'"
    await run(["bash", "-c", command], cwd=tmp_path, env=dict(os.environ), on_text=pieces.append)
    assert "".join(pieces) == "\u4f60\u4f60\u4f60\ufffd|\ufffd"


async def test_who_has_enough_ends_the_command(tmp_path: Path) -> None:
    seen: list[str] = []

    def take(text: str) -> bool:
        seen.append(text)
        return True

    ended = await asyncio.wait_for(run(["bash", "-c", "yes"], cwd=tmp_path, env=dict(os.environ), on_text=take), 10)
    assert ended.exit_code == 128 + signal.SIGTERM
    assert not ended.timed_out


async def test_emfile(tmp_path: Path) -> None:
    """Without descriptors left a command fails as the operating system says, and works again later."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = open_descriptors()
    taken = {int(file.name) for file in Path("/proc/self/fd").iterdir()}
    third_free = next(islice((number for number in count() if number not in taken), 2, None))
    resource.setrlimit(resource.RLIMIT_NOFILE, (third_free, hard))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            await bash("true", tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert open_descriptors() <= before
    assert (await bash("echo hi", tmp_path))[0] == "hi\n"
