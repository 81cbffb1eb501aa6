"""`kimi-tui flow check --explain` tells in words what a chart does."""

import pytest

from kimi_tui.cli.commands.flow_explain import explain
from kimi_tui.cli.main import main
from kimi_tui.flow import build_flow, read_mermaid

CHART = """flowchart TD
B([BEGIN]) --> test[Test ${ARGS}] -->|ok| look{Look at it}
test -->|failed| fix[Fix ${test.output}] --> test
look -->|yes| gate{Ship ${look.why}, not ${fix.text}?}
look -->|no| fix
gate -->|yes| route{How?} -->|fast| E([END])
route -->|else| wait[Wait] --> wait2[More] --> E2([END])
gate -->|no| fix
test@{ run: "make -s test", timeout: 1m }
look@{ out: "why: text, how: fast | slow" }
gate@{ ask: human, timeout: 1d, default: no }
route@{ on: "${look.how}" }
wait@{ model: big }
"""


def explained(chart=CHART):
    return {section.title: section.lines for section in explain(build_flow(read_mermaid(chart)))}


def test_what_runs_without_a_model_is_apart_from_its_turns():
    told = explained()
    assert told["Without a model"] == (
        "test runs a command: make -s test", "gate asks the user; after 1d: no",
        "route compares ${look.how} with its branches",
    )  # fmt: skip
    assert told["Turns of the model"] == (
        "fix, wait2", "look: out: why: text, how: fast | slow", "wait: model: big",
    )  # fmt: skip


def test_each_decision_has_who_takes_it_and_its_branches():
    assert explained()["Decisions"] == (
        "test, by the exit status: ok → look, failed → fix",
        "look, by the model: yes → gate, no → fix",
        "gate, by the user: yes → route, no → fix",
        "route, by a value: fast → E, else → wait",
    )


def test_each_loop_has_its_ways_out():
    assert explained()["Loops"] == ("test, look, fix, gate; left at gate (yes)",)
    alone = explained("flowchart TD\nB([BEGIN]) --> d{ok?} -->|no| d\nd -->|yes| E([END])\nx[X] --> y[Y] --> x\n")
    assert alone["Loops"] == ("d; left at d (yes)", "x, y; never left")


def test_each_variable_has_its_reach():
    assert explained()["Variables"] == (
        "${ARGS}, from the start: read by test",
        "${test.output}, set by test: read by fix",
        "${look.why}, set by look: read by gate",
        "${fix.text}, set by fix: read by gate, empty until fix has run",
        "${look.how}, set by look: read by route",
    )


def test_what_other_readers_make_of_it_is_told():
    assert explained()["Other readers"] == (
        "Kimi CLI gives the labels of test to the model in place of their commands",
        "Kimi CLI lets the model choose at gate, route",
        "Mermaid, and so GitHub, draws the chart without the settings",
        "Kimi CLI accepts one END only; this chart has 2",
        "without effect in this version: model",
    )
    assert "Other readers" not in explained("flowchart TD\nB([BEGIN]) --> a[A] --> E([END])\n")


def test_the_command_prints_it_below_the_findings(tmp_path, capsys):
    (tmp_path / "a.mmd").write_text(CHART, "utf-8")
    (tmp_path / "b.mmd").write_text("flowchart TD\nnothing", "utf-8")
    assert main(["flow", "check", "--explain", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "    test, look, fix, gate; left at gate (yes)" in out
    assert out.count("  Loops") == 1


def test_it_is_text_only(tmp_path, capsys):
    assert main(["flow", "check", "--explain", "--format", "json", str(tmp_path)]) != 0
    assert "--explain needs --format text" in capsys.readouterr().err


@pytest.mark.parametrize("length", [1, 3_000])
def test_a_long_loop_is_found_too(length):
    nodes = " --> ".join(f"n{number}[N]" for number in range(length))
    chart = f"flowchart TD\nB([BEGIN]) --> {nodes} --> d{{ok?}}\nd -->|no| n0\nd -->|yes| E([END])\n"
    assert explained(chart)["Loops"][0].endswith("left at d (yes)")
