"""`python -m tests.lowest`: tests of what the libraries are used for, with the lowest versions that are asked for.

uv resolves what `pyproject.toml` names directly to the lowest, and what those need to the newest that fits.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
VENV = ROOT / ".venv-lowest"
TOOLS = (
    "pytest>=8.4,<9",
    "pytest-asyncio",
    "pytest-timeout",
    "pytest-xdist",
    "pytest-textual-snapshot",
    "hypothesis",
    "keyrings.alt",
    "pyte",
)
TESTS = (
    "tests/llm",
    "tests/soul/test_tracing.py",
    "tests/mcp/test_tool.py",
    "tests/tools/test_search.py",
    "tests/tools/shell_support/test_command_parser.py",
    "tests/config/test_yaml_editor.py",
    "tests/ui/acp/test_process.py",
    "tests/ui/tui/text",
    "tests/ui/tui/test_start.py",
)

COUNTED = ("--deselect", "tests/ui/tui/test_start.py::test_the_first_frame_loads_nothing_heavy")
"""Counts the modules of the newest libraries, which differ."""


def main() -> int:
    python = str(VENV / "bin/python")
    wanted = VENV / "lowest.txt"
    _uv("venv", "--clear", "--python", sys.executable, str(VENV))
    _uv("pip", "compile", "--resolution", "lowest-direct", "--extra", "all", "--python", python, "pyproject.toml",
        "--output-file", str(wanted))  # fmt: skip
    _uv("pip", "install", "--python", python, "-r", str(wanted), "--no-deps", "--editable", ".")
    _uv("pip", "install", "--python", python, "-c", str(wanted), *TOOLS)
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", *COUNTED, *TESTS], cwd=ROOT, check=False
    )
    return done.returncode


def _uv(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "uv", "--quiet", *arguments], cwd=ROOT, check=True)


if __name__ == "__main__":
    sys.exit(main())
