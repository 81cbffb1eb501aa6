"""A run as Mermaid, Markdown, JSON and SVG."""

import json
from pathlib import Path
from xml.etree import ElementTree

from kimi_tui.flow import build_flow, read_mermaid
from kimi_tui.flow.model.graph import Flow, FlowNode, NodeKind
from kimi_tui.flow.parsing.d2.parser import read_d2
from kimi_tui.flow.render.run_export import (
    flow_of_view,
    to_json,
    to_markdown,
    to_mermaid,
    view_of_state,
)
from kimi_tui.flow.render.svg import to_svg
from kimi_tui.flow.run.run_view import RunView, fold_run_views
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.wire.parts import TokenUsage
from tests.flow.runner_harness import LOOP, RunnerHarness, flow_of

YES, NO = "<choice>yes</choice>", "<choice>no</choice>"


async def run_of(
    flow: Flow, replies: list[str | TurnResult], path: Path | None = None
) -> tuple[RunView, RunnerHarness]:
    harness = RunnerHarness(flow, replies, path=path)
    await harness.until_paused()
    await harness.cancel()
    return fold_run_views((float(at), message) for at, message in enumerate(harness.sent))[-1], harness


async def test_the_exported_chart_is_the_chart_of_the_run() -> None:
    flow = build_flow(
        read_mermaid(
            'flowchart TD\n BEGIN --> A["Say \\"#quot;hi#quot;\\" & <b>go</b><br/>then #35;1 100%% {x}"]\n'
            ' A --> D-1{"ok?"}\n D-1 -->|"yes | sure"| END\n D-1 -->|no| A\n'
        )
    )
    picture, _ = await run_of(flow, ["ok", "<choice>no</choice>", TurnResult("rejected")])
    again = build_flow(read_mermaid(to_mermaid(picture)))
    assert again.nodes == flow.nodes
    assert again.outgoing == flow.outgoing


async def test_ids_that_mermaid_cannot_write_get_names_of_their_own() -> None:
    flow = build_flow(read_d2('BEGIN -> "a b": x\n"a b" -> fin.x\nfin.x -> END\n'))
    picture, _ = await run_of(flow, ["ok"])
    again = build_flow(read_mermaid(to_mermaid(picture)))
    assert [node.label for node in again.nodes.values()] == [node.label for node in flow.nodes.values()]
    assert len(again.edges) == len(flow.edges)


async def test_the_way_gone_is_marked_in_the_chart() -> None:
    picture, _ = await run_of(flow_of(*LOOP), ["ok", NO, TurnResult("rejected")])
    text = to_mermaid(picture)
    assert "class BEGIN,D done" in text
    assert "class A current" in text
    assert "linkStyle 0,1,3 " in text
    assert "%% A: visited 2 times" in text


async def test_the_table_has_visits_time_tokens_and_choices() -> None:
    replies: list[str | TurnResult] = [
        TurnResult("finished", "ok", 3, TokenUsage(output=7)), NO, "ok", TurnResult("finished", YES, 2),
    ]  # fmt: skip
    picture, _ = await run_of(flow_of(*LOOP), replies)
    text = to_markdown(picture)
    assert "| A | 2 | 2 | 0.0s | 4 | 7 |  |" in text
    assert "| D | 2 | 2 | 0.0s | 3 | 0 | no ×1, yes ×1 |" in text
    assert "| **all** | 4 | | 0.0s | 7 | 7 | |" in text
    assert "- move 2: D → **no** → A" in text


async def test_the_figures_are_json() -> None:
    picture, _ = await run_of(flow_of(*LOOP), ["ok", YES])
    figures = json.loads(json.dumps(to_json(picture)))
    assert (figures["status"], figures["moves"], figures["edges"][3]["taken"]) == ("finished", 2, 0)
    assert figures["decisions"] == [{"node": "D", "choice": "yes", "dst": "END", "by": "model", "move": 2}]


async def test_the_time_of_work_and_the_wait_are_told_apart_in_every_format() -> None:
    picture, _ = await run_of(flow_of(*LOOP), ["ok", YES])
    picture.nodes["A"].duration_s = 3.5
    whole = picture.elapsed(0.0)
    text = f"after 2 moves, 3.5s of work, waited {whole - 3.5:.1f}s"
    assert text in to_mermaid(picture)
    assert text in to_markdown(picture)
    assert text in to_svg(flow_of_view(picture), picture)
    figures = to_json(picture)
    assert (figures["work_s"], figures["waited_s"]) == (3.5, whole - 3.5)


async def test_a_run_of_which_only_the_journal_is_left_still_has_its_figures(tmp_path: Path) -> None:
    picture, harness = await run_of(flow_of(*LOOP), ["ok", NO, "ok", YES], tmp_path / "flow.jsonl")
    left = view_of_state(harness.journalled(), flow_of(*LOOP))
    for attribute in ("moves", "steps", "tokens", "node_id", "status", "decisions"):
        assert getattr(left, attribute) == getattr(picture, attribute)
    assert {node.id: node.visits for node in left.nodes.values()} == {
        node.id: node.visits for node in picture.nodes.values()
    }


async def test_the_picture_is_valid_svg_in_which_nothing_of_a_label_can_act() -> None:
    flow = flow_of(*LOOP)
    evil = FlowNode("A", '<script>alert("x")</script>\x1b]52;c;x\x07 & more', NodeKind.TASK)
    flow = Flow({**flow.nodes, "A": evil}, flow.outgoing, "BEGIN", "END")
    picture, _ = await run_of(flow, ["ok", NO, TurnResult("rejected")])
    text = to_svg(flow_of_view(picture), picture)
    root = ElementTree.fromstring(text)
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert names == {"svg", "title", "style", "text", "g", "rect", "polygon", "polyline"}
    assert "\x1b" not in text
    assert "×2" in text
    assert 'class="node rejected now"' in text
    assert text.count('class="edge taken"') == 3


def test_a_chart_without_a_run_is_drawn_plain() -> None:
    ElementTree.fromstring(to_svg(flow_of(*LOOP)))


async def test_the_typed_results_are_exported(tmp_path: Path) -> None:
    chart = 'flowchart TD\nBEGIN --> A[Find it] --> END\nA@{ out: "severity: low | high, files: [text]" }'
    flow, result = build_flow(read_mermaid(chart)), {"severity": "high", "files": ["a|b"]}
    picture, harness = await run_of(flow, [TurnResult("finished", "x", result=result)], tmp_path / "flow.jsonl")
    for view in (picture, view_of_state(harness.journalled(), flow)):
        assert [node["result"] for node in json.loads(json.dumps(to_json(view)))["nodes"]] == [None, result, None]
        assert '- A: severity: high · files: ["a\\|b"]' in to_markdown(view)
