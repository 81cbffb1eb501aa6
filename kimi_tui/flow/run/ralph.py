"""Ralph mode: a message as a flow that repeats until the model reports that the work is complete."""

import json

from pydantic import ConfigDict, TypeAdapter

from kimi_tui.flow.model.graph import Flow, FlowEdge, FlowNode, NodeKind
from kimi_tui.wire.parts import TextPart, UserInput

UNBOUNDED = 10**15
_INPUT = TypeAdapter[UserInput](UserInput, config=ConfigDict(defer_build=True))


def ralph_flow(user_input: UserInput, max_iterations: int) -> tuple[Flow, int]:
    """The flow of a message and its move limit; `max_iterations` below 0 sets no limit."""
    nodes = (
        FlowNode("BEGIN", "BEGIN", NodeKind.BEGIN),
        FlowNode("R1", user_input, NodeKind.TASK),
        FlowNode("R2", _repeat_prompt(user_input), NodeKind.DECISION),
        FlowNode("END", "END", NodeKind.END),
    )
    outgoing = {
        "BEGIN": (FlowEdge("BEGIN", "R1"),),
        "R1": (FlowEdge("R1", "R2"),),
        "R2": (FlowEdge("R2", "R2", "CONTINUE"), FlowEdge("R2", "END", "STOP")),
        "END": (),
    }
    flow = Flow({node.id: node for node in nodes}, outgoing, "BEGIN", "END", source="ralph")
    return flow, max_iterations + 1 if max_iterations >= 0 else UNBOUNDED


def ralph_text(user_input: UserInput) -> str:
    """The message as text, which a journal stores instead of a chart."""
    return json.dumps(_INPUT.dump_python(user_input, mode="json", exclude_none=True), ensure_ascii=False)


def read_ralph(text: str) -> UserInput:
    """Parse the text of `ralph_text`. Raises ValueError if it is invalid."""
    return _INPUT.validate_json(text)


def _repeat_prompt(user_input: UserInput) -> UserInput:
    note = (
        "(This message repeats automatically, in a loop. Continue the task above from its current state. "
        "Choose STOP only when all of it is done and checked; where you are not sure, choose CONTINUE.)"
    )
    if isinstance(user_input, str):
        return f"{user_input}\n\n{note}"
    return (*user_input, TextPart(text=note))
