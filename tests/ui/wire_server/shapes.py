"""What may be said on the Wire, as its text has it: fields by name, `?` after those that may be absent.

`ours` is what the protocol of Kimi CLI does not have; a client gets it that says `supports_flow`.
"""

from typing import Any


def one_of(*values):
    return lambda value: value in values


def each(check):
    return lambda value: isinstance(value, list) and all(holds(check, item) for item in value)


def either(*checks):
    return lambda value: any(holds(check, value) for check in checks)


def holds(check, value: Any) -> bool:
    match check:
        case dict():
            return isinstance(value, dict) and not misfits(check, value)
        case type():
            return isinstance(value, check) and not (check in (int, float) and isinstance(value, bool))
        case _:
            return check(value)


def misfits(shape: dict[str, Any], value: dict[str, Any]) -> list[str]:
    """What is wrong with a payload: fields that are missing, unknown or of another kind."""
    known = {name.rstrip("?"): check for name, check in shape.items()}
    wrong = [f"{name} is missing" for name in shape if not name.endswith("?") and name not in value]
    wrong += [f"{name} is not known" for name in value if name not in known]
    wrong += [f"{name}: {value[name]!r}" for name in value if name in known and not holds(known[name], value[name])]
    return wrong


def number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def anything(value):
    return True


MEDIA = {"url": str, "id?": str}
PART = either(
    {"type": one_of("text"), "text": str},
    {"type": one_of("think"), "think": str, "encrypted?": str},
    {"type": one_of("image_url"), "image_url": MEDIA},
    {"type": one_of("audio_url"), "audio_url": MEDIA},
    {"type": one_of("video_url"), "video_url": MEDIA},
)
SAID = either(str, each(PART))
USAGE = {"input_other": int, "output": int, "input_cache_read": int, "input_cache_creation": int}
TODO = {"title": str, "status": one_of("pending", "in_progress", "done")}
BLOCK = either(
    {"type": one_of("brief"), "text": str},
    {"type": one_of("diff"), "path": str, "old_text": str, "new_text": str, "is_summary?": bool, "old_start?": int,
     "new_start?": int},
    {"type": one_of("todo"), "items": each(TODO)},
    {"type": one_of("shell"), "language": str, "command": str},
    lambda block: isinstance(block, dict) and block.get("type") not in ("brief", "diff", "todo", "shell"),
)  # fmt: skip
RESULT = {"is_error": bool, "output": SAID, "message": str, "display": each(BLOCK), "extras?": dict}
ANSWER = one_of("approve", "approve_for_session", "reject")
OPTION = {"label": str, "description": str}
QUESTION = {"question": str, "header?": str, "options": each(OPTION), "multi_select?": bool, "body?": str,
            "other_label?": str, "other_description?": str}  # fmt: skip
NODE = {"id": str, "label": str, "kind": one_of("begin", "end", "task", "decision")}
EDGE = {"src": str, "dst": str, "label?": str}
PAUSE = one_of("user", "breakpoint", "step", "choice", "rejected", "cancelled", "failed")

EVENTS: dict[str, Any] = {
    "TurnBegin": {"user_input": SAID},
    "TurnEnd": {},
    "SteerInput": {"user_input": SAID},
    "StepBegin": {"n": int},
    "StepInterrupted": {},
    "StepRetry": {"n": int, "next_attempt": int, "max_attempts": int, "wait_s": number, "error_type": str,
                  "status_code?": int},
    "CompactionBegin": {},
    "CompactionEnd": {"compacted?": bool},
    "StatusUpdate": {"context_usage?": lambda value: number(value) and 0 <= value <= 1, "context_tokens?": int,
                     "max_context_tokens?": int, "token_usage?": USAGE, "message_id?": str, "plan_mode?": bool,
                     "mcp_status?": dict},
    "ContentPart": PART,
    "ToolCall": {"type": one_of("function"), "id": str, "function": {"name": str, "arguments?": str}, "extras?": dict},
    "ToolCallPart": {"arguments_part?": str},
    "ToolResult": {"tool_call_id": str, "return_value": RESULT},
    "ApprovalResponse": {"request_id": str, "response": ANSWER, "feedback?": str},
    "SubagentEvent": {"parent_tool_call_id": str, "agent_id?": str, "subagent_type?": str,
                      "event": {"type": str, "payload": dict}},
    "BtwBegin": {"id": str, "question": str},
    "BtwEnd": {"id": str, "response?": str, "error?": str},
    "PlanDisplay": {"content": str, "file_path": str},
    "HookTriggered": {"event": str, "target": str, "hook_count": int},
    "HookResolved": {"event": str, "target": str, "action": one_of("allow", "block"), "reason": str,
                     "duration_ms": int},
    "MCPLoadingBegin": {},
    "MCPLoadingEnd": {},
    "Notification": {"id": str, "category": str, "type": str, "source_kind": str, "source_id": str, "title": str,
                     "body": str, "severity": str, "created_at": number, "payload": dict},
}  # fmt: skip
REQUESTS: dict[str, Any] = {
    "ApprovalRequest": {"id": str, "tool_call_id": str, "sender": str, "action": str, "description": str,
                        "display": each(BLOCK), "source_kind?": one_of("foreground_turn", "background_agent"),
                        "source_id?": str, "agent_id?": str, "subagent_type?": str, "source_description?": str},
    "ToolCallRequest": {"id": str, "name": str, "arguments?": str},
    "QuestionRequest": {"id": str, "tool_call_id": str, "questions": each(QUESTION)},
    "HookRequest": {"id": str, "subscription_id": str, "event": str, "target": str, "input_data": dict},
}  # fmt: skip
FLOW_EVENTS: dict[str, Any] = {
    "FlowBegin": {"run_id": str, "name": str, "source": one_of("mermaid", "d2", "ralph"), "nodes": each(NODE),
                  "edges": each(EDGE), "begin_id": str, "end_id": str, "max_moves": int, "resumed_at?": str,
                  "args?": str, "direction?": one_of("LR", "RL", "BT")},
    "FlowNodeBegin": {"run_id": str, "node_id": str, "move": int, "attempt": int},
    "FlowDecision": {"run_id": str, "node_id": str, "choice": str, "dst": str, "by": one_of("model", "user")},
    "FlowNodeEnd": {"run_id": str, "node_id": str, "move": int,
                    "status": one_of("done", "failed", "cancelled", "rejected"), "duration_s": number, "steps": int,
                    "token_usage?": USAGE, "exit_status?": int, "result?": dict},
    "FlowPaused": {"run_id": str, "node_id": str, "reason": PAUSE, "detail?": str, "suggested?": str,
                   "question?": str},
    "FlowResumed": {"run_id": str, "node_id": str, "reason": PAUSE},
    "FlowControls": {"run_id": str, "breakpoints": each(str), "ask": either(one_of("never", "always"), each(str)),
                     "chosen": dict, "edited": each(str), "pausing": bool},
    "FlowSpending": {"run_id": str, "tokens": int, "cost?": number, "at_most": bool, "estimated": int, "work_s": number,
                     "max_tokens?": int, "max_cost?": number, "max_work_s?": number, "held": bool},
    "FlowEnd": {"run_id": str, "status": one_of("finished", "stopped", "cancelled", "failed", "max_moves"),
                "moves": int, "reason?": str, "node_id?": str},
}  # fmt: skip
OURS: dict[str, Any] = {
    "StepInterrupted": {"error_type?": str, "status_code?": int},
    "StatusUpdate": {"model?": str},
    "ApprovalRequest": {"scope?": str},
    "ApprovalResponse": {"taken?": each(int)},
}


def why_not(name: str, payload: dict[str, Any], *, ours: bool) -> list[str]:
    """What keeps a message from being one of the Wire's; nothing where it is."""
    shape = (EVENTS | REQUESTS | (FLOW_EVENTS if ours else {})).get(name)
    if shape is None:
        return [f"there is no {name}"]
    if not isinstance(shape, dict):
        return [] if shape(payload) else [f"{name}: {payload}"]
    wrong = misfits(shape | (OURS.get(name, {}) if ours else {}), payload)
    if name == "SubagentEvent" and not wrong:
        wrong = why_not(payload["event"]["type"], payload["event"]["payload"], ours=ours)
    return [f"{name}: {text}" for text in wrong]
