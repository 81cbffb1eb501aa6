"""Charts and flow skills from public repositories, read in place; skipped where the corpus is absent."""

import pytest

from kimi_tui.errors import FlowError, FlowParseError
from kimi_tui.flow import build_flow, read_chart
from kimi_tui.flow.render.source_writer import to_mermaid
from tests.flow import agreement
from tests.flow.d2_writer import to_d2

CORPUS = agreement.corpus()
CHARTS = CORPUS.get("charts", [])
SKILLS = [skill for skill in CORPUS.get("flow_skills", []) if skill.get("block")]
REFUSED = {"sequence_diagram": "a sequence diagram is not a flowchart"}
OUTCOMES = {"label": "has no label|at once", "reach": "cannot be reached", "dup": "two branches labelled"}

pytestmark = pytest.mark.skipif(not CORPUS, reason="the corpus is not there")


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart["id"])
def test_a_chart_means_what_its_own_parser_says(chart):
    try:
        read = read_chart(chart["text"], chart["kind"])
    except FlowParseError as refused:
        expected = "truth" not in chart or any(construct in chart["text"] for construct in REFUSED)
        assert (expected, refused.line is None, refused.column is None) == (True, False, False)  # noqa: PT017
        return
    if "truth" in chart:
        assert agreement.of_chart(read) == agreement.of_truth(chart["truth"], chart["kind"])
    write = to_d2 if chart["kind"] == "d2" else to_mermaid
    assert agreement.of_chart(read_chart(write(read), chart["kind"])) == agreement.of_chart(read)


@pytest.mark.parametrize("chart", [chart for chart in CHARTS if chart.get("outcome")], ids=lambda chart: chart["id"])
def test_a_wrapped_chart_is_a_flow_or_none_for_the_known_reason(chart):
    read = read_chart(chart["text"], chart["kind"])
    if chart["outcome"] == "ok":
        assert build_flow(read).nodes
    else:
        with pytest.raises(FlowError, match=OUTCOMES[chart["outcome"]]):
            build_flow(read)


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill["id"])
def test_a_flow_skill_runs_or_does_not_as_expected(skill):
    try:
        outcome = "flow" if build_flow(read_chart(skill["block"], skill["lang"])).nodes else ""
    except FlowError:
        outcome = "standard"
    expected = {skill["expect"]} | ({"flow"} if "two END" in skill.get("why", "") else set())  # which Kimi CLI refuses
    assert expected & {outcome, "either"}
