"""What a few lines of YAML may stand for."""

import pytest

from kimi_tui import yaml_text

BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcde", "bcdef", strict=True)
)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (BOMB, "expand to too many values"),
        ("a: &a {b: 1}\nc: [" + "*a," * 60_000 + "]", "expand to too many values"),
        ("a: &a [*a]", "refers to itself"),
        ("[" * 101 + "]" * 101, "nested too deeply"),
        ("[" * 60_000, "nested too deeply"),
        ("{a: " * 101 + "}" * 101, "nested too deeply"),
    ],
)
def test_what_unfolds_or_nests_without_end_is_refused_before_it_is_parsed(text: str, cause: str) -> None:
    with pytest.raises(ValueError, match=cause):
        yaml_text.check(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: b",
        "a: &a [1]\nb: *a\nc: [*a, *a]",
        "rules: ['Shell(git *)']",
        "[" * 100 + "]" * 100,
        "- " * 5000,
        "*x",
        "a: [",
    ],
)
def test_what_people_write_and_what_the_parser_refuses_by_itself_pass(text: str) -> None:
    yaml_text.check(text)


def test_an_anchor_that_is_used_twice_is_not_warned_of(recwarn: pytest.WarningsRecorder) -> None:
    text = "a: &x 1\nb: &x 2\nc: *x\n"
    assert yaml_text.reader("safe").load(text) == {"a": 1, "b": 2, "c": 2}
    yaml_text.check(text)
    assert not recwarn.list
