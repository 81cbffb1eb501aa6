"""The typed result of a node: the pydantic model that checks it, and its values for variables."""

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, JsonValue, create_model

from kimi_tui.flow.model.result_type import ResultField
from kimi_tui.wire.parts import JsonObject

CHOICE = "choice"
RESULT_TOOL = "SubmitResult"
"""The name of the tool that a model gives a result with."""
EXTRA_REPLIES = 2
"""How many more replies a model gets after one without a result."""
_MAX_RECORDED_CHARS = 16 * 1024
_MAX_TEXT_CHARS = 500
_MAX_ITEMS = 20
_PLAIN: dict[str, Any] = {"text": str, "int": int, "number": FiniteFloat, "bool": bool}
B = TypeVar("B", bound=BaseModel)


class _Result(BaseModel):
    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class ResultRule:
    """The required result of a turn. `choices`: the result also names one of these branches, as `choice`."""

    fields: tuple[ResultField, ...]
    choices: tuple[str, ...] = ()

    def model(self, base: type[B]) -> type[B]:
        """The model of the result, with the settings of `base`."""
        made: dict[str, Any] = {}
        # a field's name may be one of the model's own attributes, so it is only an alias
        for number, field in enumerate(self.fields):
            kind: Any = Literal[field.words] if field.words else _PLAIN[field.plain or "text"]
            kind = list[kind] if field.many else kind
            default: Any = None if field.optional else ...
            made[f"field_{number}"] = (kind | None if field.optional else kind, Field(default, alias=field.name))
        if self.choices:
            made["branch"] = (
                Literal[self.choices],
                Field(alias=CHOICE, description="The branch that the flow takes next."),
            )
        return create_model("Result", __base__=base, **made)

    def read(self, value: object) -> JsonObject:
        """Validate a parsed JSON value, and return it as a result. Raises ValueError."""
        return as_json(self.model(_Result).model_validate(value))

    def example(self) -> JsonObject:
        """A valid result."""
        values: dict[str, Any] = {"text": "", "int": 0, "number": 0.0, "bool": False}
        result: JsonObject = {
            field.name: [] if field.many else field.words[0] if field.words else values[field.plain or "text"]
            for field in self.fields
            if not field.optional
        }
        return {**result, CHOICE: self.choices[0]} if self.choices else result


def as_json(result: BaseModel) -> JsonObject:
    """Return the fields by their names in the chart, without omitted optional ones."""
    return cast(JsonObject, result.model_dump(mode="json", by_alias=True, exclude_none=True))


def result_values(rule: ResultRule, result: JsonObject) -> dict[str, str]:
    """Return the values for variables: texts and words unchanged, all else as JSON; a missing value is empty."""
    names = [field.name for field in rule.fields] + ([CHOICE] if CHOICE in result else [])
    return {name: result_text(result[name]) if name in result else "" for name in names}


def recorded(result: JsonObject) -> JsonObject:
    """Return the result for the journal and the screen, with the texts and lists of a very long one cut."""
    if len(json.dumps(result)) <= _MAX_RECORDED_CHARS:
        return result
    return {name: _cut(value) for name, value in result.items()}


def result_line(result: JsonObject) -> str:
    """The result in one line for the user."""
    return " · ".join(f"{name}: {result_text(value)}" for name, value in result.items())


def result_text(value: object) -> str:
    """Format the value of a field: a text unchanged, all else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(value: JsonValue) -> JsonValue:
    match value:
        case str():
            return value if len(value) <= _MAX_TEXT_CHARS else value[:_MAX_TEXT_CHARS] + "…"
        case list():
            return [_cut(item) for item in value[:_MAX_ITEMS]]
        case _:
            return value
