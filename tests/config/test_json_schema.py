"""The JSON Schema of the configuration."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from kimi_tui import yaml_text
from kimi_tui.config import schema
from kimi_tui.config.json_schema import config_schema
from tests.config.test_yaml_editor import WRITTEN

CONFIG = Draft202012Validator(config_schema())
SECTIONS = [
    section
    for section in vars(schema).values()
    if isinstance(section, type) and issubclass(section, BaseModel) and section.model_fields
]


def test_it_is_a_valid_schema() -> None:
    Draft202012Validator.check_schema(config_schema())


@pytest.mark.parametrize(
    "value",
    [
        {},
        yaml_text.reader("safe").load(WRITTEN),
        {"permissions": {"allow": ["Shell(ls)", {"rule": "Shell(git *)", "match": ["git log"]}]}},
        {"loop_control": {"max_steps_per_run": 3}, "telemetry": True},
        {"services": {"searxng": {"base_url": "http://127.0.0.1"}, "moonshot_search": None}},
    ],
)
def test_a_configuration_that_loads_is_valid(value: dict[str, Any]) -> None:
    assert list(CONFIG.iter_errors(value)) == []


@pytest.mark.parametrize(
    "value",
    [
        {"them": "kimi-dark"},
        {"models": {"a": {"provider": "b", "modle": "c"}}},
        {"loop_control": {"max_moves": 0}},
        {"permissions": {"mode": "yol"}},
    ],
)
def test_a_wrong_key_or_value_is_marked(value: dict[str, Any]) -> None:
    assert not CONFIG.is_valid(value)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_key_has_a_description(section: type[BaseModel]) -> None:
    assert [name for name, field in section.model_fields.items() if not field.description] == []
