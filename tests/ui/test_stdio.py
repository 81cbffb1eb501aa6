import asyncio
import fcntl
import os
import subprocess
import sys
import threading

import pytest

from kimi_tui.ui.stdio import LineReader, LineWriter, TooLong


async def lines_of(*chunks, limit=100):
    """What a reader makes of bytes that come in these chunks."""
    source, sink = os.pipe()
    reader = LineReader(source, limit=limit)
    found = []

    async def take():
        while (line := await reader.next()) is not None:
            found.append(line)

    taking = asyncio.create_task(take())
    for chunk in chunks:
        os.write(sink, chunk)
        await asyncio.sleep(0)
    os.close(sink)
    await taking
    assert await reader.next() is None
    os.close(source)
    return ["too long" if isinstance(line, TooLong) else line for line in found]


async def test_lines_are_whole_however_they_come_and_the_last_may_lack_its_break():
    assert await lines_of(b"one\ntw", b"o\n\nthr", b"ee") == [b"one", b"two", b"", b"three"]
    assert await lines_of() == []


async def test_a_line_that_is_too_long_is_passed_over_and_told():
    assert await lines_of(b"x" * 60, b"x" * 60 + b"\nok\n", limit=100) == ["too long", b"ok"]
    assert await lines_of(b"x" * 101 + b"\n" + b"y" * 100, limit=100) == ["too long", b"y" * 100]
    assert await lines_of(b"x" * 101, limit=100) == ["too long"]


async def test_a_reader_that_is_far_behind_holds_the_writer_up_but_not_the_loop():
    source, sink = os.pipe()
    writer = LineWriter(sink)
    for _ in range(100):
        writer.write(b"x" * 100_000 + b"\n")
    waiting = asyncio.create_task(writer.drain())
    await asyncio.sleep(0)
    assert not waiting.done()
    received = 0
    while received < 10_000_100:
        received += len(await asyncio.to_thread(os.read, source, 1 << 16))
    await waiting
    await writer.flushed()
    await writer.close()
    assert not writer.broken
    os.close(source)
    os.close(sink)


async def test_nobody_reading_is_told_once_and_ends_it():
    source, sink = os.pipe()
    told = asyncio.Event()
    writer = LineWriter(sink, on_broken=told.set)
    os.close(source)
    writer.write(b"one\n")
    await told.wait()
    writer.write(b"two\n")
    await writer.drain()
    await writer.close()
    assert writer.broken
    os.close(sink)


@pytest.fixture(autouse=True)
def earlier_threads() -> frozenset[threading.Thread]:
    """Those of tests before, which may never end."""
    return frozenset(threading.enumerate())


async def writers_ended(earlier: frozenset[threading.Thread]) -> None:
    """Wait for the threads of writers that were given up, so that none writes to a later file."""
    for thread in set(threading.enumerate()) - earlier:
        if thread.name == "stdout":
            await asyncio.to_thread(thread.join, 10)


async def test_a_reader_that_never_reads_is_not_waited_for_for_ever(earlier_threads: frozenset[threading.Thread]):
    source, sink = os.pipe()
    writer = LineWriter(sink)
    writer.write(b"x" * 1_000_000 + b"\n")
    await writer.close(patience_s=0.05)
    os.close(source)  # the thread's write fails now
    await writers_ended(earlier_threads)
    os.close(sink)


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="the size of a pipe is fixed")
async def test_the_end_of_the_input_is_noticed_while_lines_wait_for_a_consumer():
    source, sink = os.pipe()
    fcntl.fcntl(sink, fcntl.F_SETPIPE_SZ, 1 << 20)
    os.write(sink, b"x\n" * 400_000)  # more than the reader takes before its consumer
    os.close(sink)
    ended = asyncio.Event()
    reader = LineReader(source, on_end=ended.set)
    await ended.wait()
    assert await reader.next() == b"x"
    while await reader.next() is not None:
        pass
    os.close(source)


async def test_blocked_output_is_given_up_once_the_input_has_ended(earlier_threads: frozenset[threading.Thread]):
    source, sink = os.pipe()
    broken = asyncio.Event()
    writer = LineWriter(sink, on_broken=broken.set)
    writer.write(b"x" * 5_000_000 + b"\n")
    writer.expect_end(patience_s=0.01)
    await writer.drain()
    assert broken.is_set()
    await writer.close()
    os.close(source)  # the thread's write fails now
    await writers_ended(earlier_threads)
    os.close(sink)


def test_nothing_but_the_face_reads_or_writes_the_claimed_streams():
    code = (
        "import os\nfrom kimi_tui.ui.stdio import claim_stdio\nsource, sink = claim_stdio()\n"
        "print('printed', flush=True)\nos.system('echo by a child; cat')\n"
        "os.write(sink, b'said: ' + os.read(source, 100))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input=b"for the face", capture_output=True)
    assert done.stdout == b"said: for the face"
    assert b"printed" in done.stderr
    assert b"by a child" in done.stderr
