"""Flows that are killed at random moments and resumed: `python -m tests.faults.flow_kills --runs 200 --kills 200`.

Each run has commands, a typed result, a switch and a question to the user. Each life is a fork of this process. What
the journal says to be over before a life must not happen again in it: no request to the model, no command. At the end
the run has gone the one way that it can go. `--overhead` measures the processor time of a command node beyond its
command.
"""

import argparse
import asyncio
import contextlib
import os
import random
import select
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from kimi_tui.flow.run.journal import load_runs
from kimi_tui.flow.run.journal_records import TurnFinished, load_record
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.jsonl import read
from kimi_tui.permission.settings import PermissionSettings
from kimi_tui.soul import assemble as _assembled  # noqa: F401 - loaded once, before the forks
from kimi_tui.soul.flows.user_questions import pending_question
from kimi_tui.wire.events import StepBegin
from kimi_tui.wire.flow_events import FlowBegin, FlowNodeBegin
from tests.soul.release_flow import write_skill
from tests.soul.scripted_engine import engine_on, plan

NOTE = "a b'; $(touch BAD) `touch BAD`"
CHART = """---
name: kills
description: Has every kind of node.
type: flow
---
```mermaid
flowchart TD
  B([BEGIN]) --> test[Test it.]
  test -->|failed| fix[Fix it: ${test.output}] --> test
  test -->|ok| look{Look at it.}
  look -->|again| fix
  look -->|good| route{Kind?}
  route -->|small| gate{Ship ${look.note}?}
  route -->|else| fix
  gate -->|yes| ship[Ship it.] --> E([END])
  gate -->|no| fix
  test@{ run: "printf '%s\\\\n' $KIMI_TUI_NODE.$KIMI_TUI_MOVE >> effects; test $KIMI_TUI_MOVE -gt 4", retries: 0 }
  look@{ out: "note: text, kind: small | large" }
  route@{ on: "${look.kind}" }
  gate@{ ask: human }
  ship@{ run: "printf '%s\\\\n' $KIMI_TUI_NODE.$KIMI_TUI_MOVE >> effects; echo ${look.note} >> shipped" }
```
"""
WAY = ["test.1", "fix.2", "test.3", "fix.4", "test.5", "look.6", "gate.8", "ship.9"]
SCRIPT = [
    "when: ^user: Fix it\ntext: It is fixed.",
    "when: ^user: Look at it\ntool_call: "
    '{"id": "r", "name": "SubmitResult", "arguments": '
    '"{\\"note\\": \\"a b\'; $(touch BAD) `touch BAD`\\", \\"kind\\": \\"small\\", \\"choice\\": \\"good\\"}"}',
    "when: user\ntext: What?",
]
_LONGEST_LIFE_S = 25.0


@dataclass
class Life:
    """One life: whether the run was over at its end, whether it was killed, and what was wrong."""

    over: bool = False
    killed: bool = False
    wrong: str = ""


def runs_of(folder: Path) -> list[RunState]:
    files = list((folder / "home" / "sessions").glob("*/*/flow.jsonl"))
    return load_runs(files[0]) if files else []


def finished_moves(folder: Path) -> set[str]:
    """The moves whose turn or command has a recorded end."""
    moves: set[str] = set()
    for file in (folder / "home" / "sessions").glob("*/*/flow.jsonl"):
        for _, value in read(file).rows:
            record = load_record(value)
            if isinstance(record, TurnFinished):
                moves.add(f"{record.node}.{record.move}")
    return moves


def lines_of(file: Path) -> Counter[str]:
    return Counter(file.read_text("utf-8").split("\n")[:-1]) if file.exists() else Counter()


async def live(folder: Path, say) -> None:
    """Start the run, or resume it until it is over."""
    made = plan(folder, *SCRIPT, permissions=PermissionSettings(trusted=True), interactive=False, auto_approve=True)
    sessions = [file.parent.name for file in (folder / "home" / "sessions").glob("*/*/flow.jsonl")]
    made = replace(made, session_id=sessions[0] if sessions else None)
    async with engine_on(made) as (engine, _):
        states = runs_of(folder)
        expected = states[0].node_id if states else None
        requests = (folder / "requests").open("a", encoding="utf-8", buffering=1)
        at = ""

        def hear(message) -> None:
            nonlocal at
            match message:
                case FlowBegin() if message.resumed_at != expected:
                    say(f"wrong resumed at {message.resumed_at}, not at {expected}")
                case FlowNodeBegin():
                    at = f"{message.node_id}.{message.move}"
                case StepBegin() if at.startswith(("fix.", "look.")):
                    requests.write(f"{at}\n")
                case _:
                    pass

        engine.wire.listen(hear)
        say("loaded")
        if not states:
            await engine.prompt("/flow:kills")
            states = runs_of(folder)
        while states and states[0].status != "finished":
            expected = states[0].node_id
            answer = " gate=yes" if pending_question(states[0]) is not None else ""
            await engine.prompt(f"/flow-resume {states[0].run_id}{answer}")
            states = runs_of(folder)
        say("over")


def one_life(folder: Path, rng: random.Random, *, kill: bool, usual_s: float) -> Life:
    """Fork, let it be, kill it if it is to be killed."""
    done = finished_moves(folder)
    effects, requests = lines_of(folder / "work" / "effects"), lines_of(folder / "requests")
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read_end)
        os.setsid()
        os.environ["KIMI_TUI_HOME"] = str(folder / "home")
        try:
            asyncio.run(live(folder, lambda line: os.write(write_end, f"{line}\n".encode())))
        except BaseException:  # noqa: BLE001 - told to the parent
            with contextlib.suppress(OSError):
                os.write(write_end, f"wrong {traceback.format_exc()!r}\n".encode())
        finally:
            os._exit(0)
    os.close(write_end)
    until = time.monotonic() + (rng.uniform(0, usual_s) if kill else _LONGEST_LIFE_S)
    received, ended = b"", False
    while not ended and (left := until - time.monotonic()) > 0:
        if select.select([read_end], [], [], left)[0]:
            piece = os.read(read_end, 1 << 16)
            received, ended = received + piece, not piece
    life = Life(killed=not ended)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    while piece := os.read(read_end, 1 << 16):
        received += piece
    os.close(read_end)
    told = received.decode().splitlines()
    life.over = "over" in told
    life.wrong = next((line for line in told if line.startswith("wrong")), "")
    if not kill and life.killed:
        life.wrong = life.wrong or "it did not end"
    for name, before in (("effects", effects), ("requests", requests)):
        now = lines_of(folder / ("work/effects" if name == "effects" else name))
        again = [move for move in done if now[move] != before[move]]
        if again:
            life.wrong = f"{name} of finished moves came again: {again}"
    return life


def check_end(folder: Path) -> str:
    """What is not as it has to be at the end of a run, or an empty text."""
    (state,) = runs_of(folder)
    ends = [
        f"{record.node}.{record.move}"
        for file in (folder / "home" / "sessions").glob("*/*/flow.jsonl")
        for _, value in read(file).rows
        if isinstance(record := load_record(value), TurnFinished) and record.to is not None
    ]
    if ends != [move for move in WAY if not move.startswith("gate")]:
        return f"the way is {ends}"
    if state.status != "finished" or state.moves != 9:
        return f"{state.status} after {state.moves} moves"
    if set((folder / "work" / "shipped").read_text("utf-8").splitlines()) != {NOTE}:
        return "the note is not what the model gave"
    if list(folder.rglob("BAD")):
        return "a value became code"
    return ""


def kill_runs(folder: Path, *, runs: int, kills: int, seed: int) -> tuple[int, int, int]:
    """Runs, kills and lives. Raises AssertionError with the seed."""
    rng = random.Random(seed)
    os.environ["HOME"] = str(folder)
    killed = lives = 0
    usual_s = 3.0
    number = 0
    while number < runs or killed < kills:
        number += 1
        here = folder / f"r{number}"
        write_skill(here / "work", "kills", CHART)
        kills_left = rng.choice((1, 1, 1, 2)) if killed < kills else 0
        started_at, undisturbed = time.monotonic(), kills_left == 0
        while True:
            life = one_life(here, rng, kill=kills_left > 0, usual_s=usual_s)
            lives += 1
            if life.killed and kills_left:
                killed, kills_left = killed + 1, kills_left - 1
            assert not life.wrong, f"seed {seed}, run {number}: {life.wrong}"
            if life.over:
                break
        if undisturbed or number % 10 == 0:
            usual_s = 0.7 * usual_s + 0.3 * max(0.5, (time.monotonic() - started_at) / 2)
        wrong = check_end(here)
        assert not wrong, f"seed {seed}, run {number}: {wrong}"
        if number % 20 == 0:
            print(f"{number} runs, {killed} kills, {lives} lives", flush=True)
    return number, killed, lives


OVERHEAD_NODES = 100


async def overhead(folder: Path) -> tuple[float, float]:
    """The processor milliseconds and the wall clock milliseconds of this process a command node."""
    names = [f"n{number}" for number in range(OVERHEAD_NODES)]
    chart = "flowchart TD\nB([BEGIN]) --> " + " --> ".join(f"{name}[Run {name}]" for name in names) + " --> E([END])\n"
    chart += "".join(f'{name}@{{ run: "true" }}\n' for name in names)
    skill = f"---\nname: many\ndescription: Many commands.\ntype: flow\n---\n```mermaid\n{chart}```\n"
    write_skill(folder / "work", "many", skill)
    os.environ["KIMI_TUI_HOME"] = str(folder / "home")
    made = plan(folder, "text: x", permissions=PermissionSettings(trusted=True), interactive=False, auto_approve=True)
    async with engine_on(made) as (engine, _):
        await engine.prompt("/flow:many")
        processor, wall = time.process_time(), time.monotonic()
        await engine.prompt("/flow:many")
        return (
            (time.process_time() - processor) * 1000 / OVERHEAD_NODES,
            (time.monotonic() - wall) * 1000 / OVERHEAD_NODES,
        )


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=200)
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    options.add_argument("--overhead", action="store_true", help="only measure a command node")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        if chosen.overhead:
            processor, wall = asyncio.run(overhead(Path(folder)))
            print(f"a command node: {processor:.1f} ms of processor beyond the command, {wall:.1f} ms in all")
            return 0
        started_at = time.monotonic()
        runs, kills, lives = kill_runs(Path(folder), runs=chosen.runs, kills=chosen.kills, seed=chosen.seed)
    print(f"seed {chosen.seed}: {runs} runs, {kills} kills, {lives} lives in {time.monotonic() - started_at:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
