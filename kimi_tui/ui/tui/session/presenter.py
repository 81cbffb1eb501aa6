"""Presenter: applies Wire batches to the state and updates the affected panes."""

import dataclasses
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from textual.timer import Timer
from textual.widgets import Input

from kimi_tui.flow.run.run_state import Pause
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.i18n import UserText
from kimi_tui.ui.tui.engine_protocol import Engine
from kimi_tui.ui.tui.flow_pane.broken_flow import find_broken_flows
from kimi_tui.ui.tui.i18n.catalog import _, n_
from kimi_tui.ui.tui.main_screen import git_branch
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.session.earlier_turns import Change, EarlierTurns
from kimi_tui.ui.tui.state.deltas import Delta, Invalidated, Pane
from kimi_tui.ui.tui.state.flow_reducer import branches_of, current_label, default_at, question_at, without_choice
from kimi_tui.ui.tui.state.items import AssistantItem, ErrorItem, NoticeItem, SeparatorItem
from kimi_tui.ui.tui.state.ui_state import UiState
from kimi_tui.ui.tui.state.view_clock import Timed, ViewClock
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.transcript.transcript_sync import TranscriptSync
from kimi_tui.wire.events import MCPStatus, TurnBegin
from kimi_tui.wire.flow_events import FlowPaused
from kimi_tui.wire.requests import ApprovalRequest, QuestionRequest

_MAX_TEXT = 600
_STEERING_PAUSE_S = 2.0
_LOAD_PAUSE_S = 0.01


class AttentionNotifier(Protocol):
    """Alerts a user who is looking elsewhere."""

    def call(self, why: UserText) -> None: ...


class HistorySink(Protocol):
    """Stores the messages for time travel."""

    def load(self, messages: list[Timed]) -> None: ...
    def prepend(self, messages: list[Timed]) -> None: ...
    def on_wire(self, message: Timed) -> None: ...


class Presenter:
    """One session on one screen. `clock` times the messages, `view_clock` the displayed state."""

    def __init__(
        self,
        main_screen: MainScreen,
        *,
        clock: Callable[[], float],
        view_clock: ViewClock,
        attention: AttentionNotifier,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._refresh_scheduled = False
        self.main_screen = main_screen
        main_screen.transcript.load_all = self.load_all
        self.state = UiState()
        self.past: UiState | None = None
        self.view_clock = view_clock
        self.history_sink: HistorySink | None = None
        self._earlier: EarlierTurns | None = None
        self._loading: Timer | None = None
        self.transcript_sync = TranscriptSync(main_screen.transcript)
        self.engine: Engine | None = None
        self._clock = clock
        self._attention = attention
        self._monotonic = monotonic
        self.last_steered_at = float("-inf")
        self._shown_ids: frozenset[str] = frozenset()
        self._waits_for_budget = False
        self.on_budget_reached: Callable[[], None] = lambda: None
        """Called when the run begins to wait for a higher budget."""

    @property
    def shown_state(self) -> UiState:
        """The displayed state: the present one, or a past one during time travel."""
        return self.state if self.past is None else self.past

    def attach(self, engine: Engine, *, sending: bool = False) -> None:
        """Show this session with its recorded messages. `sending`: a message will be sent to it at once."""
        self.engine = engine
        # A message that was sent already folds the column: opened for a moment, it would only flicker.
        self.main_screen.right_column.held = sending
        replay = engine.replay()
        recent = [(record.timestamp, record.message) for record in replay.recent]
        if self.history_sink is not None:
            self.history_sink.load(list(recent))
        if replay.earlier is not None:
            self._earlier = EarlierTurns(replay.earlier)
            self.main_screen.run_worker(self._load_earlier(engine), group="earlier-turns")
        if recent:
            self._change(partial(_resume, messages=recent))
            self.transcript_sync.start(self.state.conversation.items)
        self.main_screen.facts = dataclasses.replace(
            self.main_screen.facts,
            location=self._location(engine),
            branch="" if engine.heading else git_branch.checked_out_branch(engine.work_dir),
            model=engine.model_name,
            model_note=engine.model_note,
            ready=True,
        )
        self.show_flows()
        self.refresh({"turn", "status", "todo", "approvals", "flow"})

    async def _load_earlier(self, engine: Engine) -> None:
        """Load the earlier turns in steps, after the model's SDK."""
        await engine.loaded()
        if self.engine is engine and self._earlier is not None:
            self._loading = self.main_screen.set_interval(_LOAD_PAUSE_S, self._load_step)

    def _load_step(self) -> None:
        selected = self.main_screen.transcript.text_selection is not None  # its rows must not move
        if self._earlier is None or not (self._earlier.step() or selected):
            self.load_all()

    def load_all(self) -> None:
        """Show the turns of the session that are not loaded yet, at once."""
        earlier = self._end_loading()
        if earlier is None:
            return
        shown, self.state = self.state.conversation.items, earlier.finish()
        items = self.state.conversation.items
        if shown and items[-len(shown) :] == shown:
            self.transcript_sync.prepend(items[: -len(shown)])
        else:  # the last turns look different with those before them
            self.transcript_sync.start(items)
        if self.history_sink is not None:
            self.history_sink.prepend(earlier.messages)
        self.refresh({"turn", "status", "todo", "approvals", "questions", "flow"})
        if earlier.error is not None:
            cause = earlier.error.strerror or str(earlier.error)
            self.add_notice(ErrorItem(_("The earlier turns cannot be read"), cause))

    def _end_loading(self) -> EarlierTurns | None:
        """Load no more in steps; returns what was loading."""
        earlier, self._earlier = self._earlier, None
        loading, self._loading = self._loading, None
        if loading is not None:
            loading.stop()  # defence: one-loader
        return earlier

    def _change(self, change: Change) -> Sequence[Delta]:
        """Change the state on screen, and later the one that is being loaded."""
        if self._earlier is not None:
            self._earlier.add(change)
        return change(self.state)

    @staticmethod
    def _location(engine: Engine) -> str:
        return engine.heading or git_branch.folder_label(engine.work_dir)

    def clear(self) -> None:
        """Remove everything of the displayed session."""
        self._end_loading()
        self.state, self.past, self._shown_ids = UiState(), None, frozenset()
        self.view_clock.timestamp = None
        self.transcript_sync.start(())
        self.refresh({"turn", "status", "todo", "approvals", "questions", "flow"})

    def show_model(self) -> None:
        """Update the display after a model change."""
        if self.engine is not None:
            self.main_screen.facts = dataclasses.replace(
                self.main_screen.facts, model=self.engine.model_name, model_note=self.engine.model_note
            )

    def show_flows(self) -> None:
        if self.engine is not None:
            skills, pane = self.engine.skills, self.main_screen.flow_pane
            pane.show_flows([*skills.flows(), *find_broken_flows(skills, pane.known)])
            self.refresh({"flow"})

    def apply_batch(self, messages: Sequence[Timed]) -> None:
        """Apply a batch to the state and show the changes."""
        invalidated: set[Pane] = {"turn"} if len(self.state.conversation) == 0 else set()
        for timestamp, message in messages:
            if self.history_sink is not None:
                self.history_sink.on_wire((timestamp, message))
            invalidated |= self._apply_deltas(self._change(partial(UiState.fold, message=message, at=timestamp)))
            if isinstance(message, ApprovalRequest | QuestionRequest):
                self._attention.call(
                    _("Approval needed") if isinstance(message, ApprovalRequest) else _("Answer needed")
                )
            elif isinstance(message, FlowPaused) and message.reason == "choice":
                self._attention.call(_("a flow is waiting for your choice"))
        if invalidated:
            self.refresh(invalidated)
        self._ask_for_budget()

    def _ask_for_budget(self) -> None:
        """Ask the user once when the run begins to wait for a higher budget."""
        run = self.state.flow.run
        waits = run is not None and run.waits_for_budget(self._clock())
        begins, self._waits_for_budget = waits and not self._waits_for_budget, waits
        if begins:
            self._attention.call(_("the budget of a flow is used up"))
            self.on_budget_reached()

    def settle(self) -> None:
        """Called when the engine becomes idle."""
        self._apply(self._change(partial(UiState.settle, at=self._clock())))
        if self.main_screen.right_column.held:  # what was sent was a command
            self.main_screen.right_column.held = False
            self.refresh({"flow"})

    def add_notice(self, item: NoticeItem | ErrorItem) -> None:
        self._apply(self._change(partial(UiState.add_notice, item=item, at=self._clock())))

    def show_internal_error(self, cause: UserText) -> None:
        """Show an internal error that ended a turn."""
        self.add_notice(ErrorItem(_("Something went wrong in kimi-tui itself"), cause, _("see the log for details")))

    def append_tool_output(self, call_id: str, tail: str) -> None:
        """Append output of a running tool."""
        self._apply(self._change(lambda state: state.tools.append_output(call_id, tail)))

    def _apply(self, deltas: Sequence[Delta]) -> None:
        was_empty = self.main_screen.is_empty
        if (invalidated := self._apply_deltas(deltas)) or was_empty:
            self.refresh(invalidated)

    def _apply_deltas(self, deltas: Sequence[Delta]) -> set[Pane]:
        """Apply changes of the present to the conversation, if the present is displayed; returns the other invalidated
        panes."""
        if self.past is None:
            return self.transcript_sync.apply(deltas)
        return {delta.part for delta in deltas if isinstance(delta, Invalidated)}

    def refresh(self, parts: set[Pane]) -> None:
        """Update these panes."""
        main_screen, state = self.main_screen, self.shown_state
        if "status" in parts:
            main_screen.show_server_problem(_missing_servers(state.status.mcp))
        if "todo" in parts:
            main_screen.show_todo(state.todo)
        if "approvals" in parts:
            self.show_approvals()
        if "questions" in parts:
            self._show_question()
        if parts & {"flow", "node", "approvals", "questions"}:
            main_screen.flow_pane.past = self.past is not None
            main_screen.flow_pane.show_run(
                state.flow.run,
                asking=bool(state.approvals),
                answering=bool(state.questions),
                retry_until=state.retrying.until if state.retrying is not None else None,
            )
            self._show_branch_dialog()
        if parts & {"flow", "node", "todo", "approvals"}:
            main_screen.show_status(state)
        if parts & {"turn", "todo", "approvals", "flow"}:
            has_work = state.flow.is_current or not state.chats
            if self.past is not None:
                has_work = has_work or state.flow.run is not None
            if state.chats or state.flow.is_current:
                main_screen.right_column.held = False
            main_screen.follow_work(has_work=has_work, chats=state.chats)
        self.tick()

    def tick(self) -> None:
        """Update running timers and the header's figures."""
        main_screen, state, engine = self.main_screen, self.shown_state, self.engine
        run, turn = state.flow.run, state.turn
        held = run is not None and run.held
        elapsed = int(max(0.0, self.view_clock() - turn.started)) if turn.started is not None and not held else None
        main_screen.facts = dataclasses.replace(
            main_screen.facts,
            context_usage=state.status.context_usage,
            max_context_tokens=state.status.max_context_tokens,
            plan_mode=state.status.plan_mode,
            yolo=engine.approvals.yolo if engine is not None else False,
            sandbox=engine.live.services.sandbox.known_tier if engine is not None and engine.live is not None else None,
            waiting=len(state.approvals),
            asking=len(state.questions) + _waits_for_branch(run),
            background=_in_background(engine),
            elapsed=elapsed,
            paused=run is not None and run.active and (run.paused is not None or held),
            pausing=state.flow.pausing,
        )
        waits = bool(state.approvals or state.questions) or held or self.past is not None
        working = turn.running and not waits
        main_screen.show_turn(running=turn.running, working=working, empty=not len(state.conversation))
        main_screen.flow_pane.tick()
        if main_screen.facts.background and not self._refresh_scheduled:
            self._refresh_scheduled = True
            main_screen.set_timer(1.0, self._refresh_background)

    def _refresh_background(self) -> None:
        """Refresh the task count: a background task ends without a Wire message of the turn."""
        self._refresh_scheduled = False
        self.tick()

    @property
    def needs_ticks(self) -> bool:
        """Whether anything on screen changes with the clock."""
        run = self.shown_state.flow.run
        return self.shown_state.turn.running or (run is not None and run.active)

    def show_approvals(self, open_id: str | None = None) -> None:
        """Show the pending approvals, and focus the dialog unless the user is typing."""
        requests = tuple(self.state.approvals.values())
        ids = frozenset(request.id for request in requests)
        run = self.state.flow.run
        node = current_label(run) if run is not None and run.active else ""
        has_new, self._shown_ids = bool(ids - self._shown_ids), ids
        may_focus = open_id is not None or (has_new and not self._user_is_busy)  # defence: focus-stays-with-writer
        self.main_screen.show_approvals(requests, node=node, open_id=open_id, may_focus=may_focus)

    @property
    def _user_is_busy(self) -> bool:
        """Whether the user is typing or has just used the flow pane's keys: a dialog must not get their next key."""
        if isinstance(self.main_screen.focused, Input):  # a search, an own answer, a comment
            return True
        if self.main_screen.in_pane:
            return self._monotonic() - self.last_steered_at < _STEERING_PAUSE_S
        return self.main_screen.composer.is_written

    def question_answered(self, request_id: str) -> None:
        """Remove an answered question; the Wire reports the answer only with the tool's result."""
        self._change(partial(_answer, request_id=request_id))
        self._show_question()

    def _show_question(self) -> None:
        question = next(iter(self.state.questions.values()), None)
        self.main_screen.dialogs.show_question(question, may_focus=not self._user_is_busy)

    def _show_branch_dialog(self) -> None:
        dialogs, run = self.main_screen.dialogs, self.state.flow.run
        pause = run.paused if run is not None and run.active else None
        if run is not None and pause is not None and pause.reason == "choice":
            label, question = question_at(run, run.node_id)
            dialogs.show_branches(
                run.node_id,
                label,
                branches_of(run.begin, run.node_id),
                words=self._last_words(pause),
                question=question,
                suggested=pause.suggested or "",
                default=default_at(run, run.node_id),
                may_focus=not self._user_is_busy,
            )
        else:
            dialogs.close_branches(unless_requested=True)

    def _last_words(self, pause: Pause) -> str:
        """The model's last message, and why a decision is pending."""
        why = one_line(pause.detail or "")
        why = _("Waiting: {why}.", why=why) if why else ""
        for item in reversed(self.state.conversation.items[-12:]):
            if isinstance(item, AssistantItem):
                text = without_choice(item.text)
                text = text if len(text) <= _MAX_TEXT else "…" + text[-_MAX_TEXT:]
                return "\n\n".join(filter(None, (text, why)))
        return why


def _resume(state: UiState, messages: Sequence[Timed]) -> Sequence[Delta]:
    """Apply the recorded messages of a session that goes on now."""
    at = messages[-1][0]
    state.fold_all(messages)
    state.settle(at)
    state.flow.cut_off(at)
    if any(isinstance(message, TurnBegin) for _at, message in messages):
        state.conversation.append(SeparatorItem("resume", _("session resumed")))
    state.approvals.clear()
    return state.conversation.take_deltas()


def _answer(state: UiState, request_id: str) -> Sequence[Delta]:
    state.questions.pop(request_id, None)
    return ()


def _waits_for_branch(run: RunView | None) -> bool:
    return run is not None and run.active and run.paused is not None and run.paused.reason == "choice"


def _missing_servers(mcp: MCPStatus | None) -> str:
    """A short note on failed MCP servers; empty if none has failed."""
    broken = sum(server.status in ("failed", "unauthorized") for server in mcp.servers) if mcp is not None else 0
    return n_("{count} MCP server failed: /mcp", "{count} MCP servers failed: /mcp", broken) if broken else ""


def _in_background(engine: Engine | None) -> int:
    """The number of running background tasks."""
    live = engine.live if engine is not None else None
    return sum(task.running for task in live.services.background.tasks) if live is not None else 0
