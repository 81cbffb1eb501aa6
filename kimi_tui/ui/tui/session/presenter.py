"""Presenter: applies Wire batches to the state and updates the affected panes."""

import dataclasses
import time
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from textual.widgets import Input

from kimi_tui.ui.tui.engine_protocol import Engine
from kimi_tui.ui.tui.flow_pane.broken_flow import find_broken_flows
from kimi_tui.ui.tui.i18n.catalog import _, n_
from kimi_tui.ui.tui.main_screen import git_branch
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.state.deltas import Delta, Invalidated, Pane
from kimi_tui.ui.tui.state.flow_reducer import without_choice
from kimi_tui.ui.tui.state.items import AssistantItem, ErrorItem, NoticeItem, SeparatorItem
from kimi_tui.ui.tui.state.ui_state import UiState
from kimi_tui.ui.tui.state.view_clock import Timed, ViewClock
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.transcript.transcript_sync import TranscriptSync
from kimi_tui.wire.events import MCPStatus, TurnBegin
from kimi_tui.wire.flow_events import FlowPaused
from kimi_tui.wire.requests import ApprovalRequest, QuestionRequest

_WORDS_SHOWN = 600
_STEERING_S = 2.0


class AttentionNotifier(Protocol):
    """Calls the attention of a user who looks elsewhere."""

    def call(self, why: str) -> None: ...


@runtime_checkable
class HasTitle(Protocol):
    """An engine that shows a title in place of a folder: a recording."""

    @property
    def heading(self) -> str: ...


class HistorySink(Protocol):
    """Stores the messages for time travel."""

    def load(self, messages: list[Timed]) -> None: ...
    def on_wire(self, message: Timed) -> None: ...


class Presenter:
    """One session on one screen. `clock` is the clock of the messages, `moment` the clock of the displayed state."""

    def __init__(
        self,
        home: MainScreen,
        *,
        clock: Callable[[], float],
        moment: ViewClock,
        attention: AttentionNotifier,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._looks_again = False
        self.home = home
        self.state = UiState()
        self.past: UiState | None = None
        self.moment = moment
        self.history_sink: HistorySink | None = None
        self.transcript_sync = TranscriptSync(home.transcript)
        self.engine: Engine | None = None
        self._clock = clock
        self._attention = attention
        self._steady = steady
        self.last_steered_at = float("-inf")
        self._asked: frozenset[str] = frozenset()

    @property
    def shown_ids(self) -> UiState:
        """The displayed state: the present one, or a past one during time travel."""
        return self.state if self.past is None else self.past

    def attach(self, engine: Engine) -> None:
        """Show this session with its recorded messages."""
        self.engine = engine
        recorded = [(one.timestamp, one.message) for one in engine.recorded()]
        if self.history_sink is not None:
            self.history_sink.load(list(recorded))
        if recorded:
            self.state.fold_all(recorded)
            self.state.settle(recorded[-1][0])
            self.state.flow.cut_off(recorded[-1][0])
            if any(isinstance(message, TurnBegin) for _at, message in recorded):
                self.state.conversation.append(SeparatorItem("resume", _("session resumed")))
            self.state.conversation.take_deltas()
            self.state.approvals.clear()
            self.transcript_sync.start(self.state.conversation.items)
        facts = self.home.header.facts
        self.home.header.facts = dataclasses.replace(
            facts,
            place=self._place_of(engine),
            branch="" if isinstance(engine, HasTitle) else git_branch.branch_of(engine.work_dir),
            model=engine.model_name,
            model_note=engine.model_note,
            ready=True,
        )
        self.show_flows()
        self.refresh({"turn", "status", "todo", "approvals", "flow"})

    @staticmethod
    def _place_of(engine: Engine) -> str:
        return engine.heading if isinstance(engine, HasTitle) else git_branch.folder_label(engine.work_dir)

    def clear(self) -> None:
        """Remove everything of the displayed session."""
        self.state, self.past, self._asked = UiState(), None, frozenset()
        self.moment.at = None
        self.transcript_sync.start(())
        self.refresh({"turn", "status", "todo", "approvals", "questions", "flow"})

    def show_model(self) -> None:
        """Update the display after a model change."""
        if self.engine is not None:
            facts = self.home.header.facts
            self.home.header.facts = dataclasses.replace(
                facts, model=self.engine.model_name, model_note=self.engine.model_note
            )

    def show_flows(self) -> None:
        if self.engine is not None:
            skills, pane = self.engine.skills, self.home.flow
            pane.show_flows([*skills.flows(), *find_broken_flows(skills, pane.known)])
            self.home.update_layout()

    def apply_batch(self, messages: Sequence[Timed]) -> None:
        """Apply a batch to the state and show the changes."""
        touched: set[Pane] = {"turn"} if len(self.state.conversation) == 0 else set()
        for at, message in messages:
            if self.history_sink is not None:
                self.history_sink.on_wire((at, message))
            touched |= self._apply_deltas(self.state.fold(message, at))
            if isinstance(message, ApprovalRequest | QuestionRequest):
                self._attention.call(
                    _("Approval needed") if isinstance(message, ApprovalRequest) else _("Question needed")
                )
            elif isinstance(message, FlowPaused) and message.reason == "choice":
                self._attention.call(_("a flow waits for your choice"))
        if touched:
            self.refresh(touched)

    def settle(self) -> None:
        """Called when the engine becomes idle."""
        self._apply(self.state.settle(self._clock()))

    def add_notice(self, item: NoticeItem | ErrorItem) -> None:
        self._apply(self.state.add_notice(item, self._clock()))

    def show_internal_error(self, cause: str) -> None:
        """Show an internal error that ended a turn."""
        self.add_notice(ErrorItem(_("Something went wrong in kimi-tui itself"), cause, _("the log has the details")))

    def append_tool_output(self, call_id: str, tail: str) -> None:
        """Append output of a running tool."""
        self._apply(self.state.tools.append_output(call_id, tail))

    def _apply(self, deltas: Sequence[Delta]) -> None:
        was_empty = self.home.talk.has_class("-empty")
        if (touched := self._apply_deltas(deltas)) or was_empty:
            self.refresh(touched)

    def _apply_deltas(self, deltas: Sequence[Delta]) -> set[Pane]:
        """Apply changes of the present to the conversation, if the present is displayed; returns the other invalidated
        panes."""
        if self.past is None:
            return self.transcript_sync.apply(deltas)
        return {delta.part for delta in deltas if isinstance(delta, Invalidated)}

    def refresh(self, parts: set[Pane]) -> None:
        """Update these panes."""
        home, state = self.home, self.shown_ids
        if "status" in parts:
            home.welcome.say(_missing_servers(state.status.mcp), action="door('mcp')")
        if "todo" in parts:
            home.todo.show(state.todo)
        if "approvals" in parts:
            self.show_approvals()
        if "questions" in parts:
            self._ask_question()
        if parts & {"flow", "node", "approvals", "questions"}:
            home.flow.past = self.past is not None
            home.flow.show_run(
                state.flow.run,
                state.flow.picture,
                asking=bool(state.approvals),
                answering=bool(state.questions),
                retry_until=state.retrying.until if state.retrying is not None else None,
            )
            self._ask_branch()
        if parts & {"flow", "node", "todo", "approvals"}:
            home.strip.show(state)
        if parts & {"todo", "approvals", "flow"}:
            home.update_layout()
        self.tick()

    def tick(self) -> None:
        """Update running timers and the header's figures."""
        home, state, engine = self.home, self.shown_ids, self.engine
        home.talk.set_class(not len(state.conversation), "-empty")
        run, turn = state.flow.run, state.turn
        elapsed = int(max(0.0, self.moment() - turn.started)) if turn.started is not None else None
        home.header.facts = dataclasses.replace(
            home.header.facts,
            context_usage=state.status.context_usage,
            max_context_tokens=state.status.max_context_tokens,
            plan_mode=state.status.plan_mode,
            yolo=engine.approvals.yolo if engine is not None else False,
            waiting=len(state.approvals),
            asking=len(state.questions),
            background=_in_background(engine),
            elapsed=elapsed,
            paused=run is not None and run.active and run.paused is not None,
            pausing=state.flow.pausing,
        )
        home.composer.set_class(turn.running, "-running")
        home.flow.tick()
        if home.header.facts.background and not self._looks_again:
            self._looks_again = True
            home.set_timer(1.0, self._look_again)

    def _look_again(self) -> None:
        """Refresh the task count: a background task ends without a Wire message of the turn."""
        self._looks_again = False
        self.tick()

    @property
    def needs_ticks(self) -> bool:
        """Whether something on screen changes with the clock."""
        run = self.shown_ids.flow.run
        return self.shown_ids.turn.running or (run is not None and run.active)

    def show_approvals(self, open_id: str | None = None) -> None:
        """Show the pending approvals, and focus the dialog unless the user is typing."""
        home = self.home
        requests = tuple(self.state.approvals.values())
        home.waiting.show(requests)
        had_focus = home.approval.has_focus_within
        run = self.state.flow.run
        node = run.node_label if run is not None and run.active else ""
        home.approval.show(requests, node=node, open_id=open_id)
        home.seat_dialogs()
        new = frozenset(request.id for request in requests) - self._asked
        self._asked = frozenset(request.id for request in requests)
        if requests and (open_id is not None or (new and not self._user_is_busy)):  # defence: focus-stays-with-writer
            home.focus_dialog(home.approval)
        elif not requests and (had_focus or home.focused is None):
            home.restore_focus()

    @property
    def _user_is_busy(self) -> bool:
        """Whether the user is typing or has just used the flow pane's keys: a dialog must not get their next key."""
        if isinstance(self.home.focused, Input):  # a search, an own answer, a comment
            return True
        if self.home.in_pane:
            return self._steady() - self.last_steered_at < _STEERING_S
        return self.home.composer.is_written

    def answered(self, request_id: str) -> None:
        """Remove an answered question; the Wire reports it only with the tool's result."""
        self.state.questions.pop(request_id, None)
        self._ask_question()

    def _ask_question(self) -> None:
        dialog = self.home.question
        had_focus, was_open = dialog.has_focus_within, dialog.is_open
        dialog.show(next(iter(self.state.questions.values()), None))
        self.home.seat_dialogs()
        if dialog.is_open and not was_open and not self._user_is_busy and self.home.open_dialog_widget is dialog:
            self.home.focus_dialog(dialog)
        elif had_focus and not dialog.is_open:
            self.home.restore_focus()

    def _ask_branch(self) -> None:
        home, run = self.home, self.state.flow.run
        pause = run.pause if run is not None and run.active else None
        if run is None or pause is None or pause.reason != "choice":
            if home.branch.is_open and not home.branch.wanted:
                had_focus = home.branch.has_focus_within
                home.branch.close()
                home.seat_dialogs()
                if had_focus:
                    home.restore_focus()
            return
        was_open = home.branch.is_open
        home.branch.show(
            run.node_id, run.node_label, run.branches, words=self._last_words(pause), suggested=pause.suggested or ""
        )
        home.seat_dialogs()
        if not was_open and not self._user_is_busy and home.open_dialog_widget is home.branch:
            home.focus_dialog(home.branch)

    def _last_words(self, pause: FlowPaused) -> str:
        """Why a decision is pending, and the model's last words."""
        why = one_line(pause.detail or "")
        why = _("It waits: {why}.", why=why) if why else ""
        for item in reversed(self.state.conversation.items[-12:]):
            if isinstance(item, AssistantItem):
                text = without_choice(item.text)
                text = text if len(text) <= _WORDS_SHOWN else "…" + text[-_WORDS_SHOWN:]
                return "\n\n".join(filter(None, (text, why)))
        return why


def _missing_servers(mcp: MCPStatus | None) -> str:
    """A short note on failed MCP servers; details are shown only when the failure is new."""
    broken = sum(server.status in ("failed", "unauthorized") for server in mcp.servers) if mcp is not None else 0
    return (
        n_("{count} MCP server does not work: /mcp", "{count} MCP servers do not work: /mcp", broken) if broken else ""
    )


def _in_background(engine: object) -> int:
    """The number of background tasks; 0 for the demo's engine."""
    from kimi_tui.soul.engine import Engine as SoulEngine

    return sum(task.running for task in engine.services.background.tasks) if isinstance(engine, SoulEngine) else 0
