"""The reducer: what a recording of the Wire puts on the screen."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.flow.render.run_export import to_markdown
from kimi_tui.tools.core.tool import rejected
from kimi_tui.ui.tui.state.deltas import Appended, Delta, Finished, Replaced, Streamed, Truncated
from kimi_tui.ui.tui.state.flow_reducer import current_label, label_of
from kimi_tui.ui.tui.state.items import (
    AssistantItem,
    FlowHeaderItem,
    NoticeItem,
    RetryItem,
    SeparatorItem,
    SubagentItem,
    ThinkItem,
    ToolItem,
    UserItem,
)
from kimi_tui.ui.tui.state.ui_state import UiState
from kimi_tui.ui.tui.text.call_summary import call_summary
from kimi_tui.ui.tui.transcript.tool_cards import has_more
from kimi_tui.wire.codec import WireMessage, encode
from kimi_tui.wire.display import BriefBlock, TodoBlock, TodoItem
from kimi_tui.wire.events import (
    ApprovalResponse,
    CompactionBegin,
    CompactionEnd,
    Notification,
    PlanDisplay,
    StatusUpdate,
    StepBegin,
    StepInterrupted,
    StepRetry,
    SubagentEvent,
    TurnBegin,
    TurnEnd,
)
from kimi_tui.wire.flow_events import (
    FlowBegin,
    FlowDecision,
    FlowEdgeShape,
    FlowEnd,
    FlowNodeBegin,
    FlowNodeEnd,
    FlowNodeShape,
    FlowPaused,
    FlowResumed,
)
from kimi_tui.wire.merge import Merger
from kimi_tui.wire.parts import (
    FunctionBody,
    ImageURLPart,
    MediaURL,
    TextPart,
    ThinkPart,
    TokenUsage,
    ToolCall,
    ToolCallPart,
    ToolResult,
    ToolReturnValue,
)
from kimi_tui.wire.requests import ApprovalRequest, Question, QuestionOption, QuestionRequest


def call(call_id: str, name: str, arguments: str | None = None) -> ToolCall:
    return ToolCall(id=call_id, function=FunctionBody(name=name, arguments=arguments))


def result(call_id: str, *, is_error: bool = False, **fields: object) -> ToolResult:
    value = ToolReturnValue.model_validate({"is_error": is_error, **fields})
    return ToolResult(tool_call_id=call_id, return_value=value)


def folded(*messages: WireMessage) -> UiState:
    state = UiState()
    state.fold_all((float(at), message) for at, message in enumerate(messages))
    return state


FLOW = FlowBegin(
    run_id="r",
    name="release",
    source="mermaid",
    nodes=(
        FlowNodeShape(id="b", label="BEGIN", kind="begin"),
        FlowNodeShape(id="fix", label="Fix", kind="task"),
        FlowNodeShape(id="green", label="Green?", kind="decision"),
        FlowNodeShape(id="e", label="END", kind="end"),
    ),
    edges=(
        FlowEdgeShape(src="b", dst="fix"),
        FlowEdgeShape(src="fix", dst="green"),
        FlowEdgeShape(src="green", dst="fix", label="no"),
        FlowEdgeShape(src="green", dst="e", label="yes"),
    ),
    begin_id="b",
    end_id="e",
    max_moves=1000,
)

MESSAGES: tuple[WireMessage, ...] = (
    TurnBegin(user_input="fix it"),
    StepBegin(n=1),
    ThinkPart(think="hm"),
    ThinkPart(think=" well"),
    TextPart(text="\n"),
    TextPart(text="I look"),
    TextPart(text=" first."),
    call("1", "Shell", '{"comm'),
    ToolCallPart(arguments_part='and": "ls'),
    ToolCallPart(arguments_part=' -l"}'),
    result("1", output="a b", display=(BriefBlock(text="a b"),)),
    call("2", "Task", '{"subagent_name": "coder", "description": "x"}'),
    SubagentEvent(parent_tool_call_id="2", event=encode(call("3", "Grep", '{"pattern": "y"}'))),
    StepRetry(n=1, next_attempt=2, max_attempts=3, wait_s=1, error_type="E", status_code=429),
    StepBegin(n=2),
    StepInterrupted(),
    FLOW,
    FlowNodeBegin(run_id="r", node_id="fix", move=1),
    FlowDecision(run_id="r", node_id="green", choice="no", dst="fix"),
    FlowNodeEnd(run_id="r", node_id="fix", move=1, status="done", duration_s=1),
    FlowPaused(run_id="r", node_id="fix"),
    FlowEnd(run_id="r", status="finished", moves=1),
    StatusUpdate(context_usage=0.5, token_usage=TokenUsage(output=5)),
    TurnEnd(),
)


def mirror(state: UiState, deltas: list[Delta], items: list[object]) -> None:
    """What a pane does with the changes."""
    for delta in deltas:
        match delta:
            case Appended(key, item):
                assert key == len(items)
                items.append(item)
            case Replaced(key, item):
                items[key] = item
            case Streamed(key, text):
                item = items[key]
                assert isinstance(item, AssistantItem | ThinkItem)
                items[key] = type(item)(**{**_fields(item), "text": item.text + text})
            case Finished(key, duration):
                item = items[key]
                assert isinstance(item, AssistantItem | ThinkItem)
                more = {"duration_s": duration} if isinstance(item, ThinkItem) else {}
                items[key] = type(item)(**{**_fields(item), "done": True, **more})
            case Truncated(key):
                del items[key:]
            case _:
                pass


def _fields(item: AssistantItem | ThinkItem) -> dict[str, object]:
    return {name: getattr(item, name) for name in item.__dataclass_fields__}


messages = st.lists(st.sampled_from(MESSAGES), max_size=40)


@settings(deadline=None, max_examples=200)
@given(messages)
def test_the_changes_told_add_up_to_the_state(said: list[WireMessage]) -> None:
    state, items = UiState(), list[object]()
    for at, message in enumerate(said):
        mirror(state, state.fold(message, float(at)), items)
    assert tuple(items) == state.conversation.items
    mirror(state, state.settle(99.0), items)
    assert tuple(items) == state.conversation.items


@settings(deadline=None, max_examples=200)
@given(messages)
def test_merged_pieces_give_the_same_screen_as_single_ones(said: list[WireMessage]) -> None:
    merger = Merger[WireMessage]()
    whole = [message for piece in said for message in merger.add(piece)] + merger.flush()
    single, merged = UiState(), UiState()
    single.fold_all((0.0, message) for message in said)
    merged.fold_all((0.0, message) for message in whole)
    assert single.conversation.items == merged.conversation.items
    assert (single.turn, single.status, single.todo) == (merged.turn, merged.status, merged.todo)


@settings(deadline=None, max_examples=100)
@given(messages, st.integers(0, 40))
def test_a_recording_that_is_resumed_goes_on_as_if_it_had_never_ended(said: list[WireMessage], cut: int) -> None:
    live, resumed = UiState(), UiState()
    for at, message in enumerate(said):
        live.fold(message, float(at))
    timed = [(float(at), message) for at, message in enumerate(said)]
    resumed.fold_all(timed[:cut])
    for at, message in timed[cut:]:
        resumed.fold(message, at)
    assert live.conversation.items == resumed.conversation.items


def test_a_turn_shows_what_was_said_and_done() -> None:
    items = folded(*MESSAGES[:11]).conversation.items
    assert items[0] == UserItem("fix it")
    assert items[1] == ThinkItem("hm well", done=True, started=2.0, duration_s=2.0)
    assert items[2] == AssistantItem("I look first.", done=True)
    tool = items[3]
    assert isinstance(tool, ToolItem)
    assert (tool.headline, tool.state, tool.output, tool.duration_s) == ("ls -l", "ok", "a b", 3.0)


def test_a_retry_takes_back_what_the_failed_attempt_streamed() -> None:
    state = folded(
        TurnBegin(user_input="hi"),
        StepBegin(n=1),
        TextPart(text="half an ans"),
        StepRetry(n=1, next_attempt=2, max_attempts=3, wait_s=2, error_type="X", status_code=503),
    )
    _, retry = state.conversation.items
    assert retry == RetryItem("the service failed (503)", 2, 3, until=5.0)
    state.fold(TextPart(text="whole answer"), 6.0)
    assert state.conversation.items[1:] == (
        RetryItem("the service failed (503)", 2, 3, until=None),
        AssistantItem("whole answer"),
    )


def test_an_image_that_the_text_names_is_named_once() -> None:
    red = ImageURLPart(image_url=MediaURL(url="data:image/png;base64,AA", id="red.png"))
    state = folded(TurnBegin(user_input=[TextPart(text="see [image: red.png]"), red]), TurnBegin(user_input=[red]))
    users = [item for item in state.conversation.items if isinstance(item, UserItem)]
    assert [(item.text, item.chips) for item in users] == [("see [image: red.png]", ()), ("", ("red.png",))]


def test_the_attempts_of_a_step_are_one_line() -> None:
    first = StepRetry(n=1, next_attempt=2, max_attempts=3, wait_s=2, error_type="X", status_code=503)
    retries = [first, first.model_copy(update={"next_attempt": 3})]
    state = folded(TurnBegin(user_input="hi"), StepBegin(n=1), *retries)
    assert [item.attempt for item in state.conversation.items if isinstance(item, RetryItem)] == [3]
    state.fold(TextPart(text="an answer"), 6.0)
    state.fold(StepBegin(n=2), 7.0)
    state.fold(retries[0], 8.0)
    assert [item.attempt for item in state.conversation.items if isinstance(item, RetryItem)] == [3, 2]


def test_an_approval_makes_its_tool_wait_and_its_answer_lets_it_run() -> None:
    ask = ApprovalRequest(id="a", tool_call_id="1", sender="Shell", action="run command", description="ls")
    state = folded(TurnBegin(user_input="x"), StepBegin(n=1), call("1", "Shell", '{"command": "ls"}'), ask)
    assert list(state.approvals) == ["a"]
    assert isinstance(item := state.conversation.items[1], ToolItem)
    assert item.state == "waiting"
    state.fold(ApprovalResponse(request_id="a", response="approve"), 9.0)
    assert not state.approvals
    assert isinstance(item := state.conversation.items[1], ToolItem)
    assert (item.state, item.started) == ("running", 9.0)


def test_a_subagent_is_a_card_with_its_last_steps() -> None:
    inner = [call(str(n), "Grep", f'{{"pattern": "p{n}"}}') for n in range(6)]
    state = folded(
        call("t", "Task", '{"subagent_name": "coder", "description": "find it"}'),
        *(SubagentEvent(parent_tool_call_id="t", event=encode(one)) for one in inner),
        SubagentEvent(parent_tool_call_id="t", event=encode(result("5", is_error=True))),
    )
    card = state.conversation.items[0]
    assert isinstance(card, SubagentItem)
    assert (card.name, card.task, card.step_count) == ("coder", "find it", 6)
    assert [(step.text, step.state) for step in card.steps] == [
        ("Search  p2", "running"),
        ("Search  p3", "running"),
        ("Search  p4", "running"),
        ("Search  p5", "failed"),
    ]


def test_a_turn_within_a_flow_is_headed_by_its_node_and_visit() -> None:
    state = folded(
        TurnBegin(user_input="/flow:release"),
        FLOW,
        FlowNodeBegin(run_id="r", node_id="fix", move=1),
        TurnBegin(user_input="Fix"),
        TextPart(text="done"),
        TurnEnd(),
        FlowNodeEnd(run_id="r", node_id="fix", move=1, status="done", duration_s=2),
        FlowNodeBegin(run_id="r", node_id="green", move=2),
        FlowDecision(run_id="r", node_id="green", choice="no", dst="fix"),
        FlowNodeBegin(run_id="r", node_id="fix", move=3),
    )
    headers = [item for item in state.conversation.items if isinstance(item, FlowHeaderItem)]
    assert [(h.label, h.visit, h.note) for h in headers] == [
        ("release", 1, ""),
        ("Fix", 1, ""),
        ("Green?", 1, "chose no"),
        ("Fix", 2, ""),
    ]
    assert sum(isinstance(item, UserItem) for item in state.conversation.items) == 1
    assert state.flow.run is not None
    assert current_label(state.flow.run) == "Fix"


def test_the_todo_list_is_the_last_one_that_was_set() -> None:
    todo = (TodoItem(title="a", status="done"), TodoItem(title="b"))
    state = folded(call("1", "SetTodoList", "{}"), result("1", display=(TodoBlock(items=todo),)))
    assert state.todo == todo


def test_a_node_that_goes_on_after_a_pause_is_not_visited_twice() -> None:
    state = folded(
        FLOW,
        FlowNodeBegin(run_id="r", node_id="fix", move=1),
        FlowPaused(run_id="r", node_id="fix", reason="cancelled"),
        FlowNodeBegin(run_id="r", node_id="fix", move=1),
    )
    headers = [item for item in state.conversation.items if isinstance(item, FlowHeaderItem)]
    assert [header.visit for header in headers[1:]] == [1, 1]


def test_going_back_takes_the_turns_since_then_out_of_the_conversation() -> None:
    state = UiState()
    for at, text in ((10.0, "one"), (20.0, "two"), (30.0, "three")):
        state.fold(TurnBegin(user_input=text), at)
        state.fold(TextPart(text=f"answer to {text}"), at + 1)
        state.fold(TurnEnd(), at + 2)
    state.fold(rewound(since=19.5, conversation=True), 40.0)
    said = [item.text for item in state.conversation.items if isinstance(item, UserItem)]
    assert said == ["one"]
    assert isinstance(state.conversation.items[-1], SeparatorItem)


def test_going_back_with_files_only_leaves_the_conversation_as_it_is() -> None:
    state = UiState()
    state.fold(TurnBegin(user_input="one"), 10.0)
    state.fold(TurnEnd(), 11.0)
    state.fold(rewound(since=9.5, conversation=False), 40.0)
    assert isinstance(state.conversation.items[0], UserItem)


@pytest.mark.parametrize(
    ("since", "kept"), [(109.9, []), (19.9, ["one"]), (29.9, ["one", "two"]), (200.0, ["one", "two", "three"])]
)
def test_going_back_finds_its_turn_after_the_clock_was_set_back(since: float, kept: list[str]) -> None:
    state = UiState()
    for at, text in ((110.0, "one"), (20.0, "two"), (30.0, "three")):
        state.fold(TurnBegin(user_input=text), at)
        state.fold(TurnEnd(), at + 2)
    state.fold(rewound(since=since, conversation=True), 40.0)
    assert [item.text for item in state.conversation.items if isinstance(item, UserItem)] == kept


@pytest.mark.parametrize(
    ("end", "text"),
    [
        (CompactionEnd(), "conversation compacted · 1.0s"),
        (CompactionEnd(compacted=False), "conversation not compacted"),
    ],
)
def test_a_compaction_that_did_not_happen_is_not_shown_as_one(end: CompactionEnd, text: str) -> None:
    state = folded(TurnBegin(user_input="go"), StepBegin(n=1), CompactionBegin(), end)
    assert state.conversation.items[-1] == SeparatorItem("compaction", text)


def test_a_compaction_says_what_it_saved_and_how_long_it_took() -> None:
    state = UiState()
    state.fold(StatusUpdate(context_tokens=180_000), 1.0)
    state.fold(CompactionBegin(), 2.0)
    state.fold(StatusUpdate(context_tokens=12_000), 10.0)
    state.fold(CompactionEnd(), 10.2)
    assert state.conversation.items[-1] == SeparatorItem(
        "compaction", "conversation compacted · 180k → 12k tokens · 8.2s"
    )


def test_a_plan_is_said_once_under_a_card_with_its_file() -> None:
    shown = PlanDisplay(content="# Ship it\n\n1. Tag.", file_path="/home/me/plans/a.md")
    state = folded(
        TurnBegin(user_input="go"), StepBegin(n=1), call("1", "ExitPlanMode", '{"plan": "# Ship it"}'), shown
    )
    card, plan = state.conversation.items[1:]
    assert isinstance(card, ToolItem)
    assert card.headline == "a.md"
    assert plan == AssistantItem("# Ship it\n\n1. Tag.", done=True)


def rewound(*, since: float, conversation: bool) -> Notification:
    return Notification(
        id="n", category="system", type="rewind", source_kind="system", source_id="soul", title="Back", body="",
        severity="info", created_at=0.0, payload={"since": since, "conversation": conversation},
    )  # fmt: skip


def said_error() -> Notification:
    return Notification(
        id="1", category="system", type="X", source_kind="system", source_id="soul", title="It failed",
        body="no route to host", severity="error", created_at=0.0,
    )  # fmt: skip


INTERRUPTED = SeparatorItem("interrupted", "interrupted")


def test_a_run_that_the_user_stopped_says_once_that_it_stopped() -> None:
    begun = (FLOW, TurnBegin(user_input="x"), StepBegin(n=1), TextPart(text="half"))
    for reason, note in (("stopped by the user", "stopped · 1 move"), ("too many", "stopped · 1 move · too many")):
        end = folded(*begun, FlowEnd(run_id="r", status="stopped", moves=1, reason=reason)).conversation.items[-1]
        assert isinstance(end, FlowHeaderItem)
        assert re.sub(r" · (waited )?\d:\d\d", "", end.note) == note


def test_a_turn_that_was_interrupted_says_so_at_its_end() -> None:
    state = folded(TurnBegin(user_input="x"), StepBegin(n=1), TextPart(text="half an"), StepInterrupted())
    assert state.conversation.items[1:] == (AssistantItem("half an", done=True), INTERRUPTED)


@pytest.mark.parametrize(
    ("detail", "said"),
    [
        ("a tool was rejected", "flow paused: a tool was rejected · Fix"),
        ("plan mode is on", "flow paused: a tool was rejected · Fix (plan mode is on)"),
    ],
)
def test_a_pause_at_a_command_that_did_not_run_says_why(detail, said):
    begun = (FlowNodeBegin(run_id="r", node_id="fix", move=1),)
    state = folded(FLOW, *begun, FlowPaused(run_id="r", node_id="fix", reason="rejected", detail=detail))
    notices = [item for item in state.conversation.items if isinstance(item, NoticeItem)]
    assert [notice.text for notice in notices] == [said]


def test_what_tells_why_a_step_broke_off_stands_for_the_seam() -> None:
    begun = (TurnBegin(user_input="x"), StepBegin(n=1), TextPart(text="half"), StepInterrupted())
    assert INTERRUPTED not in folded(*begun, said_error()).conversation.items
    paused = folded(FLOW, *begun, FlowPaused(run_id="r", node_id="fix", reason="cancelled"))
    assert INTERRUPTED not in paused.conversation.items


def test_a_turn_whose_last_call_says_that_it_was_interrupted_does_not_say_it_again() -> None:
    begun = (TurnBegin(user_input="x"), StepBegin(n=1), call("1", "Shell", '{"command": "ls"}'))
    items = folded(*begun, StepInterrupted()).conversation.items
    assert isinstance(last := items[-1], ToolItem)
    assert last.state == "interrupted"
    assert INTERRUPTED in folded(*begun, result("1"), StepInterrupted()).conversation.items


def test_an_interrupted_turn_keeps_its_mark_when_a_later_one_fails() -> None:
    state = folded(TurnBegin(user_input="x"), StepInterrupted(), TurnBegin(user_input="y"), said_error())
    assert state.conversation.items[1] == INTERRUPTED


def test_a_cancel_while_a_tool_waits_for_approval_is_no_rejection() -> None:
    ask = ApprovalRequest(id="a", tool_call_id="1", sender="Shell", action="run command", description="ls")
    state = folded(
        TurnBegin(user_input="x"),
        StepBegin(n=1),
        call("1", "Shell", '{"command": "ls"}'),
        ask,
        ApprovalResponse(request_id="a", response="reject"),
        StepInterrupted(),
    )
    assert isinstance(item := state.conversation.items[1], ToolItem)
    assert item.state == "interrupted"


def test_a_todo_list_that_was_worked_off_goes_when_something_else_begins() -> None:
    done = (
        call("1", "SetTodoList", "{}"),
        result("1", display=(TodoBlock(items=(TodoItem(title="a", status="done"),)),)),
    )
    assert folded(*done, FLOW).todo == folded(*done, TurnBegin(user_input="next")).todo == ()
    left = (call("1", "SetTodoList", "{}"), result("1", display=(TodoBlock(items=(TodoItem(title="a"),)),)))
    assert folded(*left, FLOW).todo == folded(*left, TurnBegin(user_input="next")).todo == (TodoItem(title="a"),)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ('{"path": ".", "pattern": "def "}', "def"),
        ('{"questions": [{"options": [{"description": "a server"}], "question": "Which?"}]}', "Which?"),
        ('{"plan": "# Split the cache\\n\\n1. one", "options": [{"description": "small"}]}', "Split the cache"),
    ],
)
def test_a_card_is_named_by_the_argument_that_says_most(arguments: str, named: str) -> None:
    assert call_summary(arguments) == named


def test_a_branch_chosen_by_hand_at_a_node_without_a_turn_has_a_header_of_its_own() -> None:
    state = UiState()
    begin = FlowBegin(
        run_id="r", name="f", source="mermaid",
        nodes=(
            FlowNodeShape(id="B", label="B", kind="begin"), FlowNodeShape(id="A", label="Fix it", kind="task"),
            FlowNodeShape(id="D", label="Green?", kind="decision"), FlowNodeShape(id="E", label="E", kind="end"),
        ),
        edges=(FlowEdgeShape(src="B", dst="A"), FlowEdgeShape(src="A", dst="D"),
               FlowEdgeShape(src="D", dst="E", label="yes"), FlowEdgeShape(src="D", dst="A", label="no")),
        begin_id="B", end_id="E", max_moves=9,
    )  # fmt: skip
    for message in (
        begin,
        FlowNodeBegin(run_id="r", node_id="A", move=1),
        FlowNodeEnd(run_id="r", node_id="A", move=1, status="done", duration_s=1.0, steps=1),
        FlowPaused(run_id="r", node_id="D", reason="breakpoint"),
        FlowResumed(run_id="r", node_id="D", reason="breakpoint"),
        FlowDecision(run_id="r", node_id="D", choice="yes", dst="E", by="user"),
    ):
        state.fold(message, 1.0)
    notes = {item.label: item.note for item in state.conversation.items if isinstance(item, FlowHeaderItem)}
    assert notes["Fix it"] == ""
    assert notes["Green?"] == "you chose yes"


def test_a_branch_that_nobody_chose_in_time_is_called_so() -> None:
    state = folded(
        FLOW,
        FlowNodeBegin(run_id="r", node_id="green", move=1),
        FlowDecision(run_id="r", node_id="green", choice="no", dst="fix", by_default=True),
    )
    notes = {item.label: item.note for item in state.conversation.items if isinstance(item, FlowHeaderItem)}
    assert notes["Green?"] == "no answer in time: no"
    assert state.flow.run is not None
    assert "green → **no** → fix (no answer in time)" in to_markdown(state.flow.run)


def test_nodes_whose_short_names_are_the_same_keep_their_whole_names() -> None:
    nodes = [
        FlowNodeShape(id=key, label=label, kind="task")
        for key, label in (("a", "Review: the tests"), ("b", "Review: the texts"), ("c", "Ship: make release"))
    ]
    begin = FlowBegin(
        run_id="r", name="f", source="mermaid", nodes=tuple(nodes), edges=(), begin_id="B", end_id="E", max_moves=9
    )
    assert [label_of(begin, node.id) for node in nodes] == ["Review: the tests", "Review: the texts", "Ship"]


def test_a_gate_is_no_notice_beside_its_header_but_its_cause_is() -> None:
    begun = (FlowNodeBegin(run_id="r", node_id="D", move=1),)
    for detail, notices in ((None, 0), ("no branch in the answer", 1)):
        state = folded(FLOW, *begun, FlowPaused(run_id="r", node_id="D", reason="choice", detail=detail))
        assert sum(isinstance(item, NoticeItem) for item in state.conversation.items) == notices


def test_a_node_that_begins_again_says_whether_its_turn_failed_or_named_no_branch() -> None:
    begun, again = (FlowNodeBegin(run_id="r", node_id="D", move=1, attempt=number) for number in (1, 2))
    failed = FlowNodeEnd(run_id="r", node_id="D", move=1, status="failed", duration_s=1.0)
    cases = (
        ((), "asked again: no branch in the answer (attempt 2)"),
        ((failed,), "tried again (attempt 2)"),
    )
    for between, told in cases:
        state = folded(FLOW, begun, *between, again)
        assert [item.text for item in state.conversation.items if isinstance(item, NoticeItem)] == [told]


def test_a_rejection_without_words_is_no_more_than_its_state() -> None:
    state = folded(StepBegin(n=1), call("1", "Shell", "{}"), ToolResult(tool_call_id="1", return_value=rejected(None)))
    assert isinstance(item := state.conversation.items[0], ToolItem)
    assert (item.state, item.message, item.blocks) == ("rejected", "", ())
    assert not has_more(item)


def test_a_call_that_asks_the_user_waits_and_its_clock_stands_still() -> None:
    question = Question(question="Which?", options=(QuestionOption(label="a"), QuestionOption(label="b")))
    asked = QuestionRequest(id="q", tool_call_id="1", questions=(question,))
    state = folded(StepBegin(n=1), call("1", "AskUserQuestion", "{}"), asked)
    assert isinstance(item := state.conversation.items[0], ToolItem)
    assert (item.state, item.started) == ("waiting", None)


def test_the_card_of_a_servers_tool_has_the_first_text_of_its_arguments() -> None:
    for name, headline in (("mcp__weather__forecast", "Berlin, now"), ("Think", "")):
        body = FunctionBody(name=name, arguments='{"days": 3, "city": "Berlin,\\nnow", "unit": "C"}')
        state = folded(ToolCall(id="c", function=body))
        card = state.conversation.items[-1]
        assert isinstance(card, ToolItem)
        assert card.headline == headline
