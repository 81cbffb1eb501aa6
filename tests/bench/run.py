"""`make bench`: the program as a user runs it, beside the least program that does the same.

Drives both in a pseudo-terminal against a real HTTP server with the harness in `../shared/bench`
(or `$KIMI_TUI_BENCH`) and prints medians and ratios; below them the least of all starts and answers, which other
work on the machine disturbs less; then what the steps of the screen cost in a long conversation, and how fast charts
are read and laid out. What needs the harness or Graphviz says so where it is absent. Arguments go to the harness.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LEAST = {
    "start": ("first_byte_s", "ready_s", "usable_s", "first_reply_s"),
    "print": ("wall_s", "cpu_s"),
}
HARNESS = Path(os.environ.get("KIMI_TUI_BENCH", ROOT.parent / "shared" / "bench"))


def main() -> int:
    status = screen_and_print(sys.argv[1:])
    charts = HARNESS.parent / "corpus" / "charts.json"
    scripts = (
        ("screen_steps.py", []), ("flow_read.py", []), ("layout_vs_dot.py", [charts] if charts.is_file() else []),
    )  # fmt: skip
    for script, more in scripts:
        print(f"\n== {script}", flush=True)
        status |= subprocess.run([sys.executable, HERE / script, *more], cwd=ROOT).returncode
    return status


def screen_and_print(arguments: list[str]) -> int:
    if not (HARNESS / "pty_bench.py").is_file():
        print(f"no harness at {HARNESS}: start, headless answer and session are not measured")
        return 0
    with tempfile.TemporaryDirectory(prefix="kimi-tui-bench-") as folder:
        adapters = Path(folder) / "adapters"
        adapters.mkdir()
        for name in ("kimi-tui.json", "floor.json"):
            text = (HERE / name).read_text("utf-8").replace("${HERE}", str(HERE))
            (adapters / name).write_text(text.replace("${FLOOR}", str(HARNESS / "floor_textual.py")), "utf-8")
        for name in ("pty_bench.py", "mock_llm.py"):
            shutil.copy(HARNESS / name, folder)
        command = [
            sys.executable, str(Path(folder) / "pty_bench.py"), "--adapter", str(adapters / "kimi-tui.json"),
            "--peers", str(adapters / "floor.json"), "--dir", str(Path(folder) / "out"), *arguments,
        ]  # fmt: skip
        status = subprocess.run(command, cwd=folder).returncode
        results = Path(folder) / "out" / "results.jsonl"
        if results.is_file():
            print_least([json.loads(line) for line in results.read_text("utf-8").splitlines()])
        return status


def print_least(records: list[dict[str, Any]]) -> None:
    """The least figure of each program, and ours against the floor's."""
    print(f"\n{'least of all':<22} {'ours':>8} {'floor':>8}   ratio")
    for phase, fields in LEAST.items():
        for field in fields:
            ours, floor = (
                [one["figures"][field] for one in records if (one["phase"], one["name"]) == (phase, name)
                 and one["figures"].get(field)]
                for name in ("kimi-tui", "floor")
            )  # fmt: skip
            if ours and floor:
                print(f"{phase + ' ' + field:<22} {min(ours):>8.3f} {min(floor):>8.3f} {min(ours) / min(floor):>7.2f}")


if __name__ == "__main__":
    sys.exit(main())
