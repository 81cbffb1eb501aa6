"""Runs without a user at calls that need an approval: approved, refused, or parked with status 3 and answered later."""

import json
import resource
import shutil
import signal
from dataclasses import replace

import pytest

from kimi_tui.cli.main import main
from kimi_tui.config.schema import HookConfig
from kimi_tui.errors import EXIT_FAILURE, EXIT_OK, EXIT_WAITING, UsageError
from kimi_tui.flow.run.journal import load_runs
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.permission.settings import PermissionSettings
from kimi_tui.session.importer import import_session
from kimi_tui.session.session_index import fork as fork_session
from kimi_tui.soul.flows.user_questions import pending_question
from kimi_tui.ui.print.runner import Output, answer
from kimi_tui.wire.events import Notification
from tests.soul.release_flow import write_skill
from tests.soul.scripted_engine import engine_on, plan, tool_call

FLOW = """---
name: ship
description: Ships it.
type: flow
---
```mermaid
flowchart TD
  B([BEGIN]) --> build[Build it.] --> say[Say so.] --> E([END])
SETTINGS
```
"""
TOUCH = tool_call("Shell", "c1", command="touch built")
OTHER = tool_call("Shell", "c2", command="touch other")


def planned(tmp_path, *replies, settings="", when_asked="park", **fields):
    fields = {"interactive": False, "auto_approve": True, "when_asked": when_asked, **fields}
    made = plan(tmp_path, *replies, permissions=PermissionSettings(trusted=True), **fields)
    if not (tmp_path / "work" / ".kimi-tui").exists():
        write_skill(tmp_path / "work", "ship", FLOW.replace("SETTINGS", settings))
    return made


def runs_of(engine):
    return load_runs(engine.session.dir / "flow.jsonl")


async def test_a_run_parks_at_a_call_that_needs_an_approval_and_keeps_its_arguments(tmp_path, capsys):
    async with engine_on(planned(tmp_path, TOUCH, "text: Built.", "text: Said.")) as (engine, received):
        assert await answer(engine, "/flow:ship", Output(json=True)) == EXIT_WAITING
        (state,) = runs_of(engine)
        asked = pending_question(state)
        assert asked is not None
        assert (asked.node_id, asked.choices) == ("build", ("approve", "reject"))
        assert "touch built" in asked.question
        assert json.loads(capsys.readouterr().out.splitlines()[-1])["questions"][0]["node"] == "build"
        assert any("waits for you" in one.title for one in received if isinstance(one, Notification))
        assert not (tmp_path / "work" / "built").exists()
        session = engine.session_id
    made = planned(tmp_path, TOUCH, "text: Built.", "text: Said.", session_id=session, when_asked=None)
    async with engine_on(made) as (engine, _):
        assert await answer(engine, f"/flow-resume {state.run_id} build=approve", Output()) == EXIT_OK
        (state,) = runs_of(engine)
    assert (state.status, state.parked, state.answers) == ("finished", {}, {})
    assert (tmp_path / "work" / "built").exists()


async def test_an_approval_covers_only_the_call_that_was_parked(tmp_path, capsys):
    async with engine_on(planned(tmp_path, TOUCH)) as (engine, _):
        assert await answer(engine, "/flow:ship", Output()) == EXIT_WAITING
        (state,) = runs_of(engine)
        session = engine.session_id
    made = planned(tmp_path, OTHER, session_id=session, when_asked=None, yolo=True)
    async with engine_on(made) as (engine, _):
        assert await answer(engine, f"/flow-resume {state.run_id} build=approve", Output()) == EXIT_WAITING
        (state,) = runs_of(engine)
        asked = pending_question(state)
    assert asked is not None
    assert "touch other" in asked.question
    assert not (tmp_path / "work" / "other").exists()


WRITE = tool_call("WriteFile", "c1", path="run.sh", content="echo new\n")


async def test_a_parked_edit_is_shown_whole_and_its_approval_is_for_the_file_as_it_was(tmp_path, capsys):
    (tmp_path / "work").mkdir()
    file = tmp_path / "work" / "run.sh"
    file.write_text("echo old\n")
    async with engine_on(planned(tmp_path, WRITE)) as (engine, received):
        assert await answer(engine, "/flow:ship", Output()) == EXIT_WAITING
        (state,) = runs_of(engine)
        session = engine.session_id
        (told,) = [one for one in received if isinstance(one, Notification) and "waits for you" in one.title]
    assert "run.sh, line 1:\n-echo old\n+echo new\n(approve, reject)\n" in capsys.readouterr().err
    command = f"/flow-resume {state.run_id[:8]} build=approve"
    assert told.body == f"Edit file `run.sh` (approve, reject) Answer with {command}"
    file.write_text("echo other\n")
    made = planned(tmp_path, WRITE, session_id=session, when_asked=None)
    async with engine_on(made) as (engine, _):
        assert await answer(engine, f"/flow-resume {state.run_id} build=approve", Output()) == EXIT_WAITING
    assert file.read_text() == "echo other\n"
    made = planned(tmp_path, WRITE, "text: Built.", "text: Said.", session_id=session, when_asked=None)
    async with engine_on(made) as (engine, _):
        assert await answer(engine, f"/flow-resume {state.run_id} build=approve", Output()) == EXIT_OK
    assert file.read_text() == "echo new\n"


async def test_a_rejected_call_is_told_to_the_model(tmp_path):
    async with engine_on(planned(tmp_path, TOUCH)) as (engine, _):
        await answer(engine, "/flow:ship", Output())
        session = engine.session_id
        (state,) = runs_of(engine)
    made = planned(tmp_path, TOUCH, "text: I did not build it.", "text: Said.", session_id=session, when_asked=None)
    async with engine_on(made) as (engine, _):
        assert await answer(engine, f"/flow-resume {state.run_id} build=reject", Output()) == EXIT_OK
        assert any("find another way" in message.text for message in engine.context.history if message.role == "tool")
    assert not (tmp_path / "work" / "built").exists()


async def test_the_command_of_a_node_parks_too(tmp_path):
    settings = '  build@{ run: "touch built" }'
    async with engine_on(planned(tmp_path, "text: Said.", settings=settings)) as (engine, _):
        assert await answer(engine, "/flow:ship", Output()) == EXIT_WAITING
        (state,) = runs_of(engine)
        assert not (tmp_path / "work" / "built").exists()
        assert "nobody could approve it" in engine.soul.context.history[-1].text
        assert await answer(engine, f"/flow-resume {state.run_id} build=approve", Output()) == EXIT_OK
    assert (tmp_path / "work" / "built").exists()


def imported(tmp_path, session, *records) -> str:
    """The id of the session exported with these records added to its journal, and imported."""
    folder = tmp_path / "exported"
    shutil.copytree(session.dir, folder)
    with (folder / "flow.jsonl").open("a") as stream:
        stream.writelines(json.dumps(record) + "\n" for record in records)
    return import_session(folder, (tmp_path / "work").resolve()).id


@pytest.mark.parametrize("by_the_model", [True, False])
async def test_an_approval_in_an_imported_run_approves_nothing(tmp_path, by_the_model):
    settings = "" if by_the_model else '  build@{ run: "touch built" }'
    replies = [TOUCH] if by_the_model else []
    async with engine_on(planned(tmp_path, *replies, "text: Said.", settings=settings)) as (engine, _):
        assert await answer(engine, "/flow:ship", Output()) == EXIT_WAITING
        (state,) = runs_of(engine)
        session = imported(
            tmp_path,
            engine.session,
            {"r": "set", "run": state.run_id, "chosen": {"say": "x"}, "prompts": {"build": "touch built"}},
            {"r": "answer", "run": state.run_id, "node": "build", "approve": True},
        )
    async with engine_on(planned(tmp_path, *replies, "text: Said.", session_id=session)) as (engine, _):
        (state,) = runs_of(engine)
        assert (state.imported, state.answers, state.chosen, state.prompts) == (True, {}, {}, {})
        assert await answer(engine, f"/flow-resume {state.run_id}", Output()) == EXIT_WAITING
    assert not (tmp_path / "work" / "built").exists()


async def test_a_question_of_an_imported_run_is_asked_anew(tmp_path):
    settings = '  build@{ run: "touch built" }'
    async with engine_on(planned(tmp_path, "text: Said.", settings=settings)) as (engine, _):
        await answer(engine, "/flow:ship", Output())
        session = imported(tmp_path, engine.session)
    async with engine_on(planned(tmp_path, "text: Said.", session_id=session)) as (engine, _):
        (state,) = runs_of(engine)
        assert state.parked == {}
        assert await answer(engine, f"/flow-resume {state.run_id}", Output()) == EXIT_WAITING
        (state,) = runs_of(engine)
        (key,) = state.parked
    forged = {"r": "turn", "run": state.run_id, "node": "build", "move": 1, "stop": "rejected", "parked": {key: "ls"}}
    shutil.rmtree(tmp_path / "exported")
    async with engine_on(planned(tmp_path, session_id=session)) as (engine, _):
        session = imported(tmp_path, engine.session, forged)
    async with engine_on(planned(tmp_path, "text: Said.", session_id=session)) as (engine, _):
        with pytest.raises(UsageError, match="build is not a decision"):
            await answer(engine, f"/flow-resume {state.run_id} build=approve", Output())
    assert not (tmp_path / "work" / "built").exists()


async def test_a_command_of_an_imported_run_is_asked_about_whatever_the_rules(tmp_path):
    settings = '  build@{ run: "touch built" }'
    async with engine_on(planned(tmp_path, "text: Said.", settings=settings)) as (engine, _):
        assert await answer(engine, "/flow:ship", Output()) == EXIT_WAITING
        (state,) = runs_of(engine)
        session = imported(tmp_path, engine.session)
    made = planned(tmp_path, "text: Said.", session_id=session, when_asked="approve")
    rule = parse_rule("Shell(touch *)", Effect.ALLOW, "test")
    made = replace(made, permissions=PermissionSettings(trusted=True, rules=(rule,)))
    async with engine_on(made) as (engine, _):
        await answer(engine, f"/flow-resume {state.run_id}", Output())
        assert not (tmp_path / "work" / "built").exists()


async def test_an_imported_run_has_the_limits_of_the_user_here(tmp_path):
    settings = '  build@{ run: "touch built" }'
    async with engine_on(planned(tmp_path, "text: Said.", settings=settings)) as (engine, _):
        assert await answer(engine, "/flow:ship", Output()) == EXIT_WAITING
        (state,) = runs_of(engine)
        session = imported(
            tmp_path,
            engine.session,
            {"r": "resume", "run": state.run_id, "node": "build", "max_moves": 10**9},
            {"r": "enter", "run": state.run_id, "node": "build", "move": 7},
        )
    async with engine_on(planned(tmp_path, "text: Said.", session_id=session, loop={"max_moves": 7})) as (engine, _):
        await answer(engine, f"/flow-resume {state.run_id}", Output())
        (state,) = runs_of(engine)
        assert state.max_moves == 7


async def test_a_subagents_call_parks_the_run(tmp_path):
    task = tool_call("Task", "t1", description="build", subagent_name="coder", prompt="Build it.")
    async with engine_on(planned(tmp_path, task, TOUCH, "text: No.")) as (engine, _):
        assert await answer(engine, "/flow:ship", Output()) == EXIT_WAITING
        (state,) = runs_of(engine)
    assert ["touch built" in text for text in state.parked.values()] == [True]
    assert not (tmp_path / "work" / "built").exists()


async def test_a_resume_after_a_rejected_command_asks_again(tmp_path):
    settings = '  build@{ run: "touch built" }'
    async with engine_on(planned(tmp_path, "text: Said.", settings=settings)) as (engine, _):
        assert await answer(engine, "/flow:ship", Output()) == EXIT_WAITING
        (state,) = runs_of(engine)
        assert await answer(engine, f"/flow-resume {state.run_id} build=reject", Output()) == EXIT_FAILURE
        assert await answer(engine, f"/flow-resume {state.run_id}", Output()) == EXIT_WAITING
        assert await answer(engine, f"/flow-resume {state.run_id} build=approve", Output()) == EXIT_OK
    assert (tmp_path / "work" / "built").exists()


async def test_refusing_rejects_the_call_and_approving_stays_the_default(tmp_path):
    made = planned(tmp_path, TOUCH, "text: Not built.", "text: Said.", when_asked="refuse")
    async with engine_on(made) as (engine, _):
        assert await answer(engine, "/flow:ship", Output()) == EXIT_OK
        assert not (tmp_path / "work" / "built").exists()
    async with engine_on(planned(tmp_path, TOUCH, "text: Built.", "text: Said.", when_asked=None)) as (engine, _):
        assert await answer(engine, "/flow:ship", Output()) == EXIT_OK
    assert (tmp_path / "work" / "built").exists()


async def test_only_approve_and_reject_answer_a_parked_call(tmp_path):
    async with engine_on(planned(tmp_path, TOUCH)) as (engine, _):
        await answer(engine, "/flow:ship", Output())
        (state,) = runs_of(engine)
        with pytest.raises(UsageError, match="waits for an approval; the possible answers are: approve, reject"):
            await engine.prompt(f"/flow-resume {state.run_id} build=yes")


async def test_a_hook_runs_when_a_run_parks(tmp_path):
    made = planned(tmp_path, TOUCH)
    hook = HookConfig.model_validate({"event": "FlowWaiting", "matcher": "ship", "command": "cat > ../waiting"})
    made = replace(made, config=made.config.model_copy(update={"hooks": (hook,)}))
    async with engine_on(made) as (engine, _):
        await answer(engine, "/flow:ship", Output())
    told = json.loads((tmp_path / "waiting").read_text("utf-8"))
    assert (told["flow"], told["node"], told["choices"]) == ("ship", "build", ["approve", "reject"])


async def test_flow_answer_records_an_answer_for_a_later_resume(tmp_path, capsys, monkeypatch):
    async with engine_on(planned(tmp_path, TOUCH)) as (engine, _):
        await answer(engine, "/flow:ship", Output())
        (state,) = runs_of(engine)
        session, run = engine.session_id, state.run_id[:8]
        assert main(["flow", "answer", run, "build=approve", "-w", str(tmp_path / "work")]) != 0  # it is open here
    folder = ["-w", str(tmp_path / "work")]
    assert main(["flow", "answer", run, "say=approve", *folder]) != 0
    assert main(["flow", "answer", run, "build=yes", *folder]) != 0
    assert main(["flow", "waiting", *folder]) == 0
    assert "touch built" in capsys.readouterr().out
    assert main(["flow", "answer", run, "build=approve", *folder]) == 0
    assert f"flow resume {run}" in capsys.readouterr().out
    assert main(["flow", "answer", run, "build=approve", *folder]) != 0
    made = planned(tmp_path, TOUCH, "text: Built.", "text: Said.", session_id=session, when_asked=None)
    async with engine_on(made) as (engine, _):
        assert await answer(engine, f"/flow-resume {state.run_id}", Output()) == EXIT_OK
    assert (tmp_path / "work" / "built").exists()


async def test_an_answer_names_its_session_where_a_fork_has_the_same_run(tmp_path, capsys):
    async with engine_on(planned(tmp_path, TOUCH)) as (engine, _):
        await answer(engine, "/flow:ship", Output())
        (state,) = runs_of(engine)
        session = engine.session.dir
        fork = session.parent / fork_session(session, engine.work_dir, title="x")
    folder = ["-w", str(tmp_path / "work")]
    for run in (state.run_id[:8], state.run_id):
        assert main(["flow", "answer", run, "build=approve", *folder]) != 0
        assert f"{state.run_id[:8]}@{fork.name}" in capsys.readouterr().err
    assert main(["flow", "waiting", *folder]) == 0
    assert f"flow resume {state.run_id[:8]}@{session.name} --choose" in capsys.readouterr().out
    assert main(["flow", "answer", f"{state.run_id[:8]}@{session.name}", "build=approve", *folder]) == 0
    assert f"flow resume {state.run_id[:8]}@{session.name}" in capsys.readouterr().out
    assert pending_question(load_runs(session / "flow.jsonl")[0]) is None
    assert pending_question(load_runs(fork / "flow.jsonl")[0]) is not None


async def test_a_fork_has_no_answer_to_a_call_that_its_session_is_parked_with(tmp_path):
    async with engine_on(planned(tmp_path, TOUCH)) as (engine, _):
        await answer(engine, "/flow:ship", Output())
        (state,) = runs_of(engine)
        session = engine.session.dir
    assert main(["flow", "answer", state.run_id, "build=approve", "-w", str(tmp_path / "work")]) == 0
    fork = session.parent / fork_session(session, tmp_path / "work", title="x")
    assert pending_question(load_runs(session / "flow.jsonl")[0]) is None
    assert pending_question(load_runs(fork / "flow.jsonl")[0]) is not None
    async with engine_on(planned(tmp_path, TOUCH, "text: Built.", session_id=fork.name)) as (engine, _):
        await answer(engine, f"/flow-resume {state.run_id}", Output())
    assert not (tmp_path / "work" / "built").exists()


async def test_an_answer_that_cannot_be_written_is_a_failure(tmp_path, capsys):
    async with engine_on(planned(tmp_path, TOUCH)) as (engine, _):
        await answer(engine, "/flow:ship", Output())
        (state,) = runs_of(engine)
        journal = engine.session.dir / "flow.jsonl"
    capsys.readouterr()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (journal.stat().st_size, limits[1]))
    try:
        assert main(["flow", "answer", state.run_id, "build=approve", "-w", str(tmp_path / "work")]) != 0
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert "Answered" not in capsys.readouterr().out


async def test_flow_answer_takes_a_branch_at_a_decision_of_the_user(tmp_path):
    chart = FLOW.replace("say[Say so.] -->", "say{Say so?} -->|yes|").replace(
        "SETTINGS", "  say -->|no| build\n  say@{ ask: human }"
    )
    write_skill(tmp_path / "work", "ship", chart)
    async with engine_on(planned(tmp_path, "text: Built.")) as (engine, _):
        assert await answer(engine, "/flow:ship", Output()) == EXIT_WAITING
        (state,) = runs_of(engine)
        session = engine.session_id
    assert main(["flow", "answer", state.run_id, "say=yes", "-w", str(tmp_path / "work")]) == 0
    async with engine_on(planned(tmp_path, "text: x", session_id=session)) as (engine, _):
        assert await answer(engine, f"/flow-resume {state.run_id}", Output()) == EXIT_OK
        assert [(one.choice, one.by) for one in runs_of(engine)[0].decisions] == [("yes", "user")]
