"""What the sandbox costs a command: `true` by the Shell tool, boxed and not, in turns; and the test before the first.

    python tests/bench/sandbox_overhead.py [FOLDERS] [RUNS]

The workspace is a repository with FOLDERS folders (500) of four files each. The figures are medians in milliseconds,
and the least of all in brackets.
The difference is taken within each pair, so a machine that does other things too disturbs both alike; where it does
much, compare the processor's time, which is the mean of all threads and children.
"""

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from kimi_tui.config.schema import SandboxConfig  # noqa: E402
from kimi_tui.interaction.approvals import Approvals  # noqa: E402
from kimi_tui.tools.core.progress import ToolProgress  # noqa: E402
from kimi_tui.tools.core.toolset import Toolset  # noqa: E402
from kimi_tui.tools.file_support.workspace import Workspace  # noqa: E402
from kimi_tui.tools.shell import Shell  # noqa: E402
from kimi_tui.tools.shell_support.sandbox import NO_SANDBOX, Sandbox  # noqa: E402
from kimi_tui.wire.channel import Wire  # noqa: E402
from kimi_tui.wire.parts import FunctionBody, ToolCall  # noqa: E402


def make_repository(folder: Path, folders: int) -> None:
    for number in range(folders):
        below = folder / f"a{number % 20}/b{number}"
        below.mkdir(parents=True)
        for name in "wxyz":
            (below / name).write_text("1\n")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)


def processor() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


async def milliseconds(tool: Shell, command: str) -> float:
    began = time.perf_counter()
    call = ToolCall(id="1", function=FunctionBody(name="Shell", arguments=json.dumps({"command": command})))
    value = (await Toolset([tool]).handle(call)).return_value
    assert not value.is_error, value.message
    return (time.perf_counter() - began) * 1000


async def measure(folder: Path, runs: int) -> None:
    workspace, approvals = Workspace(folder), Approvals(Wire(), yolo=True)
    probes: list[float] = []
    for _ in range(5):
        sandbox = Sandbox(SandboxConfig(network=False), workspace, trusted=True)
        began = time.perf_counter()
        assert await sandbox.works()
        probes.append((time.perf_counter() - began) * 1000)
    boxed = Shell(workspace, approvals, ToolProgress(), sandbox=sandbox)
    unboxed = Shell(workspace, approvals, ToolProgress(), sandbox=NO_SANDBOX)
    first = await milliseconds(boxed, "true")
    await milliseconds(unboxed, "true")
    pairs: list[tuple[float, float]] = []
    used = [0.0, 0.0]
    for _ in range(runs):
        times: list[float] = []
        for at, tool in enumerate((unboxed, boxed)):
            before = processor()
            times.append(await milliseconds(tool, "true"))
            used[at] += processor() - before
        pairs.append((times[0], times[1]))
    bare, full = (statistics.median(pair[at] for pair in pairs) for at in (0, 1))
    cost = statistics.median(full - bare for bare, full in pairs)
    sys.stdout.write(f"{sandbox.tier}: test {statistics.median(probes):.0f}, first command {first:.0f}, ")
    least_bare, least_full = (min(pair[at] for pair in pairs) for at in (0, 1))
    sys.stdout.write(f"unboxed {bare:.1f} ({least_bare:.1f}), boxed {full:.1f} ({least_full:.1f}), ")
    sys.stdout.write(f"the sandbox costs {cost:.1f} ms, ")
    sys.stdout.write(f"{(used[1] - used[0]) / runs * 1000:.1f} ms of processor beside {used[0] / runs * 1000:.1f}\n")


def main() -> None:
    folders, runs = (int(text) for text in (*sys.argv[1:], *("500", "100")[len(sys.argv) - 1 :]))
    place = Path(tempfile.mkdtemp(dir=Path(__file__).parent))
    os.environ["KIMI_TUI_HOME"] = str(place / "home")
    try:
        (place / "work").mkdir()
        make_repository(place / "work", folders)
        asyncio.run(measure(place / "work", runs))
    finally:
        shutil.rmtree(place)


if __name__ == "__main__":
    main()
