"""Runs a flow without a model: the user or a script makes each choice. For trying out and testing a flow."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from pydantic import ValidationError

from kimi_tui import json_text
from kimi_tui.errors import FlowControlError, FlowError
from kimi_tui.flow.model.graph import Flow, FlowNode, NodeKind
from kimi_tui.flow.run.node_result import CHOICE, ResultRule
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.turn_protocol import (
    NO_RULES,
    CommandCall,
    CommandEnd,
    FlowOutcome,
    TurnResult,
    TurnRules,
)
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.flow_events import FlowNodeBegin
from kimi_tui.wire.parts import JsonObject, UserInput

Chooser = Callable[[FlowNode, tuple[str, ...]], str | None]
"""Chooses one of the branches; None ends the run."""
Results = Callable[[FlowNode, ResultRule], JsonObject | None]
"""The typed result of a node; None for an example of its type."""


@dataclass(frozen=True, slots=True)
class ScriptedChoice:
    """A line of a script; `node_id` is None if it is for the next decision, whichever that is."""

    label: str
    node_id: str | None
    line: int


class ChoiceScript:
    """Choices from a script, in order. `left` has the unused ones.

    One choice a line, `LABEL` or `NODE: LABEL`; blank lines and lines that start with `#` are ignored. At a node with
    a typed result the line is the result as JSON, with the branch as `choice` or on the next line; a
    missing one is an example.
    """

    def __init__(self, text: str, flow: Flow) -> None:
        self.left = [
            _scripted(line.strip(), number, flow)
            for number, line in enumerate(text.splitlines(), 1)
            if line.strip() and not line.lstrip().startswith("#")
        ]

    def __call__(self, node: FlowNode, branches: tuple[str, ...]) -> str | None:
        """The next choice; None if none is left. Raises FlowError if it is for another node."""
        if not self.left:
            return None
        choice = self.left.pop(0)
        if choice.node_id is not None and choice.node_id != node.id:
            raise FlowError(f"this choice is for {choice.node_id}, but the flow is at {node.id}", line=choice.line)
        return choice.label

    def result(self, node: FlowNode, rule: ResultRule) -> JsonObject | None:
        """The next line, if it is a result for this node. Raises FlowError if it does not fit its type."""
        line = self.left[0] if self.left else None
        if line is None or line.node_id not in (None, node.id) or not line.label.startswith("{"):
            return None
        del self.left[0]
        try:
            value = json_text.loads(line.label)
            return (rule if CHOICE in value else replace(rule, choices=())).read(value)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(step) for step in first["loc"])
            raise FlowError(f"the result for {node.id}: {place}: {first['msg']}", line=line.line) from error
        except ValueError as error:
            raise FlowError(f"the result for {node.id} is not JSON: {error}", line=line.line) from error


def _scripted(line: str, number: int, flow: Flow) -> ScriptedChoice:
    """Parse a line. A decision's id and a colon at its start select that decision, unless the line is a branch.

    The id of a node with a typed result selects that node.
    """
    labels = {edge.label for edge in flow.edges}
    for node in flow.nodes.values():
        selectable = node.kind is NodeKind.DECISION or node.settings.out is not None
        if selectable and line.startswith(f"{node.id}:") and line not in labels:
            return ScriptedChoice(line.removeprefix(f"{node.id}:").strip(), node.id, number)
    return ScriptedChoice(line, None, number)


class _DryTurns:
    """Takes turns that only make the choices."""

    def __init__(
        self, choose: Chooser, on_prompt: Callable[[FlowNode, UserInput], None] | None, results: Results | None
    ) -> None:
        self._choose = choose
        self._results = results
        self._on_prompt = on_prompt
        self.runner: FlowRunner | None = None

    async def take_turn(self, prompt: UserInput, rules: TurnRules = NO_RULES) -> TurnResult:
        runner = self.runner
        assert runner is not None
        node = runner.flow.nodes[runner.node_id]
        if self._on_prompt is not None:
            self._on_prompt(node, prompt)
        result = None if rules.result is None else self._results(node, rules.result) if self._results else None
        if node.kind is NodeKind.DECISION and (result is None or CHOICE not in result):
            label = self._choose(node, runner.branches)
            if label is None:
                runner.stop("no choice is left")
            else:
                try:
                    runner.choose(label)
                except FlowControlError as error:
                    raise FlowError(str(error)) from error
        if rules.result is not None and result is None:
            result = rules.result.example()
        return TurnResult("finished", result=result)

    def reach(self, message: WireMessage) -> None:
        """Make the choice of a node without a turn or a command when the run enters it."""
        runner = self.runner
        if runner is None or not isinstance(message, FlowNodeBegin):
            return
        node = runner.flow.nodes[message.node_id]
        if node.settings.has_turn or node.settings.run is not None:
            return
        if self._on_prompt is not None:
            self._on_prompt(node, node.title)
        label = self._choose(node, runner.branches)
        try:
            if label is None:
                runner.stop("no choice is left")
            else:
                runner.choose(label)
        except FlowControlError as error:
            runner.stop(str(error))

    async def run_command(self, call: CommandCall) -> CommandEnd:
        """Do not run the command: the choice replaces its exit status; without branches it succeeds."""
        await self.take_turn(f"$ {call.command.shown}")
        return CommandEnd("finished", 0)


async def dry_run(
    flow: Flow,
    choose: Chooser,
    *,
    name: str = "dry",
    send: Callable[[WireMessage], None] = lambda _message: None,
    on_prompt: Callable[[FlowNode, UserInput], None] | None = None,
    results: Results | None = None,
    args: str = "",
    max_moves: int | None = None,
) -> FlowOutcome:
    """Run to the end, to an invalid choice (the outcome is `failed`), or to a missing one.

    `send` gets the messages of a real run; `on_prompt` gets each node's prompt; `results` gives the
    typed results.
    """
    turns = _DryTurns(choose, on_prompt, results)

    def forward(message: WireMessage) -> None:
        send(message)
        turns.reach(message)

    turns.runner = FlowRunner(
        flow,
        name=name,
        taker=turns,
        send=forward,
        interactive=False,
        args=args,
        max_moves=max_moves,
        max_choice_retries=0,
        commands=turns,
    )
    return await turns.runner.run()
