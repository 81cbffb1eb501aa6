"""Recordings of the Wire that put the screen into its main states."""

from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.display import BriefBlock, DiffBlock, ShellBlock, TodoBlock, TodoItem
from kimi_tui.wire.events import Notification, StatusUpdate, StepBegin, TurnBegin, TurnEnd
from kimi_tui.wire.flow_events import (
    FlowBegin,
    FlowDecision,
    FlowEdgeShape,
    FlowEnd,
    FlowNodeBegin,
    FlowNodeEnd,
    FlowNodeShape,
    FlowPaused,
)
from kimi_tui.wire.parts import (
    FunctionBody,
    TextPart,
    ThinkPart,
    TokenUsage,
    ToolCall,
    ToolResult,
    ToolReturnValue,
)
from kimi_tui.wire.requests import ApprovalRequest

Timed = tuple[float, WireMessage]


def call(call_id: str, name: str, arguments: str) -> ToolCall:
    return ToolCall(id=call_id, function=FunctionBody(name=name, arguments=arguments))


def result(call_id: str, output: str = "", *blocks: object, is_error: bool = False) -> ToolResult:
    value = ToolReturnValue.model_validate({"is_error": is_error, "output": output, "display": blocks})
    return ToolResult(tool_call_id=call_id, return_value=value)


def usage(tokens: int) -> StatusUpdate:
    return StatusUpdate(
        context_usage=tokens / 256_000,
        context_tokens=tokens,
        max_context_tokens=256_000,
        token_usage=TokenUsage(input_other=tokens, output=300),
    )


RELEASE = FlowBegin(
    run_id="run",
    name="release",
    source="mermaid",
    nodes=(
        FlowNodeShape(id="b", label="BEGIN", kind="begin"),
        FlowNodeShape(id="look", label="Look at the failing test", kind="task"),
        FlowNodeShape(id="fix", label="Fix it", kind="task"),
        FlowNodeShape(id="green", label="Green?", kind="decision"),
        FlowNodeShape(id="tag", label="Write the notes and tag", kind="task"),
        FlowNodeShape(id="e", label="END", kind="end"),
    ),
    edges=(
        FlowEdgeShape(src="b", dst="look"),
        FlowEdgeShape(src="look", dst="fix"),
        FlowEdgeShape(src="fix", dst="green"),
        FlowEdgeShape(src="green", dst="fix", label="no"),
        FlowEdgeShape(src="green", dst="tag", label="yes"),
        FlowEdgeShape(src="tag", dst="e"),
    ),
    begin_id="b",
    end_id="e",
    max_moves=1000,
)
OLD = "def read(path):\n    data = open(path).read()\n    return data\n"
NEW = 'def read(path):\n    with open(path, encoding="utf-8") as file:\n        return file.read()\n'


def todo(done: int) -> TodoBlock:
    titles = ("reproduce", "fix", "tag", "notes")
    return TodoBlock(
        items=tuple(
            TodoItem(title=title, status="done" if i < done else "in_progress" if i == done else "pending")
            for i, title in enumerate(titles)
        )
    )


def timed(messages: list[WireMessage], start: float, step: float = 0.7) -> list[Timed]:
    return [(start + step * index, message) for index, message in enumerate(messages)]


def streaming() -> list[WireMessage]:
    return [
        TurnBegin(user_input="fix the flaky test and tell me why it failed"),
        StepBegin(n=1),
        ThinkPart(think="The test reads a file that another one writes. I should look at the order."),
        TextPart(
            text="I'll look at the test first.\n\n## What I know\n\n- it fails *sometimes*, never alone\n"
            "- `tests/test_io.py` shares a file with another test\n\n```python\ndef read(path):\n"
            "    return open(path).read()\n```\n\nSo the order of the tests dec"
        ),
        usage(31_000),
    ]


def tool_running() -> list[WireMessage]:
    return [
        TurnBegin(user_input="fix the flaky test"),
        StepBegin(n=1),
        TextPart(text="I'll look at the test first."),
        call("1", "Shell", '{"command": "pytest -x tests/test_io.py"}'),
        result("1", "1 failed", BriefBlock(text="1 failed"), is_error=True),
        call("2", "StrReplaceFile", '{"path": "src/io.py"}'),
        result("2", "", DiffBlock(path="src/io.py", old_text=OLD, new_text=NEW)),
        call("0", "SetTodoList", "{}"),
        result("0", "", todo(1)),
        usage(33_000),
        StepBegin(n=2),
        call("3", "Shell", '{"command": "make check"}'),
    ]


def approval(
    command: str = "git push origin v1.2", scope: str | None = "`git push origin` with safe options"
) -> list[WireMessage]:
    return [
        *tool_running()[:-1],
        call("3", "Shell", '{"command": "git push origin v1.2"}'),
        ApprovalRequest(
            id="ask",
            tool_call_id="3",
            sender="Shell",
            action="run command",
            description=f"Run command `{command}`",
            display=(ShellBlock(command=command),),
            scope=scope,
        ),
    ]


def node(node_id: str, move: int, *within: WireMessage) -> list[WireMessage]:
    label = next(shape.label for shape in RELEASE.nodes if shape.id == node_id)
    return [
        FlowNodeBegin(run_id="run", node_id=node_id, move=move),
        TurnBegin(user_input=label),
        StepBegin(n=1),
        *within,
        usage(20_000 + 1_500 * move),
        TurnEnd(),
        FlowNodeEnd(
            run_id="run", node_id=node_id, move=move, status="done", duration_s=12.0, steps=1,
            token_usage=TokenUsage(input_other=2_000, output=300),
        ),
    ]  # fmt: skip


def flow_at_decision() -> list[WireMessage]:
    listed = result("t", "", todo(1))
    edited = result("e", "", DiffBlock(path="src/io.py", old_text=OLD, new_text=NEW))
    no = FlowDecision(run_id="run", node_id="green", choice="no", dst="fix")
    return [
        TurnBegin(user_input="/flow:release"),
        RELEASE,
        *node("look", 1, TextPart(text="One test fails, `test_reads`."), call("t", "SetTodoList", "{}"), listed),
        *node("fix", 2, call("e", "StrReplaceFile", '{"path": "src/io.py"}'), edited),
        *node("green", 3, TextPart(text="Still one failure.\n\n<choice>no</choice>")),
        no,
        *node("fix", 4, TextPart(text="The cache was stale; now it is cleared.")),
        FlowNodeBegin(run_id="run", node_id="green", move=5),
        TurnBegin(user_input="Green?"),
        StepBegin(n=1),
        call("g", "Shell", '{"command": "pytest"}'),
    ]  # fmt: skip


def flow_done() -> list[WireMessage]:
    yes = FlowDecision(run_id="run", node_id="green", choice="yes", dst="tag")
    return [
        *flow_at_decision(),
        result("g", "12 passed", BriefBlock(text="12 passed")),
        TextPart(text="All twelve pass.\n\n<choice>yes</choice>"),
        TurnEnd(),
        FlowNodeEnd(run_id="run", node_id="green", move=5, status="done", duration_s=4.0, steps=1),
        yes,
        *node("tag", 6, TextPart(text="Tagged **v1.2**."), call("t2", "SetTodoList", "{}"), result("t2", "", todo(4))),
        FlowEnd(run_id="run", status="finished", moves=6),
        TurnEnd(),
    ]  # fmt: skip


def flow_asks() -> list[WireMessage]:
    return [
        *flow_at_decision(),
        result("g", "12 passed", BriefBlock(text="12 passed")),
        TextPart(text="I cannot tell: the tests pass, but one was skipped."),
        TurnEnd(),
        FlowPaused(run_id="run", node_id="green", reason="choice", detail="no branch in the answer"),
    ]


def error() -> list[WireMessage]:
    return [
        TurnBegin(user_input="hello"),
        StepBegin(n=1),
        Notification(
            id="n", category="system", type="ProviderAuthError", source_kind="system", source_id="soul",
            title="The model request failed", severity="error", created_at=0.0,
            body="401 from https://api.example.com/v1: the key was refused; set another with KIMI_API_KEY",
        ),
        TurnEnd(),
    ]  # fmt: skip


def chinese() -> list[WireMessage]:
    return [
        TurnBegin(user_input="修复不稳定的测试，然后发布新版本"),
        StepBegin(n=1),
        TextPart(
            text="我先看一下测试。\n\n## 发现\n\n"
            "- 测试之间共享同一个文件（`tests/test_io.py`），所以结果取决于运行顺序。\n"
            "- 修复方法：每个测试使用自己的临时目录。\n\n| 文件 | 修改 |\n| --- | --- |\n| 读取 | 使用 `with` 语句 |\n"
        ),
        call("1", "Shell", '{"command": "pytest -k 读取"}'),
        result("1", "通过"),
        usage(12_000),
    ]
