"""Runs a flow: one turn a node, a branch at each decision, until the end or the user's stop.

The next step depends on the run's state only, so that a run continues the same way in another process.
"""

import asyncio
import contextlib
import copy
import time
from collections.abc import Callable, Iterable
from typing import Literal
from uuid import uuid4

from kimi_tui.errors import BudgetError, BudgetReachedError, KimiTuiError, MaxStepsReachedError
from kimi_tui.flow.model.graph import Flow, FlowNode, NodeKind
from kimi_tui.flow.model.status_branches import ELSE
from kimi_tui.flow.model.variables import expand
from kimi_tui.flow.run.command_step import failure, run_node_command, turn_result
from kimi_tui.flow.run.journal import Journal
from kimi_tui.flow.run.journal_records import (
    BranchChosen,
    By,
    ControlsChanged,
    NodeEntered,
    NodeLeft,
    RunContinued,
    RunEnded,
    RunPaused,
)
from kimi_tui.flow.run.next_step import NextStep, step_after_turn
from kimi_tui.flow.run.node_prompts import node_prompt
from kimi_tui.flow.run.node_result import recorded
from kimi_tui.flow.run.node_turn import checked, turn_rules
from kimi_tui.flow.run.node_values import referenced_fields, value_lookup
from kimi_tui.flow.run.pause_rules import pause_reason
from kimi_tui.flow.run.run_control import ChooseBranch, Command, Continue, JumpTo, RerunNode, RunControl, StopRun
from kimi_tui.flow.run.run_ending import Ending, out_of_moves, over_budget, unattended_ending
from kimi_tui.flow.run.run_meter import BudgetSetup
from kimi_tui.flow.run.run_start import check_resumable, resumed, send_unsent, started
from kimi_tui.flow.run.run_state import Pause, RunState, Usage, text_hash
from kimi_tui.flow.run.turn_protocol import (
    NO_RULES,
    NODE_STATUS,
    AnswerRecorder,
    CommandEnd,
    CommandRunner,
    FlowOutcome,
    TurnResult,
    TurnRules,
    TurnTaker,
)
from kimi_tui.flow.run.turn_record import turn_finished, turn_values
from kimi_tui.flow.run.user_question import overdue_choice, question_text, seconds_left, shown_question
from kimi_tui.i18n import tr
from kimi_tui.llm.metering import current_meter
from kimi_tui.timestamps import steady_time
from kimi_tui.wire.codec import WireMessage

DEFAULT_MAX_MOVES = 1000
LONGEST_WAIT = 5.0
"""Seconds until a deadline is compared with the clock again: timers stand still while the machine is suspended."""


class FlowRunner(RunControl):
    """One run of a flow.

    `interactive` means that a user can steer: then the run pauses if the user can fix a problem, else it ends. `text`
    is the chart as written; the journal keeps it so that a later resume needs nothing else. `max_moves` defaults to
    1000, or to the limit of the resumed run. Without `commands`, a node with a command does not run. `budget` caps the
    run; by default it keeps that of the resumed run.

    Raises FlowControlError if `resume` is a run that is over, or is on a node that this flow does not have.
    """

    def __init__(
        self,
        flow: Flow,
        *,
        name: str,
        taker: TurnTaker,
        send: Callable[[WireMessage], None],
        interactive: bool,
        journal: Journal | None = None,
        text: str = "",
        args: str = "",
        max_moves: int | None = None,
        max_choice_retries: int = 5,
        breakpoints: Iterable[str] = (),
        clock: Callable[[], float] = time.monotonic,
        run_id: str | None = None,
        resume: RunState | None = None,
        commands: CommandRunner | None = None,
        answers: AnswerRecorder | None = None,
        wall_clock: Callable[[], float] = steady_time,
        budget: BudgetSetup | None = None,
        when_asked: Literal["refuse", "park"] | None = None,
    ) -> None:
        if resume is not None:
            check_resumable(flow, resume)
            state = copy.deepcopy(resume)
        else:
            state = RunState(
                run_id=run_id or uuid4().hex,
                name=name,
                source=flow.source,
                text=text,
                sha256=text_hash(text),
                args=args,
                max_moves=DEFAULT_MAX_MOVES if max_moves is None else max_moves,
                node_id=flow.begin_id,
                guidance=flow.guidance,
                when_asked=when_asked,
            )
        super().__init__(flow, state, send=send, journal=journal, interactive=interactive, clock=clock, budget=budget)
        self._taker = taker
        self._commands = commands
        self._answers = answers
        self._wall_clock = wall_clock
        self._fields = referenced_fields(flow)
        self._resuming = resume is not None
        self._new_text = text or state.text
        self._new_max_moves = state.max_moves if max_moves is None else max_moves
        self._max_choice_retries = max_choice_retries
        self._steps = 0
        self._error: KimiTuiError | None = None
        if valid_breakpoints := frozenset(breakpoints) & flow.nodes.keys():
            self._set(breakpoints=state.breakpoints | valid_breakpoints)

    async def run(self) -> FlowOutcome:
        """Run the flow to its end, once. FlowBegin and FlowEnd are always sent.

        Cancelling this leaves the run open in the journal: it can be resumed at its current node.
        """
        if self._started:
            raise RuntimeError("a runner runs once")
        ending = Ending("failed", tr("the program crashed during the run"))
        self._begin()
        metered = current_meter.set(self._meter)
        try:
            self._meter.begin()
            ending = await self._follow()
        except asyncio.CancelledError:
            ending = Ending("cancelled", "interrupted")
            raise
        except BudgetError as error:
            ending = Ending("failed", str(error), error)
        finally:
            with contextlib.suppress(ValueError):  # a coroutine that is dropped ends in another context
                current_meter.reset(metered)
            self._end(ending)
        return FlowOutcome(
            ending.status,
            self._state.moves,
            self._steps,
            ending.reason,
            ending.error,
            ending.question,
            ending.over_budget,
        )

    async def _follow(self) -> Ending:
        state = self._state
        while True:
            command = self._clear_command()
            if isinstance(command, StopRun):
                return Ending("stopped", command.reason)
            if command is not None:
                self._carry_out(command)
                continue
            if state.named_branch is not None and not self._interactive:
                self._take_branch(state.named_branch, "model")
                continue
            node = self._flow.nodes[state.node_id]
            outgoing = self._flow.outgoing[node.id]
            if state.entered and state.stop == "finished" and not outgoing:
                return Ending("stopped", tr("{node} has no outgoing edge and is not END", node=node.id))
            # defence: breakpoint-once
            pause = None if state.passed else pause_reason(state, node, self._pause_next, self._max_choice_retries)
            if pause is not None:
                if await self._hold(node, pause):
                    continue
                if (ending := unattended_ending(self._flow, state, pause, self._error)) is not None:
                    return ending
            if (ending := await self._visit(node)) is not None:
                return ending

    async def _visit(self, node: FlowNode) -> Ending | None:
        """Run the current node, or wait for a higher budget; returns the end of the run, if this is it."""
        state = self._state
        match node.kind:
            case NodeKind.END:
                return Ending("finished")
            case NodeKind.BEGIN:
                first = self._flow.outgoing[node.id][0].dst
                if first == node.id:
                    return Ending("failed", tr("the first edge out of {node} leads back to it", node=node.id))
                self._write(NodeLeft(run=state.run_id, node=node.id, to=first))
            case NodeKind.TASK | NodeKind.DECISION:
                if not state.entered and state.moves >= state.max_moves:  # defence: stop-at-last-move
                    return out_of_moves(state.moves)
                if self._meter.may_continue():  # defence: no-node-over-budget
                    await self._run_node(node)
                elif self._interactive:
                    await self._wait(Pause("user", self._meter.reached_text))
                else:
                    return over_budget(state, self._meter.reached_text)
        return None

    async def _hold(self, node: FlowNode, pause: Pause) -> bool:
        """Take the branch chosen in advance, or the default if its time is over, or wait; False if there is no user."""
        asks = node.settings.ask and pause.reason == "choice"
        if asks and (preset := self._state.chosen.get(node.id)) is not None:
            self._take_branch(preset, "user")
        elif asks and (choice := overdue_choice(self._flow, self._state, node, self._wall_clock())) is not None:
            self._take_branch(choice, "default")
        elif self._interactive:
            await self._wait(pause)
        else:
            return False
        return True

    async def _run_node(self, node: FlowNode) -> None:
        if node.settings.ask:
            self._enter(node)
        elif node.settings.on is not None:
            self._switch(node, node.settings.on)
        elif node.settings.run is not None:
            await self._run_command(node)
        else:
            await self._take_turn(node)

    def _switch(self, node: FlowNode, on: str) -> None:
        """Take the branch whose label matches a value, else the branch `else`."""
        move, _ = self._enter(node)
        value = expand(on, value_lookup(self._flow, self._state)).strip()
        labels = self._flow.branch_labels(node.id)
        label = next((label for label in (value, ELSE) if label in labels), None)
        if (preset := self._state.chosen.get(node.id)) is not None:
            self._take_branch(preset, "user")
        elif label is not None:
            self._take_branch(label, "switch")
        else:
            cause = tr("no branch for the value {value}", value=_shortened(value))
            self._turn_over(node, move, TurnResult("failed", cause), 0.0)

    def _enter(self, node: FlowNode) -> tuple[int, int]:
        """Journal and send that the node starts; returns its move and its attempt."""
        state = self._state
        move = state.moves if state.entered else state.moves + 1
        invalid = state.invalid if node.kind is NodeKind.DECISION or node.settings.out is not None else 0
        attempt = invalid + state.failures + 1 if state.entered else 1
        self._write(NodeEntered(run=state.run_id, node=node.id, move=move, attempt=attempt))
        self._events.node_begin(node.id, move=move, attempt=attempt)
        return move, attempt

    async def _run_command(self, node: FlowNode) -> None:
        move, attempt = self._enter(node)
        self._error = None
        self._meter.begin_turn()
        try:
            end = await run_node_command(self._commands, self._flow, node, self._state, move=move, attempt=attempt)
        except KimiTuiError as error:
            self._error, end = error, failure(error)
        self._turn_over(node, move, turn_result(end), self._meter.end_turn(), end)

    async def _take_turn(self, node: FlowNode) -> None:
        state = self._state
        failed = state.detail if state.entered and state.failures else None
        cut = state.entered and state.over_budget
        invalid = state.entered and state.invalid > 0 and failed is None and not cut
        move, attempt = self._enter(node)
        rules = turn_rules(self._flow, node, state)
        prompt = node_prompt(
            self._flow,
            node,
            value_of=value_lookup(self._flow, state),
            args=state.args,
            edited=state.prompts.get(node.id),
            first=self._is_first_turn(),
            ask=node.kind is NodeKind.DECISION and node.id not in state.chosen,
            reminder=invalid,
            result=rules.result,
            retry=None if failed is None else (attempt, failed),
            cut=cut,
        )
        self._error = None
        self._meter.begin_turn()
        try:
            result = checked(await self._taker.take_turn(prompt, rules), rules, state)
        except BudgetReachedError as error:
            result = TurnResult("cancelled", str(error), over_budget=True)
        except KimiTuiError as error:
            self._error = error
            result = TurnResult("failed", str(error))
        if result.stop == "max_steps":
            self._error = MaxStepsReachedError(result.steps)
        self._turn_over(node, move, result, self._meter.end_turn(), rules=rules)

    def _is_first_turn(self) -> bool:
        """Whether the current turn is the model's first one in this run, or a repeat of it."""
        nodes = self._flow.nodes
        visits = self._state.visits.items()
        return sum(count for one, count in visits if one not in nodes or nodes[one].settings.has_turn) <= 1

    def _turn_over(
        self,
        node: FlowNode,
        move: int,
        result: TurnResult,
        duration_s: float,
        end: CommandEnd | None = None,
        *,
        rules: TurnRules = NO_RULES,
    ) -> None:
        """Journal and send the end of a turn of the model, or of a command with its `end`."""
        state = self._state
        step = self._next_step(node, result, end)
        overridden = step.choice is not None and node.id in state.chosen
        self._write(
            turn_finished(
                result,
                end,
                run_id=state.run_id,
                node_id=node.id,
                move=move,
                step=step,
                values=turn_values(result, end, rules=rules, fields=self._fields.get(node.id)),
                duration_s=duration_s,
            )
        )
        self._steps += result.steps
        self._events.add_usage(Usage(duration_s, result.steps, result.usage))
        if step.choice is not None and step.to is not None:
            self._emit_decision(node.id, step.choice, step.to, step.by, overridden)
        if step.to is not None or result.stop != "finished" or not self._flow.outgoing[node.id]:
            self._events.node_end(
                NODE_STATUS[result.stop],
                exit_status=None if end is None else end.status,
                result=None if result.result is None else recorded(result.result),
            )

    def _next_step(self, node: FlowNode, result: TurnResult, end: CommandEnd | None) -> NextStep:
        """The next step: by the user's command, else their choice in advance, else by the chart or the model."""
        match self._command:
            case JumpTo(node_id, passed):  # defence: jump-before-answer
                self._clear_command()
                return NextStep(node_id, passed=passed)
            case RerunNode() if result.stop == "finished":
                self._clear_command()
                return NextStep(node.id)
            case _:
                return step_after_turn(self._flow, self._state, node, result, end, interactive=self._interactive)

    async def _wait(self, pause: Pause) -> None:
        """Pause until there is a command, and execute it; the caller handles a stop."""
        state = self._state
        node_id = state.node_id
        self._write(
            RunPaused(
                run=state.run_id, node=node_id, reason=pause.reason, detail=pause.detail, suggested=pause.suggested
            )
        )
        self._pause_when_over(None)
        node = self._flow.nodes[node_id]
        question = shown_question(self._flow, state, node) if pause.reason == "choice" else None
        self._events.paused(node_id, pause, question)
        if pause.reason == "choice":  # defence: deadline-of-the-question-only
            await self._until_command_or_deadline(node)
        else:
            await self._command_ready.wait()
        command = self._command
        if command is None:  # nobody chose in time; the default is taken next
            self._write(RunContinued(run=state.run_id, node=node_id))
            self._events.resumed(node_id, pause.reason)
        if command is None or isinstance(command, StopRun):
            return
        self._clear_command()
        reruns = isinstance(command, RerunNode) or (isinstance(command, Continue) and state.named_branch is None)
        self._write(RunContinued(run=state.run_id, node=node_id, passed=reruns))
        self._events.resumed(node_id, pause.reason)
        self._carry_out(command)

    async def _until_command_or_deadline(self, node: FlowNode) -> None:
        """Wait for a command, or until the default of this node is due."""
        while (left := self._seconds_left(node)) is None or left > 0:
            wait_s = None if left is None else min(left, LONGEST_WAIT)  # defence: deadline-over-a-suspend
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._command_ready.wait()
                    return

    def _seconds_left(self, node: FlowNode) -> float | None:
        return seconds_left(self._flow, self._state, node, self._wall_clock())

    def _carry_out(self, command: Command) -> None:
        state = self._state
        match command:
            case Continue() if state.named_branch is not None:
                self._take_branch(state.named_branch, "model")
            case ChooseBranch(label):
                self._take_branch(label, "user")
            case JumpTo(node_id, passed):
                self._write(NodeLeft(run=state.run_id, node=state.node_id, to=node_id, passed=passed))
                self._events.node_end("done")
            case RerunNode() if not state.passed:
                self._write(RunContinued(run=state.run_id, node=state.node_id, passed=True))
            case Continue() | RerunNode() | StopRun():
                pass

    def _take_branch(self, label: str, by: By) -> None:
        """Leave the current decision by a branch, outside of a turn."""
        state, node_id = self._state, self._state.node_id
        dst, overridden = self._flow.target(node_id, label), node_id in state.chosen
        node = self._flow.nodes[node_id]
        if node.settings.ask and self._answers is not None:
            self._answers.record_answer(question_text(self._flow, state, node), label, by_default=by == "default")
        self._write(BranchChosen(run=state.run_id, node=node_id, move=state.moves, choice=label, to=dst, by=by))
        self._emit_decision(node_id, label, dst, by, overridden)
        self._events.node_end("done", result=state.results.get(node_id))

    def _emit_decision(self, node_id: str, choice: str, dst: str, by: By, overridden: bool) -> None:
        self._events.decision(node_id, choice, dst=dst, by=by)
        if overridden:
            self._send_controls()

    def _begin(self) -> None:
        """Journal and send the start or the resume of the run."""
        state = self._state
        before, valid = self._controls(), self._controls(existing_only=True)
        self._started = True
        if self._resuming:
            text, max_moves = self._new_text, self._new_max_moves
            self._write(resumed(self._flow, state, text=text, max_moves=max_moves, fresh=not self._interactive))
        else:
            self._write(started(self._flow, state))
        untouched = valid == ControlsChanged(run=state.run_id)
        if valid != before or not (untouched or self._resuming):
            self._write(valid)
        self._events.begin(self._flow, state, resumed=self._resuming)
        if self._resuming:
            send_unsent(self._events, self._flow, state)
        if not untouched or self._pause_next is not None:
            self._send_controls()

    def _end(self, ending: Ending) -> None:
        state = self._state
        self._finished = True
        self._meter.end()
        self._write(RunEnded(run=state.run_id, status=ending.status, moves=state.moves, reason=ending.reason))
        if self._journal is not None:
            self._journal.close()
        self._events.end(ending.status, moves=state.moves, reason=ending.reason, node_id=state.node_id)


def _shortened(value: str) -> str:
    """A value on one line for a message."""
    line = " ".join(value.split())
    return f"`{line}`" if len(line) <= 60 else f"`{line[:59]}…`"
