"""`--session ID`: which session that is."""

from pathlib import Path

import pytest

from kimi_tui.cli.engine_options import build_plan
from kimi_tui.cli.options import parse
from kimi_tui.errors import UsageError
from kimi_tui.session.session import Session
from tests.cli.test_main import run


def begun(work_dir: Path, session_id: str) -> None:
    session = Session.create(work_dir, session_id)
    (session.dir / "wire.jsonl").write_text('{"message": {"type": "TurnBegin"}}\n')
    session.state.title = f"about {session_id[:4]}"
    session.save_state()
    session.close()


def opened(work_dir: Path, text: str, *more: str) -> tuple[str | None, tuple[str, ...]]:
    plan = build_plan(parse(["--work-dir", str(work_dir), "--session", text, *more]), interactive=True)
    return plan.session_id, plan.warnings


ONE, TWO = "abcd1234" + "0" * 24, "abcd5678" + "0" * 24


def test_the_beginning_of_an_id_means_that_session(tmp_path: Path) -> None:
    begun(tmp_path, ONE)
    begun(tmp_path, TWO)
    listed = run("session", "list", "--work-dir", str(tmp_path)).stdout.splitlines()
    assert sorted(line.split()[0] for line in listed) == ["abcd1234", "abcd5678"]
    assert opened(tmp_path, "abcd1234") == (ONE, ())
    assert opened(tmp_path, "abcd5") == (TWO, ())
    assert opened(tmp_path, TWO) == (TWO, ())


def test_a_beginning_of_several_names_them(tmp_path: Path) -> None:
    begun(tmp_path, ONE)
    begun(tmp_path, TWO)
    with pytest.raises(UsageError, match="matches 2 sessions") as refused:
        opened(tmp_path, "abcd")
    assert ONE in str(refused.value)
    assert TWO in str(refused.value)


def test_a_piece_of_an_id_that_none_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no session 'abcd1235'.*session list"):
        opened(tmp_path, "abcd1235")


def test_a_session_of_another_folder_is_told_to_be_there(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    begun(there, ONE)
    with pytest.raises(UsageError, match=r"another folder: kimi-tui --work-dir \S+there --session abcd1234"):
        opened(here, "abcd1234")


def test_an_unknown_name_is_a_new_session_and_is_said_to_be(tmp_path: Path) -> None:
    begun(tmp_path, "job10")
    said = ("No session job1 found; created a new one with this id",)
    assert opened(tmp_path, "job1") == ("job1", said)
    assert opened(tmp_path, "job10") == ("job10", ())
    assert run("session", "list", "--work-dir", str(tmp_path)).stdout.split()[0] == "job10"
    own = "3f0a9a52-1f5c-4d3f-9a52-3f0a9a521f5c"
    assert opened(tmp_path, own)[0] == own


def test_of_a_session_that_a_page_of_the_browser_begins_nothing_is_said(tmp_path: Path) -> None:
    assert opened(tmp_path, "job1", "--page=80x24") == ("job1", ())
