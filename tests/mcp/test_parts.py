"""The small parts: names, schemas, forms, text that is not to be trusted."""

import base64
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import CallToolResult, ImageContent

from kimi_tui.mcp.elicitation_form import Form
from kimi_tui.mcp.result_content import MAX_PICTURES, tool_result
from kimi_tui.mcp.schema_normalizer import MAX_NODES, plain_schema
from kimi_tui.mcp.tool_names import long_names, short_names
from kimi_tui.mcp.untrusted_text import clean, one_line, without_secrets
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.wire.parts import ImageURLPart, MediaURL
from tests.llm.provider_calls import RED_DOT

NAMES = st.text(max_size=80)


@given(st.lists(st.tuples(NAMES, NAMES), unique=True, max_size=20))
def test_long_names_can_be_told_to_any_service_and_none_are_alike(pairs: list[tuple[str, str]]) -> None:
    names = long_names(pairs)
    assert len({name.casefold() for name in names.values()}) == len(pairs)
    assert all(re.fullmatch(r"mcp__[A-Za-z0-9_-]{1,59}", name) for name in names.values())
    assert long_names(reversed(pairs)) == names


def test_names_say_whose_tool_it_is() -> None:
    names = long_names([("git", "log"), ("hub", "log"), ("hub", "search"), ("a__b", "c"), ("a", "b__c")])
    assert names["git", "log"] == "mcp__git__log"
    assert names["a__b", "c"] != names["a", "b__c"]
    assert short_names(names) == {"search": "mcp__hub__search", "c": names["a__b", "c"], "b__c": names["a", "b__c"]}


@pytest.mark.parametrize("server", ["docs__x", "docs_", "docs!", "docs__", "_docs", "docs\n", "docs - ", "ｄocs", ""])
def test_a_rule_for_the_tools_of_a_server_is_about_no_other_server(server: str) -> None:
    rule = parse_rule("mcp__docs__*", Effect.ALLOW)
    names = long_names([(server, "t"), (server, "_t"), (server, "__t!"), ("docs", "t"), ("docs", "_t"), ("docs", "t!")])
    assert [name for (of, _), name in names.items() if rule.is_about(name) != (of == "docs")] == []


@given(NAMES, NAMES, NAMES)
def test_a_name_begins_as_those_of_no_other_server(server: str, other: str, tool: str) -> None:
    begin = long_names([(server, "t")])[server, "t"].removesuffix("t")
    name = long_names([(other, tool)])[other, tool]
    assert server == other or len(begin) > 60 or not name.startswith(begin)


def test_references_are_put_in_place_and_cycles_end() -> None:
    near = {"near": {"$ref": "#/$defs/City"}}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {
            "city": {"$ref": "#/$defs/City", "description": "where"},
            "definitions": {"type": "string"},
            "far": {"$ref": "https://example.com/other.json"},
            "odd": {"$ref": 7},
        },
        "$defs": {"City": {"type": "object", "description": "a city", "properties": near}},
    }
    plain, whole = plain_schema(schema)
    assert whole
    assert plain == {
        "type": "object",
        "properties": {
            "city": {"type": "object", "description": "where", "properties": {"near": {}}},
            "definitions": {"type": "string"},
            "far": {},
            "odd": {},
        },
    }


def test_a_schema_that_would_grow_without_end_is_not_told() -> None:
    doubling = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    plain, whole = plain_schema({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": doubling})
    assert not whole
    assert plain == {"type": "object", "properties": {}, "additionalProperties": True}
    assert plain_schema({"enum": ["x"] * MAX_NODES})[1] is False


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 10**400])
def test_a_schema_with_a_number_that_is_no_json_is_not_told(number: float) -> None:
    plain, whole = plain_schema({"type": "object", "properties": {"n": {"type": "number", "maximum": number}}})
    assert not whole
    assert plain == {"type": "object", "properties": {}, "additionalProperties": True}


@pytest.mark.parametrize(
    ("data", "mime", "shown"),
    [
        (RED_DOT.partition(",")[2], "image/png", RED_DOT),
        (RED_DOT.partition(",")[2][:60] + "\n" + RED_DOT.partition(",")[2][60:], "image/gif", RED_DOT),
        ("not base64 !!", "image/png", None),
        ("PGh0bWw+", "image/png", None),
        ("", "image/jpeg", None),
    ],
)
def test_a_picture_is_shown_to_the_model_only_where_its_bytes_are_one(data: str, mime: str, shown: str | None) -> None:
    result = CallToolResult(content=[ImageContent(data=data, mime_type=mime)])
    output = tool_result(result, frozenset({"image_in"})).output
    if shown is None:
        assert "it is no picture that a model can see" in str(output)
    else:
        assert output[1] == ImageURLPart(image_url=MediaURL(url=shown))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("#") | st.just("#/properties"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["$ref", "properties", "items", "a", "$defs"]), inner, max_size=3)
    ),
    max_leaves=30,
)


@given(st.dictionaries(st.sampled_from(["$ref", "properties", "items", "a", "$defs", "type"]), JSON))
def test_whatever_a_schema_is_an_object_comes_of_it(schema: dict) -> None:
    plain, _ = plain_schema(schema)
    assert plain["type"] == "object"
    assert isinstance(plain["properties"], dict)


def test_untrusted_text_is_cleaned() -> None:
    assert clean("\x1b]52;c;aGk=\x07\x9b2Jred\u202etxt\U000e0041", limit=100) == "]52;c;aGk=2Jredtxt"
    assert one_line("a\n\tb" * 100, limit=10) == "a ba ba b…"
    advertised = "not an integer [type=int]\n    For further information visit https://errors.pydantic.dev/2.14/v/int"
    assert one_line(advertised, limit=400) == "not an integer [type=int]"
    assert without_secrets("token abcdefgh, x", ["abcdefgh", "x"]) == "token ***, x"


def test_a_form_whose_lists_are_no_lists_asks_for_text() -> None:
    odd = {
        "a": {"enum": 5},
        "b": {"enum": ["x"], "enumNames": 5},
        "c": {"oneOf": {"const": 1}},
        "d": {"enum": {"x": 1}},
    }
    made = Form.of("shop", "Order?", {"properties": odd, "required": 5})
    assert [one.kind for one in made.fields] == ["string", "choice", "string", "string"]
    assert not any(one.required for one in made.fields)


def test_a_form_asks_at_most_four_things_at_a_time_and_takes_what_fits() -> None:
    schema = {
        "properties": {
            "yes": {"type": "boolean"},
            "size": {"type": "string", "enum": ["s", "m", "l", "xl", "xxl"], "enumNames": ["S", "M", "L", "XL", "XXL"]},
            "many": {"type": "array", "items": {"enum": ["a", "b"]}},
            "count": {"type": "integer", "default": 3},
            "note": {"type": "string", "title": "A note"},
        },
        "required": ["yes", "size", "count"],
    }
    form = Form.of("shop", "Order?", schema)
    first, second = form.batches()
    assert [question.question for question in first] == ["yes", "size", "many", "count"]
    assert [len(question.options) for question in (*first, *second)] == [3, 4, 4, 2, 2]
    assert "One of: S, M, L, XL, XXL" in first[1].body
    assert form.take({"yes": "Yes", "size": "XXL", "many": "a, b", "count": "3", "A note": "Leave it out"})
    assert form.content == {"yes": True, "size": "xxl", "many": ["a", "b"], "count": 3}
    assert not form.take({"count": "three"})
    assert not form.take({"size": "huge"})
    confirm = Form.of("shop", "Sure?", {})
    assert confirm.take({"Accept what shop asks?": "Accept"})
    assert confirm.content == {}


def test_fields_with_the_same_title_are_told_apart_by_names_of_bounded_length() -> None:
    names = ["n", "m" * 10_000_000, "m" * 10_000_001, "\x1b[2J\u202e"]
    form = Form.of("shop", "Order?", {"properties": {name: {"title": "What?"} for name in names}})
    questions = [field.question for field in form.fields]
    assert len(set(questions)) == len(names)
    assert all(len(question) < 1000 and question.isprintable() for question in questions)
    assert [field.name for field in form.fields] == names


def test_a_result_holds_no_more_pictures_than_services_take() -> None:
    picture = ImageContent(type="image", data=base64.b64encode(b"\x89PNG\r\n\x1a\n").decode(), mime_type="image/png")
    result = tool_result(CallToolResult(content=[picture] * 4000), frozenset({"image_in"}))
    assert sum(part.type == "image_url" for part in result.output if not isinstance(part, str)) == MAX_PICTURES
    assert f"left out, since there are more than {MAX_PICTURES}" in result.output[0].text
