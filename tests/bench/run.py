"""`make bench`: the program as a person runs it, beside the least program that does the same.

Drives both in a pseudo-terminal against a real HTTP server with the harness in `../shared/bench`
(or `$KIMI_TUI_BENCH`) and prints medians and ratios; then how fast charts are read and laid out.
What needs the harness or Graphviz says so where it is absent. Arguments go to the harness.
"""

import compileall
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HARNESS = Path(os.environ.get("KIMI_TUI_BENCH", ROOT.parent / "shared" / "bench"))


def main() -> int:
    compileall.compile_dir(ROOT / "kimi_tui", quiet=1)
    status = screen_and_print(sys.argv[1:])
    charts = HARNESS.parent / "corpus" / "charts.json"
    for script, more in (("flow_read.py", []), ("layout_vs_dot.py", [charts] if charts.is_file() else [])):
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
        return subprocess.run(command, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
