from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.errors import FlowError, FlowParseError
from kimi_tui.flow import Chart, NodeKind, build_flow
from kimi_tui.flow.parsing.d2.parser import read_d2
from tests.flow import agreement

TRUTH = agreement.ground_truth("d2")
EXCEPTIONS = agreement.exceptions("d2")
AGREED = [chart for chart in TRUTH if "truth" in chart and chart["name"] not in EXCEPTIONS]

PIECES = [
    "a", "b.c", "BEGIN", "END", "->", "<-", "<->", "--", ":", "{", "}", "(", ")", "[0]", "[*]", "|md", "|",
    "||", '"', "'", "\\", "*", "**", "_", ".", "label", "style.fill", "vars", "classes", "class", "shape",
    "sql_table", "layers", "null", "${x}", "$", "@x", "...", "#", '"""', ";", "&x", "suspend", "direction", " ",
    "\n", "\\\n", "[", "]", "-", "日",
]  # fmt: skip


def edges(text):
    return [(edge.src, edge.dst, edge.label) for edge in read_d2(text).edges]


def labels(text):
    return {node.id: node.label for node in read_d2(text).nodes}


@pytest.mark.parametrize("chart", AGREED, ids=lambda c: c["name"])
def test_it_reads_what_d2_reads(chart):
    assert agreement.of_chart(read_d2(chart["text"])) == agreement.of_truth(chart["truth"], "d2")


@pytest.mark.parametrize("name", list(EXCEPTIONS))
def test_what_is_refused_on_purpose_is_refused_with_its_place(name):
    chart = next(chart for chart in TRUTH if chart["name"] == name)
    assert list(EXCEPTIONS[name]) == ["refused"]
    with pytest.raises(FlowParseError) as refused:
        read_d2(chart["text"])
    assert refused.value.line is not None
    assert refused.value.column is not None


@pytest.mark.parametrize("chart", [c for c in TRUTH if "error" in c], ids=lambda c: c["name"])
def test_what_d2_refuses_is_refused_with_its_place_or_read_leniently(chart):
    assert agreement.chart_or_fault(read_d2, chart["text"])


def test_there_are_enough_charts_of_our_own():
    assert len(TRUTH) >= 60


def test_a_label_in_a_block_is_the_label_and_leaves_begin_and_end_their_roles():
    flow = build_flow(
        read_d2("BEGIN: {label: Start here}\nEND: {label: Done}\nBEGIN -> A -> END\nA: {label: |md do it |}")
    )
    assert flow.begin_id == "BEGIN"
    assert flow.end_id == "END"
    assert flow.nodes["BEGIN"].label == "Start here"
    assert flow.nodes["A"].label == "do it"


def test_a_label_after_the_colon_takes_the_role_away():
    with pytest.raises(FlowError, match="BEGIN"):
        build_flow(read_d2("BEGIN: Start\nBEGIN -> END"))


def test_a_pattern_holds_for_what_comes_later_and_gives_way_to_a_name():
    assert labels("a: x; b: y\n*: hi\na: z; c") == {"a": "z", "b": "hi", "c": "hi"}
    assert edges("(a -> *)[*]: hi\na -> b; a -> c: own\na -> b") == [
        ("a", "b", "hi"),
        ("a", "c", "own"),
        ("a", "b", "hi"),
    ]


def test_what_is_suspended_is_not_there_until_it_is_called_back():
    text = "a -> b: one\nb -> c: two\n**: suspend\n(** -> **)[*]: suspend\n"
    assert read_d2(text).nodes == ()
    assert edges(text + "(b -> c)[0]: unsuspend") == [("b", "c", "two")]
    assert labels(text + "a: unsuspend") == {"a": "a"}


def test_a_variable_may_hold_shapes():
    text = "vars: {m: {x: ${v} -> y}; v: V}\n".replace(" -> y", "; y; x -> y: go")
    assert labels(text + "a: {...${m}}") == {"a": "a", "a.x": "V", "a.y": "y"}
    assert edges(text + "a: ${m}") == [("a.x", "a.y", "go")]


def test_names_are_the_same_in_any_case_of_letters():
    assert edges("Check -> END\ncheck -> end: again") == [("Check", "END", None), ("Check", "END", "again")]


def test_a_variable_that_is_not_there_stays_and_is_noted_except_the_arguments_of_a_run():
    chart = read_d2("a: do ${ARGS} in ${HOME}")
    assert chart.nodes[0].label == "do ${ARGS} in ${HOME}"
    assert [note.text for note in chart.notes] == ["no variable `HOME`, so `${HOME}` is left as written"]


def test_variables_that_grow_without_end_are_refused():
    text = (
        "vars: {\n" + "\n".join(f'v{i}: "' + f"${{v{i + 1}}}" * 20 + '"' for i in range(20)) + "\nv20: x\n}\na: ${v0}"
    )
    with pytest.raises(FlowParseError, match="1 MiB"):
        read_d2(text)


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("a -> \n", 1, 3, "destination"),
        ("-> b\n", 1, 1, "source"),
        ("a: {\n b\n", 1, 4, "never closed"),
        ("a\n}\n", 2, 1, "unmatched `}`"),
        ('a: "x\n', 1, 4, "unterminated string"),
        ("a: |md\nx\n", 1, 4, "never closed"),
        ("a: b\nc: @d\n", 2, 4, "imports"),
        ("a:\n", 1, 2, "missing"),
        ("label -> b\n", 1, 1, "D2 keyword; quote it"),
        ("a: x [y]\n", 1, 6, "unexpected"),
        ("a; *: null\n", 1, 4, "delete shapes"),
        ("a\n*: {x -> y}\n", 2, 5, "create connections"),
        ("**.x\n", 1, 1, "never end"),
        ("*: {&level: 1; label: x}\n", 1, 1, "`&level`"),
        ("a -> b -\n", 1, 8, "quote the name"),
        ("b: {...${x}}\n", 1, 5, "no variable `x`"),
        ("...@x\n", 1, 1, "write their contents"),
        ("vars: {x: {y}}\na: ${x} {z}\n", 2, 4, "spread it"),
        ("(a -> b)[0]: x\n", 1, 1, "no such connection"),
        ("_.a\n", 1, 1, "parent"),
        ("fill: x\n", 1, 1, "style.fill"),
    ],
)
def test_errors_say_where_and_what(text, line, column, says):
    with pytest.raises(FlowParseError) as refused:
        read_d2(text)
    assert (refused.value.line, refused.value.column) == (line, column)
    assert says in refused.value.cause


@pytest.mark.parametrize(("word", "direction"), [("down", "TB"), ("up", "BT"), ("right", "LR"), ("left", "RL")])
def test_the_direction_is_kept(word, direction):
    assert read_d2(f"direction: {word}\na").direction == direction


@pytest.mark.parametrize(
    "text",
    [
        "a:{" * 30_000,
        "a." * 30_000,
        "(" * 30_000,
        "[" * 30_000,
        "a: [" + "[" * 30_000,
        "a -> " * 30_000 + "a",
        "a: |md" + "|" * 30_000,
        '"""' * 30_001,
        "\\\n" * 30_000,
        "a -> b;" * 20_000 + "(a -> b)[*].style.x: y;" * 200,
        "".join(f"a{i};" for i in range(2000)) + "* -> *",
        "*" * 30_000 + " -> a",
        " " * 100_000 + "a: [",
        "_." * 30_000,
        "a: " + "${x}" * 20_000,
        "vars: {x: ${x}}\na: ${x}",
        "vars: {x: {y: ${x}}}\na: ${x}",
        "vars: {x: {...${x}; y}}\na: ${x}",
        "vars: {x: {...${y}; a}; y: {...${x}; b}}\na: {...${x}}",
        "vars: {x: {" + "y;" * 300 + "}}\n" + "".join(f"a{i}: ${{x}};" for i in range(2000)),
        "".join(f"a{i};" for i in range(2000)) + "*: {&connected: true; label: x};" * 200,
        "*.*: x;" * 5_000 + "a.b;" * 5_000,
        "(* -> *)[*]: x;" * 5_000 + "a -> b;" * 5_000,
        "**: suspend;" * 20_000,
        "*: {" * 30_000,
        "*.x: y;" * 20_000 + "a",
    ],
    ids=lambda text: text[:12].strip() or "blanks",
)
def test_long_and_deep_texts_end_soon_and_well(text):
    assert agreement.chart_or_fault(read_d2, text)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=24).map("".join)))
def test_anything_is_a_chart_or_an_error_with_its_place(text):
    chart = agreement.chart_or_fault(read_d2, text)
    if isinstance(chart, Chart):
        known = {node.id for node in chart.nodes}
        assert all(edge.src in known and edge.dst in known for edge in chart.edges)
        with suppress(FlowError):
            assert build_flow(chart).nodes


def test_a_flow_of_the_floor():
    flow = build_flow(
        read_d2(
            'BEGIN -> build -> test\nbuild: |md\n  # Build\n  all of it\n|\ntest: "Green?"\n'
            "test -> END: yes\ntest -> build: no\n"
        )
    )
    assert flow.nodes["build"].label == "# Build\nall of it"
    assert flow.nodes["test"].kind is NodeKind.DECISION
    assert [edge.label for edge in flow.outgoing["test"]] == ["yes", "no"]


@pytest.mark.parametrize(
    ("body", "label"),
    [
        ("\tone\n        two", "one\n      two"),
        ("  \tone\n\ttwo", "\tone\ntwo"),
        ("\t  one\n  two", "  one\ntwo"),
        ("   one\n\t\ttwo", "one\ntwo"),
        ("\t  one\n\t    two\n\tthree", "  one\n    two\nthree"),
    ],
)
def test_a_tab_before_a_line_of_a_block_takes_two_columns(body, label):
    assert read_d2(f"a: |md\n{body}\n|\n").nodes[0].label == label
