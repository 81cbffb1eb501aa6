import errno
import fcntl
import json
import os
import subprocess
import sys

import pytest

from kimi_tui.errors import SessionError, SessionLockedError
from kimi_tui.session.session import Session, last_session_id, list_sessions, sessions_dir
from kimi_tui.session.session_index import is_open, session_lock
from kimi_tui.session.state import read_state


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))


@pytest.fixture
def work_dir(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def say_something(session):
    (session.dir / "wire.jsonl").write_text('{"message": {"type": "TurnBegin"}}\n')


def test_a_session_with_nothing_said_leaves_nothing_behind(work_dir):
    session = Session.create(work_dir)
    session.close()
    assert not session.dir.exists()
    assert list_sessions(work_dir) == []


def test_the_last_session_is_known_from_its_start_so_that_a_crash_does_not_lose_it(work_dir):
    session = Session.create(work_dir)
    say_something(session)
    assert last_session_id(work_dir) == session.id


def test_without_the_note_of_the_last_session_the_newest_one_is_it(work_dir):
    session = Session.create(work_dir)
    say_something(session)
    (sessions_dir(work_dir) / "last.json").write_text("{torn")
    assert last_session_id(work_dir) == session.id


@pytest.mark.parametrize("damage", ['{"title": 7}', "[1", "", "[" * 9000], ids=["type", "torn", "empty", "deep"])
def test_a_state_that_cannot_be_read_is_told_once_and_kept(work_dir, damage):
    session = Session.create(work_dir)
    say_something(session)
    (session.dir / "state.json").write_text(damage)
    session.close()
    again = Session.create(work_dir, session.id)
    assert "state.json cannot be read (" in again.state_notice
    assert (session.dir / "state.json.broken").read_text() == damage
    again.close()
    once_more = Session.create(work_dir, session.id)
    assert once_more.state_notice == ""
    once_more.close()


@pytest.mark.parametrize("name", ["state.json", "context.jsonl", "wire.jsonl", "flow.jsonl", "files/log.jsonl"])
def test_a_link_that_leads_to_itself_in_place_of_a_file_is_told_by_its_name(work_dir, name):
    folder = sessions_dir(work_dir) / "mine"
    (folder / "files").mkdir(parents=True)
    (folder / name).symlink_to((folder / name).name)
    with pytest.raises(SessionError, match=f"{name}: Too many levels"):
        Session.create(work_dir, "mine")


def test_two_writers_the_second_process_is_refused_and_told_who_holds_it(work_dir):
    code = "import sys; from pathlib import Path; from kimi_tui.session.session import Session\n"
    code += "s = Session.create(Path(sys.argv[1]), 'shared'); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(work_dir)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(SessionLockedError, match=f"pid {other.pid}"):
            Session.create(work_dir, "shared")
        other.kill()
        other.wait()
    Session.create(work_dir, "shared").close()


def test_stale_lock_of_an_unrelated_living_process_holds_nobody_up(work_dir):
    session = Session.create(work_dir, "s")
    say_something(session)
    session.close()
    (session.dir / "lock").write_text("1")
    Session.create(work_dir, "s").close()


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_home_on_a_file_system_without_locks_is_used_and_the_user_is_told(work_dir, monkeypatch, number):
    def flock(_fd, _operation):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)
    session = Session.create(work_dir, "s")
    assert "without locks" in session.lock_notice
    say_something(session)
    assert not is_open(session.dir)
    session.close()
    with session_lock(session.dir):
        pass
    Session.create(work_dir, "s").close()
    monkeypatch.setattr(fcntl, "flock", lambda _fd, _operation: None)
    session = Session.create(work_dir, "s")
    assert session.lock_notice == ""
    session.close()


@pytest.mark.parametrize("session_id", ["../evil", "", ".", "a/b", "x" * 200, "a\0b"])
def test_an_id_that_is_no_plain_name_is_refused(work_dir, session_id):
    if session_id:
        with pytest.raises(SessionError, match="is not a session id"):
            Session.create(work_dir, session_id)


def test_what_another_version_wrote_into_the_state_is_kept(work_dir):
    session = Session.create(work_dir, "s1")
    session.rename("mine")
    (session.dir / "state.json").write_text(
        '{"version": 7, "new": 1, "approval": {"newer": 2}, "todos": [{"title": "t", "due": 3}]}'
    )
    session.close()
    again = Session.create(work_dir, "s1")
    again.rename("fix it")
    kept = json.loads((again.dir / "state.json").read_text())
    assert (kept["version"], kept["new"], kept["approval"]["newer"], kept["todos"][0]["due"]) == (7, 1, 2, 3)


def test_state_is_kept_and_a_broken_state_file_is_an_empty_state(work_dir):
    session = Session.create(work_dir, "s")
    say_something(session)
    session.state.title = "fix it"
    session.state.approval.auto_approve_actions = ["shell:git push"]
    session.save_state()
    session.close()
    again = Session.create(work_dir, "s")
    assert again.state.title == "fix it"
    assert json.loads((again.dir / "state.json").read_text())["version"] == 1
    again.close()
    (again.dir / "state.json").write_text("{")
    third = Session.create(work_dir, "s")
    assert third.state.title == ""
    third.close()


def test_a_lock_that_cannot_be_made_gives_a_session_with_a_notice(work_dir, tmp_path):
    folder = sessions_dir(work_dir) / "s"
    folder.mkdir(parents=True)
    (folder / "lock").symlink_to(tmp_path / "nowhere" / "lock")
    session = Session.create(work_dir, "s")
    assert session.notice is not None
    assert "not kept" in session.notice
    assert session.dir != folder
    assert [path.name for path in folder.iterdir()] == ["lock"]
    session.close()


def test_ro_home_a_home_that_cannot_be_written_gives_a_session_with_a_notice(work_dir, monkeypatch):
    monkeypatch.setenv("KIMI_TUI_HOME", "/proc/nowhere")
    session = Session.create(work_dir)
    assert session.notice is not None
    assert "not kept" in session.notice
    session.close()


def test_a_session_in_which_no_turn_was_begun_counts_as_empty(work_dir):
    session = Session.create(work_dir)
    (session.dir / "wire.jsonl").write_text('{"message": {"type": "Notification"}}\n')
    session.close()
    assert not session.dir.exists()


def test_a_session_is_named_after_the_first_words_until_a_person_names_it(work_dir):
    session = Session.create(work_dir)
    session.name_after("fix  the\nbuild")
    session.name_after("and then the docs")
    assert session.state.shown_title == "fix the build"
    session.rename("Build " + "x" * 300)
    session.name_after("more")
    assert read_state(session.dir / "state.json").shown_title == ("Build " + "x" * 300)[:200]
    session.close()


def test_a_killed_start_in_which_only_notices_were_told_is_no_session_to_go_on_with(work_dir):
    session = Session.create(work_dir, "talked")
    say_something(session)
    session.close()
    killed = Session.create(work_dir, "killed")
    (killed.dir / "wire.jsonl").write_text('{"message": {"type": "Notification"}}\n')
    assert [info.id for info in list_sessions(work_dir)] == ["talked"]
    assert last_session_id(work_dir) == "talked"
    killed.close()
