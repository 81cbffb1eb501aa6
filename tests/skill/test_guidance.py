"""What stands beside a chart reaches the model."""

from pathlib import Path

from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.skill.guidance import MAX_INTRO, MAX_SECTION
from kimi_tui.skill.skill import Scope, Skill, parse_skill
from kimi_tui.soul.flows.prompt_flow import flow_of_run, read_prompt_flow
from tests.flow.runner_harness import RunnerHarness, Script

HEAD = "---\nname: scout\ndescription: d\ntype: flow\n---\n"
CHART = """```mermaid
flowchart TD
  BEGIN([BEGIN]) --> B[Look around]
  B --> F[Scout]
  F --> G{Enough?}
  %% G: Enough is three places.
  %% note: of no node
  G -->|yes| END([END])
  G -->|no| F
```
"""


def skill(body: str) -> Skill:
    return parse_skill(HEAD + body, Path("skills/scout/SKILL.md"), Scope.USER)


async def prompts_of(made: Skill, *replies: str, args: str = "") -> list[str]:
    assert made.flow is not None
    stage = RunnerHarness(made.flow, replies, args=args)
    await stage.run()
    return [str(prompt) for prompt in stage.script.prompts]


async def test_the_text_beside_the_chart_is_told_once_with_the_first_node() -> None:
    made = skill(f"# Scout\n\nAlways be quiet.\n\n{CHART}\nNever shout.\n")
    first, second, third = await prompts_of(made, "ok", "ok", "<choice>yes</choice>")
    assert "Always be quiet.\n\nNever shout." in first
    assert first.endswith("Look around")
    assert "flowchart" not in first
    assert second == "Scout"
    assert "quiet" not in third


async def test_a_section_whose_heading_begins_with_a_nodes_id_goes_with_that_node() -> None:
    made = skill(
        f"{CHART}\n## B\nTake the map.\n\n### Which map\nThe new one.\n\n## `F`: Scout\nGo north.\n\n"
        "## Fine print\nFor all.\n\n## END\nSay so.\n"
    )
    first, second, third = await prompts_of(made, "ok", "ok", "<choice>yes</choice>")
    assert first.index("Fine print") < first.index("Look around") < first.index("Take the map.")
    assert "The new one." in first
    assert "## END" in first
    assert "Go north." not in first
    assert second == "Scout\n\nWhat the flow's file says of this step:\n\n## `F`: Scout\nGo north."
    assert "Enough is three places." in third
    assert "of no node" not in first + second + third


async def test_a_section_comes_again_at_each_visit_but_not_with_a_reminder() -> None:
    made = skill(f"{CHART}\n## G\nCount them.\n\n## F\nGo north.\n")
    messages = await prompts_of(made, "ok", "ok", "hm", "<choice>no</choice>", "ok", "<choice>yes</choice>")
    assert ["Count them." in prompt for prompt in messages] == [False, False, True, False, False, True]
    assert ["Go north." in prompt for prompt in messages] == [False, True, False, False, True, False]


async def test_a_file_that_is_only_its_chart_and_a_title_tells_nothing_more() -> None:
    assert (await prompts_of(skill(f"# Scout\n\n{CHART}"), "ok", "ok", "<choice>yes</choice>"))[0] == "Look around"


async def test_args_stand_where_the_text_names_them() -> None:
    messages = await prompts_of(
        skill(f"Look for ${{ARGS}}.\n\n{CHART}"), "ok", "ok", "<choice>yes</choice>", args="gold"
    )
    assert "Look for gold." in messages[0]


async def test_a_resumed_run_is_told_it_though_the_file_is_gone(tmp_path: Path) -> None:
    made = skill(f"Be quiet.\n\n{CHART}\n## F\nGo north.\n")
    assert made.flow is not None
    stage = RunnerHarness(made.flow, ["ok"], path=tmp_path / "flow.jsonl", text=made.chart_text or "")
    stage.runner.pause()
    await stage.until_paused()
    await stage.cancel()
    state = stage.journalled()
    script = Script(["ok", "ok", "<choice>yes</choice>"])
    await FlowRunner(
        flow_of_run(state), name="scout", taker=script, send=lambda _: None, interactive=False, resume=state
    ).run()
    assert "Be quiet." in str(script.prompts[0])
    assert "Go north." in str(script.prompts[1])


def test_what_is_too_long_is_cut_and_said() -> None:
    made = skill(f"{'x' * 20_000}\n\n{CHART}\n## F\n{'y' * 9_000}\n")
    assert made.flow is not None
    guidance = made.flow.guidance
    assert (len(guidance.intro), len(guidance.sections["F"])) == (MAX_INTRO, MAX_SECTION)
    assert [problem.text for problem in made.problems] == [
        f"this text has 20000 characters; the model receives only the first {MAX_INTRO}",
        f"this text has 9005 characters; the model receives only the first {MAX_SECTION}",
    ]


def test_it_is_said_what_goes_where() -> None:
    made = skill(f"Be quiet.\n\n{CHART}\n## F\nGo north.\n")
    assert [(note.line, note.text) for note in made.guidance_notes] == [
        (6, "sent with the first step: 9 characters"),
        (19, "sent with `F`: 14 characters"),
        (13, "sent with `G`: 23 characters"),
    ]


def test_a_heading_within_a_code_block_begins_no_section() -> None:
    made = skill(f"{CHART}\n```sh\n## F\n```\n\n## Follow up\nF: x\n\n## F.1\nno node\n")
    assert made.flow is not None
    assert set(made.flow.guidance.sections) == {"G"}


def test_a_prompt_flow_tells_what_stands_beside_its_chart(tmp_path: Path) -> None:
    file = tmp_path / "scout.md"
    file.write_text(f"---\nname: x\n---\nBe quiet.\n\n{CHART}\n## F\nGo north.\n", "utf-8")
    guidance = read_prompt_flow(file).flow.guidance
    assert guidance.intro == "Be quiet."
    assert guidance.sections["F"] == "## F\nGo north."
    chart = tmp_path / "scout.mmd"
    chart.write_text("flowchart TD\nBEGIN --> B\n%% B: Take the map.\nB --> END\n", "utf-8")
    assert read_prompt_flow(chart).flow.guidance.sections == {"B": "Take the map."}


def test_many_headings_and_comments_are_read_soon() -> None:
    body = CHART.replace("  %% note: of no node\n", "  %% F: x\n" * 20_000) + "## F: a - b - c - d\ntext\n" * 20_000
    assert skill(body).flow is not None
