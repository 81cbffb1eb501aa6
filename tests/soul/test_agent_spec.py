import json
from dataclasses import replace

import pytest

from kimi_tui.config.schema import ModelConfig, ProviderConfig
from kimi_tui.errors import AgentSpecError, UsageError
from kimi_tui.soul.agent_spec import agent_file, our_tool, read_agent_spec
from kimi_tui.soul.assemble import build_engine
from kimi_tui.soul.tool_injection import tool_class
from tests.soul.scripted_engine import engine_on, plan
from tests.test_yaml_text import BOMB


def written(tmp_path, text, name="agent.yaml"):
    file = tmp_path / name
    file.write_text(text)
    (tmp_path / "system.md").write_text("You are ${WHO}.")
    return file


PEER_TOOLS = (
    "kimi_cli.tools.agent:Agent", "kimi_cli.tools.multiagent:Task", "kimi_cli.tools.multiagent:CreateSubagent",
    "kimi_cli.tools.dmail:SendDMail", "kimi_cli.tools.think:Think", "kimi_cli.tools.ask_user:AskUserQuestion",
    "kimi_cli.tools.todo:SetTodoList", "kimi_cli.tools.shell:Shell", "kimi_cli.tools.background:TaskList",
    "kimi_cli.tools.background:TaskOutput", "kimi_cli.tools.background:TaskStop", "kimi_cli.tools.file:ReadFile",
    "kimi_cli.tools.file:ReadMediaFile", "kimi_cli.tools.file:Glob", "kimi_cli.tools.file:Grep",
    "kimi_cli.tools.file:WriteFile", "kimi_cli.tools.file:StrReplaceFile", "kimi_cli.tools.web:SearchWeb",
    "kimi_cli.tools.web:FetchURL", "kimi_cli.tools.plan:ExitPlanMode", "kimi_cli.tools.plan.enter:EnterPlanMode",
)  # fmt: skip
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


def test_files_that_extend_each_other_in_a_circle_are_refused_at_the_one_that_closes_it(tmp_path):
    written(tmp_path, "version: 1\nname: b\nextend: agent.yaml", "b.yaml")
    with pytest.raises(AgentSpecError, match=r"b.yaml:3: extend: .* in a circle"):
        read_agent_spec(written(tmp_path, "version: 1\nextend: b.yaml"))


def test_what_a_file_excludes_stays_excluded_below_it_unless_that_says_otherwise(tmp_path):
    base = BASE + "  exclude_tools: ['kimi_cli.tools.shell:Shell']\n"
    written(tmp_path, base, "base.yaml")
    assert read_agent_spec(written(tmp_path, "version: 1\nextend: base.yaml")).tools == ("kimi_tui.tools.glob:Glob",)
    again = read_agent_spec(written(tmp_path, "version: 1\nextend: base.yaml\nexclude_tools: []"))
    assert again.tools == ("kimi_tui.tools.shell:Shell", "kimi_tui.tools.glob:Glob")


async def test_a_tool_that_cannot_be_loaded_is_named_with_its_line_a_subagents_too(tmp_path):
    wrong = "version: 1\nextend: default\ntools:\n  - kimi_cli.tools.file:ReadFile\n  - no.such:Tool\n"
    with pytest.raises(AgentSpecError, match=r"agent.yaml:5: tools.1: no.such:Tool: the module cannot be imported"):
        async with engine_on(plan(tmp_path, agent_file=written(tmp_path, wrong))):
            pass
    written(tmp_path, wrong, "sub.yaml")
    outer = "version: 1\nextend: default\nsubagents: {a: {path: sub.yaml, description: x}}"
    with pytest.raises(AgentSpecError, match=r"sub.yaml:5: tools.1: no.such:Tool"):
        async with engine_on(plan(tmp_path, agent_file=written(tmp_path, outer))):
            pass


def test_every_tool_of_the_peers_agents_is_one_of_ours():
    for name in PEER_TOOLS:
        assert tool_class(our_tool(name)).name == {"Agent": "Task"}.get(name.partition(":")[2], name.partition(":")[2])


def test_a_tool_of_the_peer_is_read_as_ours_of_that_name():
    assert our_tool("kimi_cli.tools.file:ReadFile") == "kimi_tui.tools.read_file:ReadFile"
    assert our_tool("kimi_cli.tools.dmail:SendDMail") == "kimi_tui.tools.send_dmail:SendDMail"
    assert our_tool("kimi_cli.tools.web:FetchURL") == "kimi_tui.tools.fetch_url:FetchURL"
    assert our_tool("mine.tools:Lamp") == "mine.tools:Lamp"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version: 2\nname: x", r"agent.yaml:1: version: "),
        ("version: 1\nname: x\ncolour: red", r"agent.yaml:3: colour: no such key$"),
        ("version: 1\nnaem: x", r"agent.yaml:2: naem: no such key; did you mean name\?"),
        ("verion: 1\nagent: {name: x}", r"agent.yaml:1: verion: no such key; did you mean version\?"),
        (
            "version: 1\nagent:\n  extend: default\n  subagents:\n    a: {path: x.yaml, descripton: y}",
            r"agent.yaml:5: subagents.a.descripton: no such key; did you mean description\?",
        ),
        ("version: 1\nagent:\n  name: x\n  tools: 3", r"agent.yaml:4: tools: "),
        ("version: 1\nname: x", r"agent.yaml: system_prompt_path: required"),
        ("version: 1\nname: [", r"agent.yaml:2: "),
        ("- x", "must be a mapping"),
        ("version: 1\nextend: agent.yaml", r"agent.yaml:2: extend: .* in a circle"),
        ("version: 1\nextend: gone.yaml", r"agent.yaml:2: extend: file not found: .*gone.yaml"),
        ("version: 1\nname: x\nsystem_prompt_path: gone.md\ntools: []", r"agent.yaml:3: system_prompt_path: .*gone.md"),
        (
            "version: 1\nextend: default\nsubagents:\n  a:\n    path: gone.yaml\n    description: x",
            r"agent.yaml:5: subagents.a.path: file not found",
        ),
        ("version: 1\nextend: default\nsystem_prompt_args: [a]", r"agent.yaml:3: system_prompt_args: "),
    ],
)
def test_a_wrong_spec_names_file_line_and_key(tmp_path, text, message):
    with pytest.raises(AgentSpecError, match=message):
        read_agent_spec(written(tmp_path, text))


def test_an_agent_that_is_not_bundled_is_named_beside_those_that_are():
    with pytest.raises(UsageError, match=r"no agent named 'hououin'. Available: default, okabe"):
        agent_file("hououin")


OF_1_49 = """version: 1
agent:
  name: mine
  system_prompt_path: ./system.md
  model: fast
  when_to_use: When it has to be quick.
  tools: ["kimi_cli.tools.shell:Shell", "kimi_tui.tools.glob:Glob", "kimi_cli.tools.file:Grep"]
  allowed_tools: ["kimi_cli.tools.file:Glob", "kimi_cli.tools.file:Grep"]
  exclude_tools: ["kimi_cli.tools.file:Grep"]
"""


def test_keys_of_kimi_clis_newer_agent_files_are_read(tmp_path):
    spec = read_agent_spec(written(tmp_path, OF_1_49))
    assert (spec.model, spec.when_to_use) == ("fast", "When it has to be quick.")
    assert spec.tools == ("kimi_tui.tools.glob:Glob",)
    heir = read_agent_spec(written(tmp_path, "extend: agent.yaml\nname: heir\nallowed_tools: []", "heir.yaml"))
    assert (heir.model, heir.tools) == ("fast", ())


async def test_an_agent_and_a_subagent_are_asked_by_the_models_of_their_files(tmp_path):
    written(tmp_path, OF_1_49.replace("model: fast", "model: sub"), "sub.yaml")
    subagents = f"  subagents: {{sub: {{path: {tmp_path / 'sub.yaml'}}}}}\n"
    tools = BASE.replace('"kimi_tui.tools.glob:Glob"', '"kimi_tui.tools.task:Task"')
    file = written(tmp_path, tools + "  model: root\n" + subagents, "root.yaml")
    made = plan(tmp_path, agent_file=file)
    providers, models = {}, {}
    ask = {"name": "Task", "id": "t", "arguments": '{"description": "d", "subagent_name": "sub", "prompt": "p"}'}
    replies = {"root": ["tool_call: " + json.dumps(ask), "text: done"], "sub": ["text: " + "of the sub " * 30]}
    for name, said in replies.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(said))
        providers[name] = ProviderConfig(type="scripted", scripts=tmp_path / f"{name}.json")
        models[name] = ModelConfig(provider=name, model=name)
    config = made.config.model_copy(
        update={"models": {**made.config.models, **models}, "providers": {**made.config.providers, **providers}}
    )
    async with engine_on(replace(made, config=config)) as (engine, _):
        assert engine.models.key == "root"
        assert engine.soul.agent.subagents.names() == {"sub": "When to use it: When it has to be quick."}
        assert (await engine.prompt("go")).message == "done"
        assert "of the sub" in engine.context.history[2].text
    async with engine_on(replace(made, config=config, model="s")) as (engine, _):
        assert engine.models.key == "s"
    with pytest.raises(AgentSpecError, match=r"root.yaml: model: no model named 'root'. Configured: s"):
        await build_engine(made)


async def test_a_prompt_whose_conditions_cannot_be_read_is_told_with_its_line(tmp_path):
    file = written(tmp_path, BASE)
    (tmp_path / "system.md").write_text("You are ${WHO}.\n{% if WHO %}")
    with pytest.raises(AgentSpecError, match=r"system.md:2: this if has no endif"):
        await build_engine(plan(tmp_path, agent_file=file))


def test_an_agent_file_that_unfolds_without_end_is_refused_at_once(tmp_path):
    with pytest.raises(AgentSpecError, match="its aliases expand to too many values"):
        read_agent_spec(written(tmp_path, BOMB))


def test_an_agent_file_that_is_a_link_to_itself_is_an_error(tmp_path):
    file = tmp_path / "agent.yaml"
    file.symlink_to(file)
    with pytest.raises(AgentSpecError, match=r"agent\.yaml"):
        read_agent_spec(file)


def test_a_system_prompt_that_leads_to_a_secret_is_refused(tmp_path):
    file = written(tmp_path, BASE)
    (tmp_path / ".env").write_text("KEY=1")
    (tmp_path / "system.md").unlink()
    (tmp_path / "system.md").symlink_to(".env")
    with pytest.raises(AgentSpecError, match="secret"):
        read_agent_spec(file)
