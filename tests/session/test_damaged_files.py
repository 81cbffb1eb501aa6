"""Whatever happens to the files of a session: each way to read it ends with a line and a status, none with a fault."""

import asyncio
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kimi_tui import paths
from kimi_tui.cli.main import main
from kimi_tui.regular_file import MAX_BYTES
from kimi_tui.session.state import SessionState, read_state, write_state
from tests.soul.release_flow import CHOICES, write_skill
from tests.soul.scripted_engine import engine_on, plan, tool_call
from tests.ui.print.test_print import command

FILES = ("state.json", "wire.jsonl", "context.jsonl", "flow.jsonl", "files/log.jsonl", "lock", "../last.json")
ODD: list[Any] = [
    None,
    True,
    -1,
    0,
    1e12,
    -1e308,
    10**40,
    1 << 70,
    "",
    "\x00\x1b]0;x\x07\u202e",
    "9" * 400,
    [],
    [[]],
    {},
    {"a": None},
]
LITERALS = [b"NaN", b"1e999", b"-Infinity", b"9" * 5000, b'"\\ud800"', b"[" * 3000, b"\xff\xfe", b"\x00" * 50]

Damage = Callable[[Path], None]


def replaced_by_folder(file: Path) -> None:
    remove(file)
    file.mkdir()


def replaced_by_pipe(file: Path) -> None:
    remove(file)
    os.mkfifo(file)


def replaced_by_link_to_itself(file: Path) -> None:
    remove(file)
    file.symlink_to(file.name)


def remove(file: Path) -> None:
    file.unlink(missing_ok=True)


def cut(share: float) -> Damage:
    def damage(file: Path) -> None:
        content = file.read_bytes()
        file.write_bytes(content[: int(len(content) * share)])

    return damage


def splice(share: float, garbage: bytes) -> Damage:
    def damage(file: Path) -> None:
        content = file.read_bytes()
        at = int(len(content) * share)
        file.write_bytes(content[:at] + garbage + content[at:])

    return damage


def swap_value(picks: list[int], odd: Any) -> Damage:
    """Another value somewhere in the JSON of one line."""

    def damage(file: Path) -> None:
        lines = file.read_bytes().splitlines() if file.suffix == ".jsonl" else [file.read_bytes()]
        if not lines:
            return
        number = picks[0] % len(lines)
        try:
            value = json.loads(lines[number])
        except ValueError:
            return
        if not isinstance(value, dict | list):
            return
        place: Any = value
        for pick in picks[1:]:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = keys[pick % len(keys)]
            if isinstance(place[key], dict | list) and place[key] and pick % 3:
                place = place[key]
                continue
            place[key] = odd
            break
        lines[number] = json.dumps(value).encode()
        file.write_bytes(b"\n".join(lines) + b"\n")

    return damage


SHARES = st.floats(0, 1)
DAMAGES: st.SearchStrategy[Damage] = st.one_of(
    st.sampled_from([replaced_by_folder, replaced_by_pipe, replaced_by_link_to_itself, remove]),
    SHARES.map(cut),
    st.builds(splice, SHARES, st.one_of(st.sampled_from(LITERALS), st.binary(max_size=30))),
    st.builds(swap_value, st.lists(st.integers(0, 999), min_size=3, max_size=8), st.sampled_from(ODD)),
    st.builds(swap_value, st.lists(st.integers(0, 999), min_size=3, max_size=8), st.sampled_from(ODD)),
)


async def _hold(tmp_path: Path) -> str:
    """A session with words, a changed file, a todo list and a flow that was run."""
    todo = tool_call("SetTodoList", "t", todos=[{"title": "one", "status": "pending"}])
    write = tool_call("WriteFile", "w", path="a.txt", content="hello")
    made = plan(tmp_path, f"text: I will\n{todo}", write, "text: written", *CHOICES, yolo=True)
    async with engine_on(made) as (engine, _):
        await engine.prompt("please write")
        await engine.prompt("/flow:release")
        return engine.session_id


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """The folder of a session that is whole."""
    write_skill(tmp_path / "work")
    session_id = asyncio.run(_hold(tmp_path))
    return next((paths.home() / "sessions").glob(f"*/{session_id}"))


def ways(tmp_path: Path, folder: Path) -> list[list[str]]:
    out = str(tmp_path / "out")
    work = str(tmp_path / "work")
    again = command(tmp_path, "text: again", extra=("-p", "go on", "--session", folder.name))[3:]
    return [
        ["session", "list", "--work-dir", work],
        ["session", "list", "--all", "--json", "--archived"],
        ["session", "list", "--search", "please", "--work-dir", work],
        ["session", "show", folder.name, "--work-dir", work],
        *(
            ["session", "export", folder.name, "-o", f"{out}.{kind}", "--work-dir", work]
            for kind in ("md", "json", "zip")
        ),
        ["session", "import", str(folder), "--work-dir", work],
        ["flow", "runs", "--work-dir", work],
        again,
    ]


def test_each_way_to_read_a_damaged_session_ends_with_a_line_and_a_status(
    session: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home, whole = paths.home() / "sessions", tmp_path / "whole"
    shutil.copytree(home, whole)

    @settings(max_examples=int(os.environ.get("KIMI_TUI_DAMAGES", "12")), deadline=None, database=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(st.lists(st.tuples(st.sampled_from(FILES), DAMAGES), min_size=1, max_size=3))
    def damaged(damages: list[tuple[str, Damage]]) -> None:
        shutil.rmtree(home)
        shutil.copytree(whole, home)
        for name, damage in damages:
            file = session / name
            if file.is_file():
                damage(file)
        for words in ways(tmp_path, session):
            capfd.readouterr()
            status = main(words)
            messages = capfd.readouterr()
            assert status in (0, 1, 2), (words, messages.err)
            assert "Traceback" not in messages.err + messages.out, (words, messages.err)
            assert status == 0 or messages.err.startswith("kimi-tui: "), (words, status, messages.err)

    damaged()


def test_the_whole_session_can_be_read_in_each_way(
    session: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for words in ways(tmp_path, session):
        assert main(words) == 0, words
    assert "again" in capfd.readouterr().out


@pytest.mark.parametrize("damage", [replaced_by_folder, replaced_by_pipe, replaced_by_link_to_itself])
@pytest.mark.parametrize("name", FILES)
def test_something_else_in_the_place_of_a_file_is_told_or_passed_over(
    session: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, damage: Damage
) -> None:
    damage(session / name)
    for words in ways(tmp_path, session):
        capfd.readouterr()
        status = main(words)
        messages = capfd.readouterr()
        assert "Traceback" not in messages.err + messages.out, words
        assert status == 0 or messages.err.startswith("kimi-tui: "), words


def test_times_that_no_calendar_has_are_shown_as_times(
    session: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    wire = session / "wire.jsonl"
    rows = [json.loads(line) for line in wire.read_bytes().splitlines()]
    for number, row in enumerate(rows):
        row["timestamp"] = (1e12, -1e300, True, None, "x", 10**40)[number % 6]
    wire.write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    os.utime(wire, (1e12, 1e12))
    flow = session / "flow.jsonl"
    rows = [{**json.loads(line), "at": 1e15} for line in flow.read_bytes().splitlines()]
    flow.write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    for words in ways(tmp_path, session):
        capfd.readouterr()
        assert main(words) == 0, capfd.readouterr().err
    assert "please write" in (tmp_path / "out.md").read_text("utf-8")


@pytest.mark.parametrize("kind", ["md", "json", "zip"])
@pytest.mark.parametrize("damage", [replaced_by_folder, replaced_by_pipe, replaced_by_link_to_itself])
def test_an_export_names_a_file_that_cannot_be_read(
    session: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], damage: Damage, kind: str
) -> None:
    damage(session / "context.jsonl")
    target = tmp_path / f"out.{kind}"
    words = ["session", "export", session.name, "-o", str(target), "--work-dir", str(tmp_path / "work")]
    assert main(words) == 1
    assert f"{session / 'context.jsonl'} cannot be read: " in capfd.readouterr().err
    assert target.stat().st_size > 0


def test_a_state_that_is_too_long_to_be_read_leaves_the_last_one_in_place(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    write_state(file, SessionState(custom_title="mine"))
    with pytest.raises(OSError, match="large"):
        write_state(file, SessionState(custom_title="mine", title="x" * MAX_BYTES))
    assert read_state(file) == SessionState(custom_title="mine")


@pytest.mark.parametrize(
    "broken",
    ['{"custom_title": "mine", "plan_mode": 7}', '{"custom_title": "mi', "[1]", "{}{}", "[" * 9000],
    ids=["type", "torn", "list", "twice", "deep"],
)
def test_a_state_that_cannot_be_read_is_kept_beside_the_next_one(tmp_path: Path, broken: str) -> None:
    file = tmp_path / "state.json"
    for text in (broken, broken + " "):
        file.write_text(text)
        write_state(file, read_state(file))
        write_state(file, read_state(file))
    kept = {entry.name: entry.read_text() for entry in tmp_path.glob("state.json.*")}
    assert kept == {"state.json.broken": broken, "state.json.broken1": broken + " "}
    assert read_state(file) == SessionState()


@pytest.mark.parametrize("name", ["wire.jsonl", "context.jsonl", "flow.jsonl"])
async def test_the_user_is_told_once_that_the_end_of_a_file_of_the_session_was_torn(tmp_path: Path, name: str) -> None:
    made = plan(tmp_path, "text: hello")
    async with engine_on(made) as (engine, _):
        await engine.prompt("hi")
        folder = engine.session.dir
    made = replace(made, session_id=folder.name)
    with (folder / name).open("ab") as file:
        file.write(b'{"torn')
    async with engine_on(made) as (engine, _):
        [told] = engine.start_notices
    assert told.severity == "warning"
    assert "1 unreadable line" in told.body
    assert name.replace(".", ".bad.") in told.body
    assert (folder / name.replace(".", ".bad.")).read_bytes() == b'{"torn\n'
    async with engine_on(made) as (engine, _):
        assert not engine.start_notices
