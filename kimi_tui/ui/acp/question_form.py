"""Questions as one form, for clients that support forms: multiple answers, and free text."""

from collections.abc import Mapping

from acp.schema import (
    ElicitationFormSessionMode,
    ElicitationMultiSelectPropertySchema,
    ElicitationSchema,
    ElicitationStringPropertySchema,
    EnumOption,
    TitledMultiSelectItems,
)

from kimi_tui.wire.requests import Question, QuestionRequest

_Property = ElicitationStringPropertySchema | ElicitationMultiSelectPropertySchema


def make_form(request: QuestionRequest, session_id: str) -> ElicitationFormSessionMode:
    properties: dict[str, _Property] = {}
    for number, question in enumerate(request.questions):
        properties[_choice_key(number)] = _choice(question)
        properties[_free_text_key(number)] = ElicitationStringPropertySchema(
            type="string",
            title=question.other_label or "Another answer",
            description=question.other_description or None,
        )
    schema = ElicitationSchema(type="object", properties=dict(properties), required=[])
    return ElicitationFormSessionMode(session_id=session_id, tool_call_id=request.tool_call_id, requested_schema=schema)


def read_answers(request: QuestionRequest, content: Mapping[str, object]) -> dict[str, str]:
    """Return the answers by question; a field with an invalid value counts as unanswered."""
    answers: dict[str, str] = {}
    for number, question in enumerate(request.questions):
        option_labels = [option.label for option in question.options]
        value = content.get(_choice_key(number))
        values = value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]
        labels = [label for label in option_labels if label in values]
        free_text = content.get(_free_text_key(number))
        if isinstance(free_text, str) and free_text.strip():
            labels = [*(labels if question.multi_select else ()), free_text.strip()]
        if labels:
            answers[question.question] = ", ".join(labels)
    return answers


def _choice(question: Question) -> _Property:
    options = [
        EnumOption(const=option.label, title=option.label, description=option.description or None)
        for option in question.options
    ]
    body = question.body or None
    if question.multi_select:
        items = TitledMultiSelectItems(any_of=options)
        return ElicitationMultiSelectPropertySchema(
            type="array", title=question.question, description=body, items=items
        )
    return ElicitationStringPropertySchema(type="string", title=question.question, description=body, one_of=options)


def _choice_key(number: int) -> str:
    return f"answer_{number + 1}"


def _free_text_key(number: int) -> str:
    return f"answer_{number + 1}_in_own_words"
