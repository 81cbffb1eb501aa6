"""The user's control of a run: changes its state, journal and Wire.

Invariant: a change is in the journal before it is in the state, and in the state before it is on the Wire.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from kimi_tui.config.budget import Budget
from kimi_tui.errors import FlowControlError
from kimi_tui.flow.model.graph import Flow, NodeKind
from kimi_tui.flow.run.branch_choice import match_choice
from kimi_tui.flow.run.event_emitter import FlowEventEmitter
from kimi_tui.flow.run.journal import Journal
from kimi_tui.flow.run.journal_records import Ask, ControlsChanged, Record
from kimi_tui.flow.run.run_meter import BudgetSetup, RunMeter
from kimi_tui.flow.run.run_state import Pause, RunState
from kimi_tui.i18n import tr
from kimi_tui.timestamps import steady_time
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.flow_events import STOPPED_BY_USER


@dataclass(frozen=True, slots=True)
class Continue:
    """Enter the node, run it again, or take the branch that the model named."""


@dataclass(frozen=True, slots=True)
class ChooseBranch:
    """Take this branch of the node the run is paused on."""

    label: str


@dataclass(frozen=True, slots=True)
class RerunNode:
    """Run the current node once more."""


@dataclass(frozen=True, slots=True)
class JumpTo:
    """Continue at this node. `passed`: the run does not pause before it, whatever is set."""

    node_id: str
    passed: bool = True


@dataclass(frozen=True, slots=True)
class StopRun:
    reason: str


Command = Continue | ChooseBranch | RerunNode | JumpTo | StopRun


class RunControl:
    """The user's controls of a run. A method raises FlowControlError, and changes nothing, if it is not possible.

    A command while the run is paused ends the pause; the first one counts. A command during a turn takes effect after
    the turn; the last one counts. A stop always counts.
    """

    def __init__(
        self,
        flow: Flow,
        state: RunState,
        *,
        send: Callable[[WireMessage], None],
        journal: Journal | None,
        interactive: bool,
        clock: Callable[[], float] = time.monotonic,
        budget: BudgetSetup | None = None,
    ) -> None:
        self._flow = flow
        self._state = state
        self._events = FlowEventEmitter(state.run_id, send)
        self._journal = journal
        self._interactive = interactive
        self._started = False
        self._finished = False
        self._command: Command | None = None
        self._command_ready = asyncio.Event()
        self._pause_next: Literal["user", "step"] | None = None
        self._meter = RunMeter(
            state,
            budget or BudgetSetup(),
            clock,
            interactive,
            write=self._write,
            send=self._events.spending,
        )

    @property
    def flow(self) -> Flow:
        return self._flow

    @property
    def run_id(self) -> str:
        return self._state.run_id

    @property
    def state(self) -> RunState:
        """The run's state according to the journal; read only."""
        return self._state

    @property
    def node_id(self) -> str:
        return self._state.node_id

    @property
    def paused(self) -> Pause | None:
        return None if self._finished else self._state.paused

    @property
    def meter(self) -> RunMeter:
        """What the run has used, and whether its requests wait for a higher budget."""
        return self._meter

    @property
    def waits_for_budget(self) -> bool:
        """Whether the run is held because its budget is used up."""
        paused = self.paused
        at_node = paused is not None and paused.reason in ("user", "step", "breakpoint") and self._starts_work
        return not self._finished and (self._meter.held or (at_node and self._meter.reached is not None))

    @property
    def _starts_work(self) -> bool:
        return self._flow.nodes[self._state.node_id].kind in (NodeKind.TASK, NodeKind.DECISION)

    @property
    def pausing(self) -> bool:
        """Whether the run will pause after the current turn."""
        return self._pause_next is not None

    @property
    def branches(self) -> tuple[str, ...]:
        """The labels that the user can choose from at the current node; none if it is not a decision."""
        return self._flow.branch_labels(self._state.node_id)

    def pause(self) -> None:
        """Pause after the current turn."""
        self._check_interactive()
        if self._state.paused is None:
            self._pause_when_over("user")

    def continue_run(self) -> None:
        """End the pause: enter the node, run it again if it failed, or take the branch that the model named."""
        self._check_running()
        self._check_budget()
        if self._state.paused is not None:
            node = self._flow.nodes[self._state.node_id]
            if node.settings.ask and self._state.paused.reason == "choice":
                raise FlowControlError(tr("{node} waits for your choice", node=node.id))
            self._issue(Continue())
        elif self._pause_next is not None:
            self._pause_when_over(None)
        else:
            raise FlowControlError(tr("the flow is not paused"))

    def step(self) -> None:
        """Run one node, then pause."""
        self._check_interactive()
        self._check_budget()
        if self._state.paused is not None:
            self._issue(Continue())
        self._pause_when_over("step")

    def toggle_breakpoint(self, node_id: str) -> bool:
        """Set or remove the breakpoint that pauses before each visit of the node; returns whether it is set now."""
        self._check_interactive()
        self._check_node(node_id)
        self._set(breakpoints=self._state.breakpoints ^ {node_id})
        return node_id in self._state.breakpoints

    def choose(self, label: str | None, *, node_id: str | None = None) -> None:
        """Take a branch: of the current decision, or of another in advance (its model does not choose then).

        None removes a choice made in advance.
        """
        self._check_running()
        node_id = self._state.node_id if node_id is None else node_id
        self._check_node(node_id)
        if label is None:
            self._set(chosen={key: value for key, value in self._state.chosen.items() if key != node_id})
            return
        branch = branch_at(self._flow, node_id, label)
        if self._state.paused is not None and node_id == self._state.node_id:
            self._issue(ChooseBranch(branch))
        else:
            self._set(chosen=self._state.chosen | {node_id: branch})

    def ask_at_decisions(self, ask: Ask) -> None:
        """Set when the user confirms the model's choice: never, always, or at these nodes."""
        self._check_interactive()
        if not isinstance(ask, str):
            for node_id in ask:
                self._check_node(node_id)
        self._set(ask=ask)

    def run_again(self, node_id: str | None = None) -> None:
        """Run a node again, by default the current one. An interrupted turn keeps its move."""
        self._check_running()
        if node_id is None or node_id == self._state.node_id:
            self._check_budget()
            self._issue(RerunNode())
        else:
            self.jump(node_id)

    def edit_prompt(self, node_id: str, text: str | None) -> None:
        """Use this text in place of the label from the node's next turn on; None or blank restores the label."""
        self._check_running()
        self._check_node(node_id)
        if self._flow.nodes[node_id].kind not in (NodeKind.TASK, NodeKind.DECISION):
            raise FlowControlError(tr("{node} has no prompt", node=node_id))
        if self._flow.nodes[node_id].settings.run is not None:
            raise FlowControlError(tr("{node} runs a command: change it in the chart", node=node_id))
        if not self._flow.nodes[node_id].settings.has_turn:
            raise FlowControlError(tr("{node} has no prompt", node=node_id))
        prompts = {key: value for key, value in self._state.prompts.items() if key != node_id}
        self._set(prompts=prompts | ({node_id: text} if text and text.strip() else {}))

    def jump(self, node_id: str) -> None:
        """Continue at this node, even without an edge to it; its breakpoint does not pause the run."""
        self._check_running()
        self._check_node(node_id)
        self._issue(JumpTo(node_id))

    def skip(self) -> None:
        """Leave the node by its only outgoing edge, without a turn or without the rest of it."""
        self._check_running()
        edges = self._flow.outgoing[self._state.node_id]
        if len(edges) != 1:
            node = self._state.node_id
            raise FlowControlError(
                tr("{node} has several branches: choose one", node=node)
                if edges
                else tr("{node} has no outgoing edge", node=node)
            )
        self._issue(JumpTo(edges[0].dst, passed=False))

    def stop(self, reason: str | None = None) -> None:
        """End the run: at once if it is paused, else after the turn (the caller may cancel the turn)."""
        self._check_running()
        self._command = StopRun(reason or STOPPED_BY_USER)
        self._command_ready.set()
        if self._meter.held:
            self._meter.end()

    def raise_budget(self, given: Budget) -> None:
        """Change the caps that `given` sets; a run that waits for higher caps continues. Before the start, set them.

        Raises FlowControlError if a cap is spent already, BudgetError if a model has no prices.
        """
        self._check_running()
        if not self._started:
            self._meter.change_at_start(given)
            return
        waits = self._state.paused is not None and self.waits_for_budget
        self._meter.raise_caps(given)
        if waits and self._meter.reached is None and self._command is None:
            self._issue(Continue())

    def _check_budget(self) -> None:
        if self.waits_for_budget:
            raise FlowControlError(
                tr("{why}; raise it with {command}, or stop the run", why=self._meter.reached_text,
                    command="/flow budget 1m tokens")
            )  # fmt: skip

    def _issue(self, command: Command) -> None:
        if isinstance(self._command, StopRun):
            raise FlowControlError(tr("the flow is being stopped"))
        if self._state.paused is not None and self._command is not None:
            raise FlowControlError(tr("the flow is already running"))
        self._command = command
        self._command_ready.set()

    def _clear_command(self) -> Command | None:
        """Remove the pending command, unless it is a stop."""
        command = self._command
        if not isinstance(command, StopRun):
            self._command = None
            self._command_ready.clear()
        return command

    def _pause_when_over(self, reason: Literal["user", "step"] | None) -> None:
        if self._pause_next != reason:
            self._pause_next = reason
            self._send_controls()

    def _set(
        self,
        *,
        breakpoints: frozenset[str] | None = None,
        ask: Ask | None = None,
        chosen: dict[str, str] | None = None,
        prompts: dict[str, str] | None = None,
    ) -> None:
        state = self._state
        self._write(
            ControlsChanged(
                run=state.run_id,
                breakpoints=state.breakpoints if breakpoints is None else breakpoints,
                ask=state.ask if ask is None else ask,
                chosen=state.chosen if chosen is None else chosen,
                prompts=state.prompts if prompts is None else prompts,
            )
        )
        self._send_controls()

    def _controls(self, *, existing_only: bool = False) -> ControlsChanged:
        """The user's settings; with `existing_only`, only those that apply to nodes of this chart."""
        state, nodes = self._state, self._flow.nodes
        return ControlsChanged(
            run=state.run_id,
            breakpoints=state.breakpoints & nodes.keys() if existing_only else state.breakpoints,
            ask=state.ask & nodes.keys() if existing_only and not isinstance(state.ask, str) else state.ask,
            chosen={
                key: label
                for key, label in state.chosen.items()
                if not existing_only or (key in nodes and label in self._flow.branch_labels(key))
            },
            prompts={key: text for key, text in state.prompts.items() if not existing_only or key in nodes},
        )

    def _write(self, record: Record) -> None:
        """Journal the record, then apply it to the state. Before the run has started, only the state."""
        record = record.model_copy(update={"at": round(steady_time(), 3)})
        if self._started and self._journal is not None:
            self._journal.append(record)
        self._state.apply(record)

    def _send_controls(self) -> None:
        if self._started:
            self._events.controls(self._state, pausing=self.pausing)

    def _check_running(self) -> None:
        if self._finished:
            raise FlowControlError(tr("the flow run has ended"))

    def _check_interactive(self) -> None:
        self._check_running()
        if not self._interactive:
            raise FlowControlError(tr("no user is present to continue the flow"))

    def _check_node(self, node_id: str) -> None:
        _check_node(self._flow, node_id)


def branch_at(flow: Flow, node_id: str, label: str) -> str:
    """The branch of a node that a user names. Raises FlowControlError if there is none."""
    _check_node(flow, node_id)
    branches = flow.branch_labels(node_id)
    if not branches:
        raise FlowControlError(tr("{node} is not a decision: there is nothing to choose", node=node_id))
    branch = match_choice(label, branches)
    if branch is None:
        raise FlowControlError(
            tr(
                "{node} has no branch {label!r}; it has: {branches}",
                node=node_id,
                label=label,
                branches=", ".join(branches),
            )
        )
    return branch


def _check_node(flow: Flow, node_id: str) -> None:
    if node_id not in flow.nodes:
        raise FlowControlError(
            tr("the flow has no node {node!r}; it has: {nodes}", node=node_id, nodes=", ".join(flow.nodes))
        )
