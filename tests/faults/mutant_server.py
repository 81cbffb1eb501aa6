"""`python -P mutant_server.py`: answers each request with what pytest says, from a process of its own that it forks.

The libraries are imported once, before the first request; what is tested is not, so that every process imports it
anew. A request is a line of JSON on standard input, an answer one on standard output. Linux only. It is started by
`mutant_copy.py` in the copy whose tests it runs, and imports nothing of it.
"""

import contextlib
import ctypes
import gc
import importlib
import json
import os
import resource
import select
import signal
import sys
import traceback
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

_LIBRARIES = (
    "acp", "aiohttp", "hypothesis.strategies", "jsonschema", "markdown_it", "markdownify", "mcp.server.mcpserver",
    "openai", "pathspec", "pyte", "ruamel.yaml", "selectolax.lexbor", "textual.pilot", "tree_sitter_bash", "watchfiles",
)  # fmt: skip
_MAX_BYTES = 4 << 30
_PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """The argument is an empty folder for what is written meanwhile."""
    folder = Path(sys.argv[1])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _import_libraries(folder)
    gc.freeze()
    for line in sys.stdin:
        answers.write(json.dumps(_answer(json.loads(line), folder)) + "\n")
        answers.flush()


def _import_libraries(empty: Path) -> None:
    """Those of pytest by running it once, for it wants to import its plugins by itself."""
    pytest.main(["-q", "-c", os.devnull, "--rootdir", str(empty), "-p", "no:cacheprovider", str(empty)])
    for name in _LIBRARIES:
        importlib.import_module(name)
    assert not [name for name in sys.modules if name.partition(".")[0] in ("kimi_tui", "tests")]


def _answer(request: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Nothing is left of the test's processes then. Memory is bounded, for without its defence a test may fill it."""
    output, result = folder / "output", folder / "result"
    result.unlink(missing_ok=True)
    with output.open("w") as file:
        pid = os.fork()
        if pid == 0:
            try:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
                os.setsid()
                resource.setrlimit(resource.RLIMIT_AS, (_MAX_BYTES, _MAX_BYTES))
                _test(request, folder / "tests", result)
                os._exit(0)
            except BaseException:  # noqa: BLE001 - this process must not go on as the server
                traceback.print_exc()
                os._exit(1)
    ended = _ends_within(request["seconds"], pid)
    _end_children()
    answer: dict[str, Any] = {"passed": [], "failed": [], "said": f"did not end within {request['seconds']} s"}
    if ended:
        lines = output.read_text("utf-8", "replace").split("\n")
        answer["said"] = next((line[:300] for line in reversed(lines) if line.strip()), "it ended without a word")
        if result.exists():
            answer |= json.loads(result.read_text("utf-8"))
    return answer


def _ends_within(seconds: float, pid: int) -> bool:
    ended = os.pidfd_open(pid)
    ready, _, _ = select.select([ended, sys.stdin], [], [], seconds)
    os.close(ended)
    return ended in ready


def _end_children() -> None:
    """Those that they leave behind too, for these become ours."""
    while True:
        for pid in _children():
            os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> Iterator[int]:
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            if int(file.read_text("utf-8", "replace").rpartition(")")[2].split()[1]) == os.getpid():
                yield int(file.parent.name)


def _test(request: dict[str, Any], folder: Path, result: Path) -> None:
    """Without a result if pytest did not run the tests, or if a failure may mean no more than that nothing works."""
    seen = _Seen()
    stop = ["-x"] if request["stop"] else []
    options = ["-q", "-m", "", "-p", "no:cacheprovider", "--basetemp", str(folder)]
    with contextlib.suppress(Warning):  # of what a test that fails leaves open
        pytest.main([*stop, *options, *request["tests"]], plugins=[seen])
    if seen.status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return
    if seen.failed:
        for module in request["modules"]:
            importlib.import_module(module)
    result.write_text(json.dumps({"passed": seen.passed, "failed": seen.failed}), "utf-8")


class _Seen:
    """The tests that passed, and those that failed, with the reason. An error before or after a test is neither."""

    def __init__(self) -> None:
        self.passed: list[str] = []
        self.failed: list[tuple[str, str]] = []
        self.status: int | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.when == "call" and report.passed:
            self.passed.append(item.nodeid)
        elif report.when == "call" and report.failed and call.excinfo:
            errors = list(_causes(call.excinfo.value))
            if not any(isinstance(error, NameError) for error in errors):
                self.failed.append((item.nodeid, call.excinfo.exconly().split("\n")[0][:300]))
        return report

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self.status = exitstatus


def _causes(error: BaseException) -> Iterator[BaseException]:
    """It, and every exception that it was raised from or while handling."""
    found = [error]
    for one in found:
        yield one
        more = [one.__cause__, one.__context__]
        if isinstance(one, BaseExceptionGroup):
            more += cast("BaseExceptionGroup[BaseException]", one).exceptions
        found += [other for other in more if other is not None and other not in found]


if __name__ == "__main__":
    main()
