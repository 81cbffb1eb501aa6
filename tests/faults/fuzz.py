"""`python -m tests.faults.fuzz TARGET [SECONDS]`: bytes that a fuzzer makes up, for as long as one likes; by hand.

It needs `pip install atheris`, which finds its way into the code by what its inputs reach. The targets are the places
where a stranger's bytes are read: `splitter`, `paths`, `journal`, `sanitiser`, `sse`. It ends with the first input
that breaks a promise, and with figures.
"""

import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import atheris  # type: ignore[import-not-found]

with atheris.instrument_imports(include=["kimi_tui"]):
    from kimi_tui import jsonl
    from kimi_tui.llm.sse import NotAnEventStreamError, ServerEvent, server_events
    from kimi_tui.permission.file_pattern import matches_file
    from kimi_tui.tools.file_support.workspace import PathRefusedError, Workspace
    from kimi_tui.tools.shell_support.approval_scope import approval_scope
    from kimi_tui.tools.shell_support.command_parser import parse_command_line
    from kimi_tui.ui.tui.text.sanitize import _LETTER_JOIN, _SUSPECT, plain_output, sanitize

HERE = Path(tempfile.mkdtemp(prefix="kimi-tui-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
(HERE / "work/sub").mkdir(parents=True)
(HERE / "work/out").symlink_to("/etc")
(HERE / "work/up").symlink_to("..")
WORKSPACE = Workspace(HERE / "work")


def splitter(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    began = time.perf_counter()
    line = parse_command_line(text)
    scope = approval_scope(line, text)
    assert time.perf_counter() - began < 2, "it takes too long"
    if not line.risks:
        assert all(word is not None for command in line.commands for word in command.words)
    else:
        assert scope is None


def paths(data: bytes) -> None:
    given, _, pattern = data.decode("utf-8", "surrogateescape").partition("\n")
    try:
        place = WORKSPACE.resolve(given)
    except PathRefusedError:
        return
    assert ".." not in place.real.parts
    assert given.startswith(("/", "~")) or place.real.is_relative_to(WORKSPACE.work_dir)
    if pattern and matches_file(pattern, place.real, place.folder, strict=False):
        assert matches_file(pattern, place.real, place.folder, strict=True)


def journal(data: bytes) -> None:
    file = HERE / "journal.jsonl"
    file.write_bytes(data)
    before = jsonl.read(file)
    writer = jsonl.JsonlWriter(file)
    writer.append({"new": 1})
    writer.close()
    after = jsonl.read(file)
    assert [value for _, value in after.rows][-1] == {"new": 1}
    assert len(after.rows) == len(before.rows) + 1
    assert repr([value for _, value in after.rows[:-1]]) == repr([value for _, value in before.rows])
    assert [raw for _, raw in after.bad] == [raw for _, raw in before.bad]


def sanitiser(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    for shown in (sanitize(text), sanitize(plain_output(text))):
        left = [match for match in _SUSPECT.finditer(shown) if not _LETTER_JOIN.match(shown, match.start())]
        assert not left, left
        assert sanitize(shown) == shown
        shown.encode("utf-8")


def sse(data: bytes) -> None:
    size = data[0] % 7 + 1 if data else 1
    body = data[1:]
    assert _events([body]) == _events([body[at : at + size] for at in range(0, len(body), size)])


def _events(chunks: list[bytes]) -> "list[ServerEvent] | str":
    async def given() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    found: list[ServerEvent] = []

    async def read() -> None:
        async for event in server_events(given()):
            found.append(event)

    try:
        read().send(None)
    except StopIteration:
        return found
    except NotAnEventStreamError:
        return "no stream of events"
    raise AssertionError("it waits, with nothing to wait for")


TARGETS: dict[str, Callable[[bytes], None]] = {
    "splitter": splitter,
    "paths": paths,
    "journal": journal,
    "sanitiser": sanitiser,
    "sse": sse,
}

if __name__ == "__main__":
    seconds = sys.argv[2] if len(sys.argv) > 2 else "60"
    options = [f"-max_total_time={seconds}", "-print_final_stats=1", "-max_len=4096", f"-artifact_prefix={HERE}/"]
    atheris.Setup([sys.argv[0], *options], TARGETS[sys.argv[1]])
    atheris.Fuzz()
