"""A session of 2,000 steps on a scripted model: what a step costs apart from the model and the tool, and the memory.

    python tests/bench/soul_steps.py [STEPS]

Neither may grow with the length of the history, but for the memory by what the history holds. The time is the
processor's: on a machine that does other things too, the clock on the wall says nothing.
"""

import asyncio
import itertools
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from kimi_tui.config.schema import Config, LoopControl, ModelConfig, ProviderConfig  # noqa: E402
from kimi_tui.soul.assemble import EngineConfig, build_engine  # noqa: E402
from kimi_tui.soul.engine import Engine  # noqa: E402
from kimi_tui.wire.codec import WireMessage  # noqa: E402
from kimi_tui.wire.events import StepBegin  # noqa: E402

OUTPUT_CHARS = 1_500
WINDOW = 50


class Steps:
    """A raw listener: when each step began, and the memory then."""

    def __init__(self, engine: Engine) -> None:
        self.begun: list[float] = []
        self.memory: dict[int, tuple[int, int]] = {}
        self._engine = engine

    def __call__(self, message: WireMessage) -> None:
        if isinstance(message, StepBegin):
            self.begun.append(time.process_time())
            if message.n % 100 == 0:
                said = sum(len(m.text) for m in self._engine.context.history)
                self.memory[message.n] = (resident(), said)

    def median_ms(self, step: int) -> float:
        """Of the steps around that one."""
        first = max(0, min(step, len(self.begun) - 1) - WINDOW)
        span = self.begun[first : first + WINDOW + 1]
        return statistics.median(after - before for before, after in itertools.pairwise(span)) * 1000


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def replies(steps: int, *, usage: bool) -> list[str]:
    """Each step says something and calls a tool; no call is like the one before."""
    told = []
    for number in range(steps - 1):
        call = {"id": f"c{number}", "name": "ReadFile", "arguments": json.dumps({"path": f"f{number % 2}.txt"})}
        lines = [f"text: step {number} {'words ' * 20}", f"tool_call: {json.dumps(call)}"]
        told.append("\n".join([*lines, *(["usage: input_other=1000 output=10"] if usage else [])]))
    return [*told, "text: done"]


async def session(folder: Path, steps: int, *, usage: bool) -> Steps:
    work_dir = folder / "work"
    work_dir.mkdir()
    for number in range(2):
        (work_dir / f"f{number}.txt").write_text("line of text\n" * (OUTPUT_CHARS // 13))
    script = folder / "script.json"
    script.write_text(json.dumps(replies(steps, usage=usage)))
    config = Config(
        models={"s": ModelConfig(provider="p", model="scripted", max_context_size=10**9)},
        providers={"p": ProviderConfig(type="scripted", scripts=script)},
        loop_control=LoopControl(max_steps_per_turn=steps + 1),
    )
    engine = await build_engine(
        EngineConfig(work_dir=work_dir.resolve(), config=config, interactive=False, auto_approve=True)
    )
    received = Steps(engine)
    engine.wire.listen(received)
    try:
        await engine.prompt("go")
    finally:
        await engine.aclose()
    return received


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    for usage in (True, False):
        with tempfile.TemporaryDirectory(prefix="kimi-tui-steps-") as folder:
            os.environ["KIMI_TUI_HOME"] = str(Path(folder) / "home")
            received = asyncio.run(session(Path(folder), steps, usage=usage))
        print(f"\n{steps} steps, the service {'counts' if usage else 'does not count'} tokens")
        for at in (100, steps // 2, steps):
            memory, said = received.memory[at - at % 100]
            figures = f"{received.median_ms(at):6.2f} ms a step, {memory / 1e6:6.1f} MB"
            print(f"  step {at:5}: {figures}, history {said / 1e6:.2f} MB")
        print(f"  step {steps} costs {received.median_ms(steps) / received.median_ms(100):.2f} times step 100")


if __name__ == "__main__":
    main()
