"""Builds the prompts of nodes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from kimi_tui.flow.model.graph import Flow, FlowNode, Guidance
from kimi_tui.flow.model.variables import Variable, expand
from kimi_tui.flow.run.node_result import CHOICE, RESULT_TOOL, ResultRule
from kimi_tui.wire.parts import TextPart, UserInput

ARGS = "${ARGS}"
_GO_ON = (
    "The budget of this flow was used up in the middle of this step. It has been raised: continue where you stopped, "
    "without repeating what is done. The step was:"
)
MAX_SHOWN = 48
"""Characters of the args that a displayed chart shows."""


def uses_args(flow: Flow) -> bool:
    """Whether a label has a placeholder for the args, the words after `/flow:NAME`."""
    return any(isinstance(node.label, str) and ARGS in node.label for node in flow.nodes.values())


def shown_label(label: str, args: str | None) -> str:
    """A label for display: with the args inserted, on one line and cut to `MAX_SHOWN` characters; None: not known."""
    if ARGS not in label:
        return label
    text = "…" if args is None else " ".join(args.split())
    return label.replace(ARGS, text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1].rstrip() + "…")


def shown_flow(flow: Flow, args: str | None) -> Flow:
    """The chart for display, with `${ARGS}` replaced by the args."""
    if flow.source == "ralph" or not uses_args(flow):
        return flow
    nodes = {
        node.id: replace(node, label=shown_label(node.label, args)) if isinstance(node.label, str) else node
        for node in flow.nodes.values()
    }
    return replace(flow, nodes=nodes)


def task_prompt(label: UserInput, args: str) -> UserInput:
    """The label with the args inserted."""
    return label.replace(ARGS, args) if isinstance(label, str) else label


def with_request(prompt: UserInput, args: str) -> UserInput:
    """Return the prompt with the args, for the first turn of a flow whose labels have no placeholder for them."""
    return _joined([f"The request of the user:\n{args}", prompt])


def decision_prompt(prompt: UserInput, branches: Sequence[str], *, reminder: bool = False) -> UserInput:
    """Return the label, the branches in order, and how to name one; with `reminder`, a note that the last reply named
    none.
    """
    listed = "\n".join(f"- {branch}" for branch in branches)
    parts: list[UserInput] = [
        prompt,
        f"Available branches:\n{listed}",
        "Choose one of them. End your reply with it, spelled as in the list: <choice>BRANCH</choice>",
    ]
    if reminder:
        parts.append(
            "Your last reply named no branch of the list, so the flow cannot continue. "
            "Reply again, and end with one of the branches between <choice> and </choice>."
        )
    return _joined(parts)


def result_prompt(prompt: UserInput, result: ResultRule, *, reminder: bool = False) -> UserInput:
    """Return the label, and how to give the result; with `reminder`, a note that the last turn gave none."""
    parts: list[UserInput] = [
        prompt,
        f"When this is done, give its result by calling the tool {RESULT_TOOL}; the call ends this step.",
    ]
    if result.choices:
        listed = "\n".join(f"- {branch}" for branch in result.choices)
        parts.append(f"Its `{CHOICE}` is the branch that the flow takes next:\n{listed}")
    if reminder:
        parts.append(f"You ended without calling {RESULT_TOOL}, so the flow cannot continue. Call it now.")
    return _joined(parts)


def with_guidance(prompt: UserInput, guidance: Guidance, node_id: str, args: str, *, first: bool) -> UserInput:
    """The prompt with the guidance for the node; the first one also has that for the whole flow."""
    parts: list[UserInput] = [prompt]
    if first and guidance.intro:
        parts.insert(0, f"What the flow's file says, for all of its steps:\n\n{task_prompt(guidance.intro, args)}")
        parts.insert(1, "Its steps come one at a time. The first one:")
    if section := guidance.sections.get(node_id):
        parts.append(f"What the flow's file says of this step:\n\n{task_prompt(section, args)}")
    return _joined(parts) if len(parts) > 1 else prompt


def node_prompt(
    flow: Flow,
    node: FlowNode,
    *,
    value_of: Callable[[Variable], str | None],
    args: str,
    edited: str | None,
    first: bool,
    ask: bool,
    reminder: bool,
    result: ResultRule | None = None,
    retry: tuple[int, str] | None = None,
    cut: bool = False,
) -> UserInput:
    """The whole prompt of a node. `first`: it is the run's first turn; `ask`: the model has to choose a branch.

    `result` is what the turn has to give. `retry` is the number of this attempt and why the previous one failed.
    `cut`: the budget ended the previous turn.
    """
    prompt = node.label if edited is None else edited
    if flow.source != "ralph" and isinstance(prompt, str):  # its label is the user's text, to be sent unchanged
        prompt = expand(prompt, value_of)
    if not reminder:
        prompt = with_guidance(prompt, flow.guidance, node.id, args, first=first)
    if first and args and not uses_args(flow):
        prompt = with_request(prompt, args)
    if result is not None:
        prompt = result_prompt(prompt, result, reminder=reminder)
    elif ask:
        prompt = decision_prompt(prompt, [edge.label or "" for edge in flow.outgoing[node.id]], reminder=reminder)
    if retry is not None:
        prompt = _joined([prompt, f"This is attempt {retry[0]}; the previous one failed: {retry[1]}"])
    if cut:
        prompt = _joined([_GO_ON, prompt])
    return prompt


def _joined(parts: Iterable[UserInput]) -> UserInput:
    """The parts with a blank line between them; the result is text if all parts are text."""
    listed = list(parts)
    if all(isinstance(part, str) for part in listed):
        return "\n\n".join(part for part in listed if isinstance(part, str))
    content = [(TextPart(text=part),) if isinstance(part, str) else part for part in listed]
    return tuple(part for parts in content for part in parts)
