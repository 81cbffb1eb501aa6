"""Every bundled flow is the same graph for Mermaid, for Kimi CLI and for us."""

import json

import pytest

from kimi_tui.flow import read_mermaid
from tests.flow import agreement
from tests.flow.bundled_charts import TRUTH, bundled_charts, chart_hash, read_by_lines

CHARTS = bundled_charts()
READ = {one["name"]: one for one in json.loads(TRUTH.read_text("utf-8"))}


def test_mermaids_reading_of_each_bundled_chart_is_current():
    """`python -m tests.flow.bundled_charts` reads a changed chart by Mermaid itself."""
    assert {name: one["sha256"] for name, one in READ.items()} == {
        name: chart_hash(text) for name, text in CHARTS.items()
    }


@pytest.mark.parametrize("name", sorted(CHARTS))
def test_mermaid_reads_the_same_graph(name):
    assert agreement.of_chart(read_mermaid(CHARTS[name])) == agreement.of_truth(READ[name]["truth"], "mermaid")


@pytest.mark.parametrize("name", sorted(CHARTS))
def test_the_line_reader_of_kimi_cli_reads_the_same_graph(name):
    assert agreement.of_chart(read_mermaid(CHARTS[name])) == read_by_lines(CHARTS[name])


@pytest.mark.parametrize(
    "line",
    ['a --> b["x"] --> c', 'a --> b & c', 'a@{ run: "echo a -> b" }', "a -- yes --> b", 'a@{ label: "x",', "a[x] b"],
)  # fmt: skip
def test_a_line_that_other_readers_may_read_otherwise_is_no_line_of_a_bundled_flow(line):
    with pytest.raises(ValueError, match=r"."):
        read_by_lines(f"flowchart TD\n{line}\n")
