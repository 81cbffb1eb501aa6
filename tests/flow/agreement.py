"""Compares what we read with what Mermaid and D2 themselves read.

Mermaid hands out labels as HTML for a page (`<br>`, `&lt;`), we hand out text: so in its labels line breaks become
real ones and entities their characters. D2's labels are text already. Blanks around a label do not count, nor do the
edges that D2 invents for the lifelines of sequence diagrams.
"""

import html
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kimi_tui.errors import FlowParseError
from kimi_tui.flow import Chart

HERE = Path(__file__).parent
CORPUS = Path(os.environ.get("KIMI_TUI_CORPUS", HERE.parent.parent.parent / "shared" / "corpus" / "charts.json"))

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});")


@dataclass(frozen=True)
class Meaning:
    nodes: list
    edges: list


def of_chart(chart: Chart) -> Meaning:
    nodes = [(node.id, node.label.strip()) for node in chart.nodes]
    edges = [(edge.src, edge.dst, (edge.label or "").strip()) for edge in chart.edges]
    return Meaning(sorted(nodes), sorted(edges))


def of_truth(truth: dict, kind: str) -> Meaning:
    text = _text_of_html if kind == "mermaid" else _text
    nodes = [(node["id"], text(node["label"])) for node in truth["nodes"]]
    edges = [(edge["src"], edge["dst"], text(edge["label"])) for edge in truth["edges"]]
    return Meaning(sorted(nodes), sorted(edge for edge in edges if "-lifeline-end-" not in edge[1]))


def chart_or_fault(read: Callable[[str], Chart], text: str) -> Chart | FlowParseError:
    """The chart, or the error, whose place must be known."""
    try:
        return read(text)
    except FlowParseError as fault:
        if fault.line is None or fault.column is None:
            raise RuntimeError("an error without its place") from fault
        return fault


def ground_truth(kind: str) -> list[dict]:
    return json.loads((HERE / "ground_truth" / f"{kind}.json").read_text("utf-8"))


def exceptions(kind: str) -> dict[str, dict]:
    """What we refuse or read otherwise on purpose: by name, `refused` or `noted`, with the reason."""
    return json.loads((HERE / "ground_truth" / "exceptions.json").read_text("utf-8"))[kind]


def corpus() -> dict:
    return json.loads(CORPUS.read_text("utf-8")) if CORPUS.is_file() else {}


def _text(label: str | None) -> str:
    return (label or "").strip()


def _text_of_html(label: str | None) -> str:
    text = re.sub(r"<br\s*/?>", "\n", label or "")
    return _ENTITY.sub(lambda match: html.unescape(match.group()), text).strip()
