import json

import pytest

from kimi_tui import json_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'{"a": "x\ud800"}', {"a": "x\ufffd"}),
        (r'["\ud83d\ude00"]', ["😀"]),
        (r'{"\udc00": 1}', {"\ufffd": 1}),
        (b'["\xed\xa0\xbd\xed\xb8\x80"]', ["😀"]),
        (b"\xef\xbb\xbf[1]", [1]),
    ],
)
def test_half_surrogates_are_joined_or_replaced_at_any_depth(text, value):
    assert json_text.loads(text) == value


@pytest.mark.parametrize("text", ["NaN", '{"a": Infinity}', "[-Infinity]", "[" * 100_000, b'"\xff"', "", "{'a': 1}"])
def test_what_is_no_json_or_too_deep_is_a_value_error(text):
    with pytest.raises(ValueError, match=r".+"):
        json_text.loads(text)


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"a":', "}"), (r'["[{\"", {"]": ', "}]")])
def test_what_is_nested_deeper_than_anybody_writes_is_a_value_error(opened: str, closed: str) -> None:
    with pytest.raises(ValueError, match="deep"):
        json_text.loads(opened * 201 + "1" + closed * 201)
    assert json_text.loads(opened * 90 + "1" + closed * 90)


def test_many_brackets_side_by_side_or_in_strings_are_not_deep() -> None:
    assert json_text.loads("[" + ",".join(["[{}]"] * 5000) + "]") == [[{}]] * 5000
    assert json_text.loads('"' + "[" * 5000 + r'\\"') == "[" * 5000 + "\\"


@pytest.mark.parametrize(("first", "more"), [("[", ",[]"), ("[0", ",0"), ('{"a":{}', ',"b":{}')])
def test_a_text_of_more_values_than_anybody_writes_is_a_value_error(first: str, more: str) -> None:
    text = first + more * json_text.MAX_VALUES
    for untrusted in (text, text.encode(), bytearray(text.encode())):
        with pytest.raises(ValueError, match="too many values"):
            json_text.loads(untrusted)


def test_marks_in_a_long_text_are_no_values() -> None:
    text = ',[{\\"' * json_text.MAX_VALUES
    assert json_text.loads(json.dumps([text])) == [text]
