"""The offline demo: its script does what it says, on the project it is meant for."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kimi_tui import paths
from kimi_tui.flow import NodeKind, match_choice, parse_choice
from kimi_tui.llm.scripted import Block, Script
from kimi_tui.skill.skill import Scope, Skill, read_skill
from kimi_tui.wire.parts import TextPart, ToolCall

DEMO = paths.bundled("skills") / "demo-fix-until-green"


@pytest.fixture
def skill() -> Skill:
    return read_skill(DEMO / "SKILL.md", Scope.BUNDLED)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return shutil.copytree(DEMO / "assets" / "project", tmp_path / "project")


class Player:
    """Does for real what the script's tool calls say, in the project's folder."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.runs: list[int] = []
        self.edits: list[str] = []
        self.read: list[str] = []
        self.todos: list[list[dict[str, str]]] = []

    def turn(self, blocks: Iterator[Block]) -> str:
        """Play replies until one calls no tool; the text of that one."""
        for block in blocks:
            calls = [part for part in block if isinstance(part, ToolCall)]
            for call in calls:
                self.call(call)
            if not calls:
                return "".join(part.text for part in block if isinstance(part, TextPart))
        raise AssertionError("the script ends in the middle of a turn")

    def call(self, call: ToolCall) -> None:
        arguments = json.loads(call.function.arguments or "{}")
        match call.function.name:
            case "ReadFile":
                self.read.append((self.project / arguments["path"]).read_text("utf-8"))
            case "StrReplaceFile":
                file, edit = self.project / arguments["path"], arguments["edit"]
                text = file.read_text("utf-8")
                assert text.count(edit["old"]) == 1
                file.write_text(text.replace(edit["old"], edit["new"]), "utf-8")
                self.edits.append(arguments["path"])
            case "Shell":
                done = subprocess.run(["bash", "-c", arguments["command"]], cwd=self.project, capture_output=True)
                self.runs.append(done.returncode)
            case "SetTodoList":
                self.todos.append(arguments["todos"])
            case other:
                raise AssertionError(f"the demo calls {other}")


def test_the_demo_walks_its_flow_and_leaves_the_tests_green(skill: Skill, project: Path) -> None:
    assert skill.flow is not None
    flow, player = skill.flow, Player(project)
    blocks = iter(Script.read(DEMO / "assets" / "script.json").blocks)
    way: list[str] = []
    here = flow.outgoing[flow.begin_id][0].dst
    while here != flow.end_id:
        way.append(here)
        said, edges = player.turn(blocks), flow.outgoing[here]
        if flow.nodes[here].kind is NodeKind.DECISION:
            choice = match_choice(parse_choice(said) or "", [edge.label or "" for edge in edges])
            edges = [edge for edge in edges if edge.label == choice]
        here = edges[0].dst
    assert way == ["REPRODUCE", "FIX", "GREEN", "FIX", "GREEN", "SUMMARY"]
    assert next(blocks, None) is None
    assert [code != 0 for code in player.runs] == [True, True, False]
    assert player.edits == ["busy.py", "busy.py"]
    assert player.read


def test_the_todo_list_grows_from_what_was_found_and_ends_done(project: Path) -> None:
    player, script = Player(project), Script.read(DEMO / "assets" / "script.json")
    for block in script.blocks:
        for part in block:
            if isinstance(part, ToolCall) and part.function.name == "SetTodoList":
                player.call(part)
    assert len(player.todos) >= 4
    assert {todo["status"] for todo in player.todos[-1]} == {"done"}
    for todos in player.todos:
        assert [todo["status"] for todo in todos].count("in_progress") <= 1
        assert all(todo.keys() == {"title", "status"} and todo["title"] for todo in todos)


def test_two_tests_fail_at_first_and_for_two_reasons(project: Path) -> None:
    def failures() -> list[str]:
        done = subprocess.run(["python3", "-m", "unittest"], cwd=project, capture_output=True, text=True)
        return [line for line in done.stderr.splitlines() if line.startswith("FAIL:")]

    assert len(failures()) == 2
    file = project / "busy.py"
    file.write_text(file.read_text("utf-8").replace("slot.start < merged", "slot.start <= merged"), "utf-8")
    assert len(failures()) == 1


def test_the_demo_keeps_out_of_the_lists(skill: Skill) -> None:
    assert skill.hidden
    assert skill.problems == ()
