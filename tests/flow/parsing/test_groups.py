import time

import pytest

from kimi_tui.errors import FlowValidationError
from kimi_tui.flow import Flow, build_flow, read_mermaid
from kimi_tui.flow.model.validation import lint
from kimi_tui.flow.parsing.d2.parser import read_d2
from kimi_tui.flow.parsing.groups import resolve_groups
from tests.flow.runner_harness import RunnerHarness


def mermaid(*lines: str) -> Flow:
    return build_flow(read_mermaid("\n".join(["flowchart TD", *lines])))


def refusal(*lines: str) -> FlowValidationError:
    with pytest.raises(FlowValidationError) as refused:
        mermaid(*lines)
    return refused.value


def links(flow: Flow) -> set[tuple[str, str]]:
    return {(edge.src, edge.dst) for edge in flow.edges}


REVIEW = ("subgraph S [Review]", "X --> Y", "end")


def test_a_subgraph_is_entered_at_its_first_node_and_left_at_its_last() -> None:
    flow = mermaid("BEGIN --> S", *REVIEW, "S --> END")
    assert links(flow) == {("BEGIN", "X"), ("X", "Y"), ("Y", "END")}
    assert "S" not in flow.nodes


async def test_a_run_takes_the_nodes_of_a_subgraph_and_not_its_name() -> None:
    harness = RunnerHarness(mermaid("BEGIN --> S", *REVIEW, "S --> END"), ["ok", "ok"])
    await harness.run()
    assert harness.script.prompts == ["X", "Y"]


def test_a_container_of_d2_is_entered_and_left_likewise() -> None:
    flow = build_flow(read_d2("BEGIN -> s\ns: Review {\n  x -> y\n}\ns -> END\n"))
    assert links(flow) == {("BEGIN", "s.x"), ("s.x", "s.y"), ("s.y", "END")}
    assert lint(flow) == []


def test_a_container_that_no_edge_names_is_no_node() -> None:
    flow = build_flow(read_d2("BEGIN -> s.x\ns: Review {\n  x -> y\n}\ns.y -> END\n"))
    assert list(flow.nodes) == ["BEGIN", "s.x", "s.y", "END"]
    assert lint(flow) == []


def test_groups_lie_in_groups() -> None:
    flow = mermaid(
        "BEGIN --> outer", "subgraph outer", "A --> inner", "subgraph inner", "B --> C", "end", "inner --> D", "end",
        "outer --> END",
    )  # fmt: skip
    assert links(flow) == {("BEGIN", "A"), ("A", "B"), ("B", "C"), ("C", "D"), ("D", "END")}


def test_a_group_that_begins_with_a_group_is_entered_at_its_first_node() -> None:
    flow = mermaid("BEGIN --> o", "subgraph o", "subgraph i", "B --> C", "end", "i --> D", "end", "o --> END")
    assert links(flow) == {("BEGIN", "B"), ("B", "C"), ("C", "D"), ("D", "END")}


def test_the_ways_out_of_a_group_are_a_decision_of_its_last_node() -> None:
    flow = mermaid("BEGIN --> S", *REVIEW, "S -->|again| S", "S -->|done| END")
    assert [(edge.label, edge.dst) for edge in flow.outgoing["Y"]] == [("again", "X"), ("done", "END")]


def test_an_end_within_a_group_is_not_where_the_group_goes_on() -> None:
    flow = mermaid("BEGIN --> S", "subgraph S", "X -->|ok| Y", "X -->|stop| END", "end", "S --> Z", "Z --> E2[END]")
    assert ("Y", "Z") in links(flow)


@pytest.mark.parametrize(
    ("lines", "line", "says"),
    [
        (("BEGIN --> S", "subgraph S", "X", "Y", "end", "X --> END", "Y --> END"), 2,
         "the group `S` has no single first node; link to the intended one: `X`, `Y`"),
        (("BEGIN --> S", "subgraph S", "X --> Y", "Y --> X", "end", "X --> END"), 2, "no single first node"),
        (("BEGIN --> X", "subgraph S", "X -->|a| Y", "X -->|b| Z", "end", "S --> END"), 7,
         "the group `S` has no single last node; link from the intended one: `Y`, `Z`"),
        (("BEGIN --> X", "subgraph S", "X --> Y", "end", "Y --> S", "S --> END"), 6, "this edge links the group `S`"),
    ],
)  # fmt: skip
def test_where_a_group_begins_or_ends_in_no_one_place_the_edge_is_refused(
    lines: tuple[str, ...], line: int, says: str
) -> None:
    refused = refusal(*lines)
    assert says in refused.cause
    assert refused.line == line


def test_a_node_that_two_subgraphs_name_is_in_the_one_that_is_closed_first() -> None:
    chart = read_mermaid("flowchart TD\nsubgraph A\nX\nsubgraph B\nX --> Y\nend\nend\n")
    assert {group.id: group.members for group in chart.groups} == {"B": ("X", "Y"), "A": ("B",)}


def test_a_subgraph_whose_name_has_a_blank_behind_it_is_another_than_the_node() -> None:
    chart = read_mermaid("flowchart TD\nBEGIN --> S\nsubgraph S \nX --> Y\nend\nS --> END\n")
    assert resolve_groups(chart).chart.nodes == chart.nodes
    assert [note.line for note in chart.notes] == [3]


def test_subgraphs_that_name_each_other_are_read_without_a_circle() -> None:
    chart = read_mermaid("flowchart TD\nsubgraph A\nB\nX\nend\nsubgraph B\nA\nY\nend\nBEGIN --> A\n")
    assert resolve_groups(chart)


def test_groups_of_a_large_chart_are_resolved_soon() -> None:
    deep = ["subgraph g" + str(i) for i in range(5_000)] + ["X --> Y"] + ["end"] * 5_000
    chart = read_mermaid("\n".join(["flowchart TD", *deep, *(f"BEGIN --> g{i}" for i in range(5_000))]))
    wide = read_mermaid(
        "\n".join(
            ["flowchart TD"]
            + [f"subgraph g{i}\nx{i} --> y{i}\nend\ng{i} --> g{i + 1}" for i in range(5_000)]
        )
    )  # fmt: skip
    began = time.process_time()
    assert len(resolve_groups(chart).flaws) > 4_000
    assert not resolve_groups(wide).flaws
    assert time.process_time() - began < 4
