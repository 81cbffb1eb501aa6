import pytest

from kimi_tui.errors import AgentSpecError, UsageError
from kimi_tui.soul.agent_spec import agent_file, our_tool, read_agent_spec


def written(tmp_path, text, name="agent.yaml"):
    file = tmp_path / name
    file.write_text(text)
    (tmp_path / "system.md").write_text("You are ${WHO}.")
    return file


BASE = """version: 1
agent:
  name: base
  system_prompt_path: ./system.md
  system_prompt_args: {WHO: base, MOOD: calm}
  tools: ["kimi_cli.tools.shell:Shell", "kimi_tui.tools.glob:Glob"]
"""


def test_the_bundled_agents_are_whole():
    default, okabe = (read_agent_spec(agent_file(name)) for name in ("default", "okabe"))
    assert list(default.subagents) == ["coder", "explore", "plan"]
    assert set(okabe.tools) > set(default.tools)
    for subagent in default.subagents.values():
        spec = read_agent_spec(subagent.path)
        assert "kimi_tui.tools.task:Task" not in spec.tools
        assert spec.subagents == {}


def test_a_file_takes_over_what_it_extends_and_merges_the_arguments(tmp_path):
    written(tmp_path, BASE, "base.yaml")
    text = "version: 1\nextend: base.yaml\nname: mine\nsystem_prompt_args: {WHO: mine}\n"
    text += "exclude_tools: ['kimi_cli.tools.shell:Shell']"
    spec = read_agent_spec(written(tmp_path, text))
    assert spec.name == "mine"
    assert spec.system_prompt_args == {"WHO": "mine", "MOOD": "calm"}
    assert spec.tools == ("kimi_tui.tools.glob:Glob",)
    assert spec.system_prompt_path == tmp_path / "system.md"


def test_a_tool_of_the_peer_is_read_as_ours_of_that_name():
    assert our_tool("kimi_cli.tools.file:ReadFile") == "kimi_tui.tools.read_file:ReadFile"
    assert our_tool("kimi_cli.tools.dmail:SendDMail") == "kimi_tui.tools.send_dmail:SendDMail"
    assert our_tool("kimi_cli.tools.web:FetchURL") == "kimi_tui.tools.fetch_url:FetchURL"
    assert our_tool("mine.tools:Lamp") == "mine.tools:Lamp"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version: 2\nname: x", r"agent.yaml:1: version: "),
        ("version: 1\nname: x\ncolour: red", r"agent.yaml:3: colour: "),
        ("version: 1\nagent:\n  name: x\n  tools: 3", r"agent.yaml:4: tools: "),
        ("version: 1\nname: x", r"system_prompt_path: this is needed"),
        ("version: 1\nname: [", r"agent.yaml:2: "),
        ("- x", "a table of keys"),
        ("version: 1\nextend: agent.yaml", "in a circle"),
        ("version: 1\nextend: gone.yaml", "gone.yaml"),
        ("version: 1\nname: x\nsystem_prompt_path: gone.md\ntools: []", "gone.md"),
    ],
)
def test_a_wrong_spec_names_file_line_and_key(tmp_path, text, message):
    with pytest.raises(AgentSpecError, match=message):
        read_agent_spec(written(tmp_path, text))


def test_an_agent_that_is_not_bundled_is_named_beside_those_that_are():
    with pytest.raises(UsageError, match="there is no agent 'hououin'; there are: default, okabe"):
        agent_file("hououin")
