"""Starts, resumes, steers and stops the flows of a session. One flow is active at a time."""

import contextlib
import logging
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from kimi_tui.config.budget import Budget, smallest
from kimi_tui.config.schema import LoopControl
from kimi_tui.errors import BudgetError, FlowControlError, UsageError
from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.run.journal import Journal, load_runs
from kimi_tui.flow.run.ralph import ralph_flow, ralph_text
from kimi_tui.flow.run.resume_request import ResumeRequest
from kimi_tui.flow.run.run_control import branch_at
from kimi_tui.flow.run.run_meter import BudgetSetup, RunMeter, without_prices
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.spending import Prices
from kimi_tui.flow.run.turn_protocol import AnswerRecorder, CommandRunner, FlowOutcome, OpenQuestion, TurnTaker
from kimi_tui.i18n import UserText, tr
from kimi_tui.llm.metering import current_meter
from kimi_tui.paths import shown
from kimi_tui.session.session import Session
from kimi_tui.skill.skill import Skill
from kimi_tui.soul.commands.command import TurnRunningError
from kimi_tui.soul.flows.parked_calls import ParkedCalls
from kimi_tui.soul.flows.prompt_flow import PromptFlow, flow_of_run
from kimi_tui.soul.flows.user_questions import answer_to
from kimi_tui.soul.notices import Severity
from kimi_tui.soul.services import Services
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import TurnBegin, TurnEnd
from kimi_tui.wire.flow_events import FlowBegin, FlowDecision, FlowEnd, FlowNodeBegin, FlowNodeEnd
from kimi_tui.wire.parts import UserInput, text_of

if TYPE_CHECKING:
    from kimi_tui.soul.flows.resume import ChartNow

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Budgets:
    """The budgets of runs: `given` on the command line, and that of the configuration; `prices` of a model."""

    given: Budget
    configured: Budget
    prices: Callable[[str], Prices | None]

    def of_run(self, flow: Flow) -> Budget:
        """The smallest cap of each quantity, the flow's own among them."""
        return smallest(self.given, self.configured, flow.settings.budget)  # defence: smallest-budget

    def check(self, budget: Budget, model: str) -> None:
        """Raises BudgetError if the budget caps the cost and the model has no prices."""
        if budget.cost is not None and self.prices(model) is None:  # defence: cost-needs-prices
            raise BudgetError(without_prices(model))


class FlowTurnTaker(TurnTaker, CommandRunner, AnswerRecorder, Protocol):
    """Runs the turns of flows. `busy` is true during any turn. `interactive`: a user steers its flows."""

    @property
    def busy(self) -> bool: ...
    @property
    def interactive(self) -> bool: ...
    def unknown_tools(self, names: Sequence[str]) -> list[str]: ...
    @property
    def model_key(self) -> str: ...
    @property
    def parked_calls(self) -> ParkedCalls: ...
    async def notify_waiting(self, name: str, question: OpenQuestion) -> None: ...
    def notify(self, title: UserText, body: UserText = "", *, severity: Severity = "info") -> None: ...


class FlowManager:
    """The flows of a session.

    `runner` is the active flow, also while paused; `prompt_flow` is the chart from `--prompt-flow`.
    """

    def __init__(
        self,
        taker: FlowTurnTaker,
        services: Services,
        session: Session,
        send: Callable[[WireMessage], None],
        prompt_flow: PromptFlow | None,
        *,
        control: LoopControl,
        budgets: "Budgets",
    ) -> None:
        self._taker, self._services, self._session, self._send = taker, services, session, send
        self._control, self._budgets = control, budgets
        self._journal_file = session.dir / "flow.jsonl"
        self._orders: list[Callable[[FlowRunner], object]] = []
        self.prompt_flow = prompt_flow
        self.runner: FlowRunner | None = None
        self._last_meter: RunMeter | None = None

    @property
    def meter(self) -> RunMeter | None:
        """The meter of the run whose turn is running."""
        runner = self.runner
        return runner.meter if runner is not None and runner.paused is None else None

    @contextlib.contextmanager
    def background_work(self) -> Generator[None]:
        """Count the turns within the block towards the last run: they handle the background tasks that it left."""
        if self._last_meter is None:
            yield
            return
        self._last_meter.reopen()
        token = current_meter.set(self._last_meter)
        try:
            yield
        finally:
            current_meter.reset(token)

    async def run(self, skill: Skill, args: str = "", *, shown: str) -> FlowOutcome:
        """Run a skill's flow from BEGIN. Raises the error that made it fail."""
        if skill.flow is None:
            raise UsageError(tr("{name} cannot run: {why}", name=skill.name, why=_why_no_flow(skill)))
        return await self._follow(skill.flow, skill.name, skill.chart_text or "", args=args, shown=shown)

    async def run_prompt_flow(self, args: str = "", *, shown: str) -> FlowOutcome:
        """Run the chart from `--prompt-flow`. Raises the error that made it fail."""
        if self.prompt_flow is None:
            raise UsageError(tr("no chart to start; set one with --prompt-flow"))
        prompt_flow = self.prompt_flow
        return await self._follow(prompt_flow.flow, prompt_flow.name, prompt_flow.text, args=args, shown=shown)

    async def run_ralph(self, user_input: UserInput, iterations: int) -> FlowOutcome:
        """Repeat the same prompt until the model reports that it is done. Raises the error that made it fail."""
        flow, max_moves = ralph_flow(user_input, iterations)
        return await self._follow(flow, "ralph", ralph_text(user_input), max_moves=max_moves, shown=user_input)

    async def resume(
        self, run_id: str | None = None, *, new_chart: bool = False, choices: Mapping[str, str] | None = None
    ) -> FlowOutcome:
        """Resume a run that a crash, a quit or a cancel interrupted, at its current node.

        A run given by its id, or by the beginning of it, may also have failed, been stopped or reached the move limit.
        It keeps its original chart unless `new_chart` selects the current chart of its flow. `choices` are branches by
        node, or the answer at the node where it waits for an approval.
        """
        run = self._run_to_resume(run_id)
        now = self.chart_now(run) if new_chart else None
        if now is not None and now.flow is None:
            raise UsageError(tr("the run cannot continue with the current chart: {why}", why=now.trouble))
        flow, text = (flow_of_run(run), run.text) if now is None or now.flow is None else (now.flow, now.text)
        answers = {node_id: answer_to(run, node_id, label) for node_id, label in (choices or {}).items()}
        try:
            orders = [
                partial(_choose, node_id=node_id, label=branch_at(flow, node_id, label))
                for node_id, label in (choices or {}).items()
                if answers[node_id] is None
            ]
        except FlowControlError as error:
            raise UsageError(str(error)) from error
        for answer in filter(None, answers.values()):
            with contextlib.closing(Journal(self._journal_file)) as journal:
                journal.append(answer)
            run.apply(answer)
        return await self._follow(flow, run.name, text, resume=run, shown=str(ResumeRequest()), orders=orders)

    def _run_to_resume(self, run_id: str | None) -> RunState:
        if run_id is None:
            if not (open_runs := [run for run in self.open_runs() if run.can_resume]):
                raise UsageError(tr("no flow run to resume"))
            return open_runs[0]
        found = [run for run in load_runs(self._journal_file) if run.run_id.startswith(run_id) and run.can_resume]
        if len(found) > 1:
            raise UsageError(tr("several runs begin with {run}; give more of its id", run=run_id))
        if not found:
            raise UsageError(tr("no open run {run}", run=run_id))
        return found[0]

    def chart_now(self, run: RunState) -> "ChartNow | None":
        """Return the current chart of a run's flow if it differs from the run's chart."""

        from kimi_tui.soul.flows.resume import chart_now

        return chart_now(run, self._services.skills, self.prompt_flow)

    def open_runs(self) -> list[RunState]:
        """List the unfinished runs of this session, latest first."""
        if self.runner is not None:
            return []
        return [run for run in reversed(load_runs(self._journal_file)) if run.open]

    def order(self, control: Callable[[FlowRunner], object]) -> None:
        """Apply an order to the next flow: a breakpoint, or a branch chosen in advance."""
        self._orders.append(control)

    def stop(self, reason: str | None) -> None:
        """Stop the run after the current turn."""
        if self.runner is None:
            raise UsageError(tr("no flow is running"))
        self.runner.stop(reason)

    async def _follow(
        self,
        flow: Flow,
        name: str,
        text: str,
        *,
        shown: UserInput,
        args: str = "",
        max_moves: int | None = None,
        resume: RunState | None = None,
        orders: Sequence[Callable[[FlowRunner], object]] = (),
    ) -> FlowOutcome:
        if self._taker.busy:
            raise TurnRunningError(tr("a flow is already running in this session"))
        self._check_tools(flow)
        most_moves = max_moves or self._most_moves(flow)
        if resume is None:
            budget = self._budgets.of_run(flow)
        elif resume.imported:  # defence: limits-of-an-imported-run
            budget = smallest(self._budgets.of_run(flow), resume.budget).changed(self._budgets.given)
            most_moves = min(most_moves, resume.max_moves)
        else:
            budget, most_moves = resume.budget.changed(self._budgets.given), resume.max_moves
        self._budgets.check(budget, self._taker.model_key)
        runner = FlowRunner(
            flow,
            name=name,
            taker=self._taker,
            send=self._logged,
            interactive=self._taker.interactive,
            journal=Journal(self._journal_file, on_trouble=self._notify_trouble),
            text=text,
            args=args,
            max_moves=most_moves,
            max_choice_retries=self._control.max_choice_retries,
            resume=resume,
            clock=self._services.work_clock,
            commands=self._taker,
            answers=self._taker,
            budget=BudgetSetup(
                budget,
                self._budgets.prices,
                self._services.work_clock.waiting,
                lambda title, body: self._taker.notify(title, body, severity="warning"),
            ),
            when_asked=self._taker.parked_calls.recorded,
        )
        answers = {} if resume is None else resume.answers
        recorded = None if resume is None else resume.when_asked
        self._apply_controls(runner, orders)
        self.runner = runner
        self._last_meter = runner.meter
        self._session.name_after(text_of(shown))
        self._send(TurnBegin(user_input=shown))
        skill = self._services.skills.get(name)
        try:
            with (
                self._services.workspace.protecting(skill.path if skill is not None else None),
                self._taker.parked_calls.during(answers, recorded),
            ):
                outcome = await runner.run()
        finally:
            self.runner = None
        self._send(TurnEnd())
        if outcome.question is not None:
            await self._taker.notify_waiting(name, outcome.question)
        if outcome.error is not None:
            raise outcome.error
        return outcome

    def _check_tools(self, flow: Flow) -> None:
        """Raises UsageError for a tool of a node that this session does not have."""
        for node in flow.nodes.values():
            for name in self._taker.unknown_tools(node.settings.tools):
                raise UsageError(tr("the flow cannot run: `{node}` names the tool {tool}, which does not exist",
                    node=node.id, tool=name))  # fmt: skip

    def _most_moves(self, flow: Flow) -> int:
        """The smaller of the limits of the flow and of the user."""
        most = self._control.max_moves
        return most if flow.settings.max_moves is None else min(most, flow.settings.max_moves)

    def _logged(self, message: WireMessage) -> None:
        match message:
            case FlowBegin():
                _log.info("flow %s started: run %s, %d nodes", message.name, message.run_id, len(message.nodes))
            case FlowNodeBegin():
                _log.debug("flow: node %s, move %d, attempt %d", message.node_id, message.move, message.attempt)
            case FlowDecision():
                _log.debug("flow: %s: %s by the %s, to %s", message.node_id, message.choice, message.by, message.dst)
            case FlowNodeEnd():
                _log.debug("flow: node %s is %s after %.1f s", message.node_id, message.status, message.duration_s)
            case FlowEnd():
                _log.info("flow: %s after %d moves %s", message.status, message.moves, message.reason or "")
            case _:
                pass
        self._send(message)

    def _apply_controls(self, runner: FlowRunner, orders: Sequence[Callable[[FlowRunner], object]]) -> None:
        earlier, self._orders = self._orders, []
        for control in (*earlier, *orders):
            try:
                control(runner)
            except FlowControlError as error:
                self._taker.notify(tr("Invalid flow command"), str(error), severity="warning")

    def _notify_trouble(self, error: OSError | None) -> None:
        if error is None:
            self._taker.notify(tr("The flow's journal can be written again."))
        else:
            self._taker.notify(
                tr("The flow's journal cannot be written: a crash would lose the run's position"),
                str(error),
                severity="warning",
            )


def _choose(runner: FlowRunner, *, node_id: str, label: str) -> None:
    runner.choose(label, node_id=node_id)


def _why_no_flow(skill: Skill) -> str:
    problem = next((problem for problem in skill.problems if problem.severity == "error"), None)
    if problem is None:
        return f"{shown(skill.path)}: " + tr("this skill is not a flow (type: flow)")
    location = "".join(f":{number}" for number in (problem.line, problem.column) if number is not None)
    return f"{shown(skill.path)}{location}: {problem.text}"
