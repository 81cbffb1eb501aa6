"""An agent of one's own, with a tool of somebody else's, from the command line to the answer."""

import json
import os
import subprocess

from kimi_tui import paths
from tests.soul.scripted_engine import tool_call
from tests.ui.print.test_print import command

TOOL = """
from kimi_tui.tools.core.tool import Params, Tool, ok
from kimi_tui.tools.file_support.workspace import Workspace


class LampParams(Params):
    colour: str


class Lamp(Tool[LampParams]):
    name = "Lamp"
    description = "Turns the lamp on."
    params = LampParams

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def call(self, params):
        return ok(f"{params.colour} in {self._workspace.work_dir.name}")
"""
AGENT = """version: 1
agent:
  extend: default
  name: lamplighter
  system_prompt_path: ./system.md
  system_prompt_args: {WHO: "the lamplighter of ${KIMI_WORK_DIR}"}
  tools: ["kimi_cli.tools.file:ReadFile", "lamp_tools:Lamp"]
  subagents: {}
"""


def run(tmp_path, *extra, modules=""):
    (tmp_path / "agent.yaml").write_text(AGENT)
    (tmp_path / "system.md").write_text("You are ${WHO}.\n${KIMI_AGENTS_MD}")
    argv = command(tmp_path, tool_call("Lamp", colour="green"), "text: It is lit.", extra=(*extra, "-p", "hi"))
    (tmp_path / "work" / "AGENTS.md").write_text("Be quiet.")
    env = os.environ | {"PYTHONPATH": modules}
    return subprocess.run(argv, capture_output=True, text=True, env=env)


def test_a_tool_from_a_module_of_somebody_elses_gets_what_it_asks_for_and_works(tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "lamp_tools.py").write_text(TOOL)
    extra = ("--agent-file", str(tmp_path / "agent.yaml"), "--output-format", "stream-json", "-S", "lamp")
    done = run(tmp_path, *extra, modules=str(tmp_path / "site"))
    rows = [json.loads(row) for row in done.stdout.splitlines()]
    assert (done.returncode, rows[-1]["content"]) == (0, "It is lit.")
    assert "green in work" in rows[1]["content"]
    context = next(paths.home().glob("sessions/*/lamp/context.jsonl")).read_text()
    prompt = json.loads(context.splitlines()[0])["content"]
    assert prompt.startswith(f"You are the lamplighter of {(tmp_path / 'work').resolve()}.")
    assert prompt.endswith("Be quiet.\n")


def test_a_tool_that_is_not_there_is_one_line_with_file_line_and_key(tmp_path):
    done = run(tmp_path, "--agent-file", str(tmp_path / "agent.yaml"))
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"kimi-tui: {tmp_path / 'agent.yaml'}:7: tools.1: lamp_tools:Lamp: the module cannot")
    assert done.stderr.count("\n") == 1
