"""Flow skills as people wrote them, read in place; none of them is kept here."""

import json
from pathlib import Path
from typing import Any

import pytest

from kimi_tui.skill.skill import Scope, parse_skill

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "charts.json"
CASES: list[dict[str, Any]] = json.loads(CORPUS.read_text("utf-8"))["flow_skills"] if CORPUS.is_file() else []

SEVERAL_ENDS = {"PolyArch-humanize-gen-plan-de67126.md", "humanize-gen-plan-convo.md"}
"""The corpus says what Kimi CLI makes of a skill; it takes no flow with more than one END."""


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_published_flow_skill_is_what_it_is_expected_to_be(case: dict[str, Any]) -> None:
    made = parse_skill(case["text"], Path("found") / "SKILL.md", Scope.USER)
    wanted = "flow" if case["id"] in SEVERAL_ENDS else case["expect"]
    assert wanted in (made.kind, "either")
    assert made.flow is not None or any(problem.severity != "note" and problem.line for problem in made.problems)
    if made.flow and made.flow.chart and case.get("truth"):
        assert {node.id for node in made.flow.chart.nodes} == {node["id"] for node in case["truth"]["nodes"]}
