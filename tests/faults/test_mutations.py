"""Each change does to the marked code what it says, whatever the names in it are."""

import ast
from pathlib import Path

import pytest

from tests.faults.mutations import (
    ALWAYS,
    LAST,
    NEVER,
    REMOVED,
    UNCALLED,
    UNCAUGHT,
    UNWRAPPED,
    After,
    Before,
    Instead,
    Lacks,
    Mutation,
    MutationError,
    OnlyIf,
    Swapped,
    Value,
    Without,
    WithoutArgument,
    markers,
    markers_of,
    mutated,
)

M = "  # defence: a-b"


@pytest.mark.parametrize(
    ("source", "change", "mutant"),
    [
        (f"a(){M}\nb()", REMOVED, "pass\nb()"),
        (f"f(\n    a,{M}\n    b,\n)", REMOVED, "f(b)"),
        (f"f(\n    a=a,{M}\n    b=b,\n)", REMOVED, "f(b=b)"),
        (f"x = (\n    a\n    and b{M}\n    and c\n)", REMOVED, "x = a and c"),
        (f"a(){M}\nb()\nc()", LAST, "b()\nc()\na()"),
        (f"with a() as b:{M}\n    c()", UNWRAPPED, "c()"),
        (f"x = f(a, b){M}", UNCALLED, "x = a"),
        (f"return_ = a.lower(){M}", UNCALLED, "return_ = a"),
        (f"if a and b:{M}\n    c()", ALWAYS, "if True:\n    c()"),
        (f"if a:\n    b()\nelif c:{M}\n    d()", NEVER, "if a:\n    b()\nelif False:\n    d()"),
        (f"while a:{M}\n    b()", NEVER, "while False:\n    b()"),
        (f"def f():\n    return a(b){M}", ALWAYS, "def f():\n    return True"),
        (f"x = f(a if b else c){M}", NEVER, "x = f(a if False else c)"),
        (
            f"match a:\n    case 1 if b:{M}\n        c()\n    case _:\n        d()",
            NEVER,
            "match a:\n    case 1 if False:\n        c()\n    case _:\n        d()",
        ),
        (f"try:\n    a()\nexcept B as c:{M}\n    d()", UNCAUGHT, "try:\n    a()\nexcept () as c:\n    d()"),
        (f"for a in b():{M}\n    c()", Value("d"), "for a in d:\n    c()"),
        (f"f(\n    a=b(),{M}\n)", Value("c"), "f(a=c)"),
        (f"raise A(b) from None{M}", Value("A()"), "raise A() from None"),
        (f"a(){M}", Instead("b()\nc()"), "b()\nc()"),
        (f"a(){M}", Before("b()"), "b()\na()"),
        (f"a(){M}", After("b()"), "a()\nb()"),
        (f"a(){M}", OnlyIf("b"), "if b:\n    a()"),
        (f"if a or b:{M}\n    c()", Without(1), "if b:\n    c()"),
        (f"x = a and (b or (c and d)){M}", Without(2, 2, 1), "x = a and (b or d)"),
        (f"x = [a, 'b', 'c']{M}", Lacks("b", "c"), "x = [a]"),
        (f"x = f('a', 'b'){M}", Swapped("a", "c"), "x = f('c', 'b')"),
        (f"x = f(a, b=c){M}", WithoutArgument("b"), "x = f(a)"),
    ],
)
def test_a_change_is_made_to_the_marked_code_alone(source: str, change: Mutation, mutant: str) -> None:
    [(_, line)] = markers_of(source)
    assert ast.dump(ast.parse(mutated(source, [(line, change)]))) == ast.dump(ast.parse(mutant))


@pytest.mark.parametrize(
    ("source", "change"),
    [
        (f"f(\n    a\n){M}", REMOVED),
        (f"pass{M}", REMOVED),
        (f"a(){M}", Without(1)),
        (f"a(){M}", UNWRAPPED),
        (f"x = a{M}", UNCALLED),
        (f"x = f('a', 'a'){M}", Swapped("a", "b")),
        (f"x = f(a){M}", WithoutArgument("b")),
        (f"f(\n    a=a,{M}\n)", OnlyIf("b")),
    ],
)
def test_a_change_that_does_not_fit_is_an_error(source: str, change: Mutation) -> None:
    [(_, line)] = markers_of(source)
    with pytest.raises(MutationError):
        mutated(source, [(line, change)])


def test_a_marker_on_a_line_of_its_own_names_the_next_line_of_code() -> None:
    assert list(markers_of("# defence: a-b\n# why\n\na()\n")) == [("a-b", 4)]


def test_a_marker_is_a_comment_and_no_text() -> None:
    assert list(markers_of("a = '# defence: a-b'\n")) == []


def test_markers_are_found_in_every_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.py").write_text("a()\nb()  # defence: a-b\n", "utf-8")
    assert list(markers(tmp_path)) == [("a-b", tmp_path / "a/b.py", 2)]
