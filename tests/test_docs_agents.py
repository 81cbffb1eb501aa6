"""The examples of kimi_tui/docs/agents.md are what the program reads."""

import re
import sys
from pathlib import Path
from typing import get_args

from kimi_tui.config.loader import load_config
from kimi_tui.config.schema import HookEvent
from kimi_tui.soul.agent_spec import read_agent_spec
from kimi_tui.soul.tool_injection import make_tool, tool_class
from kimi_tui.tools.file_support.workspace import Workspace

TEXT = (Path(__file__).parent.parent / "kimi_tui/docs/agents.md").read_text("utf-8")
AGENT, HOOKS = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
(TOOL,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_agent_file_is_one(tmp_path):
    for name, text in (("release.yaml", AGENT), ("system.md", "${ROLE_ADDITIONAL}"), ("coder.yaml", "extend: default")):
        (tmp_path / name).write_text(text)
    spec = read_agent_spec(tmp_path / "release.yaml")
    assert (spec.name, list(spec.subagents)) == ("releaser", ["coder"])
    assert "kimi_tui.tools.fetch_url:FetchURL" not in spec.tools
    assert spec.system_prompt_args["ROLE_ADDITIONAL"].startswith("You release")


def test_the_tool_is_one(tmp_path, monkeypatch):
    (tmp_path / "my_tools.py").write_text(TOOL)
    monkeypatch.syspath_prepend(tmp_path)
    tool = make_tool(tool_class("my_tools:Lamp"), {Workspace: Workspace(tmp_path)})
    assert (tool.name, tool.description) == ("Lamp", "Turns the lamp on.")
    del sys.modules["my_tools"]


def test_the_hooks_are_some_and_every_event_is_named():
    assert [hook.event for hook in load_config(text=HOOKS).config.hooks] == ["PreToolUse", "Stop"]
    assert all(f"`{event}`" in TEXT for event in get_args(HookEvent))
