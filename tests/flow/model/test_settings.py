"""Settings of nodes and flows: reading, checking against the chart, and writing."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.errors import FlowError, FlowParseError
from kimi_tui.flow import build_flow, read_chart, read_mermaid
from kimi_tui.flow.model.settings import INACTIVE_NODE_KEYS, NODE_KEYS, NodeSettings
from kimi_tui.flow.model.validation import diagnostics, lint
from kimi_tui.flow.parsing.d2.parser import read_d2
from kimi_tui.flow.render.source_writer import to_mermaid
from kimi_tui.formats import parse_duration
from tests.flow.d2_writer import to_d2

CHART = (
    "flowchart TD",
    "B([BEGIN]) --> work[Work on ${ARGS}.]",
    "work --> check{Is it good?}",
    "check -->|yes| E([END])",
    "check -->|no| work",
)


def mermaid(*lines, chart=CHART):
    return read_mermaid("\n".join((*chart, *lines)))


def node(name, *lines, chart=CHART):
    return build_flow(mermaid(*lines, chart=chart)).nodes[name].settings


def flaws(*lines, chart=CHART):
    return [(flaw.line, flaw.column, flaw.cause) for flaw in diagnostics(mermaid(*lines, chart=chart))]


def warnings(*lines, chart=CHART):
    texts = [(note.line, note.column, note.text) for note in lint(mermaid(*lines, chart=chart))]
    return [note for note in texts if not note[2].endswith("has no effect yet")]


def test_a_block_gives_a_node_its_settings():
    read = node("work", 'work@{ timeout: "10m", retries: 2 }')
    assert (read.timeout, read.retries) == (600.0, 2)
    assert dict(read.written) == {"timeout": "10m", "retries": "2"}


def test_mermaids_own_keys_beside_settings_keep_their_meaning():
    chart = mermaid('work@{ shape: hex, label: "Do it", retries: 1 }')
    (work,) = (one for one in chart.nodes if one.id == "work")
    assert (work.shape, work.label) == ("hex", "Do it")
    assert [setting.key for setting in work.settings] == ["retries"]


def test_several_blocks_merge_and_the_last_value_counts_with_a_warning():
    lines = ("work@{ retries: 1, timeout: 1m }", "work@{ retries: 3 }")
    read = node("work", *lines)
    assert (read.retries, read.timeout) == (3, 60.0)
    assert warnings(*lines) == [(7, 8, "`work` has `retries` more than once; the last one counts")]


def test_a_chart_without_settings_has_the_same_flow_as_before():
    flow = build_flow(mermaid())
    assert all(one.settings == NodeSettings() for one in flow.nodes.values())


def test_the_settings_of_an_edge_are_not_those_of_a_node():
    chart = mermaid("work e1@--> E", "e1@{ animate: true }", chart=CHART[:2])
    assert {one.id for one in chart.nodes} == {"B", "work", "E"}


def test_an_unknown_key_is_a_warning_with_the_nearest_one_at_its_place():
    assert warnings("  work@{ shape: hex, retires: 2 }") == [
        (6, 22, "the setting `retires` is unknown and ignored; did you mean `retries`?")
    ]
    assert warnings("work@{ zzqx: 2 }") == [(6, 8, "the setting `zzqx` is unknown and ignored")]


@pytest.mark.parametrize(
    ("line", "column", "says"),
    [
        ("work@{ timeout: 10 }", 8, "`90s`, `10m`, `2h`"),
        ("work@{ timeout: soon }", 8, "`90s`, `10m`, `2h`"),
        ("work@{ timeout: 400d }", 8, "at most a year"),
        ("work@{ retries: many }", 8, "a whole number from 0 to 10"),
        ("work@{ retries: 11 }", 8, "a whole number from 0 to 10"),
        ("work@{ retries: }", 8, "it has no value"),
        ("work@{ retries }", 8, "it has no value"),
        ("work@{ retries:3 }", 8, "a space after the colon"),
        ("check@{ ask: humn }", 9, "did you mean `human`?"),
        ("work@{ context: forks }", 8, "did you mean `fork`?"),
        ("work@{ in: wood }", 8, "allowed: `worktree`"),
        ('work@{ tools: "ReadFile ${ARGS}" }', 8, "variables are not allowed here"),
        ('work@{ model: "${check.text}" }', 8, "variables are not allowed here"),
        ('work@{ flow: "${check.text}" }', 8, "variables are not allowed here"),
        ('work@{ timeout: "${ARGS}" }', 8, "write a time like"),
        ('work@{ out: "severity" }', 8, "write fields like"),
        ('work@{ out: "a: list" }', 8, "the type of `a`"),
        ('work@{ out: "a: text, a: int" }', 8, "is listed twice"),
        ('work@{ out: "status: int" }', 8, "a field that every node has"),
        ('work@{ run: "a\\nb" }', 8, "on one line"),
        ("B@{ retries: 1 }", 5, "BEGIN does not run anything"),
        ('work@{ run: "true", flow: other }', 21, "either `run` or `flow`"),
        ('work@{ run: "true", out: "a: text" }', 21, "this node has `run`"),
        ('work@{ run: "true", model: big }', 21, "this node has `run`"),
        ("work@{ ask: human }", 8, "for a decision"),
        ('work@{ args: "x" }', 8, "`args` needs `flow`"),
        ("work@{ max: 3 }", 8, "`max` needs `each`"),
        ("check@{ ask: human, default: yes }", 21, "`default` needs `timeout`"),
        ("check@{ ask: human, timeout: 1h, default: maybe }", 34, "`yes`, `no`, `park`"),
        ("check@{ ask: human, retries: 1 }", 21, "`retries` has no effect"),
        ("check@{ on: work }", 9, "needs a variable"),
        ('check@{ each: "${work.text}" }', 9, "a decision cannot have"),
        ('check@{ on: "${nowhere.text}" }', 9, "the chart has no node `nowhere`"),
        ('check@{ on: "${work.status}" }', 9, "is never set; `work` has `text`"),
        ('check@{ on: "${item}" }', 9, "only in a node with `each`"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_an_error_at_its_key_that_says_what_to_write(line, column, says):
    found = flaws(line)
    assert [(at, col) for at, col, _ in found] == [(6, column)]
    assert says in found[0][2]


def test_a_label_with_a_field_that_a_node_never_sets_is_an_error():
    chart = (*CHART[:3], "check -->|yes| say[Read ${check.output}]", "check -->|no| work", "say --> E([END])")
    assert [(line, "is never set" in cause) for line, _, cause in flaws(chart=chart)] == [(4, True)]


@pytest.mark.parametrize("setting", ["ask: human", 'on: "${work.text}"'])
def test_a_variable_of_a_decision_without_a_turn_is_an_error(setting):
    chart = (*CHART[:3], "check -->|yes| say[Read ${check.text}]", "check -->|no| work", "say --> E([END])")
    assert flaws(chart=chart) == []
    assert flaws(chart=(*chart, f"check@{{ {setting} }}")) == [(4, 16, "`${check.text}`: `check` has no values")]


def test_a_label_with_other_braces_stays_a_text():
    chart = (*CHART[:1], "B([BEGIN]) --> a[Print ${user.name} in the page]", "a --> E([END])")
    assert flaws(chart=chart) == []
    assert warnings(chart=chart) == []


@pytest.mark.parametrize(
    ("branches", "line", "says"),
    [
        (("-->",), None, ""),
        (("-->|ok|",), None, ""),
        (("-->|else|",), None, ""),
        (("-->|ok|", "-->|failed|"), None, ""),
        (("-->|ok|", "-->|else|"), None, ""),
        (("-->|0|", "-->|3|", "-->|else|"), None, ""),
        (("-->|0|", "-->|failed|"), None, ""),
        (("-->|failed|",), 4, "add `ok`"),
        (("-->|done|",), 4, "not `done`"),
        (("-->|ok|", "-->|broken|"), 5, "not `broken`"),
        (("-->|ok|", "-->|256|"), 5, "not `256`"),
        (("-->|ok|", "-->|007|"), 5, "not `007`"),
        (("-->|ok|", "-->|0|", "-->|failed|"), 5, "overlaps"),
        (("-->|ok|", "-->|2|", "-->|failed|"), 6, "overlaps"),
        (("-->|ok|", "-->|2|"), 5, "add `else`"),
        (("-->|ok|", "-->|failed|", "-->|else|"), 6, "never taken"),
    ],
)
def test_the_branches_of_a_command_cover_each_status_once(branches, line, says):
    ways = [f"run{way} n{number}[Step]" for number, way in enumerate(branches)]
    ends = [f"n{number} --> E([END])" for number in range(len(branches))]
    chart = ("flowchart TD", 'run@{ run: "true" }', "B([BEGIN]) --> run", *ways, *ends)
    found = flaws(chart=chart)
    assert [at for at, _, _ in found] == ([] if line is None else [line])
    assert all(says in cause for _, _, cause in found)


def test_a_variable_that_is_not_set_on_every_way_is_a_warning():
    chart = (
        *("flowchart TD", "B([BEGIN]) --> a{Long?}", "a -->|yes| b[Write]", "a -->|no| c[Read ${b.text}]"),
        *("b --> c", "c --> E([END])", "b --> d", "b@{ retries: 1 }"),
    )
    chart = tuple(line for line in chart if line != "b --> d")
    assert [(line, text) for line, _, text in warnings(chart=chart)] == [
        (4, "`${b.text}` is empty when a run has not passed `b`")
    ]


def test_a_variable_of_a_node_that_runs_later_is_a_warning():
    chart = ("flowchart TD", "B([BEGIN]) --> a[Say ${b.text}]", "a --> b[Work]", "b --> E([END])")
    assert [(line, text) for line, _, text in warnings(chart=chart)] == [
        (2, "`${b.text}` is empty here: `b` runs later")
    ]


@pytest.mark.parametrize(
    ("found", "meant"),
    [
        ("${ARGS", "${ARGS}"),
        ("${args}", "${ARGS}"),
        ("${ ARGS }", "${ARGS}"),
        ("$ARGS", "${ARGS}"),
        ("${ARG}", "${ARGS}"),
        ("${a.text", "${a.text}"),
        ("${ a.text }", "${a.text}"),
    ],
)
def test_a_text_that_is_nearly_a_variable_is_a_warning(found, meant):
    chart = ("flowchart TD", "B([BEGIN]) --> a[Work]", f'a --> b["Say {found} now"]', "b --> E([END])")
    assert [(line, text) for line, _, text in warnings(chart=chart)] == [
        (3, f"`{found}` stays as written; did you mean `{meant}`?")
    ]


@pytest.mark.parametrize(
    "text", ["$${ARGS}", "${args.name}", "${ARGS_FILE}", "${argument}", "${b.size", "$args", "${x}", "${ARGS}"]
)
def test_other_texts_with_a_dollar_are_no_variables(text):
    chart = ("flowchart TD", "B([BEGIN]) --> a[Work]", f'a --> c["Say {text} now"]', "c --> E([END])")
    assert warnings(chart=chart) == []


def test_a_misspelled_node_of_a_variable_is_a_warning_in_a_chart_without_settings():
    chart = ("flowchart TD", "B([BEGIN]) --> test[Work]", 'test --> b["Say ${tset.text}"]', "b --> E([END])")
    assert [text for _, _, text in warnings(chart=chart)] == [
        "the chart has no node `tset`, so `${tset.text}` stays as written"
    ]


def test_an_item_in_a_label_without_each_is_a_warning():
    chart = ("flowchart TD", 'B([BEGIN]) --> a["Work on ${item}"]', "a --> E([END])")
    assert [text for _, _, text in warnings(chart=chart)] == ["`${item}` has a value only in a node with `each`"]


@pytest.mark.parametrize(
    ("ways", "warned"),
    [
        (("q -->|no| a", "a --> q"), True),
        (("q -->|no| q",), True),
        (("q -->|no| d{Done?}", "d -->|yes| E", "d -->|no| q"), False),
        (("q -->|no| E",), False),
    ],
)
def test_a_default_that_only_leads_back_to_its_question_is_a_warning(ways, warned):
    gate = 'q@{ ask: human, timeout: "1d", default: no }'
    chart = ("flowchart TD", "B([BEGIN]) --> q{Go on?}", "q -->|yes| E([END])", *ways, gate)
    assert [text for _, _, text in warnings(chart=chart)] == [
        "the default `no` leads back to this question: without an answer the run never ends"
    ] * warned


def test_a_time_to_answer_without_a_default_is_a_warning():
    assert warnings('check@{ ask: human, timeout: "1d" }') == [
        (6, 21, "`timeout` has no effect on a node with `ask` and no `default`")
    ]
    assert warnings('check@{ ask: human, timeout: "1d", default: park }') == []


def test_the_settings_of_a_group_are_a_warning():
    chart = ("flowchart TD", "B([BEGIN]) --> S", "subgraph S [Two]", "X --> Y", "end", "S --> E([END])")
    text = "`S` is a group, so its setting `run` has no effect"
    assert warnings('S@{ run: "ls" }', chart=chart) == [(7, 5, text)]
    source = "BEGIN -> S\nS: {\n  X -> Y\n}\nS -> END\nvars: { flow: { S: { run: ls } } }\n"
    assert [(note.line, note.text) for note in lint(read_d2(source))] == [(6, text)]


def test_a_setting_that_d2_has_twice_is_a_warning():
    source = "BEGIN -> a\na -> END\nvars: { flow: { a: { run: ls; run: pwd } } }\n"
    assert [note.text for note in lint(read_d2(source))] == ["`a` has `run` more than once; the last one counts"]


def test_an_unknown_tool_is_a_warning_which_names_only_a_tool_that_is_near():
    assert [text for _, _, text in warnings('work@{ tools: "ReadFiel Zzqx" }')] == [
        "`ReadFiel` is not a tool of kimi-tui; did you mean `ReadFile`?",
        "`Zzqx` is not a tool of kimi-tui",
    ]


def test_what_other_readers_make_of_a_block_is_a_warning():
    assert [text for _, _, text in warnings("work@{ retries: 1,\n  timeout: 1m }")] == [
        "Kimi CLI reads the settings of a node on one line only"
    ]
    notes = [text for _, _, text in warnings('work@{ run: "echo a -> b" }')]
    assert "Kimi CLI refuses a chart with an arrow such as `->` in a setting" in notes


def test_a_value_over_several_lines_is_an_error():
    with pytest.raises(FlowParseError, match="write the value of `run` on one line") as refused:
        mermaid('work@{ label: "a\n    b",\n  run: "true\n    false" }')
    assert (refused.value.line, refused.value.column) == (8, 3)


@pytest.mark.parametrize("key", sorted(INACTIVE_NODE_KEYS))
def test_a_setting_without_an_effect_yet_is_told(key):
    value = {"timeout": "1m", "retries": "1", "max": "2", "ask": "human", "context": "fork", "in": "worktree"}
    value |= {"out": "a: text", "on": "${work.text}", "each": "${work.text}"}
    texts = [note.text for note in lint(mermaid(f'check@{{ {key}: "{value.get(key, "name")}" }}'))]
    assert f"`{key}` is recognized but has no effect yet" in texts


def test_d2_keeps_settings_in_its_variables():
    text = """vars: {
  flow: {
    work: { retries: 2; timeout: 1m }
    nowhere: { retries: 1 }
  }
}
BEGIN -> work -> END
work: Do the work
"""
    chart = read_d2(text)
    assert build_flow(chart).nodes["work"].settings.retries == 2
    (setting, _) = next(one for one in chart.nodes if one.id == "work").settings
    assert (setting.line, setting.column) == (3, 13)
    assert "settings of `nowhere`, but the chart has no such node" in [note.text for note in lint(chart)]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("10m", 600), ("1h 30m", 5400), ("3d", 259_200), ("500ms", 0.5), ("1.5h", 5400)],
)
def test_times_are_read(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "10", "m", "-1m", "1 week", "1m2", "9" * 5000 + "s"])
def test_other_texts_are_no_times(text):
    assert parse_duration(text) is None


VALUES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1).map(str.strip)


@pytest.mark.parametrize("source", ["mermaid", "d2"])
@settings(derandomize=True, max_examples=150, deadline=None)
@given(command=VALUES.filter(bool) | st.text("a\"'\\{}#;,:$`<>|-%x22 ", min_size=1).map(str.strip).filter(bool))
def test_settings_that_are_written_come_back_equal(source, command):
    chart = mermaid('work@{ run: "true", retries: 3 }')
    nodes = tuple(one if one.id != "work" else _with(one, command.removeprefix("\ufeff") or "x") for one in chart.nodes)
    chart = type(chart)(chart.source, nodes, chart.edges)
    written = {"mermaid": to_mermaid, "d2": to_d2}[source](chart)
    again = read_chart(written, source)
    (work,) = (one for one in again.nodes if one.id == "work")
    assert {one.key: one.value for one in work.settings} == {
        one.key: one.value for one in next(one for one in nodes if one.id == "work").settings
    }


def _with(one, command):
    (run, retries) = one.settings
    return type(one)(one.id, one.label, settings=(type(run)(run.key, command, 1, 1), retries))


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(NODE_KEYS | {"shape", "x"})), st.text(max_size=20)), max_size=5))
def test_any_block_gives_a_chart_or_an_error_with_its_place(pairs):
    block = ", ".join(f'{key}: "{value}"' for key, value in pairs)
    places = [1]
    with contextlib.suppress(FlowError):
        chart = mermaid(f"work@{{ {block} }}")
        places = [note.line for note in lint(chart)] + [flaw.line for flaw in diagnostics(chart)]
    assert all(places)
