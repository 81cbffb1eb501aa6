"""The JSON Schema of the Wire."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kimi_tui.wire.json_schema import wire_schema
from tests.wire.test_codec import GOLDEN

WIRE = Draft202012Validator(wire_schema())


def test_it_is_a_valid_schema() -> None:
    Draft202012Validator.check_schema(wire_schema())


@pytest.mark.parametrize("envelope", GOLDEN)
def test_every_golden_message_is_valid(envelope: dict[str, Any]) -> None:
    assert [error.message for error in WIRE.iter_errors(envelope)] == []


def test_a_message_of_another_shape_is_not() -> None:
    assert not WIRE.is_valid({"type": "StepBegin", "payload": {"n": "one"}})
    assert not WIRE.is_valid({"type": "Unheard", "payload": {}})
