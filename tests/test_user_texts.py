"""The calls that take a text for the user are found by the annotation of their parameters."""

from pathlib import Path

import pytest

from tests.user_texts import errors, taking_user_texts


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def say(self, note: UserText, *, action: str = ''): ...", {"say": {0, "note"}}),
        ("async def ask(text: str, *, title: i18n.UserText): ...", {"ask": {"title"}}),
        ("def row(*facts: UserText): ...", {"row": set(range(20))}),
        ("class A:\n    a: str\n    b: UserText = ''", {"A": {1, "b"}}),
        ("class A:\n    CSS: ClassVar[str] = ''\n    b: UserText = ''", {"A": {0, "b"}}),
        ("class A:\n    def __init__(self, a: UserText): ...", {"A": {0, "a"}}),
        ("def say(note: str): ...", {}),
    ],
)
def test_parameters_and_fields_are_found(source: str, found: dict[str, set[int | str]], tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(source, "utf-8")
    assert {name: set(places) for name, places in taking_user_texts(tmp_path.glob("*.py")).items()} == found


def test_errors_that_come_of_a_base_are_found_over_files(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class B(A): ...\nclass D(Exception): ...", "utf-8")
    (tmp_path / "b.py").write_text("class C(a.B): ...", "utf-8")
    assert errors(tmp_path.glob("*.py"), "A") == {"A", "B", "C"}
