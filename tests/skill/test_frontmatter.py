"""The table at the top of a skill file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.skill.frontmatter import Field, FrontmatterError, read_frontmatter, read_plain, read_yaml


def read(text: str) -> dict[str, Field]:
    return dict(read_frontmatter(text.split("\n")).fields)


def test_a_file_without_a_table_has_no_fields() -> None:
    assert read_frontmatter(["# Title", "", "text"]).lines == 0


def test_fields_are_text_as_it_is_written() -> None:
    fields = read("---\nname: 2024\nok: yes\nwhen: 2024-13-45\nnone: null\nempty:\nversion: 1.0\n---\nbody")
    texts = {key: field.text for key, field in fields.items()}
    assert texts == {"name": "2024", "ok": "yes", "when": "2024-13-45", "none": None, "empty": None, "version": "1.0"}


def test_fields_know_their_line() -> None:
    fields = read("---\n# a comment\nname: a\n\ndescription: >\n  two\n  lines\ntype: flow\n---\n")
    assert {key: field.line for key, field in fields.items()} == {"name": 3, "description": 5, "type": 8}
    assert fields["description"].text == "two lines\n"


def test_lists_and_tables_are_kept() -> None:
    fields = read("---\nallowed-tools: [Read, Bash]\nmetadata:\n  author: me\n  deep: {a: 1}\n---\n")
    assert fields["allowed-tools"].items == ("Read", "Bash")
    assert fields["metadata"].pairs == {"author": "me"}


def test_the_body_begins_after_the_table() -> None:
    assert read_frontmatter(["---", "name: a", "---  ", "body"]).lines == 3


@pytest.mark.parametrize(
    ("text", "line", "cause"),
    [
        ("---\nname: a\n", 1, "not closed"),
        ("---\nname: a\ndescription: when: always\n---\n", 3, "quotes"),
        ("---\nname: [a\n---\n", 3, "not YAML"),
        ("---\nname: a\nother: 1\nname: b\n---\n", 4, "twice"),
        ("---\nmetadata:\n  budget: 1\n  budget: 2\n---\n", 4, "twice"),
        ("---\njust words\n---\n", 2, "must be a mapping"),
        ("---\n- a\n---\n", 2, "must be a mapping"),
        ("---\n[a]: b\n---\n", 2, "must be plain words"),
        ("---\na: *nowhere\n---\n", 2, "not YAML"),
        ("---\na: \x01\n---\n", 1, "not YAML"),
        ("---\na: " + "[" * 5000 + "\n---\n", 1, "nested too deeply"),
        ("---\na: '" + "x" * 17_000 + "'\n---\n", 1, "16 KiB"),
    ],
)
def test_a_broken_table_is_refused_with_its_line(text: str, line: int, cause: str) -> None:
    with pytest.raises(FrontmatterError, match=cause) as caught:
        read(text)
    assert caught.value.line == line


def test_objects_are_not_made() -> None:
    assert read("---\na: !!python/object/apply:os.system [x]\nb: !!int x\n---\n")["a"].items == ("x",)


PLAIN = st.text(st.sampled_from("abAB01 :#'\"-_/(.,<$+~null[]{}&*!|>%@`?=\\é字\t"), max_size=14)
LINES = st.lists(st.one_of(st.builds("{}: {}".format, PLAIN, PLAIN), st.builds("  {}: {}".format, PLAIN, PLAIN), PLAIN))


@given(LINES)
def test_plain_lines_mean_the_same_without_yaml(table: list[str]) -> None:
    plain = read_plain(table)
    if plain is not None:
        assert plain == read_yaml(table)


@given(st.lists(st.text(max_size=20), max_size=6))
def test_any_table_is_read_or_refused(table: list[str]) -> None:
    lines = "\n".join(["---", *table, "---"]).split("\n")
    line = 1
    try:
        read_frontmatter(lines)
    except FrontmatterError as error:
        line = error.line
    assert 1 <= line <= len(lines)


def test_half_a_surrogate_pair_written_as_an_escape_becomes_a_replacement():
    fields = read_frontmatter(["---", 'name: "a\\ud800"', "---"]).fields
    assert fields["name"].text == "a\ufffd"


@pytest.mark.parametrize(
    ("table", "key", "line"),
    [
        (["name: x", "description: d", " type: flow"], "type", 4),
        (["name: x", " type: flow", "description: d"], "type", 3),
        ([" name: x", "type: flow"], "name", 2),
    ],
)
def test_an_indented_key_is_named_with_its_line(table: list[str], key: str, line: int) -> None:
    with pytest.raises(FrontmatterError, match=f"`{key}` is indented") as refused:
        read_frontmatter(["---", *table, "---"])
    assert (refused.value.line, refused.value.column) == (line, 2)


def test_frontmatter_that_nests_without_end_is_refused_at_once() -> None:
    with pytest.raises(FrontmatterError, match="not YAML: nested too deeply"):
        read("---\nname: " + "[" * 101 + "]" * 101 + "\n---\n")
