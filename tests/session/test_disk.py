"""What a bad disk and a crash do to a session, through the whole engine."""

import asyncio
import json
import os
import resource
import signal
import tempfile

import pytest

from kimi_tui.tools.shell_support.remove_tree import remove_left_folders
from kimi_tui.wire.events import Notification
from tests.soul.scripted_engine import engine_on, plan
from tests.soul.test_soul import until


def told(received, kind="disk"):
    return [message for message in received.of(Notification) if message.type == kind]


@pytest.fixture
def file_limit():
    """Lets a test say how large a file may grow, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def limit(size=None):
        resource.setrlimit(resource.RLIMIT_FSIZE, (before[0] if size is None else size, before[1]))

    yield limit
    limit()
    signal.signal(signal.SIGXFSZ, handler)


async def test_enospc_is_told_once_the_turn_goes_on_and_what_was_said_is_written_when_there_is_room(
    tmp_path, file_limit
):
    async with engine_on(plan(tmp_path, "text: one", "text: two", "text: three")) as (engine, received):
        await engine.prompt("first")
        file_limit(engine.session.dir.joinpath("wire.jsonl").stat().st_size)
        assert (await engine.prompt("second")).message == "two"
        await until(lambda: told(received))
        assert len(told(received)) == 1
        assert told(received)[0].severity == "warning"
        file_limit()
        await engine.prompt("third")
        await until(lambda: len(told(received)) == 2)
        assert "again" in told(received)[1].title
        session_id = engine.session_id
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
        assert [m.text for m in engine.context.history] == ["first", "one", "second", "two", "third", "three"]
        recorded = [str(recorded.message) for recorded in engine.recorded()]
        assert sum("user_input='second'" in text for text in recorded) == 1


async def test_what_a_full_disk_did_not_take_is_written_at_the_end_when_there_is_room(tmp_path, file_limit):
    async with engine_on(plan(tmp_path, "text: one", "text: two")) as (engine, _):
        await engine.prompt("first")
        file_limit(engine.session.dir.joinpath("wire.jsonl").stat().st_size)
        await engine.prompt("second")
        session_id = engine.session_id
        file_limit()
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
        assert [message.text for message in engine.context.history] == ["first", "one", "second", "two"]
        texts = [str(recorded.message) for recorded in engine.recorded()]
        assert [sum(f"'{word}'" in text for text in texts) for word in ("first", "one", "second", "two")] == [1] * 4


async def test_what_a_full_disk_did_not_take_is_shown_with_the_warning_to_a_screen_that_comes_later(
    tmp_path, file_limit
):
    async with engine_on(plan(tmp_path, f"text: {'one ' * 10_000}")) as (engine, _):
        await engine.prompt("first")
        session_id = engine.session_id
    (tmp_path / "work" / "AGENTS.md").write_text("x" * 1_000_000)  # its notice is the first thing to be written
    again = plan(tmp_path, "text: two", session_id=session_id)
    file_limit(engine.session.dir.joinpath("wire.jsonl").stat().st_size)
    async with engine_on(again) as (engine, _):
        await engine.prompt("second")
        shown = [recorded.message for recorded in engine.recorded()]
        titles = [message.title for message in shown if isinstance(message, Notification)]
        assert sum("continues in memory" in title for title in titles) == 1
        texts = [str(message) for message in shown]
        assert [sum(f"user_input='{word}'" in text for text in texts) for word in ("first", "second")] == [1, 1]


async def test_a_disk_that_fills_while_the_conversation_is_rewritten_keeps_the_old_file_until_there_is_room(
    tmp_path, file_limit
):
    long = "word " * 2_000
    async with engine_on(plan(tmp_path, f"text: {long}", "text: two", "text: a summary", "text: more")) as (
        engine,
        received,
    ):
        for text in ("first", "second"):
            await engine.prompt(text)
        session_id, file = engine.session_id, engine.session.dir / "context.jsonl"
        before = file.read_text()
        file_limit(1_000)
        await engine.prompt("/rewind 2 conversation")
        assert file.read_text() == before
        assert len(engine.context.history) == 2
        file_limit()
        await engine.prompt("go on")
        assert told(received)
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
        assert [m.text for m in engine.context.history][-2:] == ["go on", "a summary"]


async def test_a_session_that_goes_on_when_the_disk_is_full_has_its_conversation(tmp_path, file_limit):
    async with engine_on(plan(tmp_path, "text: one")) as (engine, _):
        await engine.prompt("first")
        session_id, folder = engine.session_id, engine.session.dir
    context = folder.joinpath("context.jsonl").read_bytes()
    again = plan(tmp_path, "text: two", session_id=session_id)
    file_limit(30_000)  # less than the probe for a new session needs
    async with engine_on(again) as (engine, _):
        notices = [r.message for r in engine.recorded() if isinstance(r.message, Notification)]
        assert any("is not kept" in notice.title for notice in notices)
        await engine.prompt("second")
        assert [message.text for message in engine.context.history] == ["first", "one", "second", "two"]
    assert folder.joinpath("context.jsonl").read_bytes() == context


@pytest.mark.parametrize("command", ["/clear", "/compact", "/rewind 2 conversation"])
async def test_what_a_full_disk_did_not_take_does_not_come_back_after_the_conversation_was_rewritten(
    tmp_path, file_limit, command
):
    made = plan(tmp_path, "text: one", "text: two", "text: a summary", "text: last", "text: last")
    async with engine_on(made) as (engine, received):
        await engine.prompt("first")
        session_id, file = engine.session_id, engine.session.dir / "context.jsonl"
        file_limit(file.stat().st_size + 100)
        await engine.prompt("second " * 10_000)
        await until(lambda: told(received))
        await engine.prompt(command)
        file_limit()
        await engine.prompt("go on")
        expected = [message.text for message in engine.context.history]
    async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
        assert [message.text for message in engine.context.history] == expected


async def test_corrupt_middle_lines_are_put_aside_and_told_of_once(tmp_path):
    async with engine_on(plan(tmp_path, "text: one", "text: two")) as (engine, _):
        await engine.prompt("first")
        await engine.prompt("second")
        session_id, file = engine.session_id, engine.session.dir / "context.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    index = next(number for number, line in enumerate(lines) if b"second" in line)
    lines[index] = b'{"role": "us\xff\x00garbage second\n'
    file.write_bytes(b"".join(lines))
    wire = file.with_name("wire.jsonl")
    for mended in (True, False):
        async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
            assert [m.text for m in engine.context.history] == ["first", "one", "two"]
            bodies = [json.loads(line) for line in wire.read_text().splitlines()]
            notices = [row for row in bodies if "repaired after a crash" in str(row)]
            assert len(notices) == 1, mended
    assert b"garbage second" in file.with_name("context.bad.jsonl").read_bytes()
    assert "context.bad.jsonl" in str(notices)


async def test_a_line_of_the_record_that_cannot_be_read_is_passed_over_kept_and_told_of_once(tmp_path):
    async with engine_on(plan(tmp_path, "text: one")) as (engine, _):
        await engine.prompt("first")
        session_id, wire = engine.session_id, engine.session.dir / "wire.jsonl"
    lines = wire.read_bytes().splitlines(keepends=True)
    wire.write_bytes(b"".join([*lines[:3], b'{"timestamp": 1.0, "mess\xff\n', *lines[3:]]))
    for _ in range(2):
        async with engine_on(plan(tmp_path, session_id=session_id)) as (engine, _):
            shown = [recorded.message for recorded in engine.recorded()]
            messages = [m for m in shown if isinstance(m, Notification) and "cannot be read" in m.title]
            assert len(messages) == 1
            assert any("one" in str(message) for message in shown)
    assert wire.with_name("wire.bad.jsonl").read_bytes() == b'{"timestamp": 1.0, "mess\xff\n'


async def test_a_read_only_home_runs_without_a_record_and_says_so(tmp_path, monkeypatch):
    if os.geteuid() == 0:
        file = tmp_path / "home-is-a-file"
        file.write_text("")
        monkeypatch.setenv("KIMI_TUI_HOME", str(file))
    else:
        home = tmp_path / "ro"
        home.mkdir(mode=0o500)
        monkeypatch.setenv("KIMI_TUI_HOME", str(home))
    async with engine_on(plan(tmp_path, "text: hi")) as (engine, _):
        assert (await engine.prompt("hello")).message == "hi"
        notices = [r.message for r in engine.recorded() if isinstance(r.message, Notification)]
        assert "is not kept" in notices[0].title
        assert f"its files are in {engine.session.dir}, which" in notices[0].title


async def test_a_session_that_is_not_kept_is_never_taken_for_temporary_files(tmp_path, monkeypatch):
    (tmp_path / "home-is-a-file").write_text("")
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home-is-a-file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    async with engine_on(plan(tmp_path, "text: hi", session_id="session-1")) as (engine, _):
        await engine.prompt("hello")
    remove_left_folders()
    assert (engine.session.dir / "context.jsonl").exists(), "it is the only copy"


async def test_a_record_of_200_mb_shows_its_last_turns_at_once(tmp_path):
    async with engine_on(plan(tmp_path, "text: one")) as (engine, _):
        await engine.prompt("first")
        session_id, wire = engine.session_id, engine.session.dir / "wire.jsonl"
    row = {"timestamp": 1.0, "message": {"type": "ContentPart", "payload": {"type": "text", "text": "x" * 2_000}}}
    turn = {"timestamp": 1.0, "message": {"type": "TurnBegin", "payload": {"user_input": "again"}}}
    block = "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in (turn, *([row] * 500))).encode()
    with wire.open("ab") as out:
        for _ in range(200):
            out.write(block)
    assert wire.stat().st_size > 200_000_000
    async with engine_on(plan(tmp_path, "text: two", session_id=session_id)) as (engine, _):
        shown = await asyncio.to_thread(list, engine.recorded())
        assert shown[0].message.type == "tail"
        assert type(shown[1].message).__name__ == "TurnBegin"
        assert 1_000 < len(shown) < 5_000
        assert (await engine.prompt("go on")).message == "two"
