"""The schema of a skill's frontmatter: what the program accepts, it accepts."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kimi_tui.flow.model.settings import FLOW_KEYS, INACTIVE_NODE_KEYS, NODE_KEYS
from kimi_tui.skill.json_schema import flow_schema
from kimi_tui.yaml_text import reader

SKILLS = sorted((Path(__file__).parents[2] / "skills").glob("*/SKILL.md"))
LEAST = {"name": "a", "description": "Does a."}


def table(file: Path) -> Any:
    return reader("safe").load(file.read_text("utf-8").split("---\n")[1])


@pytest.mark.parametrize("file", SKILLS, ids=lambda file: file.parent.name)
def test_every_bundled_skill_is_accepted(file: Path):
    jsonschema.validate(table(file), flow_schema())


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "flowchart"}, {"name": "A b"}, {"metadata": {"max-moves": 0}}, {"metadata": {"max-moves": "many"}},
        {"metadata": {"budget": 3}}, {"metadata": []},
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused(wrong: dict[str, object]):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(LEAST | wrong, flow_schema())


def test_keys_of_other_programs_are_accepted():
    jsonschema.validate(LEAST | {"version": 2, "metadata": {"author": "me", "max-moves": "20"}}, flow_schema())


def test_the_schema_has_the_keys_that_flows_have():
    schema = flow_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert set(schema["properties"]["metadata"]["properties"]) == FLOW_KEYS | {"hidden"}
    nodes = schema["$defs"]["node"]["properties"]
    assert set(nodes) == NODE_KEYS
    assert {key for key, one in nodes.items() if one["description"] == "Without effect yet."} == INACTIVE_NODE_KEYS
