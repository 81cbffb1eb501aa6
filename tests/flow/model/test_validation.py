import pytest

from kimi_tui.errors import FlowValidationError
from kimi_tui.flow import NodeKind, build_flow, read_mermaid
from kimi_tui.flow.model.validation import lint
from kimi_tui.flow.parsing.d2.parser import read_d2


def flow(*lines):
    return build_flow(read_mermaid("\n".join(["flowchart TD", *lines])))


def refusal(*lines):
    with pytest.raises(FlowValidationError) as refused:
        flow(*lines)
    return refused.value


def warnings(*lines):
    return [(note.line, note.text) for note in lint(read_mermaid("\n".join(["flowchart TD", *lines])))]


def test_the_kinds_of_nodes_come_from_labels_and_ways_out():
    read = flow("b([Begin]) --> a", "a --> c", "c -->|x| a", "c -->|y| e((END))")
    assert {node.id: node.kind for node in read.nodes.values()} == {
        "b": NodeKind.BEGIN,
        "a": NodeKind.TASK,
        "c": NodeKind.DECISION,
        "e": NodeKind.END,
    }
    assert (read.begin_id, read.end_id) == ("b", "e")
    assert read.outgoing["e"] == ()
    assert [edge.label for edge in read.outgoing["c"]] == ["x", "y"]


def test_a_label_on_the_only_way_out_is_kept():
    read = flow("BEGIN -->|start| A", "A --> END")
    assert read.outgoing["BEGIN"][0].label == "start"


@pytest.mark.parametrize(
    ("lines", "line", "says"),
    [
        (("A --> END",), 1, "no node is labelled BEGIN"),
        (("BEGIN --> A",), 1, "no node is labelled END"),
        (("BEGIN --> END", "x[begin] --> END"), 3, "2 nodes are labelled BEGIN"),
        (("BEGIN", "END"), 2, "no outgoing edge"),
        (("BEGIN --> A", "B --> END"), 3, "no edge leaves `A`"),
        (("BEGIN --> A --> B --> A", "END"), 3, "no path from BEGIN leaves its loop"),
        (("BEGIN --> A", "A -->|x| END", "A --> B --> END"), 4, "has no label"),
        (("BEGIN --> A", "A -->|x| END", 'A -->|" "| B --> END'), 4, "has no label"),
        (("BEGIN --> A", "A -->|x| END", 'A -->|" x "| B --> END'), 4, "two branches labelled `x`"),
    ],
)
def test_what_is_no_flow_is_refused_with_its_line(lines, line, says):
    refused = refusal(*lines)
    assert says in refused.cause
    assert refused.line == line


def test_several_ends_each_end_the_run_and_a_note_says_what_kimi_cli_makes_of_them():
    lines = ("BEGIN --> A", "A -->|x| e1[END]", "A -->|y| e2[End]")
    read = flow(*lines)
    assert [node.kind for node in read.nodes.values() if node.id[0] == "e"] == [NodeKind.END] * 2
    assert read.end_id == "e1"
    assert warnings(*lines) == [
        (4, "this chart has a second END; every END ends the run, but Kimi CLI accepts only one")
    ]


def test_the_end_of_a_flow_is_one_that_can_be_reached():
    assert flow("e1[END] --> A", "BEGIN --> B", "B --> e2[END]").end_id == "e2"


def test_a_loop_that_can_come_to_one_of_several_ends_has_no_warning():
    assert [line for line, _ in warnings("BEGIN --> A", "A -->|x| e1[END]", "A -->|y| B", "B --> A", "B2[END]")] == [
        6, 6,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "line", "node", "says", "example"),
    [
        (("BEGIN([Start]) --> A", "A --> END"), 2, "BEGIN", "Start", "BEGIN([BEGIN])"),
        (('X["**BEGIN**"] --> A', "A --> END"), 2, "X", "**BEGIN**", "X([BEGIN])"),
        (("X[🚀 Begin] --> A", "A --> END"), 2, "X", "🚀 Begin", "X([BEGIN])"),
        (("X([Start]) --> A", "A --> END"), 2, "X", "Start", "X([BEGIN])"),
        (("BEGIN --> A", "A --> END([All done])"), 3, "END", "All done", "END([END])"),
        (("BEGIN --> A", "A --> Z([✅ End])"), 3, "Z", "✅ End", "Z([END])"),
    ],
)
def test_a_node_that_is_nearly_begin_or_end_is_named_with_the_label_it_needs(lines, line, node, says, example):
    refused = refusal(*lines)
    assert refused.line == line
    assert f"the label of `{node}` is `{says}`" in refused.cause
    assert f"`{example}`" in refused.cause
    assert not [text for _, text in warnings(*lines) if "the run stops" in text]


def test_ways_side_by_side_are_told_from_a_decision_that_lacks_labels():
    refused = refusal("BEGIN --> A", "A --> X & Y", "X --> END", "Y --> END")
    assert "`A` leads to `X`, `Y` at once" in refused.cause
    assert refused.line == 3


def test_two_ways_to_one_node_are_not_steps_side_by_side():
    assert "has no label" in refusal("BEGIN --> A", "A --> X", "A --> X", "X --> END").cause


def test_an_unlabelled_branch_that_is_never_reached_does_no_harm():
    assert flow("BEGIN --> END", "A --> B", "A --> C")
    assert flow("BEGIN --> END", "END --> A", "A --> B", "A --> C")


def test_hidden_links_are_no_ways_out():
    read = flow("BEGIN --> A", "A --> END", "A ~~~ BEGIN")
    assert len(read.outgoing["A"]) == 1


def test_edges_without_a_head_or_with_two_count_as_forward():
    assert [edge.dst for edge in flow("BEGIN --- A", "A <--> END").edges] == ["A", "END"]
    assert warnings("BEGIN --- A", "A <--> END") == [(3, "this edge points both ways; it is followed forward only")]


def test_a_sound_flow_has_no_warnings():
    assert warnings("BEGIN --> A", "A -->|yes| END", "A -->|no| A") == []


@pytest.mark.parametrize(
    ("lines", "line", "says"),
    [
        (("BEGIN --> END", "A --> END"), 3, "`A` cannot be reached"),
        (("BEGIN --> A", "A -->|x| END", "A -->|y| B"), 4, "the run stops at `B`"),
        (("BEGIN --> A", "A -->|Go| END", "A -->|go| B --> END"), 4, "differ only in case or spaces"),
        (("BEGIN --> A", "A -->|go on| END", 'A -->|"go  on\u200b"| B --> END'), 4, "differ only in case or spaces"),
        (
            ("BEGIN --> A[One]", "A --> B[Two] --> END", "A[Three]"),
            4,
            "`A` gets another text here; only the last one counts",
        ),
        (
            ("BEGIN --> S", "subgraph S [Review]", "end", "S --> END"),
            3,
            "`S` has no nodes, so it is a step with the prompt `S`",
        ),
        (
            ("BEGIN --> A[Do it] --> END", "subgraph A", "X --> Y", "end"),
            2,
            "`A` is a container: its text is only a title",
        ),
        (("BEGIN --> A", 'A -->|"x #lt; y"| END', "A -->|go| B --> END"), 3, "contains `<`"),
        (("BEGIN --> A", 'A -->|"x<br>y"| END', "A -->|go| B --> END"), 3, "more than one line"),
        (("BEGIN --> A", f"A -->|{'x' * 41}| END", "A -->|go| B --> END"), 3, "41 characters"),
        (("BEGIN --> A", "A -->|x| END", "A -->|y| B", "B --> C --> B"), 4, "never ends"),
        (
            ("BEGIN --> A", "A -->|x| END", "A -->|y| B", "B -->|u| C --> B", "B -->|v| B"),
            4,
            "END is unreachable from the loop",
        ),
        (("BEGIN -->|x| A", "BEGIN -->|y| END", "A --> END"), 3, "never taken"),
        (("BEGIN --> END", "END --> A"), 3, "END ends the run"),
        (("BEGIN --> A", 'A[""] --> END'), 3, "empty label"),
    ],
)
def test_what_a_writer_may_want_to_know_is_a_warning_with_its_line(lines, line, says):
    found = warnings(*lines)
    assert [said for said in found if says in said[1]], found
    assert next(said[0] for said in found if says in said[1]) == line


@pytest.mark.parametrize(
    "lines",
    [
        ("BEGIN --> A", "A -->|x| END", "A -->|y| B", "B -->|u| A", "B -->|v| C --> B"),
        ("BEGIN --> A", "A -->|x| END", "A -->|y| B", "B -->|u| C", "B -->|v| D"),
        ("BEGIN --> A", "A -->|x| A", "A -->|y| B"),
        ("BEGIN --> END", "A -->|x| A", "A -->|y| A"),
    ],
)
def test_a_loop_that_can_come_to_the_end_or_is_none_or_is_never_reached_has_no_warning(lines):
    assert not [text for _, text in warnings(*lines) if "unreachable from the loop" in text]


def test_each_tangle_of_loops_without_an_end_is_told_once():
    found = warnings(
        "BEGIN --> A", "A -->|x| END", "A -->|y| B", "B -->|u| C", "B -->|v| B", "C -->|u| B", "C -->|v| C",
        "A -->|z| X", "X -->|u| X", "X -->|v| Y --> X",
    )  # fmt: skip
    assert [text for _, text in found] == [
        "END is unreachable from the loop through `B`",
        "END is unreachable from the loop through `X`",
    ]


def test_loops_of_a_long_chart_are_found_soon():
    chain = [f"n{i} -->|x| n{i + 1}" for i in range(20_000)]
    assert warnings("BEGIN --> n0", *chain, *[f"n{i} -->|y| n0" for i in range(20_000)], "A --> END")


def test_warnings_come_in_the_order_of_their_places():
    found = warnings("BEGIN --> END", "B --> END", "A --> END")
    assert found == sorted(found)


def test_a_flow_that_came_from_a_chart_is_linted_by_it():
    read = build_flow(read_d2("BEGIN -> END\nA -> END"))
    assert [note.line for note in lint(read)] == [2]


def test_a_chart_that_is_no_flow_is_linted_as_if_all_of_it_were_reached():
    assert [line for line, _ in warnings("A --> B --> A", "C")] == [2, 3]
