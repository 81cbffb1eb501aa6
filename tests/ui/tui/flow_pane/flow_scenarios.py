"""Recordings of the Wire that put the flow pane into each of its states."""

from kimi_tui.flow import build_flow, read_mermaid
from kimi_tui.flow.model.graph import Flow
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import StepBegin, StepRetry, TurnBegin, TurnEnd
from kimi_tui.wire.flow_events import (
    FlowBegin,
    FlowControls,
    FlowDecision,
    FlowEdgeShape,
    FlowEnd,
    FlowNodeBegin,
    FlowNodeEnd,
    FlowNodeShape,
    FlowPaused,
)
from kimi_tui.wire.parts import TextPart, TokenUsage
from kimi_tui.wire.requests import ApprovalRequest, Question, QuestionOption, QuestionRequest
from tests.ui.tui import wire_scenarios

NESTED = """flowchart TD
    B([BEGIN]) --> plan[Draft a plan]
    plan --> ok{Plan approved?}
    ok -->|yes| edit[Edit the files]
    ok -->|no| plan
    edit --> lint[Lint]
    lint --> clean{Clean?}
    clean -->|no| edit
    clean -->|yes| test[Run the tests]
    test --> pass{Tests pass?}
    pass -->|flaky| test
    pass -->|fail| fix[Fix the failures]
    pass -->|pass| review[Review yourself]
    fix --> edit
    review --> E([END])
"""
CHINESE = """flowchart TD
    B([BEGIN]) --> a[阅读失败的测试，找出根本原因]
    a --> b[修复代码，并补充单元测试]
    b --> c{测试全部通过了吗？}
    c -->|没有通过| b
    c -->|全部通过| d[撰写发布说明，打标签]
    d --> E([END])
"""


def wide_chart(count: int) -> str:
    """A chart of about so many nodes: stages of four tasks side by side, each with a decision that may go back."""
    lines = ["flowchart TD", "    B([BEGIN]) --> s0{Stage 1: which part?}"]
    driver, nodes = 0, 3
    while nodes < count:
        names = [f"n{driver}_{number}" for number in range(4)]
        for number, name in enumerate(names):
            lines.append(f"    s{driver} -->|part {number + 1}| {name}[Do part {number + 1} of stage {driver + 1}]")
            lines.append(f"    {name} --> s{driver + 1}")
        lines.append(f"    s{driver + 1}{{Stage {driver + 2}: which part?}}")
        lines.append(f"    s{driver + 1} -->|back| s{driver}")
        driver, nodes = driver + 1, nodes + 5
    lines.append(f"    s{driver} -->|done| E([END])")
    return "\n".join(lines) + "\n"


def begin_of(text: str, *, name: str = "release") -> FlowBegin:
    flow = build_flow(read_mermaid(text))
    return FlowBegin(
        run_id="run",
        name=name,
        source="mermaid",
        nodes=tuple(FlowNodeShape(id=one.id, label=one.title, kind=one.kind.value) for one in flow.nodes.values()),
        edges=tuple(FlowEdgeShape(src=edge.src, dst=edge.dst, label=edge.label) for edge in flow.edges),
        begin_id=flow.begin_id,
        end_id=flow.end_id,
        max_moves=1000,
    )


def flow_of_text(text: str) -> Flow:
    return build_flow(read_mermaid(text))


def done(node_id: str, move: int, *, seconds: float = 12.0, status: str = "done") -> list[WireMessage]:
    """A node's visit, from its begin to its end."""
    return [
        FlowNodeBegin(run_id="run", node_id=node_id, move=move),
        TurnBegin(user_input=node_id),
        StepBegin(n=1),
        TextPart(text=f"I did what {node_id} asks for."),
        TurnEnd(),
        FlowNodeEnd.model_validate(
            {
                "run_id": "run", "node_id": node_id, "move": move, "status": status, "duration_s": seconds, "steps": 1,
                "token_usage": TokenUsage(input_other=1_800, output=300),
            }
        ),
    ]  # fmt: skip


def choice(node_id: str, label: str, dst: str, by: str = "model") -> FlowDecision:
    return FlowDecision.model_validate({"run_id": "run", "node_id": node_id, "choice": label, "dst": dst, "by": by})


def running(node_id: str, move: int) -> list[WireMessage]:
    return [
        FlowNodeBegin(run_id="run", node_id=node_id, move=move),
        TurnBegin(user_input=node_id),
        StepBegin(n=1),
    ]


def nested() -> list[WireMessage]:
    """Two loops were gone, one branch was taken by a user, and a decision is under way."""
    return [
        TurnBegin(user_input="/flow:release"),
        begin_of(NESTED),
        *done("plan", 1),
        *done("ok", 2),
        choice("ok", "no", "plan"),
        *done("plan", 3),
        *done("ok", 4),
        choice("ok", "yes", "edit", by="user"),
        *done("edit", 5),
        *done("lint", 6),
        *done("clean", 7),
        choice("clean", "yes", "test"),
        *done("test", 8, seconds=140),
        *running("pass", 9),
    ]


def chinese_flow() -> list[WireMessage]:
    return [
        TurnBegin(user_input="/flow:发布"),
        begin_of(CHINESE, name="发布"),
        *done("a", 1),
        *done("b", 2),
        *done("c", 3),
        choice("c", "没有通过", "b"),
        *running("b", 4),
    ]


def large(count: int = 40) -> list[WireMessage]:
    found: list[WireMessage] = [TurnBegin(user_input="/flow:release"), begin_of(wide_chart(count))]
    for driver in range(3):
        found += [*done(f"s{driver}", 2 * driver + 1), choice(f"s{driver}", "part 2", f"n{driver}_1")]
        found += done(f"n{driver}_1", 2 * driver + 2)
    return [*found, *running("s3", 7)]


def large_200() -> list[WireMessage]:
    return large(200)


def retrying() -> list[WireMessage]:
    return [
        *wire_scenarios.flow_at_decision()[:-1],
        StepRetry(n=1, next_attempt=2, max_attempts=4, wait_s=12, error_type="status", status_code=529),
    ]


def approving() -> list[WireMessage]:
    return [
        *wire_scenarios.flow_at_decision(),
        ApprovalRequest(
            id="ask", tool_call_id="g", sender="Shell", action="run command", description="Run pytest", display=()
        ),
    ]  # fmt: skip


def asking() -> list[WireMessage]:
    options = (QuestionOption(label="The first"), QuestionOption(label="The second"))
    question = Question(question="Which of the two caches is meant?", header="Cache", options=options)
    return [*wire_scenarios.flow_at_decision(), QuestionRequest(id="ask", tool_call_id="g", questions=(question,))]


def steered() -> list[WireMessage]:
    """Breakpoints, a branch chosen in advance, an edited prompt, and a pause."""
    return [
        *wire_scenarios.flow_at_decision()[:-4],
        FlowControls(
            run_id="run", breakpoints=("tag", "fix"), chosen={"green": "yes"}, edited=("tag",), ask=("green",)
        ),
        FlowPaused(run_id="run", node_id="green", reason="step"),
    ]


def at_breakpoint() -> list[WireMessage]:
    yes = choice("green", "yes", "tag", by="user")
    return [
        *wire_scenarios.flow_at_decision()[:-4],
        *done("green", 5),
        yes,
        FlowControls(run_id="run", breakpoints=("tag",)),
        FlowPaused(run_id="run", node_id="tag", reason="breakpoint"),
    ]


def suggested() -> list[WireMessage]:
    """The model named a branch, and a user is asked to confirm it."""
    return [
        *wire_scenarios.flow_at_decision()[:-1],
        TextPart(text="All twelve pass.\n\n<choice>yes</choice>"),
        TurnEnd(),
        FlowControls(run_id="run", ask="always"),
        FlowPaused(run_id="run", node_id="green", reason="choice", suggested="yes", detail="you asked to confirm it"),
    ]


def failed() -> list[WireMessage]:
    return [
        *wire_scenarios.flow_at_decision()[:-1],
        FlowNodeEnd(run_id="run", node_id="green", move=5, status="failed", duration_s=4.0, steps=1),
        FlowEnd(run_id="run", status="failed", moves=5, reason="the service refused the key"),
        TurnEnd(),
    ]
