"""A copy of the tree in which defences are taken out, and what pytest says of its tests."""

import compileall
import contextlib
import json
import os
import py_compile
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_COPIED = ("kimi_tui", "tests", "skills", "themes", "snapshots", "pyproject.toml", "README.md", "CHANGELOG.md")
_SERVER = ROOT / "tests/faults/mutant_server.py"
_SUPERVISOR = ROOT / "kimi_tui/tools/shell_support/supervisor.py"


@dataclass(frozen=True, slots=True)
class Answer:
    """The tests that passed and those that failed, each with the reason, and the last line of the output."""

    passed: Sequence[str]
    failed: Sequence[tuple[str, str]]
    said: str


class Copy:
    """Runs one request at a time. The supervisor (of this tree) ends all of it when we are gone, or the server is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._written = tempfile.TemporaryDirectory(prefix="mutants-")  # short, for sockets
        self._start()

    def _start(self) -> None:
        closes, self._held = os.pipe()
        with Path(os.devnull).open("wb") as status:
            supervisor = [sys.executable, "-I", "-S", str(_SUPERVISOR), "0", str(status.fileno()), str(closes)]
            self._server = subprocess.Popen(
                [*supervisor, sys.executable, "-P", str(_SERVER), self._written.name],
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": str(self.folder)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=(status.fileno(), closes),
                text=True,
                start_new_session=True,
            )
        os.close(closes)

    def run(self, tests: Sequence[str], *, seconds: float, stop: bool = True, modules: Sequence[str] = ()) -> Answer:
        """`stop` at the first test that fails. A failure counts only if the modules can be imported."""
        assert self._server.stdin
        assert self._server.stdout
        request = {"tests": tests, "stop": stop, "seconds": seconds, "modules": modules}
        try:
            self._server.stdin.write(json.dumps(request) + "\n")
            self._server.stdin.flush()
            return Answer(**json.loads(self._server.stdout.readline()))
        except (BrokenPipeError, json.JSONDecodeError):
            self._end()
            self._start()
            return Answer([], [], "the server ended")

    def close(self) -> None:
        self._end()
        self._written.cleanup()

    def _end(self) -> None:
        os.close(self._held)
        self._server.wait()
        for pipe in (self._server.stdin, self._server.stdout):
            with contextlib.suppress(BrokenPipeError):  # of a request that it did not read
                pipe.close()  # type: ignore[union-attr]


def copy_tree(target: Path) -> Path:
    """Compiled, so that a program that a test starts does not do so; by content, so that every change counts."""
    ignored = shutil.ignore_patterns("__pycache__", ".pytest_cache", ".hypothesis")
    target.mkdir()
    for name in _COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=ignored)
        else:
            shutil.copy(source, target / name)
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(target / "kimi_tui", quiet=1, invalidation_mode=mode)
    return target
