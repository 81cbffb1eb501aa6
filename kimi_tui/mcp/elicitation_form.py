"""Converts a server's form to questions for the user, and the answers to the form's content."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from kimi_tui.errors import KimiTuiError
from kimi_tui.i18n import tr
from kimi_tui.mcp.untrusted_text import clean, one_line
from kimi_tui.wire.requests import Question, QuestionOption

Value = str | int | float | bool | list[str] | None
Kind = Literal["confirm", "boolean", "choice", "choices", "number", "integer", "string"]

MAX_FIELDS = 24
MAX_CHOICES = 100
DECLINE = "Decline"
_LEAVE_OUT = "Leave it out"
_A_TIME = 4
_MAX_OPTIONS = 4


class FormTooLargeError(KimiTuiError):
    """The form has more fields or choices than the program shows to a user."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field; `values` are its choices by label."""

    name: str
    question: str
    kind: Kind
    hint: str
    required: bool
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    default: str | None = None

    @property
    def options(self) -> tuple[QuestionOption, ...]:
        labels: list[str]
        match self.kind:
            case "confirm":
                labels = ["Accept"]
            case "boolean":
                labels = [tr("Yes"), tr("No")]
            case "choice" | "choices":
                capacity = _MAX_OPTIONS - 1 if len(self.values) < _MAX_OPTIONS else _MAX_OPTIONS
                labels = list(self.values)[:capacity]
            case "number" | "integer" | "string":
                labels = [self.default] if self.default else []
        if not self.required and len(labels) < _MAX_OPTIONS:
            labels.append(_LEAVE_OUT)
        if len(labels) < _MAX_OPTIONS:
            labels.append(DECLINE)
        if len(labels) < 2:
            labels.append("Cancel")
        return tuple(QuestionOption(label=label) for label in labels)

    def value(self, answer: str) -> Value:
        """Convert the user's answer. Raises ValueError for an answer that the field does not allow."""
        match self.kind:
            case "confirm":
                return None
            case "boolean":
                return {"yes": True, "no": False, "true": True, "false": False}[answer.strip().lower()]
            case "choice":
                return self._choice(answer)
            case "choices":
                return [self._choice(part.strip()) for part in answer.split(",") if part.strip()]
            case "number":
                return float(answer)
            case "integer":
                return int(answer)
            case "string":
                return answer

    def _choice(self, answer: str) -> str:
        if answer in self.values:
            return self.values[answer]
        if answer in self.values.values():
            return answer
        raise ValueError(answer)


@dataclass(slots=True)
class Form:
    """The fields of one request; answers fill `content`."""

    header: str
    message: str
    fields: tuple[Field, ...]
    content: dict[str, Value] = field(default_factory=dict[str, Value])

    @classmethod
    def of(cls, server: str, message: str, schema: Mapping[str, Any]) -> "Form":
        """Parse the form of a request. Raises FormTooLargeError."""
        properties = schema.get("properties")
        table = cast(dict[str, Any], properties) if isinstance(properties, dict) else {}
        if len(table) > MAX_FIELDS:
            raise FormTooLargeError(f"a form of {len(table)} fields")
        required = _list(schema.get("required"))
        fields: list[Field] = []
        labels: set[str] = set()
        for name, entry in table.items():
            field_made = _field(name, cast(dict[str, Any], entry) if isinstance(entry, dict) else {}, name in required)
            while field_made.question in labels:
                field_made = _renamed(field_made)
            labels.add(field_made.question)
            fields.append(field_made)
        server_name = one_line(server, limit=60)
        body = f"The MCP server {server_name} asks: {clean(message, limit=1000)}"
        if not fields:
            fields.append(Field("", f"Accept what {server_name} asks?", "confirm", "", True))
        return cls(one_line(server, limit=12), body, tuple(fields))

    def batches(self) -> Iterator[tuple[Question, ...]]:
        for start in range(0, len(self.fields), _A_TIME):
            yield tuple(self._question(field_shown) for field_shown in self.fields[start : start + _A_TIME])

    def take(self, answers: Mapping[str, str]) -> bool:
        """Store the answers; False if the user declines or an answer is invalid."""
        for field_shown in self.fields:
            answer = answers.get(field_shown.question)
            if answer is None:
                continue
            if answer in (DECLINE, "Cancel"):
                return False
            if answer == _LEAVE_OUT and not field_shown.required:
                continue
            try:
                value = field_shown.value(answer)
            except (ValueError, KeyError):
                return False
            if field_shown.kind != "confirm":
                self.content[field_shown.name] = value
        return True

    def _question(self, field_shown: Field) -> Question:
        body = "\n\n".join(part for part in (self.message, field_shown.hint) if part)
        return Question(
            question=field_shown.question,
            header=self.header,
            options=field_shown.options,
            multi_select=field_shown.kind == "choices",
            body=body,
            other_label=tr("Another answer"),
        )


def _field(name: str, entry: dict[str, Any], required: bool) -> Field:
    title = entry.get("title")
    question = one_line(title if isinstance(title, str) and title.strip() else name, limit=200) or "(no name)"
    description = entry.get("description")
    hint = clean(description, limit=500) if isinstance(description, str) else ""
    kind, values = _kind(entry)
    if len(values) > MAX_CHOICES:
        raise FormTooLargeError(f"a field of {len(values)} choices")
    if len(values) > _MAX_OPTIONS:
        hint = "\n".join(part for part in (hint, "One of: " + ", ".join(values)) if part)
    default = entry.get("default")
    default_text = one_line(str(default), limit=200) if isinstance(default, str | int | float) else None
    return Field(name, question, kind, hint, required, values, default_text)


def _kind(entry: dict[str, Any]) -> tuple[Kind, dict[str, str]]:
    match entry.get("type"):
        case "boolean":
            return "boolean", {}
        case "number":
            return "number", {}
        case "integer":
            return "integer", {}
        case "array":
            items = entry.get("items")
            return "choices", _choices(cast(dict[str, Any], items)) if isinstance(items, dict) else {}
        case _:
            values = _choices(entry)
            return ("choice" if values else "string"), values


def _choices(entry: dict[str, Any]) -> dict[str, str]:
    """Label to value, from `enum` (with `enumNames`), or `oneOf` or `anyOf` of constants."""
    named_choices = entry.get("oneOf") or entry.get("anyOf")
    if isinstance(named_choices, list):
        pairs = [
            (cast(dict[str, Any], field_shown).get("title"), cast(dict[str, Any], field_shown).get("const"))
            for field_shown in cast(list[object], named_choices)
            if isinstance(field_shown, dict)
        ]
    else:
        values = _list(entry.get("enum"))
        names = _list(entry.get("enumNames")) or values
        pairs = list(zip(names, values, strict=False))
    return {one_line(str(label or value), limit=100): str(value) for label, value in pairs if value is not None}


def _list(value: object) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []


def _renamed(field_shown: Field) -> Field:
    return Field(
        field_shown.name,
        f"{field_shown.question} ({one_line(field_shown.name, limit=60)})",  # defence: bound-field-name
        field_shown.kind,
        field_shown.hint,
        field_shown.required,
        field_shown.values,
        field_shown.default,
    )
