"""What a skill file makes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.errors import SkillError
from kimi_tui.skill.skill import NO_DESCRIPTION, Scope, Skill, SkillKind, parse_skill, skill_prompt

PATH = Path("skills/fix-it/SKILL.md")
CHART = """```mermaid
flowchart TD
BEGIN([BEGIN]) --> A[Do it]
A --> B{Good?}
B -->|yes| E([END])
B -->|no| A
```
"""


def skill(front: str, body: str = "Do this.\n", path: Path = PATH) -> Skill:
    return parse_skill(f"---\n{front}\n---\n{body}", path, Scope.USER)


def complaints(made: Skill) -> list[tuple[int | None, str, str]]:
    return [(problem.line, problem.severity, problem.text) for problem in made.problems]


def test_the_fields_of_the_format_are_kept() -> None:
    made = skill(
        "name: fix-it\ndescription: Fixes it.\nlicense: MIT\ncompatibility: Needs git\n"
        "metadata:\n  author: me\n  version: 1.0\nallowed-tools: Bash(git add:*, x) Read, Write"
    )
    assert (made.name, made.description, made.kind, made.scope) == (
        "fix-it",
        "Fixes it.",
        SkillKind.STANDARD,
        Scope.USER,
    )
    assert (made.license, made.compatibility) == ("MIT", "Needs git")
    assert made.metadata == {"author": "me", "version": "1.0"}
    assert made.allowed_tools == ("Bash(git add:*, x)", "Read", "Write")
    assert made.problems == ()


def test_a_flow_skill_has_its_flow_and_where_its_chart_is() -> None:
    made = skill("name: fix-it\ndescription: d\ntype: flow", f"\nText.\n\n{CHART}")
    assert made.kind is SkillKind.FLOW
    assert made.flow is not None
    assert made.flow.nodes["A"].label == "Do it"
    assert made.chart_line == 9
    assert made.chart_text is not None
    assert made.text.split("\n")[made.chart_line - 1] == "```mermaid"
    assert made.problems == ()


def test_a_flow_may_be_written_in_d2() -> None:
    made = skill("name: fix-it\ndescription: d\ntype: flow", "```d2\nBEGIN -> do it -> END\n```\n")
    assert made.flow is not None
    assert made.flow.source == "d2"


def test_a_standard_skill_with_a_chart_is_no_flow() -> None:
    made = skill("name: fix-it\ndescription: d", CHART)
    assert (made.kind, made.flow, made.chart_text) == (SkillKind.STANDARD, None, None)


def test_a_broken_chart_leaves_a_standard_skill_and_says_why_with_the_files_line() -> None:
    chart = CHART.replace("|no|", "")
    made = skill("name: fix-it\ndescription: d\ntype: flow", f"\nText.\n\n{chart}")
    assert (made.kind, made.declared_kind, made.flow) == (SkillKind.STANDARD, SkillKind.FLOW, None)
    [(line, severity, text)] = complaints(made)
    assert severity == "error"
    assert "has no label" in text
    assert line is not None
    assert made.text.split("\n")[line - 1] == "B --> A"
    assert str(made.problems[0]).startswith(f"{PATH}:{line}:")


def test_a_flow_without_a_chart_is_told_at_its_type() -> None:
    made = skill("name: fix-it\ndescription: d\ntype: flow", "```python\nx\n```\n")
    assert made.kind is SkillKind.STANDARD
    [(line, severity, text)] = complaints(made)
    assert (line, severity) == (4, "error")
    assert "without a chart" in text


def test_a_charts_warnings_stand_at_the_files_line() -> None:
    made = skill("name: fix-it\ndescription: d\ntype: flow", CHART.replace("flowchart TD", "flowchart TD\nlost[Lost]"))
    assert made.kind is SkillKind.FLOW
    [(line, severity, text)] = complaints(made)
    assert severity == "warning"
    assert "cannot be reached" in text
    assert line is not None
    assert made.text.split("\n")[line - 1] == "lost[Lost]"


def test_a_chart_that_is_not_closed_is_said_to_be() -> None:
    made = skill("name: fix-it\ndescription: d\ntype: flow", CHART.removesuffix("```\n"))
    assert any("not closed" in text for _, _, text in complaints(made))


def test_name_and_description_have_defaults_and_a_word_about_it() -> None:
    made = parse_skill("\n# How to *fix*\n\nmore", PATH, Scope.USER)
    assert (made.name, made.description) == ("fix-it", "How to *fix*")
    assert [severity for _, severity, _ in complaints(made)] == ["warning", "warning"]
    assert parse_skill("", PATH, Scope.USER).description == NO_DESCRIPTION
    assert parse_skill("x" * 500, PATH, Scope.USER).description == "x" * 240


def test_a_flat_file_is_named_by_its_stem() -> None:
    assert parse_skill("text", Path("skills/tidy.md"), Scope.USER).name == "tidy"


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("Fix-It", "lower-case"),
        ("fix--it", "lower-case"),
        ("-fix", "lower-case"),
        ("fix it", "lower-case"),
        ("fix_it", "lower-case"),
        ("x" * 65, "65 characters"),
        ("other", "should match its folder"),
    ],
)
def test_a_name_against_the_format_is_a_warning(name: str, cause: str) -> None:
    made = skill(f"name: {name}\ndescription: d")
    assert made.name == name
    assert any(severity == "warning" and cause in text and line == 2 for line, severity, text in complaints(made))


def test_names_in_other_scripts_are_fine() -> None:
    assert skill("name: 修复\ndescription: d", path=Path("skills/修复/SKILL.md")).problems == ()


def test_long_fields_are_warned_about() -> None:
    made = skill(f"name: fix-it\ndescription: {'d' * 1025}\ncompatibility: {'c' * 501}")
    assert [line for line, _, _ in complaints(made)] == [3, 4]


def test_fields_lose_what_a_terminal_would_obey() -> None:
    made = skill('name: "fix\\e[2J-it"\ndescription: "a\\nb\\u202ec"')
    assert made.name == "fix[2J-it"
    assert made.description == "a bc"


@pytest.mark.parametrize(
    ("front", "line"),
    [
        ("name: fix-it\ntype: graph", 3),
        ("name: [a, b]", 2),
        ("description:\n  a: b\nname: x", 2),
        ("name: a: b", 2),
    ],
)
def test_a_skill_that_cannot_be_understood_is_refused_with_its_line(front: str, line: int) -> None:
    with pytest.raises(SkillError) as caught:
        skill(front)
    assert (caught.value.file, caught.value.line) == (PATH, line)


def test_odd_optional_fields_are_passed_over_with_a_warning() -> None:
    made = skill("name: fix-it\ndescription: d\nmetadata: words\nallowed-tools:\n  a: b")
    assert (made.metadata, made.allowed_tools) == ({}, ())
    assert [(line, severity) for line, severity, _ in complaints(made)] == [(4, "warning"), (5, "warning")]


def test_the_prompt_is_the_whole_file_and_what_the_user_asks() -> None:
    made = skill("name: fix-it\ndescription: d", "Do this.\n\n")
    assert skill_prompt(made) == "---\nname: fix-it\ndescription: d\n---\nDo this."
    assert skill_prompt(made, "  the door ").endswith("Do this.\n\nUser request:\nthe door")
    assert skill_prompt(made, " \n") == skill_prompt(made)


@pytest.mark.parametrize("value", ["", " ~", " [1 usd]", "\n    usd: 1"])
def test_a_cap_that_is_no_text_is_an_error_and_not_dropped(value: str) -> None:
    made = skill(
        f"name: fix-it\ndescription: d\ntype: flow\nmetadata:\n  budget:{value}",
        "```mermaid\nflowchart TD\nBEGIN --> A --> END\n```",
    )
    assert made.flow is None
    (problem,) = [each for each in made.problems if each.severity == "error"]
    assert (problem.line, problem.text) == (
        6, "`budget` needs a value, a text on the same line (used as a standard skill)",
    )  # fmt: skip


def test_a_hidden_skill_says_so_in_its_metadata() -> None:
    assert skill("name: fix-it\ndescription: d\nmetadata:\n  hidden: true").hidden
    assert not skill("name: fix-it\ndescription: d").hidden


SNIPPETS = st.lists(
    st.one_of(
        st.sampled_from(["---\n", "name: a\n", "type: flow\n", "description: |\n", "```mermaid\n", "```\n", "```d2\n"]),
        st.sampled_from(["BEGIN --> END\n", "A -->|x| B\n", "BEGIN -> a -> END\n", "  ", "- ", "> ", "\t", "{", "["]),
        st.text(max_size=10),
    )
)


@given(SNIPPETS)
def test_any_text_is_a_skill_or_a_located_error(parts: list[str]) -> None:
    text = "".join(parts)
    places: list[int | None] = []
    try:
        made = parse_skill(text, PATH, Scope.USER)
    except SkillError as error:
        places.append(error.line)
    else:
        assert (made.kind is SkillKind.FLOW) == (made.flow is not None)
        places += [problem.line for problem in made.problems]
    assert all(line is None or 1 <= line <= len(text.split("\n")) for line in places)


FLOW_SKILL = """---
name: short
description: Runs in few moves.
type: flow
metadata:
  author: me
  {setting}
---
```mermaid
flowchart TD
  B([BEGIN]) --> a[Work] --> E([END])
```
"""


def test_a_flow_limits_its_moves_in_its_metadata():
    skill = parse_skill(FLOW_SKILL.replace("{setting}", "max-moves: 7"), Path("short/SKILL.md"), Scope.USER)
    assert skill.flow is not None
    assert skill.flow.settings.max_moves == 7
    assert skill.problems == ()


def test_a_wrong_setting_of_a_flow_is_an_error_at_its_key():
    skill = parse_skill(FLOW_SKILL.replace("{setting}", "max-moves: lots"), Path("short/SKILL.md"), Scope.USER)
    assert skill.flow is None
    assert [(one.line, one.column, one.severity) for one in skill.problems] == [(7, 3, "error")]
    assert "`max-moves`: write a whole number from 1" in skill.problems[0].text


def test_a_setting_of_a_flow_without_an_effect_yet_is_a_warning_at_its_key():
    skill = parse_skill(FLOW_SKILL.replace("{setting}", "max-parallel: 2"), Path("short/SKILL.md"), Scope.USER)
    assert skill.flow is not None
    assert [(one.line, one.column, one.text) for one in skill.problems] == [
        (7, 3, "`max-parallel` is recognized but has no effect yet")
    ]


@pytest.mark.parametrize(
    ("front", "line", "cause"),
    [
        ("allowed_tools: Shell", 4, "unknown key `allowed_tools`; did you mean `allowed-tools`?"),
        ("descripton: What it does.", 4, "unknown key `descripton`; did you mean `description`?"),
        ("budget: 2 usd", 4, "`budget` is ignored here; write it below `metadata:`"),
        ("metadata:\n  max_moves: 20", 5, "unknown key `max_moves`; did you mean `max-moves`?"),
        ("metadata:\n  author: me\n  Bugdet: 2 usd", 6, "unknown key `Bugdet`; did you mean `budget`?"),
    ],
)
def test_a_mistyped_key_is_a_warning_with_its_line_and_the_nearest_name(front: str, line: int, cause: str):
    made = skill(f"name: a\ndescription: Does a.\n{front}", path=Path("a/SKILL.md"))
    assert (line, "warning", cause) in complaints(made)


def test_a_mistyped_key_is_shown_without_what_a_terminal_would_obey():
    made = skill(
        'name: a\ndescription: Does a.\n"licens\\e[2J": x\nmetadata:\n  "bud\\e]get": 2 usd', path=Path("a/SKILL.md")
    )
    texts = [text for _line, _severity, text in complaints(made)]
    assert [text for text in texts if "did you mean" in text]
    assert not [text for text in texts if "\x1b" in text]


def test_keys_of_other_programs_are_no_mistakes():
    front = "version: 1\nmodel: x\nargument-hint: y\ncontext: fork\nmetadata:\n  author: me\n  mode: z"
    assert complaints(skill(f"name: a\ndescription: Does a.\n{front}", path=Path("a/SKILL.md"))) == []
