import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.errors import FlowError
from kimi_tui.flow import Flow, FlowEdge, FlowNode, NodeKind, build_flow, read_chart
from kimi_tui.flow.render.source_writer import to_mermaid
from tests.flow import agreement
from tests.flow.d2_writer import to_d2

WRITE = {"mermaid": to_mermaid, "d2": to_d2}

CHARTS = [(kind, chart) for kind in WRITE for chart in agreement.ground_truth(kind)]


def shown(chart):
    nodes = {(node.id, node.label) for node in chart.nodes}
    return nodes, [(edge.src, edge.dst, edge.label, edge.heads) for edge in chart.edges], chart.direction


def label_texts():
    signs = st.sampled_from("ab #\"<>&;%{}[]()|\\$`'\n:-!x日.")
    usual = st.text(signs, min_size=1, max_size=12)
    return st.one_of(usual, st.text(min_size=1, max_size=12)).filter(_is_written)


def _is_written(text):
    """A carriage return is a line break in any chart, and control signs are no entities."""
    return text and text == text.strip() and not any(ord(sign) in range(0x20) and sign != "\n" for sign in text)


@st.composite
def flows(draw, source):
    count = draw(st.integers(1, 6))
    tasks = [f"{draw(st.sampled_from(['a', 'Step', 'x', 'o', 'n_', 'end']))}{number}" for number in range(count)]
    ids = ["BEGIN", *tasks, "END"]
    edges = [FlowEdge("BEGIN", tasks[0])]
    for number, task in enumerate(tasks):
        ways = draw(
            st.lists(st.tuples(st.sampled_from(ids[1:]), label_texts()), max_size=3, unique_by=lambda way: way[1])
        )
        edges += [FlowEdge(task, dst, label) for dst, label in ways if label != "on"]
        edges.append(FlowEdge(task, ids[number + 2], "on"))
    outgoing = {node_id: tuple(edge for edge in edges if edge.src == node_id) for node_id in ids}
    texts = {task: draw(label_texts().filter(lambda text: text.casefold() not in ("begin", "end"))) for task in tasks}
    nodes = {
        "BEGIN": FlowNode("BEGIN", "BEGIN", NodeKind.BEGIN),
        **{
            task: FlowNode(task, texts[task], NodeKind.DECISION if len(outgoing[task]) > 1 else NodeKind.TASK)
            for task in tasks
        },
        "END": FlowNode("END", "END", NodeKind.END),
    }
    return Flow(nodes, outgoing, "BEGIN", "END", source, draw(st.sampled_from(["TB", "BT", "LR", "RL"])))


@pytest.mark.parametrize("source", ["mermaid", "d2"])
@settings(derandomize=True, max_examples=60, deadline=None)
@given(data=st.data())
def test_a_random_flow_comes_back_equal(source, data):
    flow = data.draw(flows(source))
    assert build_flow(read_chart(WRITE[source](flow), source)) == flow


@pytest.mark.parametrize(
    ("kind", "chart"), CHARTS, ids=lambda value: value if isinstance(value, str) else value["name"]
)
def test_what_was_read_is_the_same_when_written_and_read_again(kind, chart):
    try:
        read = read_chart(chart["text"], kind)
    except FlowError:
        return
    written = WRITE[kind](read)
    again = read_chart(written, kind)
    assert shown(again) == shown(read)
    assert WRITE[kind](again) == WRITE[kind](read_chart(written, kind))
    try:
        flow = build_flow(read)
    except FlowError:
        return
    assert build_flow(again) == flow
    assert build_flow(read_chart(WRITE[kind](flow), kind)) == flow


@pytest.mark.parametrize(
    ("kind", "chart"), CHARTS, ids=lambda value: value if isinstance(value, str) else value["name"]
)
def test_a_chart_written_in_the_other_language_has_as_many_nodes_and_edges(kind, chart):
    try:
        read = read_chart(chart["text"], kind)
    except FlowError:
        return
    other = "d2" if kind == "mermaid" else "mermaid"
    again = read_chart(WRITE[other](read), other)
    assert len(again.nodes) == len(read.nodes)
    assert len(again.edges) == len([edge for edge in read.edges if other == "mermaid" or edge.heads != "hidden"])


def test_the_canonical_mermaid_text():
    flow = build_flow(read_chart('BEGIN -> A; A: Do "it"\nA -> END: x; A -> A: y', "d2"))
    assert to_mermaid(flow) == (
        "flowchart TD\n"
        '    BEGIN(["BEGIN"])\n'
        '    A{"Do #quot;it#quot;"}\n'
        '    END(["END"])\n'
        "    BEGIN --> A\n"
        '    A -->|"x"| END\n'
        '    A -->|"y"| A\n'
    )


def test_the_canonical_d2_text():
    flow = build_flow(read_chart("graph LR\nBEGIN --> label[Do<br>it for $5]\nlabel --> END", "mermaid"))
    assert to_d2(flow) == (
        'direction: right\nBEGIN: "BEGIN"\n"label": "Do\\nit for \\$5"\nEND: "END"\nBEGIN -> "label"\n"label" -> END\n'
    )


def test_ids_that_differ_only_in_case_stay_apart_in_d2():
    chart = read_chart("graph TD\nc --> C", "mermaid")
    assert len(read_chart(to_d2(chart), "d2").nodes) == 2


def test_paths_get_names_that_mermaid_can_write():
    chart = read_chart('a.b -> "x y": go', "d2")
    again = read_chart(to_mermaid(chart), "mermaid")
    assert [node.label for node in again.nodes] == ["a", "b", "x y"]
    assert again.edges[0].label == "go"
