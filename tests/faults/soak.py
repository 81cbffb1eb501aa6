"""A busy session that is killed at random moments and gone on with: `python -m tests.faults.soak --kills 500`.

Each life is a fork of this process, so that it begins within milliseconds. What it was told to be done (a prompt that
returned, a file that was written) it says on a pipe; the next life must find all of it, once, and nothing broken.
"""

import argparse
import asyncio
import os
import random
import select
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path

from kimi_tui.soul import assemble as _assembled  # noqa: F401 - loaded once, before the forks
from kimi_tui.wire.events import TurnBegin
from kimi_tui.wire.parts import ToolResult
from tests.soul.scripted_engine import engine_on, plan, tool_call

LIVES_PER_SESSION = 12
_PROMPTS = 40
_LONGEST_LIFE = 0.4


@dataclass
class Life:
    """What one life said: the prompts that were acknowledged, and what was wrong when it began."""

    acknowledged: list[int] = field(default_factory=list)
    wrong: str = ""
    loaded: bool = False


async def live(folder: Path, session: str, first: int, done: list[int], say) -> None:
    """Check what earlier lives were promised, then be busy."""
    replies: list[str] = []
    for number in range(first, first + _PROMPTS):
        replies.append(
            f"text: I write {number}.\n"
            + tool_call("WriteFile", f"w{number}", path=f"n{number}.txt", content=f"{number}\n" * 50)
            + "\n"
            + tool_call("SetTodoList", f"t{number}", todos=[{"title": f"do {number}", "status": "pending"}])
        )
        if number % 7 == 0:
            replies.append(tool_call("Shell", f"s{number}", command=f"echo {number}"))
        replies.append(f"text: done {number}")
    async with engine_on(plan(folder, *replies, session_id=session, yolo=True)) as (engine, _):
        wrong = check(engine, folder, done)
        say(f"wrong {wrong}" if wrong else "loaded")
        if wrong:
            return
        engine.wire.listen(lambda message: say("tool") if isinstance(message, ToolResult) else None)
        for number in range(first, first + _PROMPTS):
            await engine.prompt(f"say {number}")
            say(f"ack {number}")


def check(engine, folder: Path, done: list[int]) -> str:
    """What is not as it was promised, or an empty text."""
    texts = [(message.role, message.text) for message in engine.context.history]
    said = [text for role, text in texts if role == "assistant"]
    prompts = [text for role, text in texts if role == "user"]
    recorded = [item.message for item in engine.recorded(whole=True)]
    begun = [message.user_input for message in recorded if isinstance(message, TurnBegin)]
    for number in done:
        if prompts.count(f"say {number}") != 1 or said.count(f"done {number}") != 1:
            return f"prompt {number} is in the context {prompts.count(f'say {number}')} times"
        if begun.count(f"say {number}") != 1:
            return f"prompt {number} is in the record {begun.count(f'say {number}')} times"
        if (folder / "work" / f"n{number}.txt").read_text() != f"{number}\n" * 50:
            return f"file {number} is not as it was written"
    calls = [call.id for message in engine.context.history for call in message.tool_calls or ()]
    answers = [message.tool_call_id for message in engine.context.history if message.role == "tool"]
    return "" if sorted(calls) == sorted(answers) else "a tool call has no result, or a result no call"


def one_life(folder: Path, session: str, first: int, done: list[int], rng: random.Random) -> Life:
    """Fork, let it be, kill it."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        os.setsid()
        try:
            asyncio.run(live(folder, session, first, done, lambda line: os.write(write, f"{line}\n".encode())))
        except BaseException:  # noqa: BLE001 - told to the parent
            os.write(write, f"wrong {traceback.format_exc()!r}\n".encode())
        os._exit(0)
    os.close(write)
    received = b""
    early = rng.random() < 0.15  # now and then while it still loads
    until = time.monotonic() + (rng.uniform(0, 0.1) if early else 20)
    lives = early
    while (left := until - time.monotonic()) > 0:
        if select.select([read], [], [], left)[0]:
            piece = os.read(read, 1 << 16)
            if not piece:
                break
            received += piece
            if not lives and b"loaded" in received:
                lives = True
                until = time.monotonic() + rng.uniform(0, _LONGEST_LIFE)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    while piece := os.read(read, 1 << 16):
        received += piece
    os.close(read)
    life = Life()
    for line in received.decode().splitlines():
        word, _, rest = line.partition(" ")
        match word:
            case "ack":
                life.acknowledged.append(int(rest))
            case "wrong":
                life.wrong = rest
            case "loaded":
                life.loaded = True
            case _:
                pass
    if not lives and not life.wrong:
        life.wrong = "it did not load within 20 s"
    return life


def soak(folder: Path, *, kills: int, seconds: float, seed: int) -> tuple[int, int, int]:
    """Kills, prompts that were acknowledged, and sessions. Raises AssertionError with the seed."""
    rng = random.Random(seed)
    os.environ["HOME"] = str(folder)
    os.environ["KIMI_TUI_HOME"] = str(folder / "home")
    until = time.monotonic() + seconds
    killed = promised = sessions = 0
    while killed < kills and time.monotonic() < until:
        sessions += 1
        here = folder / f"s{sessions}"
        here.mkdir()
        done: list[int] = []
        first = 1
        for _ in range(LIVES_PER_SESSION):
            life = one_life(here, f"s{sessions}", first, done, rng)
            assert not life.wrong, f"seed {seed}, session {sessions}, after {killed} kills: {life.wrong}"
            done += life.acknowledged
            promised += len(life.acknowledged)
            first += _PROMPTS
            killed += 1
            if killed >= kills:
                break
        last = one_life(here, f"s{sessions}", first, done, random.Random(0))
        assert not last.wrong, f"seed {seed}, session {sessions}, at the end: {last.wrong}"
    return killed, promised, sessions


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--kills", type=int, default=500)
    options.add_argument("--seconds", type=float, default=1800)
    options.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    args = options.parse_args()
    print(f"seed {args.seed}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kimi-tui-soak-") as folder:
        try:
            killed, promised, sessions = soak(Path(folder), kills=args.kills, seconds=args.seconds, seed=args.seed)
        except AssertionError as error:
            print(f"FAILED: {error}")
            return 1
    took = time.monotonic() - began
    print(f"{killed} kills in {sessions} sessions in {took:.0f} s: every session loaded, {promised} prompts kept")
    if killed < args.kills:
        print(f"the time was up before {args.kills} kills")
    return 0


if __name__ == "__main__":
    sys.exit(main())
