from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.errors import FlowError, FlowParseError
from kimi_tui.flow import Chart, build_flow, read_mermaid
from kimi_tui.flow.model.validation import lint
from tests.flow import agreement

TRUTH = agreement.ground_truth("mermaid")
EXCEPTIONS = agreement.exceptions("mermaid")
AGREED = [chart for chart in TRUTH if "truth" in chart and chart["name"] not in EXCEPTIONS]
HEADS = {
    "arrow_open": "none",
    "double_arrow_point": "both",
    "double_arrow_cross": "both",
    "double_arrow_circle": "both",
}

PIECES = [
    "flowchart TD", "A", "B1", "节", "end", "subgraph", "classDef", "style A x", "-->", "---", "-.->", "==>",
    "--", "-.", "==", "|", "[", "]", "(", ")", "{", "}", "((", "))", "[/", "\\]", ">", "@{", "label:", '"',
    '"`', '`"', "&", ";", ":::", "%%", "%%{", "}%%", "~~~", "e1@", "#quot;", "&lt;", "<br/>", "x", "o", "-",
    ".", "=", "direction LR", "accDescr {", "---\n", " ", "\n", "\t",
]  # fmt: skip


def edges(text):
    return [(edge.src, edge.dst, edge.label) for edge in read_mermaid(text).edges]


def labels(text):
    return {node.id: node.label for node in read_mermaid(text).nodes}


@pytest.mark.parametrize("chart", AGREED, ids=lambda c: c["name"])
def test_it_reads_what_mermaid_reads(chart):
    read = read_mermaid(chart["text"])
    assert agreement.of_chart(read) == agreement.of_truth(chart["truth"], "mermaid")
    assert [edge.src for edge in read.edges] == [edge["src"] for edge in chart["truth"]["edges"]]
    assert [node.id for node in read.nodes] == [node["id"] for node in chart["truth"]["nodes"]]
    for ours, truth in zip(read.edges, chart["truth"]["edges"], strict=True):
        expected = HEADS.get(truth["type"], "forward")
        assert ours.heads == expected or (ours.heads == "hidden" and expected == "none")


@pytest.mark.parametrize("name", [name for name, how in EXCEPTIONS.items() if "refused" in how])
def test_what_is_refused_on_purpose_is_refused_with_its_place(name):
    chart = next(chart for chart in TRUTH if chart["name"] == name)
    with pytest.raises(FlowParseError) as refused:
        read_mermaid(chart["text"])
    assert refused.value.line is not None
    assert refused.value.column is not None


@pytest.mark.parametrize("name", [name for name, how in EXCEPTIONS.items() if "noted" in how])
def test_what_is_read_otherwise_on_purpose_is_never_silent(name):
    chart = next(chart for chart in TRUTH if chart["name"] == name)
    read = read_mermaid(chart["text"])
    assert agreement.of_chart(read) != agreement.of_truth(chart["truth"], "mermaid")
    assert [note for note in lint(read) if "Mermaid" in note.text and note.line > 1]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('A["say \\"hi\\""]', 2, 8),
        ("A --> B\n%%\nB --> C", 3, 1),
        ("A --> B\nB --> C[direction LR]", 3, 9),
        ("A --> B\nB -->|use <name>| C", 3, 7),
        ("A;%% x", 2, 3),
    ],
)
def test_a_note_says_where(text, line, column):
    assert [(note.line, note.column) for note in read_mermaid("flowchart TD\n" + text).notes] == [(line, column)]


@pytest.mark.parametrize(
    "text",
    [
        'A["x<br/>y <b>b</b> a < b, 1 <2"]',
        'A["one\ndirection LR\n%%\ntwo"]',
        "direction LR\nA",
        'click A "direction LR"',
        "%% direction LR\nA",
        "classDef x fill:#f00,color:#fff;\nstyle A fill:#f00;",
    ],
)
def test_what_mermaid_reads_the_same_has_no_note(text):
    assert read_mermaid("flowchart TD\n" + text).notes == ()


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("sequenceDiagram\nA->>B: hi", 1, "a sequence diagram (`sequenceDiagram`)"),
        ("%% c\nstateDiagram-v2\n[*] --> A", 2, "a state diagram (`stateDiagram-v2`)"),
        ("---\ntitle: x\n---\nclassDiagram\nA <|-- B", 4, "a class diagram"),
        ("erDiagram", 1, "an entity relationship diagram"),
        ("pie title x", 1, "a pie chart"),
        ("gitGraph LR:\ncommit", 1, "a Git graph"),
        ("C4Context\nx", 1, "a C4 diagram"),
        ("block-beta\na --> b", 1, "a block diagram"),
        ("xychart-beta", 1, "an XY chart"),
        ("mindmap\n x", 1, "a mindmap"),
        ("timeline\n x", 1, "a timeline"),
        ("gantt\n x", 1, "a Gantt chart"),
        ("sankey-beta\n", 1, "a Sankey diagram"),
    ],
)
def test_another_kind_of_diagram_is_called_by_its_name(text, line, says):
    with pytest.raises(FlowParseError, match="not a flowchart") as refused:
        read_mermaid(text)
    assert says in refused.value.cause
    assert (refused.value.line, refused.value.column) == (line, 1)


def test_a_node_that_is_called_like_a_diagram_is_a_node():
    assert edges("pie --> B\nflow[x] --> pie") == [("pie", "B", None), ("flow", "pie", None)]
    assert labels("journey[Plan it] --> B")["journey"] == "Plan it"


@pytest.mark.parametrize("chart", [c for c in TRUTH if "error" in c], ids=lambda c: c["name"])
def test_what_mermaid_refuses_is_refused_with_its_place_or_read_leniently(chart):
    assert agreement.chart_or_fault(read_mermaid, chart["text"])


def test_there_are_enough_charts_of_our_own():
    assert len(TRUTH) >= 150


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ('A["one --> B["two"] --> C', 3),
        ('A["one" --> B["two"]', 3),
        ("A(one --> B(two)) --> C", 3),
        ("X --> A[one ==> B[two]]", 9),
        ('A{"one -.-> B{"two"}', 3),
    ],
)
def test_a_label_that_does_not_end_before_the_next_one_is_an_error_and_loses_no_node(text, column):
    with pytest.raises(FlowParseError, match=r"contains the link .* and another label") as raised:
        read_mermaid(f"flowchart TD\n{text}")
    assert (raised.value.line, raised.value.column) == (2, column)


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ('A -- B["one"]\nB --> C', "--"),
        ('A --B["one"]\nB --> C', "--"),
        ('A == B{"one"} ==> C', "=="),
        ('A -. B( "one" ) .-> C', "-."),
        ('A -- "x" B["one"] --> C', "--"),
        ('A --"> B["one"]\nB --> C', "--"),
    ],
)
def test_a_link_that_lacks_its_head_is_an_error_and_loses_no_node(text, link):
    with pytest.raises(FlowParseError, match=f"the edge starting with `{link}` has no end") as raised:
        read_mermaid(f"flowchart TD\n{text}")
    assert (raised.value.line, raised.value.column) == (2, 3)


@pytest.mark.parametrize(
    "label", ['["say \\"a --> b\\" now"]', "[run() --> x]", '["say "hi" --> now"]', "(f(x) -> g(x))"]
)
def test_an_arrow_in_a_label_that_ends_is_text(label):
    assert [node.id for node in read_mermaid(f"flowchart TD\nA{label} --> B").nodes] == ["A", "B"]


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("[run() and [x]]", "run() and [x]"),
        ("[use {{X}}/bin]", "use {{X}}/bin"),
        ('["say \\"hi\\" twice"]', 'say "hi" twice'),
        ("{f(x) > 0?}", "f(x) > 0?"),
        ("(a (b) c)", "a (b) c"),
        ("[a | b]", "a | b"),
        ("[me@x.org]", "me@x.org"),
        ("[Расчет (3 части)]", "Расчет (3 части)"),
    ],
)
def test_brackets_and_quotes_that_mermaid_refuses_are_read_where_they_pair_up(label, text):
    assert labels(f"flowchart TD\nA{label} --> B") == {"A": text, "B": "B"}


def test_a_missing_header_and_a_comment_behind_a_statement_are_read():
    assert edges("A --> B %% to B\nB --> C") == [("A", "B", None), ("B", "C", None)]


def test_places_are_those_of_the_label_or_of_the_first_mention():
    chart = read_mermaid("flowchart TD\n  A --> B\n  B[text]\n")
    assert [(node.id, node.line, node.column) for node in chart.nodes] == [("A", 2, 3), ("B", 3, 3)]
    assert [(edge.line, edge.column) for edge in chart.edges] == [(2, 5)]


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("flowchart TD\n  A[x\n", 2, 4, "`[`"),
        ("flowchart TD\n  A -->\n", 2, 5, "has no target"),
        ("flowchart TD\nA --> B C\n", 2, 9, "found `C`"),
        ('flowchart TD\nA["x] --> B\n', 2, 3, "never closed"),
        ("flowchart TD\nsubgraph x\nA --> B\n", 2, 1, "`end`"),
        ("flowchart TD\nA --> B\nend\n", 3, 1, "none is open"),
        ("flowchart TD\nA -->|x B\n", 2, 6, "`|`"),
        ("flowchart TD\nA --> end\n", 2, 7, "Mermaid keyword"),
        ("flowchart XX\nA --> B\n", 1, 11, "direction"),
        ("flowchart TD\nA <-- B\n", 2, 3, "`<--`"),
        ("flowchart TD\nA@{ label: [x] }\n", 2, 12, "value"),
        ("flowchart TD\nA e1@--> B\nC --> e1\n", 3, 3, "name of an edge"),
        ("flowchart TD\nA[x y]e1@--> B\n", 2, 7, "missing space"),
        ("flowchart TD\r\nA --> B C\r\n", 2, 9, "found `C`"),
    ],
)
def test_errors_say_where_and_what(text, line, column, says):
    with pytest.raises(FlowParseError) as refused:
        read_mermaid(text)
    assert (refused.value.line, refused.value.column) == (line, column)
    assert says in refused.value.cause


def test_a_text_above_one_mebibyte_is_refused():
    with pytest.raises(FlowParseError, match="1 MiB"):
        read_mermaid("A" * (1024 * 1024 + 1))
    with pytest.raises(FlowParseError, match="1 MiB"):
        read_mermaid("节" * 400_000)


@pytest.mark.parametrize("direction", ["TB", "BT", "LR", "RL"])
def test_the_direction_is_kept(direction):
    assert read_mermaid(f"graph {direction}\nA").direction == direction


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        "A[" * 30_000,
        "A & " * 30_000,
        "subgraph x\n" * 20_000,
        " " * 100_000 + "A B",
        "\n" * 100_000 + "%",
        "A --" + " x" * 50_000,
        "A[(" * 20_000 + ")]",
        "-" * 100_000,
        "A@{" * 20_000,
        '"' * 50_001,
        "%%{" * 30_000,
        "---\n" * 30_000,
        'A["' + "\\" * 50_000,
        'A["' + '\\"' * 30_000,
        "A-->" * 30_000 + "A",
        "style a b:#c;" * 20_000,
        "style " * 20_000 + ":" * 50_000,
        "A --" + "@" * 50_000,
        "A --" + "@ " * 50_000,
        'A["' + "<b>" * 30_000,
        'A["' + "<" * 50_000 + '"]',
        'A["x\n' + "\n" * 50_000 + "%% c\n" * 20_000 + '"]',
        "direction LR " * 20_000,
        "%%\n" * 30_000,
        "A@{\n label: |\n" + "  x\n" * 50_000,
        "A@{\n label: x\n" + "\n  x" * 50_000 + "}",
        "L_A_B_0;A-->B;" * 10_000,
    ],
    ids=lambda text: text[:12].strip() or "blanks",
)
def test_long_and_deep_texts_end_soon_and_well(text):
    assert agreement.chart_or_fault(read_mermaid, text)


def test_more_edges_than_anyone_draws_are_refused_before_they_are_made():
    text = " & ".join(["A"] * 1000) + " --> " + " & ".join(["B"] * 1000)
    with pytest.raises(FlowParseError, match="edges"):
        read_mermaid(text)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=24).map("".join)))
def test_anything_is_a_chart_or_an_error_with_its_place(text):
    chart = agreement.chart_or_fault(read_mermaid, text)
    if isinstance(chart, Chart):
        known = {node.id for node in chart.nodes}
        assert all(edge.src in known and edge.dst in known for edge in chart.edges)
        with suppress(FlowError):
            assert build_flow(chart).nodes


def test_a_header_in_capitals_is_told_from_a_node() -> None:
    with pytest.raises(FlowParseError, match="`FLOWCHART` only in lower case: `flowchart`") as refused:
        read_mermaid("FLOWCHART TD\nA --> B\n")
    assert (refused.value.line, refused.value.column) == (1, 1)


@pytest.mark.parametrize("rest", ["", "\n", "\nend\n", "\n  \n"])
def test_an_edge_that_leads_nowhere_is_named_on_its_own_line(rest: str) -> None:
    with pytest.raises(FlowParseError) as refused:
        read_mermaid(f"flowchart TD\nsubgraph S\nA --> B\nb -->{rest}")
    assert (refused.value.line, refused.value.column) == (4, 3)
