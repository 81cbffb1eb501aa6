from kimi_tui.flow.model.outline import OutlineLine, outline
from tests.flow.random_flows import any_flow, likely_flow, make_flow


def shown(line: OutlineLine) -> str:
    """`  -no-> fix (back)`, two blanks a level."""
    text = line.text if line.node is not None else f"-{line.text}->"
    return "  " * line.indent + text + (f" {line.goes_to}" if line.goes_to else "") + (" (back)" if line.back else "")


def test_an_outline_lists_every_step_once_and_names_each_branch() -> None:
    flow = make_flow(
        {"b": "BEGIN", "fix": "Fix", "ok": "Green?", "tag": "Tag", "e": "END"},
        [("b", "fix", None), ("fix", "ok", None), ("ok", "fix", "no"), ("ok", "tag", "yes"), ("tag", "e", None)],
    )
    assert [shown(line) for line in outline(flow)] == [
        "BEGIN",
        "Fix",
        "Green?",
        "  -no-> fix (back)",
        "  -yes-> tag",
        "Tag",
        "END",
    ]


def test_outlines_of_any_flow_are_complete() -> None:
    for seed in range(40):
        flow = any_flow(9, 15, seed) if seed % 2 else likely_flow(20, seed)
        lines = outline(flow)
        assert sorted(line.node for line in lines if line.node) == sorted(flow.nodes)
        named = {line.edge for line in lines if line.edge is not None}
        decided = {index for index, edge in enumerate(flow.edges) if len(flow.outgoing[edge.src]) > 1}
        assert decided <= named
